// Package mention turns findings into mentions, which the state of a call compares (mention.go),
// and finds in a text the values that the call already knows (matcher.go).
package mention

import (
	"slices"
	"strconv"
	"strings"

	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/detectors/pattern"
	"sotto/state"
	"sotto/state/linking"
)

// Reader makes mentions of findings. It keeps a buffer between calls and is not
// safe for concurrent use.
type Reader struct {
	words []string
	// text has the words with one space between them.
	text []byte
}

// sureScore is the score from which a word that only the tagger found is looked
// for in the rest of the call.
const sureScore = 0.7

// Read returns what the memory compares of a finding. Its Words are the reader's
// and valid until the next call.
func (r *Reader) Read(d *detectors.Document, f *detectors.Finding) state.Mention {
	m := state.Mention{
		Type: string(f.Type), Kind: Kind(f.Type), Part: Part(f.Hint),
		Self:      f.Hint&detectors.HintSelf != 0,
		Other:     f.Hint&detectors.HintOther != 0,
		OfSpeaker: f.Hint&detectors.HintOfSpeaker != 0 && (f.Type == detectors.OrganizationName || f.Type == detectors.Product),
	}
	if m.Kind == detectors.KindCode {
		m.Code = r.Code(d, f)
		m.Weak = f.Type == detectors.Numeric || f.Type == detectors.SpelledWord || f.Type == detectors.GenericID && f.Evidence.Strength() == detectors.StrengthForm
		m.Spelled = f.Type == detectors.SpelledWord || f.Type == detectors.GenericID && len(m.Code) >= 3 && !strings.ContainsAny(m.Code, "0123456789")
		if m.Spelled {
			m.Talk = talkOf(d, f)
		}
		return m
	}
	m.Weak, m.Guessed = isUncertain(f), f.Evidence&^detectors.ByMemory == detectors.ByModel && f.Type != detectors.StreetAddress
	switch {
	case f.Type == detectors.StreetAddress && !hasWord(d, f):
		m.Kind, m.Code = detectors.KindCode, r.Code(d, f) // a postal code
	case f.Value == "" || f.Type == detectors.StreetAddress:
		m.Words, m.Joined = r.readWords(d, f, m.Kind)
	default:
		m.Words = withoutRepetition(strings.Fields(strings.ToLower(f.Value)))
	}
	m.Spelled = m.Kind == detectors.KindName && len(m.Words) == 1 && isSpelled(d, f)
	if m.Kind == detectors.KindName {
		m.Talk = talkOf(d, f)
		m.Known = f.Evidence == detectors.ByMemory
	}
	return m
}

// isSpelled reports whether all words of a finding are letters, of which it has several, or say some.
func isSpelled(d *detectors.Document, f *detectors.Finding) bool {
	letters := 0
	for i := d.TokenAt(f.Start); i < len(d.Tokens) && int(d.Tokens[i].Start) < f.End; i++ {
		if run := spelling(d, i, f); run != nil {
			letters += run.Letters
			i = run.Last
			continue
		}
		switch c := d.Tokens[i].Class; {
		case c == detectors.Letter:
			letters++
		case c != detectors.Punct:
			return false
		}
	}
	return letters > 1
}

// Kind returns how values of an infoType are compared. Values of the user's own infoTypes are
// compared as codes.
func Kind(t detectors.InfoType) detectors.Kind {
	if row := t.Row(); row != nil {
		return row.Compare.Kind()
	}
	return detectors.KindCode
}

// Part returns which part of a name a hint says.
func Part(h detectors.Hint) linking.Part {
	switch {
	case h&detectors.HintSurname != 0:
		return linking.PartSurname
	case h&detectors.HintGiven != 0:
		return linking.PartGiven
	}
	return linking.PartAny
}

