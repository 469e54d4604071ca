package eval

import (
	"strings"
	"testing"

	"sotto/schemas"
)

func TestMasksAreTakenFromTheCleanEvent(t *testing.T) {
	at := func(start, end, rawStart, rawEnd int) schemas.Entity {
		return schemas.Entity{Start: start, End: end, Type: "PERSON_NAME", ID: 1, RawStart: &rawStart, RawEnd: &rawEnd, Detector: "d", Score: 0.5}
	}
	const raw = "Hi Zoë, Bo!"
	for _, c := range []struct {
		what, clean string
		entities    []schemas.Entity
		problem     string
	}{
		{"as it should be", "Hi [N_1], [N_2]!", []schemas.Entity{at(3, 8, 3, 6), at(10, 15, 8, 10)}, ""},
		{"nothing found", raw, nil, ""},
		{"no raw offsets", "Hi [N_1], Bo!", []schemas.Entity{{Start: 3, End: 8}}, "no raw offsets"},
		{"text lost", "Hi [N_1] Bo!", []schemas.Entity{at(3, 8, 3, 6)}, "differs"},
		{"text lost before", "[N_1], Bo!", []schemas.Entity{at(0, 5, 3, 6)}, "differs"},
		{"raw text kept in the tag's place", "Hi Zoë, Bo!", []schemas.Entity{at(3, 3, 3, 6)}, "differs"},
		{"bytes for code points", "Hi [N_1], [N_2]!", []schemas.Entity{at(3, 8, 3, 7), at(10, 15, 9, 11)}, "differs"},
		{"overlap", "Hi [N_1], Bo!", []schemas.Entity{at(3, 8, 3, 6), at(3, 8, 4, 6)}, "overlap"},
		{"beyond the raw text", "Hi [N_1]", []schemas.Entity{at(3, 8, 3, 60)}, "leave the text"},
		{"beyond the clean text", "Hi [N_1]", []schemas.Entity{at(3, 80, 3, 11)}, "leave the text"},
		{"empty", "Hi Zoë, Bo!", []schemas.Entity{at(3, 3, 3, 3)}, "empty"},
	} {
		masks, problem := masksOf(raw, &schemas.CleanEvent{Text: c.clean, Entities: c.entities})
		if c.problem == "" && (problem != "" || len(masks) != len(c.entities)) {
			t.Errorf("%s: %d masks, problem %q", c.what, len(masks), problem)
		}
		if c.problem != "" && !strings.Contains(problem, c.problem) {
			t.Errorf("%s: problem %q, want %q", c.what, problem, c.problem)
		}
	}
	const forged = "[A_1] Zoë [B_2]"
	escaped := &schemas.CleanEvent{Text: `[\A_1] [N_1] [\B_2]`, Entities: []schemas.Entity{at(7, 12, 6, 9)}}
	if masks, problem := masksOf(forged, escaped); problem != "" || len(masks) != 1 || masks[0].Start != 6 {
		t.Errorf("escaped look-alikes: masks %+v, problem %q", masks, problem)
	}
	masks, _ := masksOf(raw, &schemas.CleanEvent{Text: "Hi [N_1], Bo!", Entities: []schemas.Entity{at(3, 8, 3, 6)}})
	if masks[0] != (Mask{Start: 3, End: 6, Type: "PERSON_NAME", ID: 1, Detector: "d"}) {
		t.Errorf("mask %+v", masks[0])
	}
}
