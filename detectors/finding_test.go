package detectors

import "testing"

func TestCore(t *testing.T) {
	core := func(f Finding) [2]int {
		start, end := f.Core()
		return [2]int{start, end}
	}
	whole := Finding{Start: 2, End: 9}
	with := func(start, end int) Finding {
		f := whole
		f.SetCore(start, end)
		return f
	}
	cut := with(3, 6)
	cut.End = 4
	elsewhere := with(3, 6)
	elsewhere.Start = 7
	next := Finding{Start: 10, End: 15}
	next.SetCore(11, 12)
	joined := with(3, 6)
	joined.Append(&next)
	for _, c := range []struct {
		what string
		f    Finding
		want [2]int
	}{
		{"nothing is known", whole, [2]int{2, 9}},
		{"a part", with(3, 6), [2]int{3, 6}},
		{"the finding was cut", cut, [2]int{3, 4}},
		{"the rest has none of it", elsewhere, [2]int{7, 9}},
		{"two that are one", joined, [2]int{3, 12}},
	} {
		if got := core(c.f); got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
	if joined.End != 15 {
		t.Errorf("two that are one end at %d", joined.End)
	}
}
