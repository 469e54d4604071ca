package anonymize

import (
	"testing"

	"sotto/detectors"
)

func TestSubthresholdFindingsAreNotMasked(t *testing.T) {
	d := &detectors.Document{Text: "so Zorblatt and Quimbolt knew"}
	d.Subthreshold = []detectors.Finding{{Start: 3, End: 11, Type: detectors.PersonName, Score: 0.2}, {Start: 16, End: 24, Type: detectors.PersonName, Score: 0.3}}
	got := unmasked(d, []detectors.Finding{{Start: 0, End: 4}})
	if len(got) != 1 || got[0].Text != "Quimbolt" || got[0].Start != 16 || got[0].Score != 0.3 {
		t.Errorf("sub-threshold findings %v, want Quimbolt", got)
	}
	if n := testing.AllocsPerRun(10, func() { unmasked(&detectors.Document{Text: "well"}, nil) }); n > 1 {
		t.Errorf("%v allocations for a text without sub-threshold findings", n)
	}
}
