package policy

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"sotto/detectors"
)

// Whatever a detector returns, a finding covers each character of which it found a part, and no other that can be seen.
func TestAnythingThatADetectorFinds(t *testing.T) {
	var found []Found
	p, err := Read(nil, Detector{Name: "any", InfoTypes: []detectors.InfoType{"TICKET"}, Find: func(string) []Found { return found }})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		visible := []rune(rapid.StringOfN(rapid.SampledFrom([]rune("ab é中.")), 1, 12, -1).Draw(t, "text"))
		text, place := "", []int{} // where each byte that is visible stands
		for _, r := range visible {
			text += rapid.SampledFrom([]string{"", "", "\u200b"}).Draw(t, "invisible")
			for i := range utf8.RuneLen(r) {
				place = append(place, len(text)+i)
			}
			text += string(r)
		}
		found = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Found {
			return Found{rapid.IntRange(-3, 40).Draw(t, "start"), rapid.IntRange(-3, 40).Draw(t, "end"),
				detectors.InfoType(rapid.SampledFrom([]string{"", "TICKET", "no type"}).Draw(t, "type")),
				detectors.Likelihood(rapid.IntRange(0, 9).Draw(t, "likelihood"))}
		}), 1, 3).Draw(t, "found")
		var want, got [100]bool
		at := 0
		for _, r := range visible {
			for _, f := range found {
				if f.Start < at+utf8.RuneLen(r) && f.End > at && f.Start < f.End {
					want[place[at]] = true
				}
			}
			at += utf8.RuneLen(r)
		}
		var d detectors.Document
		d.Reset(text)
		p.Find(&d, "")
		for _, f := range d.Findings {
			if f.Type != "TICKET" || f.Likelihood < detectors.VeryUnlikely || f.Likelihood > detectors.VeryLikely {
				t.Fatalf("an invalid finding: %+v", f)
			}
			for _, i := range place {
				got[i] = got[i] || i >= f.Start && i < f.End && utf8.RuneStart(text[i])
			}
		}
		if got != want {
			t.Fatalf("found %v in %q, and masked %v", found, text, d.Findings)
		}
	})
}
