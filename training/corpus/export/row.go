// Package export turns released calls into training data: shards of JSON lines or Parquet, with the
// positions of direct and indirect identifiers and masks that keep a model from learning them.
package export

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/schemas"
	"sotto/training/corpus/indirect"
	"sotto/training/corpus/transcripts"
	"sotto/training/corpus/words"
)

// The parts of the data.
const (
	Train      = "train"
	Validation = "validation"
)

// Row is one call. Positions count Unicode code points of Text, ends exclusive.
type Row struct {
	CallID        string   `json:"call_id" parquet:"call_id"`
	Context       string   `json:"context" parquet:"context"`
	Tenant        string   `json:"tenant" parquet:"tenant"`
	Language      string   `json:"language" parquet:"language"`
	Policy        string   `json:"policy" parquet:"policy"`
	Strategy      string   `json:"strategy" parquet:"strategy"`
	EstimatedRisk *float64 `json:"estimated_risk" parquet:"estimated_risk,optional"`
	// Text has the turns, each on a line of its own: "agent: hello".
	Text  string `json:"text" parquet:"text"`
	Turns []Turn `json:"turns" parquet:"turns,list"`
	// Entities are direct identifiers that were replaced. Indirect are words of the blacklist and
	// words that the stream has marked.
	Entities []Entity `json:"entities" parquet:"entities,list"`
	Indirect []Span   `json:"indirect" parquet:"indirect,list"`
	// Offsets are those of the words. Punctuation is left out.
	Offsets []Span `json:"offsets" parquet:"offsets,list"`
	// LossMask has a 1 for each word that a causal model learns to predict, and a 0 for each word
	// of an identifier. NoMask has the positions of the latter, which a masked model must not
	// predict.
	LossMask []int32 `json:"loss_mask" parquet:"loss_mask,list"`
	NoMask   []int32 `json:"no_mask" parquet:"no_mask,list"`
}

// Turn is one turn. Start and End are those of its words in the text of the row.
type Turn struct {
	Speaker string `json:"speaker" parquet:"speaker"`
	Role    string `json:"role" parquet:"role"`
	Label   string `json:"label" parquet:"label"`
	Start   int32  `json:"start" parquet:"start"`
	End     int32  `json:"end" parquet:"end"`
}

// Entity is a replaced identifier.
type Entity struct {
	Start int32  `json:"start" parquet:"start"`
	End   int32  `json:"end" parquet:"end"`
	Type  string `json:"type" parquet:"type"`
	ID    int32  `json:"id" parquet:"id"`
}

// Span is a part of a text.
type Span struct {
	Start int32 `json:"start" parquet:"start"`
	End   int32 `json:"end" parquet:"end"`
}

type builder struct {
	blacklist *indirect.Blacklist
	maxN      int
	splitter  words.Splitter
}

func name(e *schemas.CleanEvent) string {
	if e.Speaker == nil {
		return "speaker"
	}
	switch e.Speaker.Role {
	case schemas.RoleAgent:
		return "agent"
	case schemas.RoleCustomer:
		return "customer"
	}
	return cmp.Or(e.Speaker.ID, "speaker")
}

func newRow(id string) *Row {
	return &Row{
		CallID: id, Turns: []Turn{}, Entities: []Entity{}, Indirect: []Span{}, Offsets: []Span{}, LossMask: []int32{}, NoMask: []int32{},
	}
}

// PlainRow returns a row of one turn without identifiers, all words of which are learned. The label is what stands before
// the words in the text, such as "customer: ".
func PlainRow(id, label, said string) *Row {
	r := newRow(id)
	start := int32(utf8.RuneCountInString(label))
	r.Text, r.Turns = label+said, []Turn{{Start: start, End: start + int32(utf8.RuneCountInString(said))}}
	(&builder{}).mask(r, nil)
	return r
}

