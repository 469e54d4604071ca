package intake

import (
	"strings"
	"testing"

	"sotto/schemas"
)

var limits = Limits{CallID: 8, Context: 8, Tenant: 8, Language: 8, Speaker: 8, Participants: 2, Values: 4, Value: 8, Text: 16}

func TestLimits(t *testing.T) {
	long := strings.Repeat("x", 9)
	text := strings.Repeat("x", 17)
	fits := func() *schemas.RawEvent {
		eight := strings.Repeat("x", 8)
		full := strings.Repeat("x", 16)
		p := schemas.Participant{SpeakerID: eight, Organization: eight, Names: []string{eight}, Emails: []string{eight}}
		return &schemas.RawEvent{CallID: eight, Context: eight, Tenant: eight, Language: eight, Text: full, Lexical: &full,
			Speaker: &schemas.Speaker{ID: eight, Label: eight}, Participants: []schemas.Participant{p, p}}
	}
	if reason := limits.Exceeded(fits()); reason != "" {
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
		{TooManyParticipants, func(e *schemas.RawEvent) { e.Participants = make([]schemas.Participant, 3) }},
		{TooManyValues, func(e *schemas.RawEvent) { e.Participants[1].Phones = []string{"1", "2"} }},
		{ValueTooLong, func(e *schemas.RawEvent) { e.Participants[1].SpeakerID = long }},
		{ValueTooLong, func(e *schemas.RawEvent) { e.Participants[0].Organization = long }},
		{ValueTooLong, func(e *schemas.RawEvent) { e.Participants[0].Names[0] = long }},
		{ValueTooLong, func(e *schemas.RawEvent) { e.Participants[1].Other = []string{long} }},
	} {
		e := fits()
		c.change(e)
		if got := limits.Exceeded(e); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if Details[c.want] == "" {
			t.Errorf("%s is not explained", c.want)
		}
	}
}
