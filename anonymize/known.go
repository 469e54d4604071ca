package anonymize

import (
	"sort"
	"strings"

	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/state"
)

// known adds findings of what the call's memory knows: the values of the
// participants, speakers' labels and all that was numbered before, in other
// case, spelling and sound. A word that is also an everyday one counts only
// where its place does not speak against it. It tells whether it added any; it
// does nothing when the memory knows no more than when it was last called for
// the document.
func (t *turn) known(d *detectors.Document) bool {
	x := t.call.Index()
	if x == t.searched || x.Empty() {
		return false
	}
	before := len(d.Findings)
	d.SortFindings()
	k := knowledge{Index: x, doc: d, cased: d.HasClass(detectors.Cap), sorted: before}
	k.settled = t.searched != nil
	t.searched = x
	for i := 0; i < len(d.Tokens); {
		i += k.at(i)
	}
	return len(d.Findings) > before
}

// knowledge looks for known words in a document.
type knowledge struct {
	*state.Index
	doc *detectors.Document
	// cased tells that capital letters occur.
	cased bool
	// settled tells that the findings were numbered already: what is known now
	// counts only where none of them is.
	settled bool
	// sorted counts the findings that are in the order of their beginnings; those
	// after them are of knowledge itself.
	sorted int
}

// at adds a finding that begins at token i, and returns how many tokens to go
// on.
func (k knowledge) at(i int) int {
	tok := &k.doc.Tokens[i]
	if r := k.doc.RunAt(i); r >= 0 && k.doc.Runs[r].Digits > 0 && tok.Is(detectors.Spelling) {
		return 1 // the C of "7 charlie 4"
	}
	if tok.Hash == 0 || tok.Class == detectors.Clitic {
		if tok.Class == detectors.Digits && k.HasDigits() {
			return k.code(i, k.Word(lexicon.HashBytes(k.doc.Word(i))))
		}
		return 1
	}
	entries := k.Word(tok.Hash)
	if len(entries) == 0 {
		return k.sound(i)
	}
	best, name := 0, -1
	var of *state.Known
	for e := range entries {
		switch entry := &entries[e]; entry.Kind {
		case state.KindName:
			name = e
		case state.KindCode:
			if best == 0 && !k.covered(i) && (entry.Source != state.SourceSaid || lexicon.LookupHash(tok.Hash).Common() == 0) {
				best, of = 1, entry
			}
		default:
			if n := k.phrase(i, entry); n > best {
				best, of = n, entry
			}
		}
	}
	if n := k.nameFrom(i, entries, name); n > best || n > 0 && n == best && !(of.Kind == state.KindText && k.placed(i)) {
		k.add(i, i+n, detectors.PersonName)
		return n
	}
	if best > 0 && k.doc.Tokens[i].Class != detectors.Letter {
		k.add(i, i+best, detectors.InfoType(k.Type(*of)))
		return best
	}
	return 1
}

// placed tells whether the word before token i leads to a place.
func (k knowledge) placed(i int) bool {
	if i == 0 {
		return false
	}
	switch string(k.doc.Word(i - 1)) {
	case "in", "from", "to", "near", "at":
		return true
	}
	return false
}

// code adds the number at token i when it is a known code.
func (k knowledge) code(i int, entries []state.Known) int {
	for e := range entries {
		if entries[e].Kind == state.KindCode && !k.covered(i) {
			k.add(i, i+1, detectors.InfoType(k.Type(entries[e])))
			break
		}
	}
	return 1
}

// covered tells whether token i is part of a finding, whose whole tells more.
func (k knowledge) covered(i int) bool {
	t := &k.doc.Tokens[i]
	return k.near(int(t.End), func(f *detectors.Finding) bool { return f.Start <= int(t.Start) && f.End >= int(t.End) })
}

// near tells whether any of the last findings that begin before byte offset end
// has a property. It looks at no more than some of them, so that a text full of
// findings costs no more than its length.
func (k knowledge) near(end int, is func(*detectors.Finding) bool) bool {
	n := sort.Search(k.sorted, func(i int) bool { return k.doc.Findings[i].Start >= end })
	for i := n - 1; i >= 0 && i >= n-maxNear; i-- {
		if is(&k.doc.Findings[i]) {
			return true
		}
	}
	return false
}

// maxNear is how many findings before a place are looked at; so many hardly
// ever overlap.
const maxNear = 24

