package anonymize

import (
	"slices"
	"testing"

	"sotto/anonymize/replace"
	"sotto/schemas"
	"sotto/state"
)

func TestMaskWords(t *testing.T) {
	clean := schemas.CleanEvent{CallID: "c", Seq: 1, Type: schemas.Utterance,
		Text:     "hé zither [LOCATION_1], 42 quimbolts",
		Entities: []schemas.Entity{{Start: 10, End: 22, Type: "LOCATION", ID: 1}}}
	words := []schemas.Span{{Start: 3, End: 9}, {Start: 24, End: 26}, {Start: 27, End: 36}}
	for strategy, want := range map[string]string{
		"typed-numbered": "hé [SPELLED_WORD] [LOCATION_1], [NUMERIC] [SPELLED_WORD]",
		"redact":         "hé [REDACTED] [LOCATION_1], [REDACTED] [REDACTED]",
	} {
		choice, err := replace.ParseChoice(strategy)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := replace.New(replace.Config{Choice: choice, Probability: 1})
		if err != nil {
			t.Fatal(err)
		}
		e := newEngine(t, Options{Replace: plan, RawOffsets: true})
		masked, changed := e.MaskWords(state.NewCall(), &clean, words)
		if masked.Text != want || changed {
			t.Errorf("%s: %q, changed: %v", strategy, masked.Text, changed)
		}
		var tags []string
		text := []rune(masked.Text)
		for _, x := range masked.Entities {
			tags = append(tags, x.Type+" "+string(text[x.Start:x.End]))
			if x.Type != "LOCATION" && (x.ID != 0 || x.Detector != "indirect" || x.RawStart != nil) {
				t.Errorf("%+v", x)
			}
		}
		if len(tags) != 4 || strategy == "typed-numbered" &&
			!slices.Equal(tags, []string{"SPELLED_WORD [SPELLED_WORD]", "LOCATION [LOCATION_1]", "NUMERIC [NUMERIC]", "SPELLED_WORD [SPELLED_WORD]"}) {
			t.Errorf("%s: %q", strategy, tags)
		}
	}
	e := newEngine(t, Options{})
	if same, _ := e.MaskWords(state.NewCall(), &clean, nil); same.Text != clean.Text {
		t.Errorf("%q without words", same.Text)
	}
	if clean.Text != "hé zither [LOCATION_1], 42 quimbolts" || clean.Entities[0].Start != 10 {
		t.Error("the published event was changed")
	}
}
