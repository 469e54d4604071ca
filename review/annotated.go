package review

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"sotto/internal/gold"
	"sotto/risk"
)

// Read is a call with the readings of it that are done.
type Read struct {
	Call     *Call
	Readings []Reading
}

// Final returns the readings of annotators that count: the adjudicated one if there is one,
// otherwise all annotations.
func (r *Read) Final() []Reading {
	var annotations []Reading
	for _, reading := range r.Readings {
		switch {
		case !reading.Done:
		case reading.Kind == Adjudication:
			return []Reading{reading}
		case reading.Kind == Annotation:
			annotations = append(annotations, reading)
		}
	}
	return annotations
}

// verdict returns the red team's verdict, the worst if there are several.
func (r *Read) verdict() (worst risk.Verdict) {
	order := []risk.Verdict{"", risk.NothingFound, risk.Residual, risk.Identified}
	for _, reading := range r.Readings {
		if reading.Kind == RedTeam && reading.Done && slices.Index(order, reading.Verdict) > slices.Index(order, worst) {
			worst = reading.Verdict
		}
	}
	return worst
}

// RiskCalls returns the call as package risk takes it, one for each final reading. Without a final
// reading it is one call that is not annotated. It needs no text.
func (r *Read) RiskCalls() []risk.Transcript {
	c := r.Call
	base := risk.Transcript{
		ID: c.ID, Context: c.Context, Verdict: r.verdict(), Probability: c.Rate, Missing: c.Missing, TimestampMS: c.TimestampMS,
	}
	final := r.Final()
	if len(final) == 0 {
		base.NotAnnotated = true
		return []risk.Transcript{base}
	}
	out := make([]risk.Transcript, len(final))
	for i, reading := range final {
		out[i] = base
		out[i].Annotator = reading.Annotator
		for k, p := range reading.Pieces {
			// The pieces are distinct, and a key of its own keeps each apart.
			p.Key = strconv.Itoa(k)
			out[i].Missed = append(out[i].Missed, risk.Annotation{Piece: p})
		}
	}
	return out
}

func spansOf(spans []Span, seq int64) []Span {
	out := []Span{}
	for _, s := range spans {
		if s.Seq == seq {
			out = append(out, s)
		}
	}
	return out
}

// jsonCall is a call on one line, in the form that 'sotto risk' reads.
type jsonCall struct {
	ID          string          `json:"id"`
	Context     string          `json:"context,omitempty"`
	Annotator   string          `json:"annotator,omitempty"`
	Annotated   bool            `json:"annotated"`
	Verdict     risk.Verdict    `json:"verdict,omitempty"`
	Probability float64         `json:"probability,omitempty"`
	TimestampMS int64           `json:"timestamp_ms,omitempty"`
	Policy      string          `json:"policy,omitempty"`
	Utterances  []jsonUtterance `json:"utterances"`
}

type jsonUtterance struct {
	Speaker string `json:"speaker,omitempty"`
	Text    string `json:"text"`
	Missed  []Span `json:"missed"`
	// Wrong are masks that are wrong.
	Wrong []WrongMask `json:"wrong,omitempty"`
}

// WriteLines writes the final readings as JSON lines for 'sotto risk' and 'sotto train --annotated'.
func WriteLines(w io.Writer, read []Read) error {
	out := bufio.NewWriter(w)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for i := range read {
		c := read[i].Call
		for _, reading := range read[i].Final() {
			line := jsonCall{
				ID: c.ID, Context: c.Context, Annotator: reading.Annotator, Annotated: true, Verdict: read[i].verdict(),
				Probability: c.Rate, TimestampMS: c.TimestampMS, Policy: c.Policy,
			}
			for _, u := range c.Utterances {
				var wrong []WrongMask
				for _, m := range reading.Wrong {
					if m.Seq == u.Seq {
						wrong = append(wrong, m)
					}
				}
				line.Utterances = append(line.Utterances, jsonUtterance{u.Speaker, u.Text, spansOf(reading.Spans, u.Seq), wrong})
			}
			if err := e.Encode(line); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// Gold returns the call as a labelled conversation. Of an anonymized call the tags are labelled
// OTHER, so that they are excluded from scoring and teach nothing.
func (c *Call) Gold(spans []Span) gold.Conversation {
	source := "review"
	if c.Mode == Missed {
		source = "annotated"
	}
	out := gold.Conversation{ID: c.ID, Source: source, Context: c.Context, Utterances: []gold.Utterance{}}
	for _, u := range c.Utterances {
		g := gold.Utterance{Speaker: strings.ToLower(u.Speaker), Text: u.Text}
		if c.Mode == Missed {
			for _, m := range u.Masks {
				g.Entities = append(g.Entities, gold.Span{Start: m.Start, End: m.End, Type: "OTHER"})
			}
		}
		for _, s := range spansOf(spans, u.Seq) {
			g.Entities = append(g.Entities, gold.Span{Start: s.Start, End: s.End, Type: s.Type, OfSpeaker: s.Speaker})
		}
		slices.SortFunc(g.Entities, func(a, b gold.Span) int { return a.Start - b.Start })
		out.Utterances = append(out.Utterances, g)
	}
	return out
}

// Conversations returns the calls as labelled conversations. Of a call that several people read without
// an adjudication, the reading of the first annotator by name counts.
func Conversations(read []Read) []gold.Conversation {
	var out []gold.Conversation
	for i := range read {
		final := read[i].Final()
		if len(final) == 0 {
			continue
		}
		first := slices.MinFunc(final, func(a, b Reading) int { return strings.Compare(a.Annotator, b.Annotator) })
		out = append(out, read[i].Call.Gold(first.Spans))
	}
	return out
}

// Export is a form in which annotations leave.
type Export struct {
	// About says what it is for.
	About string
	// Mode is that of the calls that it holds.
	Mode  Mode
	Write func(io.Writer, []Read) error
}

// Exports are the forms by file name.
var Exports = map[string]Export{
	"annotated.jsonl": {"what was missed, for 'sotto risk' and 'sotto train --annotated'", Missed, WriteLines},
	"gold.jsonl": {"labelled conversations, for 'sotto eval' and 'sotto train'", Label,
		func(w io.Writer, read []Read) error { return gold.Write(w, Conversations(read)) }},
}
