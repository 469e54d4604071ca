package replace

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// uniform is a plan whose infoType ONE_OF has n equally likely values.
func uniform(t testing.TB, n int, c Config) *Plan {
	t.Helper()
	var l Learner
	for i := range n {
		l.Add("call", "ONE_OF", fmt.Sprintf("value%d", i))
	}
	tables, err := learned(&l)
	if err != nil {
		t.Fatal(err)
	}
	c.Tables, c.RiskAccepted = tables, true
	return plan(t, c)
}

// The figure of the paper (4.3): p = 0.9 gives epsilon = 6.75, as a uniform pi over 7,686 values
// does.
func TestFigureOfThePaper(t *testing.T) {
	if e := Epsilon(0.9, 1.0/7686); math.Abs(e-6.75) > 0.005 {
		t.Errorf("epsilon is %v", e)
	}
	for _, s := range []Strategy{Word, Entity} {
		p := uniform(t, 7686, Config{Choice: Choice{Default: s}, Independent: true, Probability: 0.9})
		a := p.Account([]string{"ONE_OF"}, nil)
		if math.Abs(a.Epsilon-6.75) > 0.005 || !a.Types[0].Lemma || a.Types[0].Values != 7686 || a.Types[0].Source != "corpus" {
			t.Errorf("%s: %+v", s, a)
		}
	}
}

func TestEpsilon(t *testing.T) {
	for _, c := range []struct{ p, pi, want float64 }{
		{1, 0.5, 0}, {1, 1e-9, 0}, {0.9, 1, math.Log(1 / 0.9)}, {0.5, 0.5, math.Log(3)}, {0, 0.5, math.Inf(1)}, {0.9, 0, math.Inf(1)},
	} {
		if got := Epsilon(c.p, c.pi); got != c.want && math.Abs(got-c.want) > 1e-12 {
			t.Errorf("Epsilon(%v, %v) = %v, want %v", c.p, c.pi, got, c.want)
		}
	}
}

