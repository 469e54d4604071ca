package anonymize

import (
	"sotto/detectors"
	"sotto/detectors/language"
	"sotto/state"
)

// The detectors that findings of strict masking name.
const (
	byLanguage = "language"  // only because the turn is in another language
	byList     = "allowlist" // only because Options.Keep does not keep them
)

// maskStrictly adds to the findings of a turn all numbers, as NUMERIC, and all words that may not
// stay, as SPELLED_WORD, unless a finding has them already. In a turn in another language, frequent
// words of that language and of English stay; the tagger, which knows English only, does not read
// it. With Options.Keep, the words on that list stay. Neighbours become one finding. They are not
// numbered, and the call does not remember them: its state would otherwise grow with each turn, and
// words of the other language would be masked in English turns.
func (p *eventPass) maskStrictly(w *workspace, found []detectors.Finding, refs []state.Ref) ([]detectors.Finding, []state.Ref) {
	d := &w.doc
	detector := byList
	if p.foreign {
		detector = byLanguage
	}
	all, entities := make([]detectors.Finding, 0, 2*len(found)), make([]state.Ref, 0, 2*len(found))
	next, last := 0, -1 // of found, and the token before, if it was added
	for i := range d.Tokens {
		t := &d.Tokens[i]
		for ; next < len(found) && found[next].Start < int(t.End); next++ {
			all, entities = append(all, found[next]), append(entities, refs[next])
		}
		if next > 0 && found[next-1].End > int(t.Start) || !p.isStrict(d, i) {
			continue
		}
		infoType := detectors.SpelledWord
		if t.Class == detectors.Digits || t.Class == detectors.Alnum {
			infoType = detectors.Numeric
		}
		f := detectors.Finding{
			Start: int(t.Start), End: int(t.End), Type: infoType, Detector: detector,
			Likelihood: detectors.Possible, Score: detectors.ScoreOf(detectors.Possible), Evidence: detectors.ByShape,
		}
		if last >= 0 && last == i-1 && all[len(all)-1].Type == infoType {
			all[len(all)-1].End = f.End
		} else {
			all, entities = append(all, f), append(entities, state.Ref{Type: string(infoType)})
		}
		last = i
	}
	return append(all, found[next:]...), append(entities, refs[next:]...)
}

// isStrict reports whether strict masking may not keep token i: a number, or a word that is on no
// list. A letter beside another one or beside a number is spelled.
func (p *eventPass) isStrict(d *detectors.Document, i int) bool {
	t := &d.Tokens[i]
	switch {
	case t.Class == detectors.Digits, t.Class == detectors.Alnum:
		return true
	case t.Class == detectors.Letter && (isCharacter(d, i, -1) || isCharacter(d, i, 1)):
		return true
	case !t.Class.IsWord():
		return false
	case p.foreign && language.IsCommon(language.Code(p.call.Language()), t.Hash):
		return false
	}
	return p.engine.opts.Keep == nil || !p.engine.opts.Keep.Keeps(t.Class, t.Hash)
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
