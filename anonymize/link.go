package anonymize

import (
	"slices"
	"strings"

	"sotto/anonymize/dialogue"
	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/state"
)

// number links each finding to an entity of the call, a new one if the call knows none,
// and returns the findings as they are replaced and their entities.
func (p *eventPass) number(w *workspace, found []detectors.Finding) ([]detectors.Finding, []state.Ref) {
	found = p.joinNames(w, found)
	w.refs = w.refs[:0]
	p.nameEnd = 0
	for i := 0; i < len(found); i++ {
		found = p.splitNames(w, found, i) // by all that the text has said before
		p.place = i
		w.refs = append(w.refs, p.link(w, &found[i]))
		if found[i].Type == detectors.PersonName {
			p.nameEnd = found[i].End
		}
	}
	for i, r := range w.refs { // the text itself may show that two persons are one
		if r.Type == string(detectors.PersonName) {
			w.refs[i] = p.call.FinalOf(r)
		}
	}
	return found, w.refs
}

// numberAgain numbers findings, and does so once more if a value that the text itself made known occurs in it again.
func (p *eventPass) numberAgain(w *workspace, found []detectors.Finding) ([]detectors.Finding, []state.Ref) {
	found, refs := p.number(w, found)
	if w.matcher.Match(&w.doc, p.call) {
		return p.number(w, p.disjoint(w))
	}
	return found, refs
}

// link returns the entity that a finding is.
func (p *eventPass) link(w *workspace, f *detectors.Finding) state.Ref {
	if dialogue.ContinuesDictation(f) {
		return p.continueDictated(f)
	}
	m := p.mention(w, f)
	if p.engine.opts.Linked != nil {
		p.engine.opts.Linked(p.event.Seq, f.Start, f.End, m)
	}
	return p.call.LinkOrCreate(m, p.engine.opts.MaxEntities)
}

// continueDictated adds a further part to the entity that is being dictated, once for
// the event, and returns that entity.
func (p *eventPass) continueDictated(f *detectors.Finding) state.Ref {
	if p.dictated == (state.Ref{}) {
		before, _ := p.call.Dictation()
		p.said = len(strings.TrimPrefix(before.Code, "1"))
		p.dictated = p.call.ContinueDictation(f.Value, p.turn.Speaker, p.turn.Seq, p.turn.EndMS)
	}
	return p.dictated
}

// mention returns what the call compares of a finding: all of its words if the call knows them so, else those of
// its core, less the words of grammar at both ends. A name keeps these unless the call knows it without them. All
// words of a street address count. Its Words are the workspace's.
func (p *eventPass) mention(w *workspace, f *detectors.Finding) state.Mention {
	m := p.mentionOf(w, f, f.Start, f.End)
	start, end := f.Core()
	first, last := mention.WithoutGrammar(&w.doc, start, end)
	if f.Type == detectors.StreetAddress || first == f.Start && last == f.End || p.call.Link(m) >= 0 {
		return m
	}
	whole := ""
	if s, e := mention.WithoutGrammar(&w.doc, f.Start, f.End); s != first || e != last {
		whole = p.mentionOf(w, f, s, e).Joined
	}
	m = p.mentionOf(w, f, first, last)
	if (first != start || last != end) && m.Kind == detectors.KindName && p.call.Link(m) < 0 {
		m = p.mentionOf(w, f, start, end) // a name may begin or end with such a word: "Will Ames", "Ames May"
	}
	m.Whole = whole
	return m
}

// mentionOf returns what the call compares of the words of a finding between two byte offsets.
func (p *eventPass) mentionOf(w *workspace, f *detectors.Finding, start, end int) state.Mention {
	part := *f
	part.Start, part.End = start, end
	m := w.mentions.Read(&w.doc, &part)
	m.Speaker, m.Place = p.turn.Speaker, p.place
	m.Seq, m.StartMS, m.EndMS = p.turn.Seq, p.turn.StartMS, p.turn.EndMS
	if m.Kind == detectors.KindName {
		m.Talk.Question, m.Talk.QuestionAgo = p.call.AskedName(&m)
	}
	// The reading is that of the event's text; labels are linked from another workspace.
	if r, ok := p.reading.(*reading); ok && r == &w.reading && (m.Kind == detectors.KindName || m.Spelled) {
		m.Talk.Chances = r.chances(start, end)
	}
	if p.nameEnd > 0 && p.nameEnd <= start {
		mention.ReadGap(&w.doc, p.nameEnd, &part, &m.Talk)
	}
	if f.Type == detectors.EmailAddress {
		m.Code = p.knownAddress(&w.doc, &part, m)
	}
	return m
}

