package linking

import (
	"fmt"
	"testing"
)

// cast is a call with nobody but persons, and two speakers.
type cast []Person

func (c cast) Len() int             { return len(c) }
func (c cast) Person(i int) *Person { return &c[i] }
func (c cast) Speakers() int        { return 2 }

// castOf returns persons with numbers, each of whom the speaker 1 mentioned once, in the order of the names.
func castOf(names ...string) (c cast) {
	for i, name := range names {
		p := Person{Facts: Facts{Num: uint32(i + 1)}, Aliases: NewAliases(name)}
		p.Learn(&Mention{Seq: int64(i), Speaker: 1})
		c = append(c, p)
	}
	return c
}

// crowd returns n persons, each of whom may be the one before by the model of pairs.
func crowd(n int) cast {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("ida%c%c quimby%c%c", 'a'+i/26, 'a'+i%26, 'a'+i%26, 'a'+i/26)
	}
	c := castOf(names...)
	for i := range c {
		c[i].Maybe = uint16(i) // plus 1
	}
	return c
}

func couplesOf(c cast) map[[2]int]Couple {
	all := map[[2]int]Couple{}
	EachCouple(c, func(i, k int, f *Couple) { all[[2]int{i, k}] = *f })
	return all
}

// Each two of a few people are compared once; in a call with many, the time grows with their number and not with its square.
func TestCouplesAreBounded(t *testing.T) {
	few, many := couplesOf(crowd(manyPersons)), couplesOf(crowd(4*manyPersons))
	if len(few) != manyPersons*(manyPersons-1)/2 {
		t.Errorf("%d couples of %d people", len(few), manyPersons)
	}
	if len(many) != 4*manyPersons-1 {
		t.Errorf("%d couples of %d people", len(many), 4*manyPersons)
	}
}

// Nobody without a number is compared, and nobody with somebody of another infoType.
func TestCouplesHaveNumbersOfOneType(t *testing.T) {
	c := castOf("ida quimby", "ines merrow", "otto kealoha", "thea quimby")
	c[1].Num, c[2].Type = 0, 1
	if all := couplesOf(c); len(all) != 1 || all[[2]int{0, 3}] == (Couple{}) {
		t.Errorf("%v", all)
	}
}

// Two people with full names that have the last one alone in common are not one, but those are with a first name that is heard otherwise.
// While a call goes on, people with unlike names are not one, either, unless one of them is a speaker.
func TestRelativesAreTwo(t *testing.T) {
	TryModels("", AllAreOne, func() {
		for _, c := range []struct {
			second     string
			owner      SpeakerID
			live, over bool
		}{
			{"thea quimby", 0, false, false}, {"thea quimby", 2, false, false}, {"ita quimby", 0, true, true},
			{"tarn", 0, false, true}, {"tarn", 2, true, true},
		} {
			all := castOf("ida quimby", c.second)
			all[1].Owner = c.owner
			if got := len(Alike(all)); (got == 1) != c.over {
				t.Errorf("ida quimby and %s: %d couples are one in the end", c.second, got)
			}
			if got := OneWith(all, 0, func(int) bool { return true }); (got == 1) != c.live {
				t.Errorf("ida quimby is one with %d of %s", got, c.second)
			}
		}
	})
}

// Namesakes are counted up to four, and nobody is a namesake of their own.
func TestNamesakes(t *testing.T) {
	c := castOf("ida quimby", "ines quimby", "otto kealoha", "quimby", "ivy quimby", "ulla quimby", "thea quimby")
	for i, want := range []int16{4, 4, 0, 4, 4, 4, 4} {
		if got := namesakes(c, i); got != want {
			t.Errorf("%s has %d namesakes, want %d", c[i].Aliases.Longest(), got, want)
		}
	}
}
