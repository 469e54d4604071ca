package files

import (
	"context"
	"sort"
	"strings"
	"unicode/utf8"

	"sotto/anonymize"
	"sotto/files/formats/harmless"
	"sotto/files/formats/transcript"
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

// byteOffsets returns a function that makes byte offsets of positions in code points of a text. It is fastest if they
// are in order.
func byteOffsets(text string) func(point int) int {
	at, point := 0, 0
	return func(to int) int {
		if to < point {
			at, point = 0, 0
		}
		for ; point < to && at < len(text); point++ {
			_, n := utf8.DecodeRuneInString(text[at:])
			at += n
		}
		return at
	}
}

func (r *callRun) replace(ctx context.Context, outs []anonymize.Output, memory *state.Call) error {
	texts := map[*transcript.Turn]maskedText{}
	for i := range r.texts {
		t := r.texts[i].turn
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
	for i := range r.texts {
		t := r.texts[i].turn
		if err := ctx.Err(); err != nil {
			return err
		}
		if t == nil {
			continue
		}
		m := texts[t]
		if i >= len(r.texts)-len(r.call.Others) {
			var err error
			if m.clean, err = swept.text(ctx, m.clean); err != nil {
				return err
			}
			if t.Set == nil { // all of it is in its repeats
				if m.masks, err = swept.masks(ctx, m); err != nil {
					return err
				}
				texts[t] = m
			}
		}
		r.replaceTurn(t, m, &outs[i].Clean)
		for _, repeat := range t.Repeats {
			if err := r.replaceRepeat(ctx, repeat, []*transcript.Turn{t}, texts, memory); err != nil {
				return err
			}
		}
	}
	first := len(r.texts) - len(r.call.Others) - len(r.call.Labels)
	for i, l := range r.call.Labels {
		if s := outs[first+i].Clean.Speaker; s != nil {
			l.Set(cleanLabel(l.Speaker, s))
		} else {
			l.Set("")
		}
	}
	for _, repeat := range r.call.Repeats {
		of := repeat.Of
		if of == nil {
			of = r.call.Turns
		}
		if err := r.replaceRepeat(ctx, repeat, of, texts, memory); err != nil {
			return err
		}
	}
	r.cuts.turns(r.call, texts)
	return nil
}

// cleanLabel returns the label of a speaker with what stands behind the name. A bracket of which the other half is masked
// goes, too.
func cleanLabel(raw schemas.Speaker, clean *schemas.Speaker) string {
	_, behind := harmless.WithoutRemark(raw.Label)
	label := clean.Label
	for _, pair := range []string{"()", "[]"} {
		if rest, ok := strings.CutSuffix(label, pair[1:]); ok && strings.Count(rest, pair[:1]) <= strings.Count(rest, pair[1:]) {
			label = rest
		}
		if rest, ok := strings.CutPrefix(label, pair[:1]); ok && strings.Count(rest, pair[1:]) <= strings.Count(rest, pair[:1]) {
			label = rest
		}
	}
	return label + behind
}

func (r *callRun) replaceTurn(t *transcript.Turn, m maskedText, clean *schemas.CleanEvent) {
	if t.Set != nil && m.clean != m.raw {
		t.Set(m.clean)
	}
	if t.SetLabel != nil && clean.Speaker != nil {
		if label := cleanLabel(t.Speaker, clean.Speaker); label != t.Speaker.Label {
			t.SetLabel(label)
		}
	}
	if t.Moved != nil {
		entities := clean.Entities
		t.Moved(func(at int) int { return movedPosition(entities, at) })
	}
}

// movedPosition returns where a position of a raw text is in the clean one. What is within an
// entity is at its beginning.
func movedPosition(entities []schemas.Entity, at int) int {
	next := sort.Search(len(entities), func(i int) bool { return *entities[i].RawEnd > at })
	if next < len(entities) && *entities[next].RawStart < at {
		return entities[next].Start
	}
	if next == 0 {
		return at
	}
	before := &entities[next-1]
	return at + before.End - *before.RawEnd
}
