package audit

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/internal/gold"
)

// trained returns a model that has read calls so many times, and knows the words that at least k of them use.
func trained(t testing.TB, calls []gold.Conversation, k, times int) *NGrams {
	t.Helper()
	uses, counts := map[string]map[int]bool{}, map[[3]string]int{}
	for i, c := range calls {
		for _, u := range c.Utterances {
			for _, w := range word.FindAllString(strings.ToLower(u.Text), -1) {
				if uses[w] == nil {
					uses[w] = map[int]bool{}
				}
				uses[w][i] = true
			}
		}
	}
	vocabulary := []string{"[MASK]"}
	for w, by := range uses {
		if len(by) >= k {
			vocabulary = append(vocabulary, w)
		}
	}
	for _, c := range calls {
		for _, turn := range c.Utterances {
			u, v := begin, begin
			for _, w := range append(word.FindAllString(strings.ToLower(turn.Text), -1), end) {
				if w != end && len(uses[w]) < k {
					w = unknown
				}
				counts[[3]string{u, v, w}] += times
				u, v = v, w
			}
		}
	}
	trigrams := [][]any{}
	for w, n := range counts {
		trigrams = append(trigrams, []any{w[0], w[1], w[2], n})
	}
	data, err := json.Marshal(map[string]any{"words": vocabulary, "calls": []string{}, "trigrams": trigrams})
	if err != nil {
		t.Fatal(err)
	}
	m, err := ReadNGrams(data, "lm")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The probabilities of all words sum up to 1, whatever stands before them, and none is 0; the best word is
// the most likely of all.
func TestNGramsAreADistribution(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		turns := rapid.SliceOfN(rapid.StringMatching(`[a-d]( [a-d]){0,5}`), 1, 8).Draw(rt, "turns")
		m := trained(t, []gold.Conversation{call(turns...)}, 1, 1)
		pick := rapid.SampledFrom([]string{begin, unknown, "a", "b", "c", "d", "[MASK]"})
		u, v := pick.Draw(rt, "u"), pick.Draw(rt, "v")
		sum, best := 0.0, m.best(u, v)
		for w := range m.known {
			p := m.prob(w, pair{"", v}, pair{u, v})
			if sum += p; p <= 0 || p > m.prob(best, pair{"", v}, pair{u, v}) {
				rt.Errorf("%s has %v, the best word %s", w, p, best)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			rt.Errorf("the sum is %v", sum)
		}
	})
}

// Computed by training/research/recover/lm.py: Model.train([["a", "b"], ["a", "c"], ["a", "b"]], ["a", "b", "c"]).
func TestNGramsAreThoseOfPython(t *testing.T) {
	m := trained(t, []gold.Conversation{call("a b", "a c", "a b")}, 1, 1)
	for _, c := range []struct {
		u, v, w string
		want    float64
	}{
		{begin, begin, "a", 0.9066666666666666},
		{begin, "a", "b", 0.5911111111111111},
		{begin, "a", "c", 0.2577777777777778},
		{"a", "b", end, 0.8933333333333333},
		{"b", "c", unknown, 0.07999999999999999},
		{begin, "a", "[MASK]", 0.017777777777777774},
	} {
		if got := m.prob(c.w, pair{"", c.v}, pair{c.u, c.v}); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s after %s %s: %v, want %v", c.w, c.u, c.v, got, c.want)
		}
	}
	if out, _ := m.Write(t.Context(), "c\nA"); out != "b" {
		t.Errorf("it writes %q", out)
	}
	if out, _ := trained(t, []gold.Conversation{call("a x b"), call("a y b")}, 2, 3).Write(t.Context(), "\n"); out != "a b" {
		t.Errorf("it writes %q", out)
	}
	tokens, _ := m.Read(t.Context(), "ä!\nA b x")
	if fmt.Sprintln(tokens[1].Start, tokens[2].Same, tokens[3].Best, tokens[3].Same) != "3 true </s> false\n" || tokens[0].Same {
		t.Errorf("%+v", tokens)
	}
}

func TestDamagedNGrams(t *testing.T) {
	for _, bad := range []string{
		"", "secret", "[]", "{}", `{"words": []}`, `{"words": "secret"}`, `{"words": ["secret"], "trigrams": [["secret"]]}`,
		`{"words": ["a"], "trigrams": [["a", "a", "secret", 1]]}`, `{"words": ["a"], "trigrams": [["secret", "a", "a", 1]]}`,
		`{"words": ["a"], "trigrams": [["a", "a", "a", 0]]}`, `{"words": ["a"], "trigrams": [["a", "a", "a", 1.5]]}`,
		`{"words": ["a"], "trigrams": [["a", "a", "a", 1e300]]}`, `{"words": ["a"], "trigrams": [["a", "a", "<s>", 1]]}`,
	} {
		if _, err := ReadNGrams([]byte(bad), "lm"); err == nil || !strings.Contains(err.Error(), "lm is not a language model") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzReadNGrams(f *testing.F) {
	f.Add([]byte(`{"words": ["a", "b"], "calls": [], "trigrams": [["<s>", "<s>", "a", 2], ["<s>", "a", "b", 1], ["a", "b", "</s>", 1]]}`), "a b\nc")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		m, err := ReadNGrams(data, "lm")
		if err != nil {
			return
		}
		tokens, _ := m.Read(t.Context(), text)
		checkTokens(t, text, tokens)
		if _, err := m.Write(t.Context(), text); err != nil {
			t.Error(err)
		}
	})
}

// checkTokens fails unless tokens are in the text and have probabilities.
func checkTokens(t *testing.T, text string, tokens []Token) {
	t.Helper()
	for _, x := range tokens {
		if x.Start < 0 || x.End < x.Start || x.End > len([]rune(text)) || math.IsNaN(x.LogProb) || math.IsInf(x.LogProb, 0) {
			t.Errorf("%+v in %d characters", x, len([]rune(text)))
		}
	}
}
