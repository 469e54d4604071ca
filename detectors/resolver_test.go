package detectors

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func resolve(text string, findings ...Finding) []Finding {
	var d Document
	d.Reset(text)
	d.Findings = append(d.Findings, findings...)
	var r Resolver
	return slices.Clone(r.Resolve(&d))
}

func TestResolverOrder(t *testing.T) {
	const text = "0123456789 abcdefghij"
	for name, c := range map[string]struct {
		a, b Finding
		rule Rule
	}{
		"checksum before structure": {Finding{Start: 0, End: 5, Evidence: ByChecksum}, Finding{Start: 2, End: 9, Evidence: ByStructure}, ByStrength},
		"structure before cue":      {Finding{Start: 0, End: 5, Evidence: ByStructure}, Finding{Start: 2, End: 9, Evidence: ByCue}, ByStrength},
		"hotword before cue":        {Finding{Start: 0, End: 5, Evidence: ByHotword | ByShape}, Finding{Start: 2, End: 9, Evidence: ByCue}, ByStrength},
		"cue before tagger":         {Finding{Start: 0, End: 5, Evidence: ByCue}, Finding{Start: 2, End: 9, Evidence: ByModel}, ByStrength},
		"tagger before form":        {Finding{Start: 0, End: 5, Evidence: ByModel}, Finding{Start: 2, End: 9, Evidence: ByShape}, ByStrength},
		"memory before checksum":    {Finding{Start: 0, End: 5, Evidence: ByMemory}, Finding{Start: 2, End: 9, Evidence: ByChecksum}, ByStrength},
		"longer":                    {Finding{Start: 0, End: 6, Evidence: ByShape}, Finding{Start: 2, End: 7, Evidence: ByShape}, ByLength},
		"higher score":              {Finding{Start: 2, End: 7, Evidence: ByShape, Score: 0.9}, Finding{Start: 0, End: 5, Evidence: ByShape, Score: 0.5}, ByScore},
		"earlier":                   {Finding{Start: 0, End: 5, Evidence: ByShape}, Finding{Start: 2, End: 7, Evidence: ByShape}, ByStart},
		"name":                      {Finding{Start: 0, End: 5, Type: "A", Evidence: ByShape}, Finding{Start: 0, End: 5, Type: "B", Evidence: ByShape}, ByName},
		"detector":                  {Finding{Start: 0, End: 5, Detector: "a", Evidence: ByShape}, Finding{Start: 0, End: 5, Detector: "b", Evidence: ByShape}, ByName},
		"held by structure":         {Finding{Start: 0, End: 9, Evidence: ByStructure}, Finding{Start: 2, End: 7, Evidence: ByMemory}, ByContainment},
	} {
		for _, order := range [][]Finding{{c.a, c.b}, {c.b, c.a}} {
			var d Document
			d.Reset(text)
			d.Findings = append(d.Findings, order...)
			r := Resolver{Explain: true}
			kept := r.Resolve(&d)
			if !slices.Contains(kept, c.a) {
				t.Errorf("%s: the winner is not kept", name)
			}
			if len(r.Losses) != 1 || r.Losses[0].Rule != c.rule || r.Losses[0].Loser != c.b || r.Losses[0].Winner != c.a {
				t.Errorf("%s: losses %v", name, r.Losses)
			}
		}
	}
}

// A check digit is not discarded for a structure around it.
func TestChecksumInsideStructureStays(t *testing.T) {
	got := resolve("0123456789", Finding{Start: 0, End: 10, Type: URL, Evidence: ByStructure}, Finding{Start: 2, End: 7, Type: IBAN, Evidence: ByChecksum})
	if len(got) != 3 || got[1].Type != IBAN || got[0].Type != URL || got[2].Type != URL {
		t.Errorf("%v", got)
	}
}

// The parts of a losing finding outside of the winner stay covered, without its value.
func TestResolverKeepsTheRest(t *testing.T) {
	got := resolve("ab cd, ef", Finding{Start: 0, End: 5, Type: "A", Value: "abcd", Evidence: ByChecksum}, Finding{Start: 3, End: 9, Type: "B", Value: "cdef", Evidence: ByShape})
	want := []Finding{{Start: 0, End: 5, Type: "A", Value: "abcd", Evidence: ByChecksum}, {Start: 7, End: 9, Type: "B", Evidence: ByShape}}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func TestResolverIsAFunctionOfTheSet(t *testing.T) {
	const text = "one two three four five six seven eight nine ten, eleven; twelve."
	evidence := []Evidence{ByShape, ByModel, ByCue, ByStructure, ByChecksum | ByShape, ByMemory, ByUser}
	rapid.Check(t, func(t *rapid.T) {
		var findings []Finding
		for range rapid.IntRange(0, 12).Draw(t, "findings") {
			start := rapid.IntRange(0, len(text)-1).Draw(t, "start")
			findings = append(findings, Finding{Start: start, End: rapid.IntRange(start+1, len(text)).Draw(t, "end"), Type: rapid.SampledFrom(InfoTypes()).Draw(t, "type"),
				Evidence: rapid.SampledFrom(evidence).Draw(t, "evidence"), Score: float32(rapid.IntRange(1, 10).Draw(t, "score")) / 10})
		}
		first := resolve(text, findings...)
		seed := rapid.Uint64().Draw(t, "seed")
		shuffled := slices.Clone(findings)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if !slices.Equal(first, resolve(text, shuffled...)) {
			t.Fatalf("the order of %v matters", findings)
		}
		var covered [len(text)]bool
		end := 0
		for _, f := range first {
			if f.Start < end {
				t.Fatalf("%v overlap", first)
			}
			end = f.End
			for i := f.Start; i < f.End; i++ {
				covered[i] = true
			}
		}
		for _, f := range findings {
			for i := f.Start; i < f.End; i++ {
				if !covered[i] && text[i] >= 'a' && text[i] <= 'z' {
					t.Fatalf("byte %d of %v is not covered by %v", i, f, first)
				}
			}
		}
	})
}

func TestNames(t *testing.T) {
	if got := (ByHotword | ByChecksum | Partial).String(); got != "hotword+checksum+partial" {
		t.Error(got)
	}
	for l := VeryUnlikely; l <= VeryLikely; l++ {
		if LikelihoodOf(ScoreOf(l)) != l {
			t.Errorf("%s: score %f", l, ScoreOf(l))
		}
	}
	if !Date.OffByDefault() || SSN.OffByDefault() || InfoType("BADGE").OffByDefault() {
		t.Error("what is off by default")
	}
}
