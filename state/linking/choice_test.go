package linking

import (
	"math"
	"strings"
	"testing"
)

// Of equal scores the first counts, also where the likeliest is the person whom the mention is.
func TestLikeliest(t *testing.T) {
	for _, c := range []struct {
		scores    []int32 // of the persons 9, 8, ...
		at, other uint16  // plus 1: the likeliest, and whoever is it beside that one
	}{
		{nil, 0, 0},
		{[]int32{-5}, 10, 0},
		{[]int32{1, 2, 3}, 8, 9},
		{[]int32{3, 2, 1}, 10, 9},
		{[]int32{3, 1, 2}, 10, 8},
		{[]int32{3, 3, 3}, 10, 9},
		{[]int32{1, 3, 1, 2}, 9, 7},
		{[]int32{1, 3, 1}, 9, 10},
		{[]int32{7 * doubtStep, 5 * doubtStep}, 10, 9},
	} {
		l := Likely{scores: [...]int32{math.MinInt32, math.MinInt32}}
		for i, s := range c.scores {
			l.add(9-i, s)
		}
		at, _ := l.But(-1)
		other, doubt := l.But(int(at) - 1)
		if at != c.at || other != c.other || other > 0 && int32(doubt) != c.scores[10-other]/doubtStep || other == 0 && doubt != 1-noDoubt {
			t.Errorf("%v: %d, then %d with a doubt of %d", c.scores, at, other, doubt)
		}
	}
}

// The model and the rules decide by nothing but the facts that they are given.
func TestChoose(t *testing.T) {
	c := castOf("ida quimby", "otto kealoha", "kowalski")
	c[0].Owner = 2
	for _, m := range []struct {
		alias         string
		byModel, rule int
	}{
		{"ida", 0, 0}, {"quimby", 0, 0}, {"otto kealoha", 1, 1}, {"kowalsky", 2, 2}, {"ines merrow", -1, -1}, {"ida merrow", -1, -1},
	} {
		said := Mention{Alias: m.alias, Words: strings.Fields(m.alias), Speaker: 1, Seq: 9, Talk: NameTalk}
		if at, likely := Choose(&said, c); at != m.byModel || !likely.IsKnown() {
			t.Errorf("%s: the model says %d, want %d", m.alias, at, m.byModel)
		}
		if at := ByRules(&said, c, func(*Person) bool { return true }); at != m.rule {
			t.Errorf("%s: the rules say %d, want %d", m.alias, at, m.rule)
		}
		if at := ByRules(&said, c, func(*Person) bool { return false }); at != -1 {
			t.Errorf("%s: the rules say %d, among nobody", m.alias, at)
		}
	}
	if at := OfSpeaker(c, 2); at != 0 {
		t.Errorf("the second speaker is %d", at)
	}
	if at := OfSpeaker(c, 0); at != -1 {
		t.Errorf("nobody in particular is %d", at)
	}
}

// A mention is compared with each person of a call wherever a name is said.
func TestChooseAllocatesNothing(t *testing.T) {
	var c People = castOf("ida quimby", "otto kealoha", "kowalski")
	words := []string{"ida"}
	if n := testing.AllocsPerRun(100, func() {
		m := Mention{Alias: words[0], Words: words, Speaker: 1, Seq: 9, Talk: NameTalk}
		Choose(&m, c)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
