package head

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"unicode/utf8"

	"sotto/detectors/encoder"
	"sotto/internal/gold"
	markers "sotto/training/corpus/words"
)

// word is what the last layer sees of a word, as bytes with a scale, and what it should say.
type word struct {
	x     []int8
	scale float32
	// weight is how many words it stands for.
	weight float32
	label  uint8
	// begins is 1 if a value begins at the word.
	begins uint8
}

// Of the words that are no value, which the encoder is sure of, every eighth is learned from, and stands for eight.
const (
	sureOfNone = 0.99
	share      = 8
)

// same are the labels of infoTypes that the encoder does not tell from others. training/encoder/data.py has the same.
var same = map[string]string{"GENDER": "OTHER", "ETHNIC_GROUP": "OTHER", "MAC_ADDRESS_LOCAL": "MAC_ADDRESS", "ICD9_CODE": "ICD10_CODE",
	"STORAGE_SIGNED_URL": "URL", "SPELLED_WORD": "PERSON_NAME"}

// rest is the label of infoTypes that have none: their form tells them apart.
const rest = "GENERIC_ID"

// labels finds the number of a label.
type labels struct {
	numbers map[string]uint8
	// unused are those that the calls never use. Whoever does not label dates, or companies, says nothing against them: such
	// labels are not learned, and neither are the words that the encoder gives them.
	unused []bool
}

func newLabels(m *encoder.Model, calls []gold.Conversation) *labels {
	l := &labels{numbers: map[string]uint8{}, unused: make([]bool, len(m.Labels()))}
	for i, name := range m.Labels() {
		l.numbers[name] = uint8(i)
		l.unused[i] = i > 0
	}
	for _, c := range calls {
		for _, u := range c.Utterances {
			tags := markers.Markers(u.Text)
			for _, e := range u.Entities {
				if !slices.Contains(tags, [2]int{e.Start, e.End}) {
					l.unused[l.of(e.Type)] = false
				}
			}
		}
	}
	return l
}

func (l *labels) of(infoType string) uint8 {
	if other, ok := same[infoType]; ok {
		infoType = other
	}
	if n, ok := l.numbers[infoType]; ok {
		return n
	}
	return l.numbers[rest]
}

// read returns the words of calls, each read as it goes on and as it is over, in the order of the calls.
func read(ctx context.Context, m *encoder.Model, l *labels, calls []gold.Conversation) ([]word, error) {
	reader := m.NewReader()
	parts, failed := make([][]word, len(calls)), make([]error, len(calls))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				parts[i], failed[i] = readCall(ctx, reader, l, &calls[i])
			}
		})
	}
	for i := range calls {
		next <- i
	}
	close(next)
	wg.Wait()
	var words []word
	for i, part := range parts {
		if failed[i] != nil {
			return nil, failed[i]
		}
		words = append(words, part...)
	}
	return words, nil
}

// Turns returns the turns of a call as the encoder reads them.
func Turns(m *encoder.Model, c *gold.Conversation) []encoder.Turn {
	turns, voices := make([]encoder.Turn, len(c.Utterances)), map[string]int{}
	for i := range c.Utterances {
		u := &c.Utterances[i]
		if _, ok := voices[u.Speaker]; !ok {
			voices[u.Speaker] = len(voices)
		}
		m.Split(&turns[i], u.Text, 1+voices[u.Speaker]%2)
	}
	return turns
}

func readCall(ctx context.Context, reader *encoder.Reader, l *labels, c *gold.Conversation) (words []word, err error) {
	m := reader.Model()
	turns, wanted := Turns(m, c), make([][]word, len(c.Utterances))
	for i := range c.Utterances {
		wanted[i] = l.label(&c.Utterances[i], turns[i].Words)
	}
	score, sure := newScores(m), 0
	for _, finished := range []bool{false, true} {
		err = reader.Vectors(ctx, turns, finished, m.Layers(), func(turn, number int, x []float32) {
			w := wanted[turn][number]
			if w.weight == 0 {
				return
			}
			if w.label == 0 {
				p := score.of(x)
				if l.unused[most(p)] {
					return
				}
				if p[0] >= sureOfNone {
					if sure++; sure%share != 0 {
						return
					}
					w.weight = share
				}
			}
			w.take(x)
			words = append(words, w)
		})
		if err != nil {
			return nil, err
		}
	}
	return words, nil
}

// label returns the words of a turn with what the encoder should say of them: the label of most of their characters. Tags, which
// annotated transcripts have, stand for words that nobody knows, and are not learned from: their words have no weight.
func (l *labels) label(u *gold.Utterance, words []encoder.Word) []word {
	out, tags := make([]word, len(words)), markers.Markers(u.Text)
	for i, w := range words {
		start := utf8.RuneCountInString(u.Text[:w.Start])
		end := start + utf8.RuneCountInString(u.Text[w.Start:w.End])
		if slices.ContainsFunc(tags, func(tag [2]int) bool { return tag[0] <= start && end <= tag[1] }) {
			continue
		}
		out[i].weight = 1
		widest := 0
		for _, e := range u.Entities {
			if n := min(end, e.End) - max(start, e.Start); n > widest && 2*n >= end-start {
				widest = n
				out[i].label = l.of(e.Type)
				if e.Start >= start {
					out[i].begins = 1
				}
			}
		}
	}
	return out
}

// take keeps what the last layer sees, rounded.
func (w *word) take(x []float32) {
	top := float32(0)
	for _, v := range x {
		top = max(top, v, -v)
	}
	w.scale, w.x = max(top, 1e-6)/127, make([]int8, len(x))
	for i, v := range x {
		w.x[i] = int8(math.RoundToEven(float64(v / w.scale)))
	}
}
