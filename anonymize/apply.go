package anonymize

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
)

// turn is one event being applied to one call.
type turn struct {
	*Engine
	call    *state.Call
	event   *schemas.RawEvent
	work    *workspace
	limit   int
	speaker state.SpeakerID
	changed bool
	// firstPos is the place of the first finding of what is being rendered.
	firstPos int
	// dictated is what the text goes on with.
	dictated state.Ref
	// subthreshold is what was left in the text although it may be personal.
	subthreshold []detectors.SubthresholdFinding
	// explainer is nil unless explanations were asked for.
	explainer *explainer
}

func (e *Engine) apply(c *state.Call, p *Prepared, limit int, x *explainer) (schemas.CleanEvent, bool) {
	ev := p.Event
	t := turn{Engine: e, call: c, event: ev, limit: limit, explainer: x}
	clean := schemas.CleanEvent{
		CallID: ev.CallID, Seq: ev.Seq, Type: eventType(ev.Type),
		Context: shortWord(ev.Context, 32), Tenant: shortWord(ev.Tenant, 64), Language: shortWord(ev.Language, 35),
		Entities: []schemas.Entity{}, Policy: e.hash, Strategy: e.plan.Name(),
		StartMS: ev.StartMS, EndMS: ev.EndMS, TimestampMS: ev.TimestampMS,
	}
	if ev.Type == schemas.Start {
		t.participants()
	}
	if ev.Speaker != nil {
		clean.Speaker = t.speak()
	}
	if ev.Type == schemas.Utterance && ev.Text != "" {
		t.work = p.work
		if t.work == nil {
			// Applied before: the workspace has gone on to other events.
			t.work = e.scratch.Get().(*workspace)
			e.prepare(t.work, ev)
		}
		p.work = nil
		clean.Text, clean.Entities = t.text()
		p.Subthreshold = t.subthreshold
		e.release(t.work)
	}
	return clean, t.changed
}

// maxKept bounds the text whose workspace is kept for further events.
const maxKept = 1 << 16

func (e *Engine) release(w *workspace) {
	w.shares, w.matcher = nil, mention.Matcher{}
	if len(w.doc.Text) <= maxKept {
		e.scratch.Put(w)
	}
}

// text finds what is personal in the event's text, numbers it and renders the
// clean text.
func (t *turn) text() (string, []schemas.Entity) {
	d := &t.work.doc
	t.expect(d)
	t.continued(d)
	t.share(d)
	t.work.matcher.Match(d, t.call)
	t.rules.Adjust(d)
	t.filter(d)
	t.work.resolver.Explain = t.explainer != nil
	found := t.work.resolver.Resolve(d)
	if t.event.Lexical != nil && t.lexical(d, found) {
		found = t.work.resolver.Resolve(d)
	}
	t.ask(found)
	if len(found) == 0 {
		t.subthreshold = unmasked(d, nil)
		if t.explainer != nil {
			t.explainer.explain(d, &t.work.resolver, nil, nil)
		}
		return t.event.Text, []schemas.Entity{}
	}
	found = t.parts(d, t.joinNames(d, found))
	refs := t.numbers(d, found)
	if t.work.matcher.Match(d, t.call) {
		// What the text itself taught stands in it once more.
		t.filter(d)
		found = t.parts(d, t.joinNames(d, t.work.resolver.Resolve(d)))
		refs = t.numbers(d, found)
	}
	t.dictates(d, found)
	t.subthreshold = unmasked(d, found)
	text, entities := t.render(d, found, refs)
	if t.explainer != nil {
		t.explainer.explain(d, &t.work.resolver, found, entities)
	}
	return text, entities
}

// filter drops the findings that the user does not want masked.
func (t *turn) filter(d *detectors.Document) {
	var dropped func(*detectors.Finding, string)
	if t.explainer != nil && t.work != nil && d == &t.work.doc {
		dropped = t.explainer.drop
	}
	t.rules.Filter(d, t.event.Tenant, dropped)
}

// numbers asks the memory which entity each finding is.
func (t *turn) numbers(d *detectors.Document, found []detectors.Finding) []state.Ref {
	t.work.refs = t.work.refs[:0]
	for i := range found {
		t.work.refs = append(t.work.refs, t.number(d, &found[i]))
	}
	return t.work.refs
}

// maxName bounds the bytes of a name that is joined from two findings.
const maxName = 80

