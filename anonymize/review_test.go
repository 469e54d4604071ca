package anonymize

import (
	"testing"

	"pgregory.net/rapid"

	"sotto/internal/callgen"
	"sotto/schemas"
	"sotto/state"
)

// TestReviewFindsWhatWasLearntLater masks a name in a turn that came before the turn that
// introduced it.
func TestReviewFindsWhatWasLearntLater(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := state.NewCall()
	early := schemas.CleanEvent{CallID: "c", Seq: 1, Type: schemas.Utterance,
		Text: "hé [LOCATION_1], ask quimbolt about [LOCATION_1]", Entities: []schemas.Entity{{Start: 3, End: 15, Type: "LOCATION", ID: 1}, {Start: 36, End: 48, Type: "LOCATION", ID: 1}}}
	e.Apply(c, e.Prepare(&schemas.RawEvent{CallID: "c", Seq: 2, Type: schemas.Utterance, Text: "My name is Rosa Quimbolt."}))
	final, added, _ := e.Review(c, &early)
	if final.Text != "hé [LOCATION_1], ask [PERSON_NAME_1] about [LOCATION_1]" {
		t.Fatalf("got %q", final.Text)
	}
	if len(added) != 1 || added[0].Type != "PERSON_NAME" || added[0].ID != 1 {
		t.Errorf("added %+v", added)
	}
	text := []rune(final.Text)
	for i, want := range []string{"[LOCATION_1]", "[PERSON_NAME_1]", "[LOCATION_1]"} {
		if x := final.Entities[i]; string(text[x.Start:x.End]) != want {
			t.Errorf("entity %d is at %d to %d, want it at %s", i, x.Start, x.End, want)
		}
	}
	if early.Text != "hé [LOCATION_1], ask quimbolt about [LOCATION_1]" || early.Entities[1].Start != 36 {
		t.Error("the published event was changed")
	}
}

// TestReviewNeverRenumbers reviews generated calls: every mask keeps its number, and a second
// review finds nothing.
func TestReviewNeverRenumbers(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		calls := map[string]*state.Call{}
		said := map[string][]schemas.CleanEvent{}
		for ev := range callgen.New(callgen.Config{Seed: rapid.Uint64().Draw(t, "seed")}).Events(0, 3, 3) {
			raw := ev.RawEvent
			c := calls[raw.CallID]
			if c == nil {
				c = state.NewCall()
				calls[raw.CallID] = c
			}
			clean, _ := e.Apply(c, e.Prepare(&raw))
			said[raw.CallID] = append(said[raw.CallID], clean)
		}
		for id, events := range said {
			for i := range events {
				final, added, _ := e.Review(calls[id], &events[i])
				text := []rune(final.Text)
				if len(final.Entities) != len(events[i].Entities)+len(added) {
					t.Fatalf("%d masks of %d and %d new ones", len(final.Entities), len(events[i].Entities), len(added))
				}
				k := 0
				for _, x := range final.Entities {
					if x.Start < 0 || x.End > len(text) || text[x.Start] != '[' || text[x.End-1] != ']' {
						t.Fatalf("a mask at %d to %d is not where its tag is", x.Start, x.End)
					}
					if k < len(events[i].Entities) && x.Type == events[i].Entities[k].Type && x.ID == events[i].Entities[k].ID {
						k++
					}
				}
				if k != len(events[i].Entities) {
					t.Fatal("a mask has another number or position")
				}
				if _, again, _ := e.Review(calls[id], &final); len(again) > 0 {
					t.Fatalf("a second review adds %d masks", len(again))
				}
			}
		}
	})
}