// isUncertain reports whether only the tagger saw a finding, with a low score, and it
// is a product or an organization other than the speaker's own. These identify a
// person least of all, and are often just terms of the trade.
func isUncertain(f *detectors.Finding) bool {
	return f.Evidence == detectors.ByModel && f.Score < sureScore && f.Hint&detectors.HintOfSpeaker == 0 &&
		(f.Type == detectors.OrganizationName || f.Type == detectors.Product)
}

// isPlain reports whether the word at token i is one of English that says no digit or letter and is no unit of an age. In
// capitals, it may be a part of a code.
func isPlain(d *detectors.Document, i int) bool {
	t := &d.Tokens[i]
	return d.RunAt(i) < 0 && t.Class.IsWord() && t.Class != detectors.Upper && t.Len() > 2 && !t.Is(detectors.NumWord) &&
		(t.Bits != 0 || entryOf(t).Common() > 0) && !ageUnits.Has(t.Hash)
}

// Code returns the canonical code of a finding: its value, or what its runs and
// words say.
func (r *Reader) Code(d *detectors.Document, f *detectors.Finding) string {
	if c := state.Canonical(f.Value); c != "" {
		return c
	}
	if f.Type == detectors.DateOfBirth {
		if date := pattern.DateIn(d, f.Start, f.End); date != "" {
			return date
		}
	}
	if row := f.Type.Row(); row != nil && (row.Match != nil || f.Type == detectors.Age) {
		number := withoutPlainWords(d, *f)
		f = &number
	}
	r.appendWords(d, f, detectors.KindCode)
	return state.Canonical(r.text)
}

// withoutPlainWords returns the finding of a number or an age without the plain words before and behind it, "0184, thank
// you" and "nearly six"; all of it if it has no number.
func withoutPlainWords(d *detectors.Document, f detectors.Finding) detectors.Finding {
	lexicon.Read(d)
	first, last, number := -1, -1, false
	for i := d.TokenAt(f.Start); i < len(d.Tokens) && int(d.Tokens[i].Start) < f.End; i++ {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct || isPlain(d, i) {
			continue
		}
		number = number || d.RunAt(i) >= 0 || t.Class == detectors.Digits || t.Class == detectors.Alnum || t.Is(detectors.NumWord)
		if last = i; first < 0 {
			first = i
		}
	}
	if number {
		f.Start, f.End = int(d.Tokens[first].Start), int(d.Tokens[last].End)
	}
	return f
}

// WithoutGrammar returns the byte offsets of the words between two byte offsets without the words of grammar at both
// ends; of all of them if they are nothing else.
func WithoutGrammar(d *detectors.Document, start, end int) (int, int) {
	first, last := -1, -1
	for i := d.TokenAt(start); i < len(d.Tokens) && int(d.Tokens[i].Start) < end; i++ {
		if d.Tokens[i].Is(detectors.Function | detectors.Filler) {
			continue
		}
		if last = i; first < 0 {
			first = i
		}
	}
	if first < 0 {
		return start, end
	}
	return max(start, int(d.Tokens[first].Start)), min(end, int(d.Tokens[last].End))
}

// RunCode returns the canonical code that a run says.
func RunCode(d *detectors.Document, r *detectors.Run) string {
	var buf [64]byte
	return state.Canonical(detectors.AppendCode(buf[:0], d.Symbols(r)))
}

// FirstWordCode returns the canonical code of the finding's first word, "" if the
// finding has no other word or if the next word is glued to it.
func FirstWordCode(d *detectors.Document, f *detectors.Finding) string {
	i := d.TokenAt(f.Start)
	if i+1 >= len(d.Tokens) || d.Tokens[i+1].Glued() || int(d.Tokens[i+1].Start) >= f.End {
		return ""
	}
	return state.Canonical(d.Word(i))
}

