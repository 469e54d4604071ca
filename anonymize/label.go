package anonymize

import (
	"strings"

	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
)

// roleWords are the words of labels that tell a part in the call and not a
// person.
var roleWords = wordSet("agent agents customer caller callee client clients speaker person user operator rep reps representative " +
	"support service system bot ivr unknown participant channel party host guest interviewer interviewee moderator advisor adviser " +
	"patient doctor nurse clerk employee manager supervisor technician member sales assistant virtual automated voice narrator left right " +
	"inbound outbound internal external me you other the a and call center centre contact desk help tech team lead line spk spkr " +
	"consumer prospect lead account executive specialist recording voicemail number attendee presenter audience all both human ai " +
	"mic microphone room receptionist secretary dispatcher officer teacher student counselor counsellor therapist driver buyer seller " +
	"vendor investor analyst chair chairman chairwoman president director")

func wordSet(text string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(text) {
		m[w] = true
	}
	return m
}

// label anonymizes the label of the turn's speaker. Words that tell a part in
// the call and single letters and numbers up to 99 stay; of the rest, what no
// detector knows to be something else is the speaker's name.
func (t *turn) label(label string) string {
	if label == "" {
		return ""
	}
	clean, known := t.call.Label(t.speaker, label)
	if !known {
		clean = t.readLabel(label)
		t.changed = t.call.SetLabel(t.speaker, label, clean) || t.changed
	}
	return clean
}

func (t *turn) readLabel(label string) string {
	w := t.scratch.Get().(*workspace)
	defer t.scratch.Put(w)
	d := &w.doc
	t.read(w, label, detectors.RoleUnknown, t.event.Tenant)
	kept := d.Findings[:0]
	for _, f := range d.Findings {
		if f.Type != detectors.PersonName && f.Type != detectors.SpelledWord {
			kept = append(kept, f)
		}
	}
	d.Findings = kept
	for i := 0; i < len(d.Tokens); i++ {
		if !namesSpeaker(d, i) {
			continue
		}
		j := i + 1
		for k := j; k < len(d.Tokens); k++ {
			if namesSpeaker(d, k) {
				j = k + 1
			} else if d.Tokens[k].Class != detectors.Punct && d.Tokens[k].Class != detectors.Clitic {
				break
			}
		}
		d.Add(detectors.Finding{
			Start: int(d.Tokens[i].Start), End: int(d.Tokens[j-1].End), Type: detectors.PersonName,
			Likelihood: detectors.VeryLikely, Score: 1, Detector: "speaker", Evidence: detectors.ByModel, Hint: detectors.HintSelf,
		})
		i = j - 1
	}
	t.filter(d)
	found := w.resolver.Resolve(d)
	if len(found) == 0 {
		return label
	}
	sub := *t
	sub.work = w
	refs := w.refs[:0]
	for i := range found {
		m := sub.mention(d, &found[i])
		m.Source = state.SourceLabel
		r, changed := t.call.LinkOrCreate(m, t.limit)
		t.changed = t.changed || changed
		refs = append(refs, r)
	}
	w.refs = refs
	sub.firstPos = labelPos
	clean, _ := sub.render(d, found, refs)
	t.changed = t.changed || sub.changed
	return clean
}

// namesSpeaker tells whether token i of a label may be a part of a name.
func namesSpeaker(d *detectors.Document, i int) bool {
	switch tok := &d.Tokens[i]; tok.Class {
	case detectors.Punct, detectors.Clitic, detectors.Letter:
		return false
	case detectors.Digits:
		return tok.Len() > 2
	case detectors.Alnum:
		return !numberedRole(string(d.Word(i)))
	default:
		return !roleWords[string(d.Word(i))] && !tok.Is(detectors.NumWord|detectors.Title)
	}
}

// numberedRole tells whether a word is a role with a number, "speaker1".
func numberedRole(w string) bool {
	role := strings.TrimRight(w, "0123456789")
	return len(w)-len(role) <= 2 && (roleWords[role] || len(role) == 1)
}

// participants makes what a START tells of the participants known, so that it
// is masked wherever it is said.
func (t *turn) participants() {
	for i := range t.event.Participants {
		p := &t.event.Participants[i]
		s, changed := t.call.Speaker(p.SpeakerID)
		t.changed = t.changed || changed
		t.knowNames(p, s)
		if p.Organization != "" {
			m := t.knownMention(p.Organization, detectors.OrganizationName, s)
			m.OfSpeaker = true
			t.know(m)
		}
		for _, v := range p.Emails {
			t.know(t.knownMention(v, detectors.EmailAddress, s))
		}
		for _, v := range p.Phones {
			t.know(t.knownMention(v, detectors.PhoneNumber, s))
		}
		for _, v := range p.Other {
			t.knowOther(v, s)
		}
	}
}

func (t *turn) know(m state.Mention) {
	t.changed = t.call.Know(m, t.limit) || t.changed
}

// knowNames makes the names of one participant known as those of one person.
func (t *turn) knowNames(p *schemas.Participant, s state.SpeakerID) {
	var first state.Mention
	for i, name := range p.Names {
		m := t.knownMention(name, detectors.PersonName, s)
		if i == 0 {
			first = m
			t.know(m)
			continue
		}
		t.changed = t.call.KnowAs(first, m) || t.changed
	}
}

// knowOther makes a value known whose kind is not told: an identifier when it
// has a digit, else words.
func (t *turn) knowOther(v string, s state.SpeakerID) {
	m := t.knownMention(v, detectors.GenericID, s)
	m.Weak = true
	if !strings.ContainsAny(v, "0123456789") {
		if words := t.knownMention(v, detectors.Product, s).Words; len(words) > 1 {
			m.Kind, m.Words, m.Code = state.KindText, words, ""
		}
	}
	t.know(m)
}

// knownMention makes the mention of a value that was given in advance.
func (t *turn) knownMention(v string, infoType detectors.InfoType, s state.SpeakerID) state.Mention {
	w := t.scratch.Get().(*workspace)
	defer t.scratch.Put(w)
	w.doc.Reset(v)
	sub := *t
	sub.work, sub.speaker = w, s
	m := sub.mention(&w.doc, &detectors.Finding{Start: 0, End: len(v), Type: infoType, Hint: detectors.HintSelf})
	m.Words = append([]string(nil), m.Words...)
	m.Source = state.SourceParticipant
	return m
}
