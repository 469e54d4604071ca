package anonymize

import (
	"slices"
	"strings"

	"sotto/detectors"
	"sotto/state"
)

// mention turns a finding into what the memory compares.
func (t *turn) mention(d *detectors.Document, f *detectors.Finding) state.Mention {
	if s := t.shared(f); s != nil {
		m := s.mention
		m.Speaker = t.speaker
		return m
	}
	m := state.Mention{
		Type: string(f.Type), Kind: kindOf(f.Type), Speaker: t.speaker,
		Self:      f.Hint&detectors.HintSelf != 0,
		Other:     f.Hint&detectors.HintOther != 0,
		Addressed: f.Hint&detectors.HintAddressed != 0,
	}
	m.OfSpeaker = f.Hint&detectors.HintOfSpeaker != 0 && (f.Type == detectors.OrganizationName || f.Type == detectors.Product)
	switch {
	case f.Hint&detectors.HintSurname != 0:
		m.Part = state.PartSurname
	case f.Hint&detectors.HintGiven != 0:
		m.Part = state.PartGiven
	}
	switch m.Kind {
	case state.KindName, state.KindOrg, state.KindText:
		m.Weak, m.Guessed = inDoubt(f), f.Evidence == detectors.ByModel && f.Type != detectors.StreetAddress
		switch {
		case f.Type == detectors.StreetAddress && !hasWord(d, f):
			m.Kind, m.Code = state.KindCode, t.code(d, f) // a postal code
		case f.Value == "" || f.Type == detectors.StreetAddress:
			m.Words = t.words(d, f, m.Kind)
		default:
			m.Words = saidOnce(strings.Fields(strings.ToLower(f.Value)))
		}
	default:
		m.Code = t.code(d, f)
		if f.Type == detectors.EmailAddress {
			t.shorten(d, f, &m)
		}
		m.Weak = f.Type == detectors.Numeric || f.Type == detectors.SpelledWord || f.Type == detectors.GenericID && f.Evidence.Tier() == 0
		m.Spelled = f.Type == detectors.SpelledWord || f.Type == detectors.GenericID && len(m.Code) >= 3 && !strings.ContainsAny(m.Code, "0123456789")
	}
	return m
}

// shorten makes the mention of an e-mail address one of an address that the call
// knows, when its first word is all that it has more: what led up to an address and
// was misheard reads like a part of it.
func (t *turn) shorten(d *detectors.Document, f *detectors.Finding, m *state.Mention) {
	i := d.TokenAt(f.Start)
	if i+1 >= len(d.Tokens) || d.Tokens[i+1].Glued() || int(d.Tokens[i+1].Start) >= f.End || t.call.Link(*m) >= 0 {
		return
	}
	short := *m
	var ok bool
	if short.Code, ok = strings.CutPrefix(m.Code, state.Canonical(string(d.Word(i)))); ok && t.call.Link(short) >= 0 {
		*m = short
	}
}

// sureScore is the score from which on the tagger alone makes a word one that is
// looked for in all of the call.
const sureScore = 0.7

// inDoubt tells whether a finding is an organization, not a speaker's own, or a
// product that the tagger alone saw and was not sure of. Those are the least of what could be left in a
// text, and often words of the trade.
func inDoubt(f *detectors.Finding) bool {
	return f.Evidence == detectors.ByModel && f.Score < sureScore && f.Hint&detectors.HintOfSpeaker == 0 && (f.Type == detectors.OrganizationName || f.Type == detectors.Product)
}

// code returns the canonical code of a finding: its value, or what the runs and
// words in it say.
func (t *turn) code(d *detectors.Document, f *detectors.Finding) string {
	if c := state.Canonical(f.Value); c != "" {
		return c
	}
	return state.Canonical(strings.Join(t.words(d, f, state.KindCode), ""))
}

// hasWord tells whether a finding holds a word of three letters or more that is
// not a number or a letter by name, or "3rd st".
func hasWord(d *detectors.Document, f *detectors.Finding) bool {
	for i := d.TokenAt(f.Start); i < len(d.Tokens) && int(d.Tokens[i].Start) < f.End; i++ {
		if t := &d.Tokens[i]; t.Class.IsWord() && (t.Len() > 2 || t.Is(detectors.StreetType) && i > 0 && d.Tokens[i-1].Class == detectors.Alnum) && d.RunAt(i) < 0 {
			return true
		}
	}
	return false
}