func (b *builder) row(c *transcripts.Transcript) *Row {
	r := newRow(c.ID)
	r.EstimatedRisk = c.Summary.EstimatedRisk
	var text strings.Builder
	var spans []Span // of identifiers
	at := 0          // code points
	for i, e := range c.Events {
		r.Context, r.Tenant, r.Language, r.Policy, r.Strategy = e.Context, e.Tenant, e.Language, e.Policy, e.Strategy
		if i > 0 {
			text.WriteByte('\n')
			at++
		}
		who := name(e)
		text.WriteString(who + ": ")
		at += utf8.RuneCountInString(who) + 2
		n := utf8.RuneCountInString(e.Text)
		turn := Turn{Start: int32(at), End: int32(at + n)}
		if e.Speaker != nil {
			turn.Speaker, turn.Role, turn.Label = e.Speaker.ID, string(e.Speaker.Role), e.Speaker.Label
		}
		r.Turns = append(r.Turns, turn)
		for _, x := range e.Entities {
			s := Span{int32(at + x.Start), int32(at + min(x.End, n))}
			r.Entities = append(r.Entities, Entity{s.Start, s.End, x.Type, int32(x.ID)})
			spans = append(spans, s)
		}
		for _, s := range b.indirect(e) {
			s = Span{s.Start + int32(at), s.End + int32(at)}
			r.Indirect = append(r.Indirect, s)
			spans = append(spans, s)
		}
		text.WriteString(e.Text)
		at += n
	}
	r.Text = text.String()
	b.mask(r, spans)
	return r
}

// indirect returns the indirect identifiers of an utterance, in order and without overlap: those of
// the blacklist and those that the stream has marked.
func (b *builder) indirect(e *schemas.CleanEvent) []Span {
	spans := b.listed(e.Text)
	n := utf8.RuneCountInString(e.Text)
	for _, s := range e.Indirect {
		if start, end := max(0, s.Start), min(s.End, n); start < end {
			spans = append(spans, Span{int32(start), int32(end)})
		}
	}
	slices.SortFunc(spans, func(x, y Span) int { return int(x.Start) - int(y.Start) })
	merged := spans[:0]
	for _, s := range spans {
		if k := len(merged); k > 0 && s.Start < merged[k-1].End {
			merged[k-1].End = max(merged[k-1].End, s.End)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// listed returns the words of a text that are on the blacklist.
func (b *builder) listed(text string) (spans []Span) {
	if b.blacklist == nil {
		return nil
	}
	split := b.splitter.Split(text)
	list := make([]string, len(split))
	for i := range split {
		list[i] = split[i].Text
	}
	marked := make([]bool, len(split))
	b.blacklist.Mark(list, func(i int) bool { return split[i].Marker }, b.maxN, marked)
	for i := range split {
		if marked[i] {
			spans = append(spans, b.spanOf(&split[i]))
		}
	}
	return spans
}

func (b *builder) mask(r *Row, identifiers []Span) {
	split := b.splitter.Split(r.Text)
	for i := range split {
		s := b.spanOf(&split[i])
		r.Offsets = append(r.Offsets, s)
		if slices.ContainsFunc(identifiers, func(x Span) bool { return x.Start < s.End && s.Start < x.End }) {
			r.LossMask = append(r.LossMask, 0)
			r.NoMask = append(r.NoMask, int32(i))
		} else {
			r.LossMask = append(r.LossMask, 1)
		}
	}
}

// spanOf returns where a word of the text that was split last is, in code points.
func (b *builder) spanOf(w *words.Word) Span {
	return Span{int32(b.splitter.RuneOffset(w.Start)), int32(b.splitter.RuneOffset(w.End))}
}

// contentHash is equal for calls that have the same words, whatever the numbers of their tags are.
func (b *builder) contentHash(c *transcripts.Transcript) string {
	h := sha256.New()
	for _, e := range c.Events {
		h.Write([]byte(name(e)))
		for _, w := range b.splitter.Split(e.Text) {
			word := w.Text
			if w.Marker {
				word = strings.TrimRight(word, "0123456789]")
			}
			h.Write([]byte{' '})
			h.Write([]byte(word))
		}
		h.Write([]byte{'\n'})
	}
	return "text " + hex.EncodeToString(h.Sum(nil))
}
