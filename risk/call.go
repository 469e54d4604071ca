package risk

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/internal/gold"
)

// Verdict is what a red team found in a call.
type Verdict string

// The verdicts of the paper's section 4.5, the best first.
const (
	NothingFound Verdict = "nothing"
	Residual     Verdict = "residual"
	Identified   Verdict = "identified"
)

var verdicts = []Verdict{NothingFound, Residual, Identified}

// Transcript is one annotated transcript by one annotator.
type Transcript struct {
	ID, Context string
	// Annotator is empty where there is only one. Calls of one ID and different
	// annotators are readings of one call.
	Annotator string
	// NotAnnotated means that nothing shows that anybody read the call, so that its lack of
	// annotations proves nothing.
	NotAnnotated bool
	// Text is the transcript without annotations. Positions in Missed count
	// its code points.
	Text   string
	Missed []Annotation
	// Verdict is empty where no red team saw the call.
	Verdict Verdict
	// Probability is that with which the call was sampled, 0 where it is not
	// known.
	Probability float64
	// Missing counts the utterances that the sample lacks, so that the score is
	// at least what was found.
	Missing int64
	// TimestampMS is when the call was, 0 where it is not known.
	TimestampMS int64

	given bool // the annotator gave the probability
}

func (c *Transcript) pieces() []Piece {
	out := make([]Piece, len(c.Missed))
	for i, m := range c.Missed {
		out[i] = m.Piece
	}
	return out
}

// ReadText reads a file of annotated text, which is one call. Its name without
// the extension is the ID; what follows an "@" in it is the annotator. Without
// either an annotation or an annotator, the call is not annotated.
func (t *Table) ReadText(r io.Reader, name string) (Transcript, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Transcript{}, fmt.Errorf("%s: %w", name, err)
	}
	if !utf8.Valid(data) {
		return Transcript{}, fmt.Errorf("%s: not valid UTF-8", name)
	}
	a, err := t.Parse(string(data))
	if err != nil {
		return Transcript{}, fmt.Errorf("%s:%w", name, err)
	}
	base := filepath.Base(name)
	id, annotator, _ := strings.Cut(strings.TrimSuffix(base, filepath.Ext(base)), "@")
	return Transcript{
		ID: id, Annotator: annotator, NotAnnotated: annotator == "" && len(a.Missed) == 0, Text: a.Text, Missed: a.Missed,
	}, nil
}

type line struct {
	ID          string     `json:"id"`
	CallID      string     `json:"call_id"`
	Seq         int64      `json:"seq"`
	Context     string     `json:"context"`
	Annotator   string     `json:"annotator"`
	Annotated   bool       `json:"annotated"`
	Text        string     `json:"text"`
	Missed      []spanLine `json:"missed"`
	Utterances  []textLine `json:"utterances"`
	Verdict     Verdict    `json:"verdict"`
	Probability float64    `json:"probability"`
	Sampling    *struct {
		Rate    float64 `json:"rate"`
		Missing int64   `json:"missing"`
	} `json:"sampling"`
	TimestampMS int64 `json:"timestamp_ms"`
}

type textLine struct {
	Text   string     `json:"text"`
	Missed []spanLine `json:"missed"`
}

// spanLine is an annotation by position, in code points of its text.
type spanLine struct {
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Type    string `json:"type"`
	Partial bool   `json:"partial"`
	Speaker bool   `json:"speaker"`
	Key     string `json:"key"`
	Person  string `json:"person"`
}

