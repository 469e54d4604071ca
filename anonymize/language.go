package anonymize

import (
	"fmt"
	"slices"

	"sotto/detectors"
	"sotto/detectors/language"
	"sotto/schemas"
	"sotto/state"
)

// OtherLanguages says what becomes of turns in other languages than English, which is the
// language that detection supports.
type OtherLanguages string

// What becomes of a turn in another language.
const (
	// MaskOther masks every number, and every word that is not a frequent one of English or
	// of the turn's language. The call is not released.
	MaskOther OtherLanguages = "mask"
	// HoldOther returns no clean event for it: Output.Held is set. The call is not released.
	HoldOther OtherLanguages = "hold"
	// PassOther anonymizes it as if it were English.
	PassOther OtherLanguages = "pass"
)

// LanguageDecision is what was decided for an event because of its language.
type LanguageDecision struct {
	// Language is one of language.Codes, "" if the event is treated as English.
	Language string
	// Held means that the clean event must not be written: its text is empty.
	Held bool
}

// strict names the findings that a turn gets only because it is in another language.
const strict = "language"

// judgeLanguage decides in which language an event is: the one that the event names, unless
// that is English, else the one that its words show, else that of the call so far. It returns
// English if that is not another language. The call remembers the language, and that it must
// not be released.
func (p *eventPass) judgeLanguage(w *workspace) LanguageDecision {
	code, known := language.OfTag(p.event.Language)
	if known = known && code != language.English; !known && w != nil {
		code = language.Of(&w.doc)
		known = code != ""
	}
	if known {
		if code == language.English {
			code = ""
		}
		p.change(p.call.SetLanguage(string(code)))
	}
	// Only a turn with a text is judged. What the event of a START names is the language of
	// the call so far.
	current := p.call.Language()
	if w == nil || current == "" {
		return LanguageDecision{}
	}
	if p.opts.OtherLanguages != PassOther {
		p.change(p.call.Withhold(current))
	}
	return LanguageDecision{Language: current, Held: p.opts.OtherLanguages == HoldOther}
}

// maskStrictly adds to the findings of a turn in another language all numbers, as NUMERIC, and
// all words that are not frequent ones of that language or of English, as SPELLED_WORD, unless
// a finding of the rules has them already. The tagger, which knows English only, does not read
// such a turn. Neighbours become one finding. They are not numbered, and the call does not
// remember them: its state would otherwise grow with each turn, and words of the other
// language would be masked in English turns.
func (p *eventPass) maskStrictly(w *workspace, found []detectors.Finding, refs []state.Ref) ([]detectors.Finding, []state.Ref) {
	d := &w.doc
	code := language.Code(p.call.Language())
	all := slices.Clone(found)
	masked := 0
	last := -1 // the token before, if it was added
	for i := range d.Tokens {
		t := &d.Tokens[i]
		for masked < len(found) && found[masked].End <= int(t.Start) {
			masked++
		}
		if masked < len(found) && found[masked].Start < int(t.End) || !isStrict(d, i, code) {
			continue
		}
		infoType := detectors.SpelledWord
		if t.Class == detectors.Digits || t.Class == detectors.Alnum {
			infoType = detectors.Numeric
		}
		f := detectors.Finding{
			Start: int(t.Start), End: int(t.End), Type: infoType, Detector: strict,
			Likelihood: detectors.Possible, Score: detectors.ScoreOf(detectors.Possible), Evidence: detectors.ByShape,
		}
		if last >= 0 && last == i-1 && all[len(all)-1].Type == infoType {
			all[len(all)-1].End = f.End
		} else {
			all = append(all, f)
		}
		last = i
	}
	return mergeStrict(all, len(found), refs)
}

// mergeStrict sorts the findings of which those from n on were added, and returns them with
// their entities, of which the added ones have no number.
func mergeStrict(all []detectors.Finding, n int, refs []state.Ref) ([]detectors.Finding, []state.Ref) {
	merged := make([]detectors.Finding, 0, len(all))
	entities := make([]state.Ref, 0, len(all))
	for i, k := 0, n; i < n || k < len(all); {
		if k == len(all) || i < n && all[i].Start < all[k].Start {
			merged, entities = append(merged, all[i]), append(entities, refs[i])
			i++
			continue
		}
		merged, entities = append(merged, all[k]), append(entities, state.Ref{Type: string(all[k].Type)})
		k++
	}
	return merged, entities
}

// isStrict reports whether a turn in another language may not keep token i: a number, or a word
// that is not a frequent one. A letter beside another one or beside a number is spelled.
func isStrict(d *detectors.Document, i int, code language.Code) bool {
	t := &d.Tokens[i]
	switch {
	case t.Class == detectors.Digits, t.Class == detectors.Alnum:
		return true
	case t.Class == detectors.Letter && (isCharacter(d, i, -1) || isCharacter(d, i, 1)):
		return true
	case t.Class.IsWord():
		return !language.IsCommon(code, t.Hash)
	}
	return false
}

// isCharacter reports whether the next token in a direction that is not punctuation is a
// single letter or a number.
func isCharacter(d *detectors.Document, i, step int) bool {
	for i += step; i >= 0 && i < len(d.Tokens); i += step {
		if class := d.Tokens[i].Class; class != detectors.Punct {
			return class == detectors.Letter || class == detectors.Digits || class == detectors.Alnum
		}
	}
	return false
}

// WithholdRelease withdraws the release of a call that has turns in another language, and says
// why. The summary is that of the call's END.
func WithholdRelease(c *state.Call, s *schemas.CallSummary) {
	code := c.Withheld()
	if code == "" {
		return
	}
	reason := fmt.Sprintf("the call has turns in another language than English (%s)", code)
	if s.Reason != "" {
		reason = s.Reason + "; " + reason
	}
	s.Release, s.Reason = false, reason
}
