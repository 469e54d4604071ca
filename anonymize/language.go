package anonymize

import (
	"sotto/detectors/language"
)

// OtherLanguages says how turns in languages other than English, the language that
// detection supports, are treated.
type OtherLanguages string

// The treatments of a turn in another language.
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
		p.call.SetLanguage(string(code))
	}
	// Only a turn with a text is judged. What the event of a START names is the language of
	// the call so far.
	current := p.call.Language()
	if w == nil || current == "" {
		return LanguageDecision{}
	}
	if p.engine.opts.OtherLanguages != PassOther {
		p.call.Withhold(current)
	}
	return LanguageDecision{Language: current, Held: p.engine.opts.OtherLanguages == HoldOther}
}