// hasWord reports whether a finding contains a word of three letters or more that is
// not a number or a letter by name, or "3rd st".
func hasWord(d *detectors.Document, f *detectors.Finding) bool {
	for i := d.TokenAt(f.Start); i < len(d.Tokens) && int(d.Tokens[i].Start) < f.End; i++ {
		t := &d.Tokens[i]
		if !t.Class.IsWord() || d.RunAt(i) >= 0 {
			continue
		}
		if t.Len() > 2 || t.Is(detectors.StreetType) && i > 0 && d.Tokens[i-1].Class == detectors.Alnum {
			return true
		}
	}
	return false
}

// readWords returns the folded words of a finding, without those that do not identify who or what
// is meant: titles, legal forms, possessives, punctuation; and these words joined by one space, ""
// if that would take memory. Adjacent letters are one word. So is a run, except in names.
func (r *Reader) readWords(d *detectors.Document, f *detectors.Finding, k detectors.Kind) (words []string, joined string) {
	r.appendWords(d, f, k)
	joined = string(r.text)
	words = r.words[:0]
	for w := range strings.FieldsSeq(joined) {
		words = append(words, w)
	}
	r.words = words
	if k != detectors.KindName {
		return words, joined
	}
	words = withoutRepetition(words)
	n := len(words) - 1
	for _, w := range words {
		n += len(w)
	}
	if n != len(joined) {
		joined = ""
	}
	return words, joined
}

// appendWords reads the words of readWords into text.
func (r *Reader) appendWords(d *detectors.Document, f *detectors.Finding, k detectors.Kind) {
	r.text = r.text[:0]
	letters := false
	for i := d.TokenAt(f.Start); i < len(d.Tokens) && int(d.Tokens[i].Start) < f.End; i++ {
		tok := &d.Tokens[i]
		if f.Type == detectors.StreetAddress {
			if n, last := ordinalAt(d, i, f.End); n > 0 {
				r.begin()
				r.text = strconv.AppendInt(r.text, int64(n), 10)
				i, letters = last, false
				continue
			}
		}
		if run := r.appendRun(d, i, f, k, letters); run != nil {
			i, letters = run.Last, k == detectors.KindName
			continue
		}
		if tok.Class == detectors.Punct || tok.Class == detectors.Clitic || tok.Class == detectors.Other || tok.Is(detectors.Filler) {
			if k == detectors.KindOrg && (tok.Ch == '&' || tok.Ch == '+') {
				r.begin()
				r.text = append(r.text, "and"...)
			}
			continue
		}
		if identifiesNothing(d, i, f, k, len(r.text) == 0) {
			continue
		}
		if tok.Class != detectors.Letter || !letters {
			r.begin()
		}
		letters = tok.Class == detectors.Letter
		if word, ok := writtenOut(d, i, f, k); ok {
			r.text = append(r.text, word...)
		} else {
			r.text = append(r.text, d.Word(i)...)
		}
	}
}

// appendRun reads the run that begins at token i, if it is one number or spells letters, and returns it, nil if there is none. letters
// says that letters come right before it, whose word it continues.
func (r *Reader) appendRun(d *detectors.Document, i int, f *detectors.Finding, k detectors.Kind, letters bool) (run *detectors.Run) {
	skip := 0
	switch k {
	case detectors.KindOrg:
		return nil
	case detectors.KindName:
		run = spelling(d, i, f)
	default:
		if run = wholeNumber(d, i, f); run != nil {
			skip = misheardTo(d, run, f)
		}
	}
	if run == nil {
		return nil
	}
	if k != detectors.KindName || !letters {
		r.begin()
	}
	r.text = append(r.text, strings.ToLower(RunCode(d, run)[skip:])...)
	return run
}

// writtenOut returns what the word at token i is compared as, if that is not the word itself: the digit that it says in
// a code, or what it abbreviates in an address.
func writtenOut(d *detectors.Document, i int, f *detectors.Finding, k detectors.Kind) (string, bool) {
	if t := &d.Tokens[i]; k == detectors.KindCode && t.Is(detectors.NumWord) {
		return strconv.Itoa(int(t.Num)), true
	}
	if f.Type == detectors.StreetAddress {
		long, ok := addressForms[string(d.Word(i))]
		return long, ok
	}
	return "", false
}

