package mask

import (
	"strings"
	"testing"

	"sotto/detectors/allowlist"
	"sotto/internal/gold"
)

func TestMask(t *testing.T) {
	common, err := allowlist.Builtin(AllowList)
	if err != nil {
		t.Fatal(err)
	}
	const text = "Tom lives in [LOCATION_1], at 12 Encina."
	for _, c := range []struct {
		m     Masker
		found []gold.Span
		want  string
	}{
		{Masker{}, nil, "Tom lives in [MASK], at 12 Encina."},
		{Masker{}, []gold.Span{{Start: 0, End: 3}}, "[MASK] lives in [MASK], at 12 Encina."},
		{Masker{Keep: common}, nil, "[MASK] lives in [MASK], at [MASK] [MASK]."},
	} {
		if got := c.m.Mask(text, c.found); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestTally(t *testing.T) {
	const text = "Tom Alder is at 12 Encina."
	labelled := []gold.Span{{Start: 0, End: 9}, {Start: 16, End: 25}, {Start: 25, End: 26}}
	var m Masker
	var got Tally
	got.Add(&m, text, []gold.Span{{Start: 0, End: 3}}, labelled)
	if want := (Tally{Words: 6, Masked: 1, Direct: 2, Partial: 1, Left: 1}); got != want {
		t.Errorf("%+v", got)
	}
	r := Report{Techniques: []string{Entity}, Sets: []Set{{"made", []Tally{got}}}}
	var b strings.Builder
	if err := r.WriteTable(&b); err != nil || !strings.Contains(b.String(), "made  16.7 %") || !strings.Contains(b.String(), "made  50.0 %, 50.0 %") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
