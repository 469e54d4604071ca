package review

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"sotto/anonymize"
	"sotto/detectors"
	"sotto/risk/estimate"
	"sotto/schemas"
)

// Suggestion is a place at which the engine is not certain.
type Suggestion struct {
	Place
	Type  string  `json:"type"`
	Score float64 `json:"score"`
	// Why says what makes it suspicious.
	Why string `json:"why"`
}

// minCandidate is the probability from which on a candidate of the risk estimate is suggested.
// Below it, nearly all are plain words.
const minCandidate = 0.04

// Suggest runs the engine, which must return raw offsets, on the text of a call. Found are the
// spans that it would mask, the draft of a call that is labelled from scratch; uncertain are what it
// saw and would leave. In an anonymized call, both are suggestions.
func Suggest(a anonymize.Anonymizer, c *Call) (found, uncertain []Suggestion) {
	conversation := anonymize.NewConversation(a)
	var d detectors.Document
	for i := range c.Utterances {
		u := &c.Utterances[i]
		out := conversation.Add(&schemas.RawEvent{
			CallID: c.ID, Seq: u.Seq, Type: schemas.Utterance, Context: c.Context, Tenant: c.Tenant, Text: u.Text,
			Speaker: &schemas.Speaker{ID: u.Speaker, Role: roleOf(u.Speaker)},
		})
		d.Reset(u.Text)
		for _, e := range out.Clean.Entities {
			if e.RawStart != nil && e.RawEnd != nil {
				found = append(found, Suggestion{Place{u.Seq, *e.RawStart, *e.RawEnd}, e.Type, e.Score, "found by " + e.Detector})
			}
		}
		for _, s := range out.Subthreshold {
			start := d.RuneOffset(s.Start)
			end := start + utf8.RuneCountInString(s.Text)
			uncertain = append(uncertain, Suggestion{Place{u.Seq, start, end}, string(s.Type), float64(s.Score), "below the threshold"})
		}
		if c.Mode == Missed {
			uncertain = append(uncertain, candidates(&d, u, estimate.At(a.Sensitivity(c.Tenant, c.Context)))...)
		}
	}
	for i := range c.Utterances {
		found = snap(&d, &c.Utterances[i], found)
		uncertain = snap(&d, &c.Utterances[i], uncertain)
	}
	taken := map[int64][]Token{}
	if c.Mode == Missed {
		for _, u := range c.Utterances {
			for _, m := range u.Masks {
				taken[u.Seq] = append(taken[u.Seq], Token{m.Start, m.End})
			}
		}
		return nil, disjoint(taken, append(found, uncertain...))
	}
	found = disjoint(taken, found)
	return found, disjoint(taken, uncertain)
}

// candidates are what the estimate of the residual risk counts in an anonymized text.
func candidates(d *detectors.Document, u *Utterance, weights *estimate.Weights) (out []Suggestion) {
	masks := make([]schemas.Entity, len(u.Masks))
	for i, m := range u.Masks {
		masks[i] = schemas.Entity{Start: m.Start, End: m.End, Type: m.Type}
	}
	estimate.Scan(d, u.Text, masks, func(c estimate.Candidate) bool {
		if p := weights.Probability(c.Kind); p >= minCandidate {
			place := Place{u.Seq, d.RuneOffset(c.Start), d.RuneOffset(c.End)}
			out = append(out, Suggestion{place, string(cmp.Or(likelyTypes[c.Kind], detectors.PersonName)), p, c.Kind.String()})
		}
		return true
	})
	return out
}

// likelyTypes are the infoTypes that candidates most likely have, other than names of people.
var likelyTypes = map[estimate.Kind]detectors.InfoType{
	estimate.Number: detectors.Numeric, estimate.LongNumber: detectors.Numeric, estimate.Dictated: detectors.Numeric,
	estimate.Code: detectors.GenericID, estimate.Spelled: detectors.SpelledWord, estimate.Address: detectors.EmailAddress,
}

// snap extends the suggestions of an utterance to whole tokens.
func snap(d *detectors.Document, u *Utterance, all []Suggestion) []Suggestion {
	tokens := Tokens(d, u.Text)
	for i := range all {
		s := &all[i]
		if s.Seq != u.Seq {
			continue
		}
		for _, t := range tokens {
			if t.Start < s.End && s.Start < t.End {
				s.Start, s.End = min(s.Start, t.Start), max(s.End, t.End)
			}
		}
	}
	return all
}

// Token is a word or a punctuation mark, to which selections snap.
type Token struct{ Start, End int }

// Tokens reads the tokens of a text into d.
func Tokens(d *detectors.Document, text string) []Token {
	d.Reset(text)
	out := make([]Token, len(d.Tokens))
	for i := range d.Tokens {
		out[i] = Token{d.RuneOffset(int(d.Tokens[i].Start)), d.RuneOffset(int(d.Tokens[i].End))}
	}
	return out
}

// disjoint keeps the likeliest of suggestions that overlap, and none that touches what is taken or lies
// outside of its text, in the order of the call. It takes what it keeps.
func disjoint(taken map[int64][]Token, all []Suggestion) []Suggestion {
	slices.SortStableFunc(all, func(a, b Suggestion) int { return cmp.Compare(b.Score, a.Score) })
	out := []Suggestion{}
	for _, s := range all {
		overlaps := func(t Token) bool { return t.Start < s.End && s.Start < t.End }
		if s.Start >= s.End || slices.ContainsFunc(taken[s.Seq], overlaps) {
			continue
		}
		taken[s.Seq] = append(taken[s.Seq], Token{s.Start, s.End})
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Suggestion) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), a.Start-b.Start) })
	return out
}

func roleOf(speaker string) schemas.Role {
	switch speaker {
	case "agent", "AGENT":
		return schemas.RoleAgent
	case "customer", "CUSTOMER", "user":
		return schemas.RoleCustomer
	}
	return schemas.RoleUnknown
}
