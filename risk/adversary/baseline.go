package adversary

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"sotto/anonymize/replace"
	"sotto/internal/gold"
)

// marker is a tag.
var marker = regexp.MustCompile(`\[[A-Z][A-Z0-9_]*\]`)

// vector has the weight of each word of a text, of length 1, and the words in a fixed order: sums depend on it.
type vector struct {
	weights map[string]float64
	words   []string
}

// vectors weighs the words of texts by how rare they are among the texts (TF-IDF). Tags are no words.
func vectors(texts []string) []vector {
	all, in := make([]vector, len(texts)), map[string]int{}
	for i, t := range texts {
		counts := map[string]float64{}
		for _, w := range strings.Fields(folded(marker.ReplaceAllString(t, " "))) {
			counts[w]++
		}
		for w := range counts {
			in[w]++
		}
		all[i] = vector{counts, slices.Sorted(maps.Keys(counts))}
	}
	for _, v := range all {
		length := 0.0
		for _, w := range v.words {
			v.weights[w] = (1 + math.Log(v.weights[w])) * math.Log(float64(len(texts))/float64(in[w]))
			length += float64(v.weights[w] * v.weights[w])
		}
		for _, w := range v.words {
			v.weights[w] /= cmp.Or(math.Sqrt(length), 1)
		}
	}
	return all
}

func (v vector) cosine(w vector) (sum float64) {
	for _, word := range v.words {
		sum += float64(v.weights[word] * w.weights[word])
	}
	return sum
}

// nearest returns the positions of the k vectors that are most like v, without the one at skip, the nearest first.
func nearest(v vector, of []vector, skip, k int) []int {
	like, all := make([]float64, len(of)), make([]int, 0, len(of))
	for i := range of {
		if i != skip {
			like[i] = v.cosine(of[i])
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(like[b], like[a]) })
	return all[:min(k, len(all))]
}

func textOf(turns []gold.Utterance) string {
	var b strings.Builder
	for _, u := range turns {
		b.WriteString(u.Text + "\n")
	}
	return b.String()
}

func textsOf(calls []gold.Conversation) []string {
	texts := make([]string, len(calls))
	for i := range calls {
		texts[i] = textOf(calls[i].Utterances)
	}
	return texts
}

// Baselines answers without a model. A name is the most frequent one, the second most frequent for the
// second name of the call, and so on; the same person is in the call with the most similar rare words.
func Baselines(calls []gold.Conversation) []Answer {
	names := replace.FrequentNames()
	of := vectors(textsOf(calls))
	answers := make([]Answer, len(calls))
	for i := range calls {
		a := Answer{Tags: map[string]string{}, asked: [2]bool{true, true}}
		for _, t := range tagsOf(&calls[i]) {
			if strings.HasPrefix(t, "[PERSON_NAME") && len(a.Tags) < len(names) {
				a.Tags[t] = names[len(a.Tags)]
			}
		}
		if near := nearest(of[i], of, i, 1); len(near) > 0 {
			a.Same = calls[near[0]].ID
		}
		answers[i] = a
	}
	return answers
}

// Halves cuts each call in two and looks for the second half of each first one by its rare words. It needs no truth: it
// says how far the clean words of a conversation give away another part of it.
func Halves(calls []gold.Conversation) Share {
	var texts []string
	calls = slices.DeleteFunc(slices.Clone(calls), func(c gold.Conversation) bool { return len(c.Utterances) < 2 })
	for _, c := range calls {
		half := len(c.Utterances) / 2
		texts = append(texts, textOf(c.Utterances[:half]), textOf(c.Utterances[half:]))
	}
	all := vectors(texts)
	var seconds []vector
	for i := 1; i < len(all); i += 2 {
		seconds = append(seconds, all[i])
	}
	s := Share{Whole: len(calls)}
	for i := range calls {
		if near := nearest(all[2*i], seconds, -1, 1); near[0] == i {
			s.Part++
		}
	}
	return s
}
