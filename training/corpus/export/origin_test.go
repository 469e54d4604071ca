package export

import (
	"errors"
	"testing"

	"sotto/schemas"
	"sotto/training/corpus/transcripts"
)

func TestCheckOrigin(t *testing.T) {
	event := func(change func(*schemas.CleanEvent)) *schemas.CleanEvent {
		e := madeBy(&schemas.CleanEvent{Text: `é [PERSON_NAME_1], [\\SSN_1] is Ines`, Speaker: &schemas.Speaker{ID: "s12"}})
		change(e)
		return e
	}
	for name, change := range map[string]func(*schemas.CleanEvent){
		"as it was written": func(*schemas.CleanEvent) {},
		"an END":            func(e *schemas.CleanEvent) { e.Text, e.Entities, e.Speaker = "", nil, nil },
		"an escaped tag":    func(e *schemas.CleanEvent) { e.Text += ` [\\PERSON_NAME_2]` },
		"a tag of a late event, and a redacted one": func(e *schemas.CleanEvent) {
			e.Text, e.Entities = "[AGE] [REDACTED]", []schemas.Entity{{Start: 0, End: 5, Type: "AGE"}, {Start: 6, End: 16, Type: "SSN"}}
		},
		"a surrogate": func(e *schemas.CleanEvent) {
			e.Text, e.Strategy = "Tom", "default=typed,PERSON_NAME=entity"
			e.Entities = []schemas.Entity{{Start: 0, End: 3, Type: "PERSON_NAME"}}
		},
	} {
		if err := CheckOrigin(event(change)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*schemas.CleanEvent){
		"no policy":            func(e *schemas.CleanEvent) { e.Policy = "" },
		"a policy of words":    func(e *schemas.CleanEvent) { e.Policy = "our rules" },
		"no strategy":          func(e *schemas.CleanEvent) { e.Strategy = "" },
		"the speaker's own ID": func(e *schemas.CleanEvent) { e.Speaker.ID = "Ines" },
		"a label instead": func(e *schemas.CleanEvent) {
			e.Text, e.Entities = "Ines", []schemas.Entity{{Start: 0, End: 4, Type: "PERSON_NAME"}}
		},
		"a tag without an entity": func(e *schemas.CleanEvent) { e.Entities = nil },
		"an entity beyond":        func(e *schemas.CleanEvent) { e.Entities[0].End = 99 },
		"an entity of nothing":    func(e *schemas.CleanEvent) { e.Entities[0].End = e.Entities[0].Start },
		"an entity before":        func(e *schemas.CleanEvent) { e.Entities[0].Start = -1 },
		"entities that overlap":   func(e *schemas.CleanEvent) { e.Entities = append(e.Entities, e.Entities[0]) },
		"a surrogate of another type": func(e *schemas.CleanEvent) {
			e.Text, e.Strategy = "Tom", "default=typed,LOCATION=entity"
			e.Entities = []schemas.Entity{{Start: 0, End: 3, Type: "PERSON_NAME"}}
		},
	} {
		e := event(change)
		if err := CheckOrigin(e); !errors.Is(err, ErrRaw) {
			t.Errorf("%s: %v", name, err)
		}
		x := open(t, options(t.TempDir()))
		if err := x.Add(&transcripts.Transcript{ID: "a", Summary: &schemas.CallSummary{Release: true}, Events: []*schemas.CleanEvent{e}}); !errors.Is(err, ErrRaw) {
			t.Errorf("%s: the call was added: %v", name, err)
		}
	}
}
