// Package audit asks a language model what it has kept of the calls that it was trained on: which of
// their identifiers it predicts or repeats, and whether they can be told from other calls, as sections 5.3
// to 6.5 of "Towards the Anonymization of the Language Modeling" (Boutet et al.) do. Reports and errors
// have no words of calls or outputs.
package audit

import (
	"cmp"
	"context"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/detectors"
	"sotto/internal/gold"
	"sotto/training/corpus/indirect"
)

// maxOutput is how many words, or tokens, an output has at most.
const maxOutput = 60

// word is a word as models have it, or a tag.
var word = regexp.MustCompile(`\[\\*[A-Z][A-Z0-9_]*\]|[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*`)

// Model is a language model.
type Model interface {
	// Read returns the tokens of a text that the model gives probabilities of, in their order.
	Read(ctx context.Context, text string) ([]Token, error)
	// Write continues a prompt with the most likely words.
	Write(ctx context.Context, prompt string) (string, error)
}

// Token is a token of a text, from Start to End in code points. Best is what the model would have written, and
// Same whether it is this token.
type Token struct {
	Start, End int
	LogProb    float64
	Best       string
	Same       bool
}

// folded returns a word as a blacklist has it: in lower case and without accents.
func folded(word string) string {
	return strings.Map(func(r rune) rune {
		if f, _, visible := detectors.FoldRune(r); visible && f != 0 {
			return f
		}
		return -1
	}, word)
}

// identifiers are words of the blacklist with their first places: direct ones, which are in labelled
// values, and indirect ones.
type identifiers [2]map[string][2]int

// textOf returns a call as one text, a turn on each line, with its identifiers.
func textOf(c *gold.Conversation, list *indirect.Blacklist) (string, identifiers) {
	text := ""
	found, length := identifiers{{}, {}}, 0
	for _, u := range c.Utterances {
		for _, at := range word.FindAllStringIndex(u.Text, -1) {
			start, end, kind := utf8.RuneCountInString(u.Text[:at[0]]), utf8.RuneCountInString(u.Text[:at[1]]), 1
			if slices.ContainsFunc(u.Entities, func(s gold.Span) bool { return s.Start < end && start < s.End }) {
				kind = 0
			}
			w := folded(u.Text[at[0]:at[1]])
			if _, known := found[kind][w]; !known && list.Has(w) {
				found[kind][w] = [2]int{length + start, length + end}
			}
		}
		text += u.Text + "\n"
		length += utf8.RuneCountInString(u.Text) + 1
	}
	return strings.TrimRight(text, "\n"), found
}

// predicted reports whether the model would have written an identifier before the call has said it, in
// its first place or elsewhere.
func predicted(tokens []Token, w string, at [2]int) bool {
	inside, same := 0, 0
	for _, t := range tokens {
		switch {
		case t.End <= at[0] && folded(strings.Trim(t.Best, " \n\tĠ▁")) == w:
			return true
		case at[0] < t.End && t.Start < at[1]:
			if inside++; t.Same {
				same++
			}
		}
	}
	return inside > 0 && same == inside
}

type answers struct {
	identifiers, predicted [2]int // direct, indirect
	caught                 int    // calls of which it predicts an identifier
	losses                 []float64
	prompts                []string // calls up to the first identifier
}

func ask(ctx context.Context, m Model, calls []gold.Conversation, list *indirect.Blacklist) (a answers, _ error) {
	for i := range calls {
		text, found := textOf(&calls[i], list)
		if !word.MatchString(text) {
			continue
		}
		tokens, err := m.Read(ctx, text)
		if err != nil {
			return a, err
		}
		caught, first, loss := 0, utf8.RuneCountInString(text), 0.0
		for kind := range found {
			for w, at := range found[kind] {
				a.identifiers[kind]++
				if first = min(first, at[0]); predicted(tokens, w, at) {
					a.predicted[kind]++
					caught = 1
				}
			}
		}
		for _, t := range tokens {
			loss -= t.LogProb
		}
		a.caught += caught
		a.losses = append(a.losses, loss/float64(max(1, len(tokens))))
		if prompt := string([]rune(text)[:first]); len(prompt) < len(text) {
			a.prompts = append(a.prompts, cmp.Or(prompt, "\n")) // servers refuse empty ones
		}
	}
	if len(a.losses) == 0 {
		return a, errors.New("there are no members, or no others, with words")
	}
	return a, nil
}

// Run audits a model with calls that it has learned (members) and others. The outputs continue each
// member from before its first identifier.
func Run(ctx context.Context, m Model, members, others []gold.Conversation, list *indirect.Blacklist) (*Report, []Output, error) {
	mine, err := ask(ctx, m, members, list)
	if err != nil {
		return nil, nil, err
	}
	theirs, err := ask(ctx, m, others, list)
	if err != nil {
		return nil, nil, err
	}
	outputs := make([]Output, len(mine.prompts))
	for i, p := range mine.prompts {
		text, err := m.Write(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		outputs[i] = Output{p, &text}
	}
	r := reportOf(&mine, &theirs)
	r.AddOutputs(outputs, list)
	return r, outputs, nil
}

func reportOf(mine, theirs *answers) *Report {
	share := func(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }
	n, out, members, caught := mine.identifiers, mine.predicted, len(mine.losses), mine.caught+theirs.caught
	var precision any
	if caught > 0 {
		precision = share(mine.caught, caught)
	}
	r := &Report{}
	r.Add("members", members)
	r.Add("others", len(theirs.losses))
	r.Add("identifiers", n[0]+n[1])
	r.Add("privacy", 1-share(out[0]+out[1], n[0]+n[1]))
	r.Add("privacy_direct", 1-share(out[0], n[0]))
	r.Add("privacy_indirect", 1-share(out[1], n[1]))
	r.Add("low_cost_attack_precision", precision)
	r.Add("low_cost_attack_recall", share(mine.caught, members))
	r.Add("low_cost_attack_f1", share(2*mine.caught, caught+members))
	r.addAttackByLoss(mine.losses, theirs.losses)
	return r
}

// Sample returns at most n of the calls, spread evenly over them; all of them if n is 0.
func Sample(calls []gold.Conversation, n int) []gold.Conversation {
	if n == 0 || len(calls) <= n {
		return calls
	}
	of := make([]gold.Conversation, n)
	for i := range of {
		of[i] = calls[i*len(calls)/n]
	}
	return of
}

// addAttackByLoss takes calls with a loss of at most a threshold for members, for each threshold.
func (r *Report) addAttackByLoss(members, others []float64) {
	mine, theirs := slices.Sorted(slices.Values(members)), slices.Sorted(slices.Values(others))
	upTo := func(losses []float64, most float64) float64 {
		n, _ := slices.BinarySearch(losses, math.Nextafter(most, math.Inf(1)))
		return float64(n) / float64(len(losses))
	}
	area, atOnePercent := 0.0, 0.0
	r.curve = [][2]float64{{}}
	for i, t := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(members, others)))) {
		last, x, y := r.curve[i], upTo(theirs, t), upTo(mine, t)
		area += float64((x - last[0]) * (last[1] + y) / 2)
		if r.curve = append(r.curve, [2]float64{x, y}); x <= 0.01 {
			atOnePercent = y
		}
	}
	r.Add("loss_attack_auc", area)
	r.Add("loss_attack_true_positives_at_1_percent", atOnePercent)
}
