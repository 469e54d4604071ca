package anonymize

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"sotto/anonymize/replace"
	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
)

// Renumber gives the entities of a clean event, and the label of its speaker, the numbers that they have in the final version of
// the call, once it is known which are one, and the surrogates that go with these. It changes neither the state nor what
// the event points to. The policy is that of the event's tenant and context.
func (e *Engine) Renumber(c *state.Call, clean *schemas.CleanEvent) schemas.CleanEvent {
	final := *clean
	if c.Renumbered() == nil {
		return final
	}
	e = e.of(clean.Tenant, clean.Context)
	ev := schemas.RawEvent{CallID: clean.CallID, Seq: clean.Seq, Type: clean.Type, Context: clean.Context, Tenant: clean.Tenant}
	p := eventPass{engine: e, call: c, event: &ev}
	final.Text, final.Entities = p.renumberText(clean)
	if s := clean.Speaker; s != nil {
		if label := p.renumberLabel(s); label != s.Label {
			own := *s
			own.Label = label
			final.Speaker = &own
		}
	}
	return final
}

// renumberText returns the text and the entities of a clean event with the numbers of the final version.
func (p *eventPass) renumberText(clean *schemas.CleanEvent) (string, []schemas.Entity) {
	var out strings.Builder
	entities := make([]schemas.Entity, len(clean.Entities))
	byteOf, from, shift := byteOffsets(clean.Text), 0, 0
	for i, m := range clean.Entities {
		start, end := byteOf(m.Start), byteOf(m.End)
		out.WriteString(clean.Text[from:start])
		with, final := clean.Text[start:end], p.call.FinalOf(state.Ref{Type: m.Type, N: m.ID})
		e := m
		if e.Start += shift; m.ID > 0 && final.N != m.ID {
			with = p.renumbered(clean, &m, start, end, final)
			e.ID = final.N
		}
		e.End = e.Start + utf8.RuneCountInString(with)
		out.WriteString(with)
		entities[i], from, shift = e, end, e.End-m.End
	}
	out.WriteString(clean.Text[from:])
	return out.String(), entities
}

// renumbered returns what stands for an entity of a clean text, of which m is the mention between two byte offsets, in the final version.
func (p *eventPass) renumbered(clean *schemas.CleanEvent, m *schemas.Entity, start, end int, final state.Ref) string {
	text, own := clean.Text[start:end], "["+m.Type+"_"
	if strings.HasPrefix(text, own) && strings.HasSuffix(text, "]") {
		return own + strconv.Itoa(final.N) + "]"
	}
	if m.Type != string(detectors.PersonName) || !p.engine.plan.Draws() {
		return text
	}
	// The parts of the name are those of the surrogate that stands here now.
	live := state.Ref{Type: m.Type, N: m.ID}
	whole := replace.Mention{Type: live.Type, N: live.N, Text: p.call.LongestAlias(live), Full: p.call.LongestAlias(live),
		First: p.call.FirstAlias(live), Taken: namesOf(p.call, live), Seq: clean.Seq}
	full := strings.ToLower(string(p.engine.plan.Append(nil, p.seed(), &whole)))
	known := p.call.LongestAlias(final)
	others := namesOf(p.call, final)
	return string(p.engine.plan.Append(nil, p.seed(), &replace.Mention{Type: final.Type, N: final.N, Text: text, Before: clean.Text[:start],
		Full: full, First: p.call.FirstAlias(final), Seq: clean.Seq, Pos: renumberPosition + start,
		Taken: func(word string) bool { return others(word) || hasWord(known, word) }, // nor the name itself
	}))
}

func hasWord(text, word string) bool {
	for w := range strings.FieldsSeq(text) {
		if w == word {
			return true
		}
	}
	return false
}

// renumberLabel returns the label of the speaker of a clean event with the numbers of the final version.
func (p *eventPass) renumberLabel(s *schemas.Speaker) string {
	if p.engine.plan.Draws() {
		raw, ok := p.call.RawLabel(s.ID, s.Label)
		if !ok {
			return s.Label
		}
		q := *p
		q.call = p.call.Clone() // which reads the label anew
		return q.readLabel(raw)
	}
	label := s.Label
	for infoType, numbers := range p.call.Renumbered() {
		for live, final := range numbers {
			label = strings.ReplaceAll(label, "["+infoType+"_"+live+"]", "["+infoType+"_"+strconv.FormatInt(final, 10)+"]")
		}
	}
	return label
}
