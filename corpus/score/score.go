// Package score compares outputs of models with references: ROUGE as the Python package rouge_score computes it, BLEU
// as sacrebleu and the macro average of F1 as scikit-learn do, each with its defaults. testdata has what these print.
package score

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

var notROUGE = regexp.MustCompile(`[^a-z0-9]+`)

// ROUGE returns the F measures of ROUGE-1, ROUGE-2 and ROUGE-L, 0 to 1, without stemming.
func ROUGE(reference, output string) (r1, r2, rl float64) {
	ref, out := strings.Fields(notROUGE.ReplaceAllString(strings.ToLower(reference), " ")), strings.Fields(notROUGE.ReplaceAllString(strings.ToLower(output), " "))
	overlap := func(n int) float64 { return fMeasure(common(ref, out, n), len(ref)-n+1, len(out)-n+1) }
	return overlap(1), overlap(2), fMeasure(longest(ref, out), len(ref), len(out))
}

// fMeasure is the harmonic mean of the shares of two sets that they have in common.
func fMeasure(common, a, b int) float64 {
	if common == 0 {
		return 0
	}
	return 2 * float64(common) / float64(a+b)
}

func common(a, b []string, n int) (total int) {
	counts := map[string]int{}
	for i := range len(a) - n + 1 {
		counts[strings.Join(a[i:i+n], " ")]++
	}
	for i := range len(b) - n + 1 {
		if g := strings.Join(b[i:i+n], " "); counts[g] > 0 {
			counts[g]--
			total++
		}
	}
	return total
}

func longest(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// The tokenizer 13a.
var (
	unescape = [][2]string{{"<skipped>", ""}, {"-\n", ""}, {"\n", " "}, {"&quot;", `"`}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}}
	apart    = []struct {
		of *regexp.Regexp
		by string
	}{
		{regexp.MustCompile("([{-~\\[-` -&(-+:-@/])"), " $1 "},
		{regexp.MustCompile(`([^0-9])([.,])`), "$1 $2 "},
		{regexp.MustCompile(`([.,])([^0-9])`), " $1 $2"},
		{regexp.MustCompile(`([0-9])(-)`), "$1 $2 "},
	}
)

func tokens(text string) []string {
	text = strings.TrimSpace(text)
	for _, u := range unescape {
		text = strings.ReplaceAll(text, u[0], u[1])
	}
	text = " " + text + " "
	for _, a := range apart {
		text = a.of.ReplaceAllString(text, a.by)
	}
	return strings.Fields(text)
}

// BLEU returns the score of a corpus, 0 to 1: up to four words, exponential smoothing.
func BLEU(references, outputs []string) float64 {
	const order = 4
	var right, total [order]int
	refLength, outLength := 0, 0
	for i := range outputs {
		ref, out := tokens(references[i]), tokens(outputs[i])
		refLength, outLength = refLength+len(ref), outLength+len(out)
		for n := range order {
			right[n] += common(ref, out, n+1)
			total[n] += max(0, len(out)-n)
		}
	}
	if total[order-1] == 0 || right == [order]int{} {
		return 0
	}
	sum, smooth := 0.0, 1.0
	for n := range order {
		r := float64(right[n])
		if right[n] == 0 {
			smooth *= 2
			r = 1 / smooth
		}
		sum += math.Log(r / float64(total[n]))
	}
	brevity := min(0, 1-float64(refLength)/float64(outLength))
	return math.Exp(brevity + sum/order)
}

// F1 returns the macro average of F1 over the classes of references and outputs, and the accuracy, 0 to 1.
func F1(references, outputs []string) (macro, accuracy float64) {
	classes := slices.Compact(slices.Sorted(slices.Values(slices.Concat(references, outputs))))
	for _, class := range classes {
		var right, refs, outs int
		for i := range outputs {
			if references[i] == class {
				refs++
			}
			if outputs[i] == class {
				outs++
			}
			if references[i] == class && outputs[i] == class {
				right++
			}
		}
		macro += fMeasure(right, refs, outs) / float64(len(classes))
		accuracy += float64(right) / float64(len(outputs))
	}
	return macro, accuracy
}