// ordinalAt reads an ordinal number at token i, up to byte offset end: "34th", "thirty fourth". It returns the number and its
// last token, 0 if there is none.
func ordinalAt(d *detectors.Document, i, end int) (n, last int) {
	t := &d.Tokens[i]
	if t.Is(detectors.Ordinal) {
		return int(t.Num), i
	}
	if word := d.Word(i); t.Class == detectors.Alnum && len(word) > 2 && len(word) <= 6 && ordinalEndings[string(word[len(word)-2:])] {
		n, _ = strconv.Atoi(string(word[:len(word)-2]))
		return n, i
	}
	if !t.Is(detectors.Tens) {
		return 0, i
	}
	if i++; d.IsMark(i, '-') {
		i++
	}
	if i < len(d.Tokens) && int(d.Tokens[i].End) <= end && d.Tokens[i].Is(detectors.Ordinal) && d.Tokens[i].Num < 10 {
		return int(t.Num) + int(d.Tokens[i].Num), i
	}
	return 0, i
}

var ordinalEndings = map[string]bool{"st": true, "nd": true, "rd": true, "th": true}

// begin begins another word.
func (r *Reader) begin() {
	if len(r.text) > 0 {
		r.text = append(r.text, ' ')
	}
}

// identifiesNothing reports whether the word at token i does not help to identify who or what a
// finding means: a title, a legal form, a word that introduces a name. first means that no
// identifying word comes before it.
func identifiesNothing(d *detectors.Document, i int, f *detectors.Finding, k detectors.Kind, first bool) bool {
	t := &d.Tokens[i]
	more := int(t.End) < f.End
	switch {
	case k == detectors.KindName:
		return t.Is(detectors.Title) && first && more
	case f.Type == detectors.StreetAddress:
		return false
	case first && more && leadingWords.Has(t.Hash):
		return true
	case f.Type == detectors.Location:
		return !first && int(t.End) == f.End && t.Hash == wordArea
	case k == detectors.KindOrg:
		return first && t.Hash == wordThe || !first && legalForms.Has(t.Hash)
	}
	return false
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

// spelling returns the run that spells letters and begins at token i, with words among them ("double L", "B as in boy"), if it lies
// within the finding; nil otherwise.
func spelling(d *detectors.Document, i int, f *detectors.Finding) *detectors.Run {
	n := d.RunAt(i)
	if n < 0 {
		return nil
	}
	r := &d.Runs[n]
	if r.First != i || r.End > f.End || r.Digits > 0 || r.Letters < 2 {
		return nil
	}
	for _, y := range d.Symbols(r) {
		if y.Kind != detectors.Connector && d.Tokens[y.First].Class != detectors.Letter && d.Tokens[y.Last].Class != detectors.Letter {
			return nil // "Oscar Romeo", "Mike T"
		}
	}
	return r
}

// withoutRepetition removes from a name what it repeats: "Hess, H-E-S-S", "Ida, Ida
// Tarn", and "T-A-R-N, T-A-R-N", whose letters are one word.
func withoutRepetition(words []string) []string {
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

// misheardTo returns how many characters at the beginning of a house number are "to"
// or "for", which the recognizer took for a number: for a number, it would not have
// written "two 599".
func misheardTo(d *detectors.Document, r *detectors.Run, f *detectors.Finding) int {
	if first := &d.Tokens[r.First]; f.Type == detectors.StreetAddress && r.Last == r.First+1 && first.Is(detectors.NumWord) &&
		(first.Num == 2 || first.Num == 4) && d.Tokens[r.Last].Class == detectors.Digits && d.Tokens[r.Last].Len() >= 3 {
		return 1
	}
	return 0
}