// phrase returns how many tokens from i are the known words, or at least the
// first two of them, or the first alone where it is hardly a word otherwise.
func (k knowledge) phrase(i int, entry *state.Known) int {
	whole := k.Form(*entry)
	form, n, words := whole, 0, 0
	for form != "" {
		w, rest, _ := strings.Cut(form, " ")
		j := i + n
		if words > 0 {
			j = k.skipMarks(j)
			if w == "and" && j > i+n {
				// "A & B" is "a and b".
				if j < len(k.doc.Tokens) && string(k.doc.Word(j)) != "and" {
					form, words = rest, words+1
					continue
				}
			}
		}
		if j >= len(k.doc.Tokens) || string(k.doc.Word(j)) != w {
			break
		}
		n, form, words = j+1-i, rest, words+1
	}
	switch {
	case form == "" && words > 1, words > 1:
		return n
	case words == 1 && (form == "" || entry.Kind == state.KindOrg && len(whole)-len(form) >= 6):
		if k.fits(i, i+1) {
			return n
		}
	}
	return 0
}

// skipMarks passes over punctuation within a name.
func (k knowledge) skipMarks(j int) int {
	for j < len(k.doc.Tokens) && k.doc.Tokens[j].Class == detectors.Punct {
		switch k.doc.Tokens[j].Ch {
		case '.', '-', '&', '\'':
			j++
			continue
		}
		break
	}
	return j
}

// nameFrom returns how many tokens from i are words of a known name.
func (k knowledge) nameFrom(i int, entries []state.Known, name int) int {
	if name < 0 || k.doc.Tokens[i].Class == detectors.Letter {
		return 0
	}
	n := 1
	for i+n < len(k.doc.Tokens) {
		next := &k.doc.Tokens[i+n]
		if next.Hash == 0 || next.Class == detectors.Letter || !k.shares(entries, k.Word(next.Hash)) {
			break
		}
		n++
	}
	if n > 1 || k.fits(i, i+1) && !(entries[name].Source == state.SourceSaid && k.everyday(i)) {
		return n
	}
	return 0
}

// everyday tells whether the word at token i is hardly a name and stands within a
// sentence: the "Executive" of what was once taken for a name.
func (k knowledge) everyday(i int) bool {
	e := lexicon.LookupHash(k.doc.Tokens[i].Hash)
	if e.Common() < everydayWord || e.Name() > 0 {
		return false
	}
	return !k.edge(i-1) || !k.edge(i+1)
}

// edge tells whether token i ends a clause or lies outside of the text. A bracket,
// with which a tag begins or ends, does not.
func (k knowledge) edge(i int) bool {
	if i < 0 || i >= len(k.doc.Tokens) {
		return true
	}
	t := &k.doc.Tokens[i]
	return t.Class == detectors.Punct && t.Ch != '[' && t.Ch != ']'
}

// everydayWord is how common a word is that is not masked as a part of a name
// wherever it stands, on the lexicon's scale.
const everydayWord = 8

// shares tells whether two words belong to one person.
func (k knowledge) shares(a, b []state.Known) bool {
	for i := range a {
		for j := range b {
			if a[i].Entity == b[j].Entity && a[i].Kind == state.KindName && k.Form(a[i]) != k.Form(b[j]) {
				return true
			}
		}
	}
	return false
}

// sound adds the word at token i when it sounds like a known name and is not a
// word of its own.
func (k knowledge) sound(i int) int {
	tok := &k.doc.Tokens[i]
	if !tok.Class.IsWord() || tok.Len() < 3 || tok.Len() > 24 || tok.Bits != 0 {
		return 1
	}
	if e := lexicon.LookupHash(tok.Hash); e.Common() > 0 {
		return 1
	}
	var buf [64]byte
	entries := k.Sound(lexicon.HashBytes(state.AppendPhonetic(buf[:0], string(k.doc.Word(i)))))
	if len(entries) == 0 {
		return 1
	}
	word := string(k.doc.Word(i))
	for e := range entries {
		if k.SoundAlike(entries[e], word) {
			k.add(i, i+1, detectors.PersonName)
			break
		}
	}
	return 1
}