// kindOf says how values of an infoType are compared.
func kindOf(t detectors.InfoType) state.Kind {
	switch t {
	case detectors.PersonName:
		return state.KindName
	case detectors.OrganizationName:
		return state.KindOrg
	case detectors.Location, detectors.USState, detectors.Product, detectors.MedicalTerm, detectors.StreetAddress,
		detectors.Gender, detectors.EthnicGroup:
		return state.KindText
	}
	return state.KindCode
}

// words returns the folded words of a finding without what does not tell who or
// what is meant: titles, legal forms, possessives, punctuation. Letters that
// stand side by side are one word; so is, outside of names, what a run says.
func (t *turn) words(d *detectors.Document, f *detectors.Finding, k state.Kind) []string {
	words := t.work.words[:0]
	letters := false
	for i := d.TokenAt(f.Start); i < len(d.Tokens) && int(d.Tokens[i].Start) < f.End; i++ {
		tok := &d.Tokens[i]
		if r := wholeNumber(d, i, f); r != nil && k != state.KindName && k != state.KindOrg {
			words = append(words, strings.ToLower(runCode(d, r)[misheardTo(d, r, f):]))
			i, letters = r.Last, false
			continue
		}
		switch {
		case tok.Class == detectors.Punct || tok.Class == detectors.Clitic || tok.Class == detectors.Other || tok.Is(detectors.Filler):
			if k == state.KindOrg && (tok.Ch == '&' || tok.Ch == '+') {
				words = append(words, "and")
			}
			continue
		case k == state.KindName && tok.Is(detectors.Title) && len(words) == 0 && int(tok.End) < f.End:
			continue
		}
		w := string(d.Word(i))
		if long, ok := streetForms[w]; ok && f.Type == detectors.StreetAddress {
			w = long
		}
		if k != state.KindName && f.Type != detectors.StreetAddress && len(words) == 0 && int(tok.End) < f.End && leadsTo(w) ||
			f.Type == detectors.Location && w == "area" && len(words) > 0 && int(tok.End) == f.End {
			continue
		}
		if k == state.KindOrg && (legalForm(w) || w == "the" && len(words) == 0) && (len(words) > 0 || w == "the") {
			continue
		}
		if tok.Class == detectors.Letter && letters {
			words[len(words)-1] += w
		} else {
			words = append(words, w)
		}
		letters = tok.Class == detectors.Letter
	}
	if k == state.KindName {
		words = saidOnce(words)
	}
	t.work.words = words
	return words
}

// wholeNumber returns the run with a digit that begins at token i, if it lies within
// the finding; nil otherwise.
func wholeNumber(d *detectors.Document, i int, f *detectors.Finding) *detectors.Run {
	if n := d.RunAt(i); n >= 0 {
		if r := &d.Runs[n]; r.First == i && r.End <= f.End && r.Digits > 0 {
			return r
		}
	}
	return nil
}

// saidOnce takes out of a name what was said before in it: "Hess, H-E-S-S", "Ida,
// Ida Tarn", "T-A-R-N, T-A-R-N", whose letters are one word.
func saidOnce(words []string) []string {
	n := 0
	for _, w := range words {
		if h := len(w) / 2; len(w) >= 6 && w[:h] == w[h:] {
			w = w[:h]
		}
		if !slices.Contains(words[:n], w) {
			words[n] = w
			n++
		}
	}
	return words[:n]
}

// misheardTo returns how many characters at the beginning of a street's number are
// "to" or "for" that the recogniser took for a number: it would not have written
// "two 599" for one.
func misheardTo(d *detectors.Document, r *detectors.Run, f *detectors.Finding) int {
	if first := &d.Tokens[r.First]; f.Type == detectors.StreetAddress && r.Last == r.First+1 && first.Is(detectors.NumWord) &&
		(first.Num == 2 || first.Num == 4) && d.Tokens[r.Last].Class == detectors.Digits && d.Tokens[r.Last].Len() >= 3 {
		return 1
	}
	return 0
}

// leadsTo tells whether a word leads to a name and is no part of it, though the tagger
// may have taken it for one: "at the Harbour Inn".
func leadsTo(w string) bool {
	switch w {
	case "the", "at", "in", "from", "with", "to":
		return true
	}
	return false
}

// legalForm tells whether a word is the legal form of a company, which says
// nothing about which one it is.
func legalForm(w string) bool {
	switch w {
	case "inc", "incorporated", "ltd", "limited", "llc", "corp", "corporation", "co", "company", "plc", "gmbh", "pvt":
		return true
	}
	return false
}
