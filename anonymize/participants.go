package anonymize

import (
	"slices"
	"strings"

	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
	"sotto/state/linking"
)

// addParticipants adds the values that a START lists about the participants to the state of the
// call, so that they are masked wherever they are said.
func (p *eventPass) addParticipants() {
	for i := range p.event.Participants {
		x := &p.event.Participants[i]
		s := p.call.Speaker(x.SpeakerID)
		p.addNames(x, s)
		if x.Organization != "" {
			m := p.valueMention(x.Organization, detectors.OrganizationName, s)
			m.OfSpeaker = true
			p.addValue(m)
		}
		for _, v := range x.Emails {
			p.addValue(p.valueMention(v, detectors.EmailAddress, s))
		}
		for _, v := range x.Phones {
			p.addValue(p.valueMention(v, detectors.PhoneNumber, s))
		}
		for _, v := range x.Other {
			p.addOther(v, s)
		}
	}
}

func (p *eventPass) addValue(m state.Mention) { p.call.AddKnown(m, p.engine.opts.MaxEntities) }

func (p *eventPass) addNames(x *schemas.Participant, s linking.SpeakerID) {
	var first state.Mention
	for i, name := range x.Names {
		m := p.valueMention(name, detectors.PersonName, s)
		if i == 0 {
			first = m
			p.addValue(m)
			continue
		}
		p.call.AddKnownAlias(first, m)
	}
}

// addOther adds a value of an unknown kind: an identifier if it has a digit, otherwise
// words.
func (p *eventPass) addOther(v string, s linking.SpeakerID) {
	m := p.valueMention(v, detectors.GenericID, s)
	m.Weak = true
	if !strings.ContainsAny(v, "0123456789") {
		if words := p.valueMention(v, detectors.Product, s).Words; len(words) > 1 {
			m.Kind, m.Words, m.Code = detectors.KindText, words, ""
		}
	}
	p.addValue(m)
}

// valueMention returns the mention of a value that is given in advance, as the
// participant's own.
func (p *eventPass) valueMention(v string, infoType detectors.InfoType, s linking.SpeakerID) state.Mention {
	w := p.engine.workspace()
	defer p.engine.release(w)
	w.doc.Reset(v)
	m := p.mention(w, &detectors.Finding{Start: 0, End: len(v), Type: infoType, Hint: detectors.HintSelf})
	m.Words = slices.Clone(m.Words)
	m.Speaker, m.Source = s, linking.SourceParticipant
	return m
}