// fits tells whether a single known word at token i, which ends before j, can
// be what is known and not the everyday word that it also is.
func (k knowledge) fits(i, j int) bool {
	tok := &k.doc.Tokens[i]
	e := lexicon.LookupHash(tok.Hash)
	if tok.Is(detectors.Month) && k.dated(i) {
		return false
	}
	if e.Common() == 0 && tok.Bits&detectors.Function == 0 {
		return true
	}
	if k.raised(i) {
		return true
	}
	if e.Common() <= 5 && e.Name() >= e.Common() {
		return true
	}
	last := k.edge(j)
	if last && k.addressed(i) {
		return true
	}
	// "mark my words", "the mark", "to mark": a verb or a noun.
	if tok.Bits&(detectors.Function|detectors.Backchannel) != 0 {
		return false
	}
	if i > 0 && k.ordinary(i-1) {
		return false
	}
	return last && (e.Name() >= 6 || k.edge(i-1))
}

// addressed tells whether the words before token i turn to somebody: "thank you,
// Will", "feel better, Hope".
func (k knowledge) addressed(i int) bool {
	if i > 0 && k.doc.Tokens[i-1].Ch == ',' {
		i--
	}
	if i == 0 {
		return false
	}
	switch string(k.doc.Word(i - 1)) {
	case "thanks", "bye", "goodbye", "hello", "hi", "hey", "welcome", "okay", "ok", "alright", "sorry", "morning", "afternoon", "evening", "night":
		return true
	case "you":
		return i >= 2 && (string(k.doc.Word(i-2)) == "thank" || string(k.doc.Word(i-2)) == "for")
	case "care":
		return i >= 2 && string(k.doc.Word(i-2)) == "take"
	case "better":
		return i >= 2 && string(k.doc.Word(i-2)) == "feel"
	}
	return false
}

// dated tells whether the word before the month at token i leads to a date.
func (k knowledge) dated(i int) bool {
	if i == 0 {
		return false
	}
	switch string(k.doc.Word(i - 1)) {
	case "in", "since", "until", "till", "by", "of", "last", "next", "this", "mid", "early", "late":
		return true
	}
	return false
}

// raised tells whether token i has a capital letter that the beginning of a
// sentence does not explain.
func (k knowledge) raised(i int) bool {
	if !k.cased || k.doc.Tokens[i].Flags&detectors.UpperFirst == 0 || i == 0 {
		return false
	}
	before := &k.doc.Tokens[i-1]
	if before.Class != detectors.Punct {
		return true
	}
	switch before.Ch {
	case '.', '!', '?', ':', '"':
		return false
	}
	return true
}

// ordinary tells whether the word before makes an everyday word of the next.
func (k knowledge) ordinary(i int) bool {
	switch string(k.doc.Word(i)) {
	case "the", "a", "an", "to", "i", "we", "they", "he", "she", "it", "will", "can", "could", "would", "should", "please", "not",
		"'ll", "this", "that", "some", "any", "no", "of", "in", "on", "at", "by", "my", "your", "his", "her", "our", "their", "is",
		"are", "was", "were", "be", "very", "so", "don't", "didn't", "may", "might", "must", "light", "dark", "or", "pay", "one",
		"two", "three", "and", "what", "how", "if", "do", "did", "does", "'d", "'ve", "have", "has", "had", "let", "just", "'s":
		return true
	}
	return false
}

// add adds a finding of what is known, unless a finding of the same type covers
// more.
func (k knowledge) add(i, j int, t detectors.InfoType) {
	start, end := int(k.doc.Tokens[i].Start), int(k.doc.Tokens[j-1].End)
	found := k.near(end, func(f *detectors.Finding) bool {
		// A user name that was asked for and is made of a known name.
		return f.Type == detectors.UserName && f.Start <= start && f.End >= end && f.Evidence&(detectors.ByExpectation|detectors.ByHotword) != 0
	})
	if found {
		return
	}
	k.near(end, func(f *detectors.Finding) bool {
		switch {
		case k.settled && f.Start < end && f.End > start:
			found = true
		case f.Type == t && f.Start <= start && f.End >= end:
			f.Evidence |= detectors.ByMemory
			found = true
		}
		return false
	})
	if found {
		return
	}
	k.doc.Add(detectors.Finding{
		Start: start, End: end, Type: t, Likelihood: detectors.VeryLikely, Score: detectors.ScoreOf(detectors.VeryLikely),
		Detector: "known", Evidence: detectors.ByMemory,
	})
}