// ReadLines reads annotated calls, one JSON object a line, in either of two
// forms that a file may mix:
//
//   - a call: {"id", "context", "text": annotated text, or "utterances":
//     [{"text"}]};
//   - an event of a call, as the audit topic has them, with annotations in its
//     text: {"call_id", "seq", "context", "text", "sampling": {"rate",
//     "missing"}, "timestamp_ms"}. Events of one call_id and annotator are one
//     call, in the order of seq. The rate of a call grows with its estimated
//     risk: the highest is the probability.
//
// Beside or instead of annotations in a text, "missed" may hold them by
// position: [{"start", "end", "type", "partial", "speaker", "key", "person"}],
// which count the text's code points without annotations. "annotator", "verdict"
// (nothing, residual or identified) and "probability" may stand on any line.
//
// A call is annotated if any of its lines has an annotation, an annotator, a
// verdict, "missed" (which may be empty) or "annotated": true.
//
// Calls come in the order of their first line. Errors name file and line, and
// position within an annotated text; they never repeat any text.
func (t *Table) ReadLines(r io.Reader, name string) ([]Transcript, error) {
	type part struct {
		seq  int64
		text Annotated
	}
	var calls []*Transcript
	parts := make(map[*Transcript][]part)
	byID := make(map[[2]string]*Transcript)
	err := gold.Lines(r, name, func(n int, data []byte) error {
		l, texts, err := t.line(data)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		key := [2]string{l.CallID, l.Annotator}
		c := byID[key]
		if c == nil || l.CallID == "" {
			c = &Transcript{ID: cmp.Or(l.CallID, l.ID), Annotator: l.Annotator, NotAnnotated: true}
			byID[key] = c
			calls = append(calls, c)
		}
		if err := c.take(l); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if l.read(texts) {
			c.NotAnnotated = false
		}
		for _, a := range texts {
			parts[c] = append(parts[c], part{l.Seq, a})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]Transcript, len(calls))
	for i, c := range calls {
		slices.SortStableFunc(parts[c], func(a, b part) int { return cmp.Compare(a.seq, b.seq) })
		texts := make([]Annotated, len(parts[c]))
		for k, p := range parts[c] {
			texts[k] = p.text
		}
		c.join(texts)
		out[i] = *c
	}
	return out, nil
}

func (t *Table) line(data []byte) (*line, []Annotated, error) {
	var l line
	if !utf8.Valid(data) {
		return nil, nil, errors.New("the line is not valid UTF-8")
	}
	if err := json.Unmarshal(data, &l); err != nil {
		// The messages of encoding/json quote the input.
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return nil, nil, fmt.Errorf("field %s has the wrong type", wrong.Field)
		}
		return nil, nil, errors.New("not a JSON object")
	}
	if l.ID == "" && l.CallID == "" {
		return nil, nil, errors.New("the call has neither id nor call_id")
	}
	texts := l.Utterances
	if l.Text != "" || len(l.Missed) > 0 {
		texts = append([]textLine{{l.Text, l.Missed}}, texts...)
	}
	var out []Annotated
	for i, u := range texts {
		a, err := t.Parse(u.Text)
		if err == nil {
			err = t.spans(&a, u.Missed)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("text %d: %w", i+1, err)
		}
		out = append(out, a)
	}
	return &l, out, nil
}

// read reports whether the line, with its texts, shows that somebody read the call.
func (l *line) read(texts []Annotated) bool {
	return l.Annotated || l.Annotator != "" || l.Verdict != "" || l.Missed != nil ||
		slices.ContainsFunc(l.Utterances, func(u textLine) bool { return u.Missed != nil }) ||
		slices.ContainsFunc(texts, func(a Annotated) bool { return len(a.Missed) > 0 })
}

func (t *Table) spans(a *Annotated, spans []spanLine) error {
	if len(spans) == 0 {
		return nil
	}
	text := []rune(a.Text)
	for i, s := range spans {
		if s.Start < 0 || s.End <= s.Start || s.End > len(text) {
			return fmt.Errorf("annotation %d: positions %d to %d are not within a text of %d code points", i+1, s.Start, s.End, len(text))
		}
		p, ok := t.piece(strings.TrimPrefix(s.Type, missedWord+"_"))
		if !ok {
			return fmt.Errorf("annotation %d: its type is not in the score table", i+1)
		}
		p.Value = string(text[s.Start:s.End])
		p.Partial = p.Partial || s.Partial
		p.Speaker = p.Speaker || s.Speaker
		p.Key = cmp.Or(s.Key, p.Key)
		p.Person = cmp.Or(s.Person, p.Person)
		a.Missed = append(a.Missed, Annotation{Piece: p, Start: s.Start, End: s.End})
	}
	return nil
}

// take takes over what a line says about the call as a whole.
func (c *Transcript) take(l *line) error {
	if l.Context != "" {
		c.Context = l.Context
	}
	if l.Verdict != "" {
		if !slices.Contains(verdicts, l.Verdict) {
			return fmt.Errorf("the verdict must be one of %v", verdicts)
		}
		c.Verdict = l.Verdict
	}
	rate := 0.0
	if l.Sampling != nil {
		rate = l.Sampling.Rate
		c.Missing = max(c.Missing, l.Sampling.Missing)
	}
	switch p := l.Probability; {
	case p < 0 || p > 1 || rate < 0 || rate > 1:
		return errors.New("the probability of the sample must be more than 0 and at most 1")
	case p > 0 && c.given && p != c.Probability:
		return errors.New("the lines of the call disagree about the probability of the sample")
	case p > 0:
		c.Probability, c.given = p, true
	case !c.given:
		c.Probability = max(c.Probability, rate)
	}
	if l.TimestampMS > 0 && (c.TimestampMS == 0 || l.TimestampMS < c.TimestampMS) {
		c.TimestampMS = l.TimestampMS
	}
	return nil
}

// join makes the call of its utterances, a line for each.
func (c *Transcript) join(texts []Annotated) {
	var b strings.Builder
	points := 0
	for i, a := range texts {
		if i > 0 {
			b.WriteByte('\n')
			points++
		}
		b.WriteString(a.Text)
		for _, m := range a.Missed {
			m.Start += points
			m.End += points
			c.Missed = append(c.Missed, m)
		}
		points += utf8.RuneCountInString(a.Text)
	}
	c.Text = b.String()
}
