package indirect

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/internal/testkit/heap"
)

func newGraph(t interface{ Fatal(...any) }, o Options) *Graph {
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A word of everybody identifies nobody, however few use it; n-grams of such words do.
func TestCommonWordsAreSafe(t *testing.T) {
	g := newGraph(t, Options{K: 2, N: 2, MaxGrams: 100, Common: func(w string) bool { return w == "table" || w == "big" }})
	for _, turn := range [][]string{{"big", "table", "quimbolt"}, {"big", "table"}} {
		if err := g.Add("a", turn); err != nil {
			t.Fatal(err)
		}
	}
	var list strings.Builder
	r, err := g.Report(&list)
	if err != nil || list.String() != "# sotto blacklist, k = 2, n = 2\nbig table\nquimbolt\ntable quimbolt\n" || r.Grams[0].Identifiers != 1 {
		t.Errorf("%v, %q", err, list.String())
	}
}

// The graph agrees with one that remembers every individual of every n-gram.
func TestExactUpToK(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k, n := rapid.IntRange(2, 4).Draw(rt, "k"), rapid.IntRange(1, 3).Draw(rt, "n")
		g := newGraph(rt, Options{K: k, N: n, MaxGrams: 1000})
		who, counts := map[string]map[string]bool{}, map[string]int{}
		for range rapid.IntRange(0, 30).Draw(rt, "turns") {
			person := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(rt, "person")
			list := rapid.SliceOfN(rapid.SampledFrom([]string{"p", "q", "r", "s", "t", "u"}), 0, 5).Draw(rt, "words")
			if err := g.Add(person, list); err != nil {
				rt.Fatal(err)
			}
			for i := range list {
				for l := 1; l <= n && i+l <= len(list); l++ {
					gram := strings.Join(list[i:i+l], " ")
					if who[gram] == nil {
						who[gram] = map[string]bool{}
					}
					who[gram][person] = true
					counts[gram]++
				}
			}
		}
		var want []string
		var identifiers, occurrences uint64
		for gram, people := range who {
			if len(people) < k {
				want = append(want, gram)
				if !strings.Contains(gram, " ") {
					identifiers++
					occurrences += uint64(counts[gram])
				}
			}
		}
		slices.Sort(want)
		var list strings.Builder
		r, err := g.Report(&list)
		if err != nil {
			rt.Fatal(err)
		}
		got := strings.Split(strings.TrimSuffix(list.String(), "\n"), "\n")[1:] // without the header
		if !slices.Equal(got, want) {
			rt.Fatalf("got %q, want %q", got, want)
		}
		if r.Grams[0].Identifiers != identifiers || r.Grams[0].IdentifierOccurrences != occurrences {
			rt.Fatalf("%+v, want %d and %d", r.Grams[0], identifiers, occurrences)
		}
	})
}

func TestReport(t *testing.T) {
	g := newGraph(t, Options{K: 2, N: 2, MaxGrams: 100})
	for _, turn := range [][2]string{{"ann", "hello there"}, {"bea", "hello vertebra"}, {"cid", "hello there"}} {
		if err := g.Add(turn[0], strings.Fields(turn[1])); err != nil {
			t.Fatal(err)
		}
	}
	r, err := g.Report(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want := ByN{N: 1, Distinct: 3, Identifiers: 1, Occurrences: 6, IdentifierOccurrences: 1}
	if r.Grams[0] != want || r.Individuals != 3 || r.Words != 6 {
		t.Errorf("%+v", r)
	}
	if s := r.PerPerson[0]; s.Max != 1 || s.Median != 0 || s.Mean != 1.0/3 || s.WithAny != 1.0/3 {
		t.Errorf("%+v", s)
	}
	var b strings.Builder
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"1         3            1             33.3 %                16.7 %\n", "1   0.3       0    0    1                33.3 %\n"} {
		if !strings.Contains(b.String(), row) {
			t.Errorf("no row %q in\n%s", row, b.String())
		}
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{K: 1, N: 1, MaxGrams: 1}, {K: 17, N: 1, MaxGrams: 1}, {K: 2, N: 0, MaxGrams: 1}, {K: 2, N: 4, MaxGrams: 1}, {K: 2, N: 1}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func TestTooManyGrams(t *testing.T) {
	g := newGraph(t, Options{K: 2, N: 1, MaxGrams: 2})
	if err := g.Add("ann", []string{"p", "q", "p"}); err != nil {
		t.Error(err)
	}
	if err := g.Add("ann", []string{"secret"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a third n-gram: %v", err)
	}
}

func TestBlacklistRoundTrip(t *testing.T) {
	g := newGraph(t, Options{K: 3, N: 2, MaxGrams: 100})
	for who, words := range map[string]string{"ann": "vertebra", "ben": "blue heron", "col": "blue heron", "dan": "heron blue"} {
		if err := g.Add(who, strings.Fields(words)); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if _, err := g.Report(&b); err != nil {
		t.Fatal(err)
	}
	l, err := Read(&b, "f")
	if err != nil || l.K != 3 || l.N != 2 || len(l.grams) != 3 {
		t.Fatalf("%+v %v", l, err)
	}
	list := []string{"a", "blue", "heron", "vertebra", "blue", "[X_1]", "heron"}
	marked := make([]bool, len(list))
	l.Mark(list, func(i int) bool { return list[i][0] == '[' }, 0, marked)
	if want := []bool{false, true, true, true, false, false, false}; !slices.Equal(marked, want) {
		t.Errorf("%v", marked)
	}
	clear(marked)
	l.Mark(list, func(i int) bool { return list[i][0] == '[' }, 1, marked)
	if want := []bool{false, false, false, true, false, false, false}; !slices.Equal(marked, want) {
		t.Errorf("words alone: %v", marked)
	}
}

func TestDamagedBlacklists(t *testing.T) {
	for text, line := range map[string]string{
		"": "f:1", "secret\n": "f:1", "# sotto blacklist, k = 2, n = 9\n": "f:1",
		"# sotto blacklist, k = 2, n = 1\nsecret words\n": "f:2", "# sotto blacklist, k = 2, n = 1\nsecret": "f:2",
	} {
		if _, err := Read(strings.NewReader(text), "f"); err == nil || !strings.HasPrefix(err.Error(), line) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// docs/blacklist.md states the memory for a million n-grams.
func TestMemoryPerMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	const grams = 1_000_000
	before := heap.Live()
	g := newGraph(t, Options{K: 2, N: 1, MaxGrams: 2 * grams})
	for i := range grams {
		if err := g.Add("a", []string{fmt.Sprintf("a trigram %07d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	used := heap.Live() - before
	runtime.KeepAlive(g)
	t.Logf("%d MB for a million n-grams of 17 bytes", used>>20)
	if used > 120<<20 {
		t.Errorf("a million n-grams take %d MB", used>>20)
	}
}

func FuzzReadBlacklist(f *testing.F) {
	f.Add("# sotto blacklist, k = 2, n = 1\nword\n")
	f.Fuzz(func(t *testing.T, text string) {
		if l, err := Read(strings.NewReader(text), "f"); err == nil && (len(l.grams) > strings.Count(text, "\n") || l.N > MaxN) {
			t.Fatalf("%d n-grams of up to %d words", len(l.grams), l.N)
		}
	})
}