func TestRecallBoundsP(t *testing.T) {
	p := uniform(t, 10, Config{Choice: Choice{Default: Entity}, Independent: true, Probability: 0.9})
	r, err := ReadRecall(strings.NewReader(`{"calls": 3, "recall": 0.8, "by_type": {"ONE_OF": {"gold": 9, "recall": 0.5}, "SSN": {"gold": 0, "recall": null}}}`))
	if err != nil {
		t.Fatal(err)
	}
	a := p.Account([]string{"ONE_OF", "SSN"}, r)
	if got := a.Types[0]; math.Abs(got.P-0.45) > 1e-12 || got.Epsilon != Epsilon(0.45, 0.1) {
		t.Errorf("ONE_OF: %+v", got)
	}
	if got := a.Types[1]; math.Abs(got.P-0.72) > 1e-12 || !got.Apart {
		t.Errorf("SSN: %+v", got)
	}
	if a.Epsilon != max(a.Types[0].Epsilon, a.Types[1].Epsilon) {
		t.Errorf("overall %v", a.Epsilon)
	}
	for _, bad := range []string{"", "{}", `{"recall": 2}`, `{"recall": 1, "by_type": {"A": {"gold": 1, "recall": -1}}}`, "[1]"} {
		if _, err := ReadRecall(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestAccountOfEachStrategy(t *testing.T) {
	for _, c := range []struct {
		strategy    Strategy
		independent bool
		lemma       bool
		epsilon     func(float64) bool
	}{
		{TypedNumbered, false, false, func(e float64) bool { return e == 0 }},
		{Typed, false, true, func(e float64) bool { return e == 0 }},
		{Redact, false, true, func(e float64) bool { return e == 0 }},
		{Named, false, true, func(e float64) bool { return e == Epsilon(0.9, 1) }},
		{Word, false, true, func(e float64) bool { return e > 6 }},
		{Entity, true, true, func(e float64) bool { return e > 12 }},
		{Entity, false, false, func(e float64) bool { return e > 12 }},
	} {
		p := plan(t, Config{Choice: Choice{Default: c.strategy}, Independent: c.independent, Probability: 0.9, RiskAccepted: true})
		a := p.Account([]string{"PERSON_NAME"}, nil)
		if g := a.Types[0]; g.Lemma != c.lemma || !c.epsilon(g.Epsilon) {
			t.Errorf("%+v", g)
		}
		whole := plan(t, Config{Choice: Choice{Default: c.strategy}, Independent: c.independent})
		if e := whole.Account(everyType, nil).Epsilon; e != 0 {
			t.Errorf("%s: epsilon is %v although everything is replaced", c.strategy, e)
		}
		var b strings.Builder
		if err := a.WriteTable(&b); err != nil || !strings.Contains(b.String(), "overall") || !strings.Contains(b.String(), "promises") && !strings.Contains(b.String(), "Epsilon bounds") {
			t.Errorf("%s: the table is\n%s", c.strategy, b.String())
		}
		// Beside marks, values that were left have no epsilon.
		if marks := !c.strategy.Surrogates(); a.Bounded() == marks || strings.Contains(b.String(), " none") != marks {
			t.Errorf("%s: the table is\n%s", c.strategy, b.String())
		}
	}
}

// The draws keep to the bound: for any two values, each output is at most e^epsilon times as likely
// for one as for the other. The bound is reached, so this test can fail.
func TestDrawsKeepToTheBound(t *testing.T) {
	const draws = 60_000
	var l Learner
	for v, n := range map[string]int{"alpha": 8, "beta": 4, "gamma": 2, "delta": 1} {
		for range n {
			l.Add("call", "ONE_OF", v)
		}
	}
	tables, err := learned(&l)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Strategy{Word, Entity} {
		p := plan(t, Config{Choice: Choice{Default: s}, Independent: true, Probability: 0.8, RiskAccepted: true, Tables: tables})
		epsilon := p.Account([]string{"ONE_OF"}, nil).Epsilon
		if want := Epsilon(0.8, 1.0/15); math.Abs(epsilon-want) > 1e-12 {
			t.Fatalf("epsilon is %v, want %v", epsilon, want)
		}
		values := []string{"alpha", "beta", "gamma", "delta"}
		share := map[[2]string]float64{}
		for k, original := range values {
			for i := range draws {
				// Each original has its own draws.
				seed := p.Seed(fmt.Sprint(k, i%100))
				out := string(p.Append(nil, &seed, &Mention{Type: "ONE_OF", Text: original, Seq: int64(i / 100), Pos: k}))
				share[[2]string{original, out}] += 1.0 / draws
			}
		}
		top := 0.0
		for _, out := range values {
			pi := probability(tables.pools["ONE_OF"].values, out)
			for _, a := range values {
				want := 0.8 * pi
				if a == out {
					want += 0.2
				}
				if got := share[[2]string{a, out}]; math.Abs(got-want) > 6*math.Sqrt(want*(1-want)/draws) {
					t.Errorf("%s: %s becomes %s with probability %.4f, want %.4f", s, a, out, got, want)
				}
				for _, b := range values {
					top = max(top, math.Log(share[[2]string{a, out}]/share[[2]string{b, out}]))
				}
			}
		}
		if top > epsilon+0.1 || top < epsilon-0.1 {
			t.Errorf("%s: the greatest ratio is e^%.3f, the bound e^%.3f", s, top, epsilon)
		}
	}
}

// A draw must not reveal another: neither across calls nor across positions.
func TestDrawsAreUnlike(t *testing.T) {
	p, _ := entities(t, true)
	same := 0
	for i := range 2000 {
		a, b := p.Seed(fmt.Sprint("a", i)), p.Seed(fmt.Sprint("b", i))
		m := Mention{Type: "NUMERIC", Text: "12", Seq: int64(i)}
		x := string(p.Append(nil, &a, &m))
		if x == string(p.Append(nil, &b, &m)) {
			same++
		}
		m.Pos++
		if x == string(p.Append(nil, &a, &m)) {
			same++
		}
	}
	if same < 10 || same > 90 { // 40 are expected, with a deviation of 6.3
		t.Errorf("%d of 4000 pairs are the same", same)
	}
}

func TestMACIsHMAC(t *testing.T) {
	key := Seed{1, 2, 3}
	for _, n := range []int{0, 1, 55, 64, 192, 193, 1000} {
		message := bytes.Repeat([]byte{7}, n)
		h := hmac.New(sha256.New, key[:])
		h.Write(message)
		if got := mac(&key, message); !bytes.Equal(got[:], h.Sum(nil)) {
			t.Errorf("a message of %d bytes", n)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, s := range []Strategy{TypedNumbered, Typed, Redact, Named, Word, Entity} {
		for _, m := range []Mention{
			{Type: "PERSON_NAME", N: 3, Text: "Mark Kowalski", Full: "mark kowalski"},
			{Type: "PHONE_NUMBER", N: 2, Text: "six oh four five five five oh one three four"},
		} {
			b.Run(s.String()+"/"+m.Type, func(b *testing.B) {
				p := plan(b, Config{Choice: Choice{Default: s}})
				seed := p.Seed("call")
				var dst []byte
				b.ReportAllocs()
				for b.Loop() {
					dst = p.Append(dst[:0], &seed, &m)
				}
			})
		}
	}
}

// learned returns the tables that a learner writes.
func learned(l *Learner) (*Tables, error) {
	var b bytes.Buffer
	if err := l.Write(&b, 1); err != nil {
		return nil, err
	}
	return ReadTables(b.Bytes())
}

// probability is pi of a value.
func probability(t *Table, value string) float64 {
	i := slices.IndexFunc(t.values, func(v string) bool { return strings.EqualFold(v, value) })
	return float64(t.weight(i)) / float64(t.upTo[len(t.upTo)-1])
}
