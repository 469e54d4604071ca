package batch

import (
	"sotto/anonymize"
	"sotto/formats/transcript"
	"sotto/schemas"
	"sotto/state"
)

// maskedText is a text with what was replaced in it.
type maskedText struct {
	raw, clean string
	masks      []transcript.Mask
	tags       []string // of the masks
}

// masked returns an event's text with its masks. The event has raw offsets.
func masked(raw string, clean *schemas.CleanEvent) maskedText {
	m := maskedText{raw: raw, clean: clean.Text}
	rawAt, cleanAt := byteOffsets(raw), byteOffsets(clean.Text)
	for i := range clean.Entities {
		e := &clean.Entities[i]
		m.masks = append(m.masks, transcript.Mask{
			Start: rawAt(*e.RawStart), End: rawAt(*e.RawEnd), With: clean.Text[cleanAt(e.Start):cleanAt(e.End)],
		})
		m.tags = append(m.tags, tagOf(e))
	}
	return m
}

// byteOffsets returns the function from code points to bytes of a text.
func byteOffsets(text string) func(int) int {
	at := make([]int, 0, len(text)+1)
	for i := range text {
		at = append(at, i)
	}
	at = append(at, len(text))
	return func(n int) int { return at[min(n, len(at)-1)] }
}

func (r *callRun) replace(outs []anonymize.Output, memory *state.Call) error {
	texts := map[*transcript.Turn]maskedText{}
	for i, t := range r.texts {
		if t == nil {
			continue
		}
		m := masked(t.Text, &outs[i].Clean)
		if t.Plain {
			m.clean = t.Text
		}
		texts[t] = m
		r.cuts.know(m)
	}
	swept := newSweep(r.texts, texts)
	for i, t := range r.texts {
		if t == nil {
			continue
		}
		m := texts[t]
		if i >= len(r.texts)-len(r.call.Others) {
			m.clean = swept.text(m.clean)
		}
		r.replaceTurn(t, m, &outs[i].Clean)
		for _, repeat := range t.Repeats {
			if err := r.replaceRepeat(repeat, []*transcript.Turn{t}, texts, memory); err != nil {
				return err
			}
		}
	}
	first := len(r.events) - len(r.call.Others) - len(r.call.Labels)
	for i, l := range r.call.Labels {
		if s := outs[first+i].Clean.Speaker; s != nil {
			l.Set(s.Label)
		} else {
			l.Set("")
		}
	}
	for _, repeat := range r.call.Repeats {
		of := repeat.Of
		if of == nil {
			of = r.call.Turns
		}
		if err := r.replaceRepeat(repeat, of, texts, memory); err != nil {
			return err
		}
	}
	r.cuts.turns(r.call, texts)
	return nil
}

func (r *callRun) replaceTurn(t *transcript.Turn, m maskedText, clean *schemas.CleanEvent) {
	if t.Set != nil && m.clean != m.raw {
		t.Set(m.clean)
	}
	if t.SetLabel != nil && clean.Speaker != nil && clean.Speaker.Label != t.Speaker.Label {
		t.SetLabel(clean.Speaker.Label)
	}
	if t.Moved != nil {
		entities := clean.Entities
		t.Moved(func(at int) int { return movedPosition(entities, at) })
	}
}

// movedPosition returns where a position of a raw text is in the clean one. What is within an
// entity is at its beginning.
func movedPosition(entities []schemas.Entity, at int) int {
	shift := 0
	for i := range entities {
		e := &entities[i]
		switch {
		case at >= *e.RawEnd:
			shift = e.End - *e.RawEnd
		case at > *e.RawStart:
			return e.Start
		}
	}
	return at + shift
}
