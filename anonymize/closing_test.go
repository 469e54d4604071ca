package anonymize

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/schemas"
	"sotto/state"
	"sotto/training/corpus/callgen"
)

// TestClosingPassFindsWhatWasLearntLater masks a name in a turn that came before the turn that
// introduced it.
func TestClosingPassFindsWhatWasLearntLater(t *testing.T) {
	e, err := New(Options{Sensitivity: ner.Balanced})
	if err != nil {
		t.Fatal(err)
	}
	c := state.NewCall()
	early := schemas.CleanEvent{CallID: "c", Seq: 1, Type: schemas.Utterance,
		Text: "hé [LOCATION_1], ask quimbolt about [LOCATION_1]", Entities: []schemas.Entity{{Start: 3, End: 15, Type: "LOCATION", ID: 1}, {Start: 36, End: 48, Type: "LOCATION", ID: 1}}}
	e.Apply(c, e.Prepare(&schemas.RawEvent{CallID: "c", Seq: 2, Type: schemas.Utterance, Text: "My name is Rosa Quimbolt."}))
	final, added, _ := e.ClosingPass(c, &early, nil)
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

// The second reading sees what was said later: nobody but the last turn says that the word is a name.
func TestRereadSeesTheWholeCall(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, events := state.NewCall(), []*schemas.CleanEvent{}
	for i, text := range []string{
		"hi there who am i speaking with", "its pebble", "sorry was that pebble like the stone", "yeah thats my name everybody calls me that",
	} {
		clean, _ := e.Apply(c, e.Prepare(utterance(int64(i+1), []string{"Agent", "Caller"}[i%2], text)))
		events = append(events, &clean)
	}
	found := 0
	for _, f := range readAgain(t, e, events) {
		found += len(f)
	}
	masked := 0
	for i, again := range readAgain(t, e, events) {
		final, added, _ := e.ClosingPass(c, events[i], again)
		masked += len(added)
		if again := readAgain(t, e, []*schemas.CleanEvent{&final}); len(again) != 1 {
			t.Errorf("%d events of one", len(again))
		}
	}
	if masked < found {
		t.Errorf("%d masks for %d findings", masked, found)
	}
	once, err := New(Options{ReadOnce: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, again := range readAgain(t, once, events) {
		if len(again) > 0 {
			t.Error("an engine that reads once finds something in a second reading")
		}
	}
	if once.Policy() == e.Policy() {
		t.Error("the second reading is no part of the policy")
	}
}

// A name of which the call knows a part is masked whole.
func TestOfANameNothingIsLeft(t *testing.T) {
	e := newEngine(t, Options{Fast: true})
	c := state.NewCall()
	e.Apply(c, e.Prepare(utterance(0, "Agent", "my name is Mary")))
	clean := &schemas.CleanEvent{CallID: "c-42", Seq: 1, Type: schemas.Utterance, Text: "hi mary tarn smith calling"}
	name := detectors.Finding{Start: 3, End: 18, Type: detectors.PersonName, Evidence: detectors.ByModel, Detector: "finished", Score: 1, Likelihood: detectors.VeryLikely}
	final, _, _ := e.ClosingPass(c, clean, []detectors.Finding{name})
	if strings.Contains(final.Text, "tarn") || strings.Contains(final.Text, "smith") {
		t.Errorf("%q has a name", final.Text)
	}
}

// What leads to a mask is no value: the tagger takes the "at" before a host for the beginning of an e-mail address.
func TestWhatLeadsToAMaskIsNotMasked(t *testing.T) {
	for text, want := range map[string]bool{
		"it is at [DOMAIN_NAME_1]": true, "it is at [URL_1]": true, "it is at [LOCATION_1]": false, "it is Ida at [DOMAIN_NAME_1]": true, "it is at": false,
	} {
		d := &detectors.Document{}
		d.Reset(text)
		var masks []schemas.Entity
		if start := strings.IndexByte(text, '['); start >= 0 {
			masks = []schemas.Entity{{Start: start, End: len(text), Type: strings.TrimSuffix(text[start+1:], "_1]")}}
		}
		at := strings.Index(text, "at")
		for end := at + len("at"); end <= min(at+len("at "), len(text)); end++ { // with and without the space behind it
			f := detectors.Finding{Start: at, End: end, Type: detectors.EmailAddress, Evidence: detectors.ByModel}
			if got := leadsToMask(d, &f, masks); got != want {
				t.Errorf("%q: %t, want %t", text, got, want)
			}
		}
	}
}

// readAgain is Engine.Reread without an end.
func readAgain(t interface{ Fatal(args ...any) }, e *Engine, events []*schemas.CleanEvent) [][]detectors.Finding {
	again, err := e.Reread(context.Background(), events)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// TestClosingPassNeverRenumbers runs it on generated calls, with a second reading: every mask keeps its
// number.
func TestClosingPassNeverRenumbers(t *testing.T) {
	e, err := New(Options{Sensitivity: ner.Maximum, Fast: true})
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
			all := make([]*schemas.CleanEvent, len(events))
			for i := range events {
				all[i] = &events[i]
			}
			again := readAgain(t, e, all)
			for i := range events {
				final, added, _ := e.ClosingPass(calls[id], &events[i], again[i])
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
			}
		}
	})
}