// joinNames makes one finding of two names side by side, the first and the last
// name of one person that different detectors found, unless they are known to
// be two people.
func (t *turn) joinNames(d *detectors.Document, found []detectors.Finding) []detectors.Finding {
	n := 0
	for i := 1; i < len(found); i++ {
		a, b := &found[n], &found[i]
		if a.Type == detectors.PersonName && b.Type == detectors.PersonName && b.Start == a.End+1 && d.Text[a.End] == ' ' &&
			b.End-a.Start <= maxName && !t.different(d, a, b) {
			a.End, a.Value = b.End, ""
			a.Hint |= b.Hint &^ (detectors.HintGiven | detectors.HintSurname)
			a.Hint &^= detectors.HintGiven | detectors.HintSurname
			continue
		}
		n++
		found[n] = *b
	}
	return found[:n+1]
}

func (t *turn) different(d *detectors.Document, a, b *detectors.Finding) bool {
	i := t.call.Link(t.mention(d, a))
	j := t.call.Link(t.mention(d, b))
	return i >= 0 && j >= 0 && i != j
}

// mention turns a finding into what the memory compares.
func (t *turn) mention(d *detectors.Document, f *detectors.Finding) state.Mention {
	if s := t.shared(f); s != nil {
		m := s.mention
		m.Speaker = t.speaker
		return m
	}
	m := t.work.mentions.Read(d, f)
	m.Speaker = t.speaker
	if f.Type == detectors.EmailAddress {
		m.Code = t.knownEnd(d, f, m)
	}
	return m
}

// knownEnd returns the code of an e-mail address without its first word, if the call
// knows that address: what led up to it and was misheard reads like a part of it.
// Else it returns the whole code.
func (t *turn) knownEnd(d *detectors.Document, f *detectors.Finding, m state.Mention) string {
	whole := m.Code
	first := mention.FirstWordCode(d, f)
	if first == "" || !strings.HasPrefix(whole, first) || t.call.Link(m) >= 0 {
		return whole
	}
	m.Code = whole[len(first):]
	if t.call.Link(m) < 0 {
		return whole
	}
	return m.Code
}

// number asks the memory which entity a finding is.
func (t *turn) number(d *detectors.Document, f *detectors.Finding) state.Ref {
	if f.Detector == dictation && f.Value != "" {
		return t.proceed(f)
	}
	r, changed := t.call.LinkOrCreate(t.mention(d, f), t.limit)
	t.changed = t.changed || changed
	return r
}

// render replaces the findings, which are disjoint and in order.
func (t *turn) render(d *detectors.Document, found []detectors.Finding, refs []state.Ref) (string, []schemas.Entity) {
	out := t.work.out[:0]
	entities := make([]schemas.Entity, len(found))
	at, runes := 0, 0
	for i := range found {
		f, r := &found[i], refs[i]
		out = append(out, d.Text[at:f.Start]...)
		runes += d.RuneOffset(f.Start) - d.RuneOffset(at)
		before := len(out)
		out = t.replacement(out, d, f, r, i)
		e := schemas.Entity{
			Start: runes, Type: r.Type, ID: t.shownNumber(r), Detector: f.Detector, Score: score(f.Score),
		}
		runes += utf8.RuneCount(out[before:])
		e.End = runes
		switch r.Source {
		case state.SourceLabel:
			e.Detector, e.Score = "speaker", 1
		case state.SourceParticipant:
			e.Detector, e.Score = "participant", 1
		}
		if t.opts.RawOffsets {
			start, end := d.RuneOffset(f.Start), d.RuneOffset(f.End)
			e.RawStart, e.RawEnd = &start, &end
		}
		entities[i] = e
		at = f.End
	}
	out = append(out, d.Text[at:]...)
	t.work.out = out
	return string(out), entities
}

// score rounds to two decimals, so that a float32 does not show in JSON.
func score(s float32) float64 {
	return float64(int(s*100+0.5)) / 100
}

// speak registers who speaks and anonymizes his label.
func (t *turn) speak() *schemas.Speaker {
	s := t.event.Speaker
	id := s.ID
	if id == "" {
		id = s.Label
	}
	var changed bool
	t.speaker, changed = t.call.Speaker(id)
	t.changed = t.changed || changed
	alias, changed := t.call.Appear(t.speaker)
	t.changed = t.changed || changed
	return &schemas.Speaker{ID: "s" + strconv.Itoa(alias), Label: t.label(s.Label), Role: role(s.Role)}
}

func role(r schemas.Role) schemas.Role {
	switch r {
	case schemas.RoleAgent, schemas.RoleCustomer:
		return r
	}
	return schemas.RoleUnknown
}

func eventType(e schemas.EventType) schemas.EventType {
	switch e {
	case schemas.Start, schemas.End:
		return e
	}
	return schemas.Utterance
}

// shortWord passes a free string on only if it looks like an identifier: at
// most max of A-Z, a-z, 0-9, "_", "-" and ".". Anything else could be a name or
// a number of somebody and is dropped.
func shortWord(s string, max int) string {
	if len(s) > max {
		return ""
	}
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', b == '_', b == '-', b == '.':
		default:
			return ""
		}
	}
	return s
}
