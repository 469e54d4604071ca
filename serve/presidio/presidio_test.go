package presidio

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// unbounded is room for everything.
type unbounded struct{}

func (unbounded) Take(...string) error { return nil }

// Whatever a span covers is replaced, however the spans overlap.
func TestSpansThatOverlap(t *testing.T) {
	for _, c := range []struct {
		text  string
		spans []Result
		want  string
	}{
		{"abcdef", []Result{{EntityType: "A", Start: 1, End: 4}, {EntityType: "B", Start: 3, End: 5}}, "a<A><B>f"},
		{"abcdef", []Result{{EntityType: "B", Start: 3, End: 5}, {EntityType: "A", Start: 1, End: 4}}, "a<A><B>f"},
		{"abcdef", []Result{{EntityType: "A", Start: 1, End: 4}, {EntityType: "A", Start: 3, End: 5}}, "a<A>f"},
		{"ab  cd", []Result{{EntityType: "A", Start: 0, End: 2}, {EntityType: "A", Start: 4, End: 6}}, "<A>"},
		{"ab, cd", []Result{{EntityType: "A", Start: 0, End: 2}, {EntityType: "A", Start: 4, End: 6}}, "<A>, <A>"},
		{"abcdef", []Result{{EntityType: "A", Start: 0, End: 6}, {EntityType: "B", Start: 2, End: 3, Score: 1}}, "<A>"},
		{"abcdef", []Result{{EntityType: "A", Start: 0, End: 6, Score: 0.4}, {EntityType: "B", Start: 0, End: 6, Score: 0.9}}, "<B>"},
	} {
		text := []rune(c.text)
		got, err := applyOperators(t.Context(), text, merge(text, c.spans), nil, unbounded{})
		if err != nil || got.Text != c.want {
			t.Errorf("%s %+v: got %q, %v, want %q", c.text, c.spans, got.Text, err, c.want)
		}
	}
}

// Nothing that a span covers is left, and everything else is.
func TestReplacesWhatIsCovered(t *testing.T) {
	text := []rune("abcdefghij klmnopqrst uvwxyzäöüß")
	rapid.Check(t, func(t *rapid.T) {
		covered := map[rune]bool{}
		var spans []Result
		for range rapid.IntRange(0, 8).Draw(t, "spans") {
			start := rapid.IntRange(0, len(text)-1).Draw(t, "start")
			end := rapid.IntRange(start+1, len(text)).Draw(t, "end")
			spans = append(spans, Result{EntityType: rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "type"), Start: start, End: end,
				Score: rapid.Float64Range(0, 1).Draw(t, "score")})
			for _, r := range text[start:end] {
				covered[r] = true
			}
		}
		got, err := applyOperators(context.Background(), text, merge(text, spans), map[string]*Operator{"DEFAULT": {Type: "redact"}}, unbounded{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range text {
			if r != ' ' && strings.ContainsRune(got.Text, r) == covered[r] {
				t.Fatalf("%q is covered: %v, in the result: %q", r, covered[r], got.Text)
			}
		}
	})
}

// A search that can be stopped finds what the package regexp finds.
func TestPatternsFindWhatRegexpFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.SampledFrom([]string{`a`, `a+`, `\ba`, `^a`, `a$`, `(?m)^a|b$`, `a*`, `b|ab`, `(a)(b)?`, `\Ba`, `é+`, `a.b`, `(?-s)a.`, `\Aa`, `b\z`, `(?:^|\b|\W)(a|b)(?:\b|\W|$)`}).Draw(t, "pattern")
		flags := rapid.SampledFrom([]int{0, 2, 2 | 8 | 16}).Draw(t, "flags")
		text := rapid.StringMatching(`[abAé \n]{0,12}`).Draw(t, "text")
		c := newCompiler(flags)
		x, err := c.compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		if err := x.each(context.Background(), text, func(groups []int) error {
			if groups[2] < groups[3] {
				got = append(got, fmt.Sprint(groups[2:]))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for _, groups := range regexp.MustCompile("(?"+c.flags+":("+pattern+"))").FindAllStringSubmatchIndex(text, -1) {
			if groups[2] < groups[3] {
				want = append(want, fmt.Sprint(groups[2:]))
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s in %q: got %v, want %v", pattern, text, got, want)
		}
	})
}
