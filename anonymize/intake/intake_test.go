package intake

import (
	"slices"
	"strings"
	"testing"

	"sotto/schemas"
)

func TestLimits(t *testing.T) {
	rules := Rules{MaxText: 16}
	x := func(n int) string { return strings.Repeat("x", n) }
	long, text := x(maxValue+1), x(17)
	fits := func() *schemas.RawEvent {
		full, value := x(16), x(maxValue)
		p := schemas.Participant{SpeakerID: value, Organization: value, Names: slices.Repeat([]string{value}, maxValues-2), Emails: []string{value}}
		return &schemas.RawEvent{CallID: x(MaxCallID), Context: x(maxContext), Tenant: x(maxTenant), Language: x(maxLanguage), Text: full, Lexical: &full,
			Speaker: &schemas.Speaker{ID: x(maxSpeaker), Label: x(maxSpeaker)}, Participants: slices.Repeat([]schemas.Participant{p}, maxParticipants)}
	}
	if reason := rules.exceeded(fits()); reason != "" {
		t.Fatalf("an event at its limits is refused: %s", reason)
	}
	for _, c := range []struct {
		want   string
		change func(*schemas.RawEvent)
	}{
		{CallIDTooLong, func(e *schemas.RawEvent) { e.CallID = long }},
		{ContextTooLong, func(e *schemas.RawEvent) { e.Context = long }},
		{TenantTooLong, func(e *schemas.RawEvent) { e.Tenant = long }},
		{LanguageTooLong, func(e *schemas.RawEvent) { e.Language = long }},
		{SpeakerTooLong, func(e *schemas.RawEvent) { e.Speaker.ID = long }},
		{SpeakerTooLong, func(e *schemas.RawEvent) { e.Speaker.Label = long }},
		{TextTooLong, func(e *schemas.RawEvent) { e.Text = text }},
		{TextTooLong, func(e *schemas.RawEvent) { e.Lexical = &text }},
		{TooManyParticipants, func(e *schemas.RawEvent) { e.Participants = make([]schemas.Participant, maxParticipants+1) }},
		{TooManyValues, func(e *schemas.RawEvent) { e.Participants[1].Phones = []string{"1", "2"} }},
		{ValueTooLong, func(e *schemas.RawEvent) { e.Participants[1].SpeakerID = long }},
		{ValueTooLong, func(e *schemas.RawEvent) { e.Participants[0].Organization = long }},
		{ValueTooLong, func(e *schemas.RawEvent) { e.Participants[0].Names = []string{long} }},
		{ValueTooLong, func(e *schemas.RawEvent) { e.Participants[1].Emails = []string{long} }},
	} {
		e := fits()
		c.change(e)
		if got := rules.exceeded(e); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if schemas.Explain(c.want) == "" {
			t.Errorf("%s is not explained", c.want)
		}
	}
}
