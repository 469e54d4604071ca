package estimate

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/schemas"
)

// masksOf finds the tags of a text, as the stream would report them.
func masksOf(text string) (masks []schemas.Entity) {
	points := []rune(text)
	for i := 0; i < len(points); i++ {
		if points[i] != '[' {
			continue
		}
		end := i
		for end < len(points) && points[end] != ']' {
			end++
		}
		masks = append(masks, schemas.Entity{Start: i, End: end + 1})
	}
	return masks
}

func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Kind
	}{
		{"well, let me see what I can do about that", nil},
		{"thanks for calling, how can I help you today?", nil},
		{"this is [PERSON_NAME_1] from [ORGANIZATION_NAME_1].", nil},
		{"“yes” … said [PERSON_NAME_1], then [PERSON_NAME_2] — twice", nil},
		{"it was $450 in 2019 and 300 minutes, about 40%", nil},
		{"the 3rd of may at 10:30", nil},
		{"my number is 555 0134", []Kind{LongNumber}},
		{"the last four are 8841", []Kind{Number}},
		{"it is xk47p2", []Kind{Code}},
		{"five five five oh one", []Kind{Dictated}},
		{"m, r, k", nil},
		{"spelled m r k", []Kind{Spelled}},
		{"write to me @ home", []Kind{Address}},
		{"[PERSON_NAME_1] Zorblatt is here", []Kind{Beside}},
		{"I spoke to Zorblatt about it", []Kind{CapUnknown}},
		{"zorblatt said so, I think", []Kind{FlatUnknown}},
		{"So I know that zorblatt", []Kind{LowUnknown}},
		{"yes. Zorblatt here", []Kind{FirstUnknown}},
	} {
		var d detectors.Document
		var got []Kind
		Scan(&d, c.text, masksOf(c.text), func(x Candidate) bool {
			if k := x.Kind; x.Start < 0 || x.End <= x.Start || x.End > len(c.text) {
				t.Errorf("%q: candidate %v at %d to %d", c.text, k, x.Start, x.End)
			}
			got = append(got, x.Kind)
			return true
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
}

func TestAWordCountsOncePerCall(t *testing.T) {
	var d detectors.Document
	var l CandidateSet
	l, changed := l.Observe(&d, "I spoke to Zorblatt", nil, nil)
	if !changed || l.Len() != 1 {
		t.Fatalf("changed %v, %d candidates, want one new", changed, l.Len())
	}
	before := At(ner.High).Risk(l, 1, Found{})
	for _, text := range []string{"zorblatt again", "Zorblatt!", "ZORBLATT said so, I think"} {
		if l, changed = l.Observe(&d, text, nil, nil); changed || At(ner.High).Risk(l, 1, Found{}) != before {
			t.Errorf("%q: changed %v, risk %v, want the %v of before", text, changed, At(ner.High).Risk(l, 1, Found{}), before)
		}
	}
}

// TestTheEstimateNeverGoesDown checks what sampling relies on: a sampled call stays sampled. A
// candidate set that was sealed and opened continues as the original.
func TestTheEstimateNeverGoesDown(t *testing.T) {
	words := rapid.SampledFrom(strings.Fields("hello the Zorblatt maria Maria 8841 555-0134 xk47p2 five six seven m r k [PERSON_NAME_1] . , é ünsal Ünsal @ com dollars \xff"))
	rapid.Check(t, func(t *rapid.T) {
		var d detectors.Document
		var l CandidateSet
		var found Found
		last := 0.0
		for n := range int64(rapid.IntRange(1, 60).Draw(t, "utterances")) {
			text := strings.Join(rapid.SliceOfN(words, 0, 12).Draw(t, "words"), " ")
			masks := masksOf(text)
			next, changed := l.Observe(&d, text, masks, nil)
			if changed != (next.Len() > l.Len()) {
				t.Fatalf("changed is %v with %d candidates after %d", changed, next.Len(), l.Len())
			}
			again, err := FromKeys(slices.Clone(l.Keys()))
			if err != nil {
				t.Fatal(err)
			}
			if again, _ = again.Observe(&d, text, masks, nil); !slices.Equal(again.Keys(), next.Keys()) {
				t.Fatal("a candidate set that was decoded continues differently")
			}
			found.Add("PERSON_NAME", int64(len(masks)))
			l = next
			r := At(ner.High).Risk(l, n+1, found)
			if r < last {
				t.Fatalf("the estimate went from %v to %v", last, r)
			}
			last = r
		}
		if l.Len() > maxKeys {
			t.Fatalf("%d candidates are remembered", l.Len())
		}
	})
}

func TestSubthresholdFindingsCountOnce(t *testing.T) {
	var d detectors.Document
	text := "I spoke to Rosa Zorblatt and Zorblatt knew"
	l, changed := CandidateSet{}.Observe(&d, text, nil, []detectors.SubthresholdFinding{{Text: "Rosa Zorblatt", Score: 0.15}})
	if !changed || l.Len() != 2 || Kind(l.Keys()[0]&kindMask) != MiddlingName || Kind(l.Keys()[1]&kindMask) != RestOfName {
		t.Fatalf("%d candidates", l.Len())
	}
	if again, changed := l.Observe(&d, text, nil, []detectors.SubthresholdFinding{{Text: "Rosa", Score: 0.4}}); changed || again.Len() != 2 {
		t.Error("a known candidate was counted again")
	}
}

func TestUnknownKeysAreIgnored(t *testing.T) {
	for _, keys := range [][]uint32{{0}, {kindMask}, make([]uint32, maxKeys+1)} {
		if _, err := FromKeys(keys); err == nil {
			t.Errorf("%d keys were accepted", len(keys))
		}
	}
}

func TestNothingNewAllocatesNothing(t *testing.T) {
	var d detectors.Document
	var l CandidateSet
	text := "okay [PERSON_NAME_1], let me see what I can do about the order of Zorblatt"
	masks := masksOf(text)
	l, _ = l.Observe(&d, text, masks, nil)
	if n := testing.AllocsPerRun(100, func() { l, _ = l.Observe(&d, text, masks, nil) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzObserve(f *testing.F) {
	f.Add("hello [PERSON_NAME_1], 555-0134 m r k", 6, 21)
	f.Fuzz(func(t *testing.T, text string, start, end int) {
		var d detectors.Document
		var l CandidateSet
		l.Observe(&d, text, []schemas.Entity{{Start: start, End: end}}, []detectors.SubthresholdFinding{{Text: text, Score: 0.3}})
	})
}

func BenchmarkObserve(b *testing.B) {
	texts := []string{
		"okay, let me see what I can do about that for you",
		"thanks for calling [ORGANIZATION_NAME_1], this is [PERSON_NAME_1] speaking, how can I help you today?",
		"so I ordered two of the blue ones last week and one of them came with a broken handle, I would like to send it back please",
	}
	var masks [][]schemas.Entity
	for _, t := range texts {
		masks = append(masks, masksOf(t))
	}
	var d detectors.Document
	var l CandidateSet
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l, _ = l.Observe(&d, texts[i%3], masks[i%3], nil)
	}
}

func TestLeftoverOfASpeaker(t *testing.T) {
	for _, c := range []struct {
		infoType string
		own      bool
		want     int64
	}{{"PERSON_NAME", false, 3500}, {"ORGANIZATION_NAME", false, 0}, {"ORGANIZATION_NAME", true, 1400}, {"PRODUCT", true, 1400}} {
		if got := Leftover(c.infoType, c.own); got != c.want {
			t.Errorf("%s, of a speaker %v: %d", c.infoType, c.own, got)
		}
	}
}