// knownAddress returns the code of an e-mail address without its first word, if the call
// knows that address: what led up to it and was misheard reads like a part of it.
// Otherwise it returns the whole code.
func (p *eventPass) knownAddress(d *detectors.Document, f *detectors.Finding, m state.Mention) string {
	whole := m.Code
	first := mention.FirstWordCode(d, f)
	if first == "" || !strings.HasPrefix(whole, first) || p.call.Link(m) >= 0 {
		return whole
	}
	m.Code = whole[len(first):]
	if p.call.Link(m) < 0 {
		return whole
	}
	return m.Code
}

// splitNames makes two findings of the one at a position if it has the names of two people side by side.
func (p *eventPass) splitNames(w *workspace, found []detectors.Finding, i int) []detectors.Finding {
	f := &found[i]
	if f.Type != detectors.PersonName || f.Value != "" {
		return found
	}
	k := p.secondName(w, f)
	if k < 0 {
		return found
	}
	a, b := *f, *f
	a.End, b.Start = int(w.doc.Tokens[k-1].End), int(w.doc.Tokens[k].Start)
	found[i] = a
	return slices.Insert(found, i+1, b)
}

// secondName returns the token at which the name of another person begins in a name, or -1: of two people whom the call knows by what is
// on both sides ("joan marcus said so"), or of the other speaker, who is greeted, and the one who speaks ("hi joan marcus hess calling").
func (p *eventPass) secondName(w *workspace, f *detectors.Finding) int {
	d := &w.doc
	first, end := d.TokenAt(f.Start), d.TokenAt(f.End)
	if first+1 >= end || f.End-f.Start > maxName {
		return -1
	}
	var memory [maxName]byte
	name := memory[:0]
	for i := first; i < end; i++ {
		if !d.Tokens[i].Class.IsWord() || i > first && d.Tokens[i].Start != d.Tokens[i-1].End+1 {
			return -1
		}
		name = append(append(name, d.Word(i)...), ' ')
	}
	whole, greeted := string(name[:len(name)-1]), mention.IsGreetedAndCalling(d, f)
	for k, at := first+1, 0; k < end; k++ {
		at += len(d.Word(k-1)) + 1
		one, other, isLast := whole[:at-1], whole[at:], k+1 == end
		areTwo := p.call.KnowsAsTwo(one, other) && !(isLast && isSurname(w, k)) ||
			greeted && !isLast && isGiven(w, k) && p.call.IsOfOther(one, p.turn.Speaker)
		if areTwo && !p.call.KnowsAsOne(one, other) {
			return k
		}
	}
	return -1
}

// maxName bounds the bytes of a name that is joined from two findings, or divided.
const maxName = 80

// joinNames makes one finding of two names side by side, the first and the last name of
// one person that different detectors found, unless they are known to be two people. It
// changes found.
func (p *eventPass) joinNames(w *workspace, found []detectors.Finding) []detectors.Finding {
	if len(found) == 0 {
		return found
	}
	const part = detectors.HintGiven | detectors.HintSurname
	n := 0
	for i := 1; i < len(found); i++ {
		a, b := &found[n], &found[i]
		if a.Type == detectors.PersonName && b.Type == detectors.PersonName && b.Start == a.End+1 && w.doc.Text[a.End] == ' ' &&
			b.End-a.Start <= maxName && !p.isOther(w, a, b) {
			a.Append(b)
			a.Value = ""
			a.Hint = (a.Hint | b.Hint) &^ part
			continue
		}
		n++
		found[n] = *b
	}
	return found[:n+1]
}

func (p *eventPass) isOther(w *workspace, a, b *detectors.Finding) bool {
	i := p.call.Link(p.mention(w, a))
	j := p.call.Link(p.mention(w, b))
	return i >= 0 && j >= 0 && i != j && !(isSurname(w, w.doc.TokenAt(b.Start)) && p.call.MayBearName(i, j))
}

// isSurname reports whether the word at token i is rather a last name than a first one.
func isSurname(w *workspace, i int) bool {
	e := entryAt(w, i)
	return e.Surname() > e.Given()
}

// isGiven reports whether the word at token i is a first name, and hardly a last one.
func isGiven(w *workspace, i int) bool {
	e := entryAt(w, i)
	return e.Given() > 0 && e.Given() >= e.Surname()
}

func entryAt(w *workspace, i int) lexicon.Entry {
	lexicon.Read(&w.doc)
	return lexicon.Word(w.doc.Tokens[i].Lexicon).Entry()
}
