package linking

import (
	"testing"

	"pgregory.net/rapid"
)

// A leaning is, for each speaker and for nobody, the maximum of what the mentions say.
func TestLeaningsAreMaxima(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Leaning
		is, third := map[int]int16{}, int16(0)
		for range rapid.IntRange(0, 12).Draw(t, "mentions") {
			hundredths := func(name string) uint8 { return uint8(rapid.IntRange(0, 100).Draw(t, name)) }
			m := Mention{Talker: rapid.IntRange(0, 12).Draw(t, "talker")}
			m.Talk.Chances = Chances{hundredths("speaks"), hundredths("listens"), hundredths("third")}
			l.learn(&m)
			third = max(third, int16(m.Talk.Chances.Third))
			if m.Talker == 0 || m.Talker > leaningTo {
				continue
			}
			is[m.Talker] = max(is[m.Talker], int16(m.Talk.Chances.Speaks))
			if m.Talker <= 2 {
				is[3-m.Talker] = max(is[3-m.Talker], int16(m.Talk.Chances.Listens))
			}
		}
		if !l.IsValid() || l.third() != third {
			t.Fatalf("third %d, want %d", l.third(), third)
		}
		for s := range 12 {
			others := int16(0)
			for o, p := range is {
				if o != s {
					others = max(others, p)
				}
			}
			if l.to(s) != is[s] || l.toOthers(s) != others {
				t.Fatalf("speaker %d: %d, others %d, want %d and %d", s, l.to(s), l.toOthers(s), is[s], others)
			}
		}
	})
}

func TestNoLeaningIsOverOne(t *testing.T) {
	for _, l := range []Leaning{101, 0xff << 56, 1<<64 - 1} {
		if l.IsValid() {
			t.Errorf("%x is one", uint64(l))
		}
	}
}
