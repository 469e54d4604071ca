package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

const unknown, begin, end = "<unk>", "<s>", "</s>"

// NGrams is the model of 'recover.py lm': interpolated Kneser-Ney of order 3. It is not safe for
// concurrent use.
type NGrams struct {
	known map[string]bool
	// after counts the words that follow none, one and two others. sums are its sums.
	after     [3]map[pair]map[string]float64
	sums      [3]map[pair]float64
	discounts [3]float64
	frequent  string // the most likely word of all
	bests     map[pair]string
}

// pair are two words before another. Those that do not count are empty.
type pair [2]string

// add reports whether the word is new there.
func (m *NGrams) add(order int, before pair, w string, n float64) bool {
	if m.after[order][before] == nil {
		m.after[order][before] = map[string]float64{}
	}
	m.after[order][before][w] += n
	m.sums[order][before] += n
	return m.after[order][before][w] == n
}

// ReadNGrams reads a model. The error has none of its words.
func ReadNGrams(data []byte, name string) (*NGrams, error) {
	var file struct {
		Words    []string
		Trigrams [][4]any // three words, and how often they follow each other
	}
	damaged := fmt.Errorf("%s is not a language model of 'recover.py lm', or a damaged one", name)
	if json.Unmarshal(data, &file) != nil || len(file.Words) == 0 {
		return nil, damaged
	}
	m := &NGrams{known: map[string]bool{unknown: true, end: true}, bests: map[pair]string{}}
	for _, w := range file.Words {
		m.known[w] = true
	}
	for i := range m.after {
		m.after[i], m.sums[i] = map[pair]map[string]float64{}, map[pair]float64{}
	}
	for _, t := range file.Trigrams {
		u, _ := t[0].(string)
		v, _ := t[1].(string)
		w, _ := t[2].(string)
		n, _ := t[3].(float64)
		if u != begin && !m.known[u] || v != begin && !m.known[v] || !m.known[w] || n < 1 || n > 1<<40 || n != math.Trunc(n) {
			return nil, damaged
		}
		// Bigrams and words count in how many contexts they occur, which makes the model a Kneser-Ney one.
		if m.add(2, pair{u, v}, w, n) && m.add(1, pair{"", v}, w, 1) {
			m.add(0, pair{}, w, 1)
		}
	}
	for i := range m.after {
		var by [3]float64 // how many counts are one and two
		for _, counts := range m.after[i] {
			for _, n := range counts {
				if n <= 2 {
					by[int(n)]++
				}
			}
		}
		m.discounts[i] = cmp.Or(by[1]/max(1, by[1]+2*by[2]), 0.5)
	}
	m.frequent = m.mostLikely(slices.Collect(maps.Keys(m.known)))
	return m, nil
}

// prob returns the probability of a word after none, one or two others, of which each has those before.
// Products are rounded (float64), so that words are as likely as each other on all processors or on none.
func (m *NGrams) prob(w string, before ...pair) float64 {
	p := 1 / float64(len(m.known))
	for i, b := range append([]pair{{}}, before...) {
		if counts, d := m.after[i][b], m.discounts[i]; counts != nil {
			p = max(counts[w]-d, 0)/m.sums[i][b] + float64(d*float64(len(counts))/m.sums[i][b]*p)
		}
	}
	return p
}

// mostLikely returns the most likely of words, the first one of equals.
func (m *NGrams) mostLikely(of []string, before ...pair) (best string) {
	most := 0.0
	for _, w := range of {
		if p := m.prob(w, before...); p > most || p == most && w < best {
			best, most = w, p
		}
	}
	return best
}

// best returns the most likely word after two: one that has followed the second, or the most likely of all.
func (m *NGrams) best(u, v string) string {
	if _, ok := m.bests[pair{u, v}]; !ok {
		of := slices.AppendSeq([]string{m.frequent}, maps.Keys(m.after[1][pair{"", v}]))
		m.bests[pair{u, v}] = m.mostLikely(of, pair{"", v}, pair{u, v})
	}
	return m.bests[pair{u, v}]
}

func (m *NGrams) spelled(w string) string {
	if w[0] != '[' {
		w = strings.ToLower(w)
	}
	if !m.known[w] {
		return unknown
	}
	return w
}

// Read implements Model.
func (m *NGrams) Read(_ context.Context, text string) (tokens []Token, _ error) {
	at := 0
	for line := range strings.Lines(text) {
		u, v := begin, begin
		for _, found := range word.FindAllStringIndex(line, -1) {
			w, best, start := m.spelled(line[found[0]:found[1]]), m.best(u, v), at+utf8.RuneCountInString(line[:found[0]])
			p := math.Log(m.prob(w, pair{"", v}, pair{u, v}))
			tokens = append(tokens, Token{start, start + utf8.RuneCountInString(line[found[0]:found[1]]), p, best, best == w && w != unknown})
			u, v = v, w
		}
		at += utf8.RuneCountInString(line)
	}
	return tokens, nil
}

// Write implements Model. The output ends with the line.
func (m *NGrams) Write(_ context.Context, prompt string) (string, error) {
	u, v := begin, begin
	for _, w := range word.FindAllString(prompt[strings.LastIndexByte(prompt, '\n')+1:], -1) {
		u, v = v, m.spelled(w)
	}
	var out []string
	for range maxOutput {
		if u, v = v, m.best(u, v); v == end {
			break
		}
		out = append(out, v)
	}
	return strings.Join(slices.DeleteFunc(out, func(w string) bool { return w == unknown }), " "), nil
}
