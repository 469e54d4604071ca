// Package recovery fills the masks of masked transcripts with words that fit, as "Recovering from
// Privacy-Preserving Masking with Large Language Models" (Vats et al.) does. The words are not those
// that were masked: they make the text complete, so that a model can be trained on it.
package recovery

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"sotto/corpus/words"
	"sotto/detectors"
	"sotto/detectors/allowlist"
	"sotto/internal/gold"
	"sotto/research/lm"
)

// The methods.
const (
	Top1 = "top1" // the best word
	TopK = "topk" // one of the K best, drawn at random
)

// Candidate is a word for a mask; the best comes first.
type Candidate = lm.Candidate

// Place is a mask in a text.
type Place struct {
	// Left has the words before it, with what earlier masks were filled with, and Right those after
	// it, with words.Mask for further masks.
	Left, Right []string
	// Before and After are the same as text, as it was written.
	Before, After string
}

// Filler proposes words.
type Filler interface {
	// Fill returns at most k words for a place.
	Fill(ctx context.Context, p *Place, k int) ([]Candidate, error)
}

// Model fills with the built-in language model.
type Model struct{ *lm.Model }

// Fill implements Filler.
func (m Model) Fill(_ context.Context, p *Place, k int) ([]Candidate, error) {
	right := p.Right
	// A mask says nothing about the words before it.
	if i := slices.Index(right, words.Mask); i == 0 {
		right = []string{"<unk>"}
	} else if i > 0 {
		right = append(slices.Clone(right[:i]), "<unk>")
	}
	return m.Model.Fill(p.Left, right, k), nil
}

// Options configure Conversation.
type Options struct {
	Filler Filler
	Method string
	K      int
	Seed   uint64
	// Avoid has the words that masking kept. What was masked is not one of them, so other words are
	// preferred. nil if masking knew no list.
	Avoid *allowlist.List
}

// Fallback stands where nothing is proposed.
const Fallback = "something"

// Conversation fills all masks of a conversation, from the left to the right. Masks that follow each
// other count as one. Equal options and an equal ID of the conversation give equal words, whatever
// was filled before.
func Conversation(ctx context.Context, c *gold.Conversation, o *Options) (*gold.Conversation, error) {
	h := fnv.New64a()
	h.Write(binary.BigEndian.AppendUint64(nil, o.Seed))
	h.Write([]byte(c.ID))
	random := rand.New(rand.NewPCG(o.Seed, h.Sum64()))
	out := *c
	out.Utterances = slices.Clone(c.Utterances)
	for i := range out.Utterances {
		u := &out.Utterances[i]
		text, err := o.fill(ctx, u.Text, random)
		if err != nil {
			return nil, err
		}
		*u = gold.Utterance{Speaker: u.Speaker, Text: text}
	}
	return &out, nil
}

// merge makes one mask of masks with only white space between them.
func merge(text string) string {
	parts := strings.Split(text, words.Mask)
	var b strings.Builder
	b.WriteString(parts[0])
	for i := 1; i < len(parts); i++ {
		b.WriteString(words.Mask)
		for i < len(parts)-1 && strings.TrimSpace(parts[i]) == "" {
			i++
		}
		b.WriteString(parts[i])
	}
	return b.String()
}

func (o *Options) fill(ctx context.Context, text string, random *rand.Rand) (string, error) {
	rest := merge(text)
	var done strings.Builder
	var s words.Splitter
	for {
		at := strings.Index(rest, words.Mask)
		if at < 0 {
			done.WriteString(rest)
			return done.String(), nil
		}
		done.WriteString(rest[:at])
		rest = rest[at+len(words.Mask):]
		p := &Place{Left: s.Texts(done.String()), Right: s.Texts(rest), Before: done.String(), After: rest}
		word, err := o.choose(ctx, p, random)
		if err != nil {
			return "", err
		}
		done.WriteString(word)
	}
}

func (o *Options) choose(ctx context.Context, p *Place, random *rand.Rand) (string, error) {
	k := o.K
	if o.Method == Top1 {
		// Those on the list are passed over, so more than one is needed.
		k = max(k, 10)
	}
	candidates, err := o.Filler.Fill(ctx, p, k)
	if err != nil {
		return "", err
	}
	candidates = slices.DeleteFunc(candidates, func(c Candidate) bool {
		return strings.TrimSpace(c.Word) == "" || strings.Contains(c.Word, words.Mask)
	})
	if len(candidates) == 0 {
		return Fallback, nil
	}
	// Drawing again until a word is not on the list, as the paper does, is drawing among the words
	// that are not.
	if preferred := slices.DeleteFunc(slices.Clone(candidates), o.kept); len(preferred) > 0 {
		candidates = preferred
	}
	if o.Method == Top1 {
		return candidates[0].Word, nil
	}
	return candidates[random.IntN(len(candidates))].Word, nil
}

// kept reports whether masking would have kept a word.
func (o *Options) kept(c Candidate) bool {
	if o.Avoid == nil {
		return false
	}
	var d detectors.Document
	d.Reset(c.Word)
	for i := range d.Tokens {
		if !o.Avoid.Keeps(d.Tokens[i].Class, d.Tokens[i].Hash) {
			return false
		}
	}
	return true
}

// Check reports options that make no sense.
func (o *Options) Check() error {
	switch {
	case o.Method != Top1 && o.Method != TopK:
		return fmt.Errorf("the method must be %s or %s", Top1, TopK)
	case o.K < 1 || o.K > 100:
		return fmt.Errorf("k must be 1 to 100")
	}
	return nil
}

// FineTune fills all conversations, trains a model on the result together with base, and repeats
// rounds times with that model. If the filler is a Model, the later ones know the same words, so that
// none fills with what the first had to leave out. It returns the conversations of the last round.
// progress is called after each conversation.
func FineTune(ctx context.Context, masked []gold.Conversation, base [][]string, o Options, rounds int, progress func(round, n int)) ([]gold.Conversation, error) {
	var training lm.Options
	if m, ok := o.Filler.(Model); ok {
		training = lm.Options{Vocabulary: m.Vocabulary(), Closed: true}
	}
	for round := 0; ; round++ {
		filled := make([]gold.Conversation, len(masked))
		for i := range masked {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			c, err := Conversation(ctx, &masked[i], &o)
			if err != nil {
				return nil, err
			}
			filled[i] = *c
			if progress != nil {
				progress(round, i+1)
			}
		}
		if round == rounds {
			return filled, nil
		}
		texts := slices.Clone(base)
		texts = append(texts, Texts(filled)...)
		o.Filler = Model{lm.Train(slices.Values(texts), training)}
	}
}

// Texts returns the words of each utterance.
func Texts(conversations []gold.Conversation) (out [][]string) {
	var s words.Splitter
	for _, c := range conversations {
		for _, u := range c.Utterances {
			out = append(out, s.Texts(u.Text))
		}
	}
	return out
}
