package files

import (
	"context"
	"errors"
	"strings"

	"sotto/anonymize"
	"sotto/detectors/lookalike"
	"sotto/files/formats/transcript"
	"sotto/schemas"
	"sotto/state"
)

// replaceRepeat replaces in a repeat what was replaced in the turns that it repeats.
//
// If it has other words than they have, it is also anonymized as a text, since it may say more.
func (r *callRun) replaceRepeat(ctx context.Context, repeat transcript.Repeat, of []*transcript.Turn, texts map[*transcript.Turn]maskedText, memory *state.Call) error {
	whole := concatenated(of, texts)
	spans, complete := transcript.Exact(whole.raw, whole.masks, repeat.Pieces)
	if !complete {
		var err error
		if spans, complete, err = r.inexact(ctx, repeat.Pieces, whole, of, memory); err != nil {
			return err
		}
	}
	r.cuts.repeat(repeat, spans, of, complete)
	if spans = withEscapes(repeat.Pieces, spans); len(spans) > 0 {
		repeat.Set(spans)
	}
	return nil
}

func (r *callRun) inexact(ctx context.Context, pieces []string, whole maskedText, of []*transcript.Turn, memory *state.Call) (spans []transcript.Span, complete bool, err error) {
	spans, complete = transcript.Projected(whole.raw, whole.masks, pieces)
	text := transcript.JoinWords(pieces)
	ev := &schemas.RawEvent{CallID: r.call.ID, Seq: int64(len(r.events) + 1), Type: schemas.Utterance, Text: text}
	if len(of) == 1 {
		ev.Speaker = speakerOf(of[0].Speaker)
	}
	memory.EndDialogue()
	events, err := r.job.cut(ctx, ev)
	if err != nil {
		return nil, false, err
	}
	outs := make([]anonymize.Output, 0, len(events))
	for i, piece := range events {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		outs = append(outs, anonymize.Resume(r.job.Engine, memory).Add(piece))
		if outs[i].Held {
			return nil, false, errors.New(problemOtherLanguage)
		}
	}
	out := wholeOutput(events, outs)
	m := masked(text, &out.Clean)
	r.cuts.know(m)
	own, _ := transcript.Exact(m.raw, m.masks, pieces)
	return transcript.Union(spans, own), complete, nil
}

func concatenated(of []*transcript.Turn, texts map[*transcript.Turn]maskedText) maskedText {
	if len(of) == 1 {
		return texts[of[0]]
	}
	var raw strings.Builder
	var m maskedText
	for _, t := range of {
		at := raw.Len()
		raw.WriteString(texts[t].raw)
		raw.WriteByte('\n')
		for _, k := range texts[t].masks {
			m.masks = append(m.masks, transcript.Mask{Start: k.Start + at, End: k.End + at, With: k.With})
		}
	}
	m.raw = raw.String()
	return m
}

// withEscapes adds to spans those of the pieces outside of them that look like tags.
func withEscapes(pieces []string, spans []transcript.Span) []transcript.Span {
	var out []transcript.Span
	for i := 0; i < len(pieces); i++ {
		if len(spans) > 0 && i == spans[0].First {
			out = append(out, spans[0])
			i, spans = spans[0].Last, spans[1:]
			continue
		}
		if s := lookalike.Escape(pieces[i]); s != pieces[i] {
			out = append(out, transcript.Span{First: i, Last: i, Text: s})
		}
	}
	return out
}
