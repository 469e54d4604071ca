package mention

import (
	"slices"
	"sort"
	"strings"

	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/internal/wordhash"
	"sotto/state"
	"sotto/state/linking"
)

// Matcher finds in one document the values that the call knows: those of the
// participants, speakers' labels, and all that has a number, in another case, in
// another spelling, or as another word that sounds alike. The zero Matcher is ready
// to use, for one document.
type Matcher struct {
	// matched reports whether the document was matched before, and knowledge with what.
	matched   bool
	knowledge uint64
}

// Match adds findings of what the call knows, and reports whether it added any. A
// word that is also an everyday one counts only if its context allows it. Match does
// nothing if the call knows no more than at the last Match.
//
// From the second Match on, the findings of the document have their numbers: only
// words outside of them count.
func (m *Matcher) Match(d *detectors.Document, c *state.Call) bool {
	x := c.Index()
	if m.matched && m.knowledge == c.Knowledge() || x.Empty() {
		return false
	}
	before := len(d.Findings)
	d.SortFindings()
	lexicon.Read(d)
	k := matching{Index: x, doc: d, cased: d.HasClass(detectors.Cap), sorted: before, numbered: m.matched}
	m.matched, m.knowledge = true, c.Knowledge()
	for i := 0; i < len(d.Tokens); {
		if k.isUnknown(&d.Tokens[i]) {
			i++
			continue
		}
		i += k.at(i)
	}
	return len(d.Findings) > before
}

// matching is one Match.
type matching struct {
	*state.Index
	doc *detectors.Document
	// cased reports whether the text contains capital letters.
	cased bool
	// numbered means that the findings have their numbers.
	numbered bool
	// sorted counts the findings of before, which are sorted by their start.
	sorted int
}

func entryOf(t *detectors.Token) lexicon.Entry { return lexicon.Word(t.Lexicon).Entry() }

// everydayWord is how common a word is that is not masked as a part of a name
// wherever it occurs, on the lexicon's scale.
const everydayWord = 8

// rareWord is how common a word is that is masked wherever it occurs, once it is known as a name.
const rareWord = 6

// isUnknown reports whether a token is certainly nothing that the call knows: a mark, or a word of English
// that is none of the known ones and cannot be meant for one that sounds alike. Most are.
func (k *matching) isUnknown(t *detectors.Token) bool {
	if t.Hash == 0 {
		return t.Class != detectors.Digits || !k.HasDigits()
	}
	return !k.MayKnow(t.Hash) && (t.Bits != 0 || entryOf(t).Common() > 0 || !k.HasSounds())
}

// at adds the finding that begins at token i, if any, and returns how many tokens to
// advance.
func (k matching) at(i int) int {
	t := &k.doc.Tokens[i]
	switch {
	case t.Is(detectors.Spelling) && k.inNumber(i):
		return 1 // the C of "7 charlie 4"
	case t.Class == detectors.Clitic:
		return 1
	case t.Hash != 0:
		return k.word(i, k.Word(t.Hash))
	case t.Class == detectors.Digits && k.HasDigits():
		entries := k.Word(k.doc.HashAt(i))
		e := slices.IndexFunc(entries, func(w state.KnownWord) bool { return w.Kind == detectors.KindCode })
		if e >= 0 && !k.covered(i) {
			k.add(i, i+1, detectors.InfoType(k.Type(entries[e])))
		}
	}
	return 1
}

func (k matching) inNumber(i int) bool {
	n := k.doc.RunAt(i)
	return n >= 0 && k.doc.Runs[n].Digits > 0
}

// word adds what the word at token i begins, of the entries that it belongs to.
func (k matching) word(i int, entries []state.KnownWord) int {
	if len(entries) == 0 {
		k.soundAlike(i)
		return 1
	}
	other, length := k.longest(i, entries)
	if n := k.name(i, entries); n > length || n > 0 && n == length && !(other.Kind == detectors.KindText && k.afterPlaceWord(i)) {
		k.add(i, i+n, detectors.PersonName)
		return n
	}
	if length > 0 && k.doc.Tokens[i].Class != detectors.Letter {
		k.add(i, i+length, detectors.InfoType(k.Type(*other)))
		return length
	}
	return 1
}

// longest returns the entry that takes the most tokens from token i, of those that
// are not names, and how many it takes; 0 for none.
func (k matching) longest(i int, entries []state.KnownWord) (best *state.KnownWord, length int) {
	for e := range entries {
		switch entry := &entries[e]; entry.Kind {
		case detectors.KindName:
		case detectors.KindCode:
			said := entry.Source == linking.SourceSaid
			if length == 0 && !k.covered(i) && (!said || entryOf(&k.doc.Tokens[i]).Common() == 0) {
				best, length = entry, 1
			}
		default:
			if n := k.phrase(i, entry); n > length {
				best, length = entry, n
			}
		}
	}
	return best, length
}

// phrase returns how many tokens from i are the known words, or at least the first
// two of them, or only the first where it is hardly a word otherwise.
func (k matching) phrase(i int, entry *state.KnownWord) int {
	whole := k.Words(*entry)
	form, n, words := whole, 0, 0
	for form != "" {
		w, rest, _ := strings.Cut(form, " ")
		j := i + n
		if words > 0 {
			j = k.skipMarks(j)
		}
		if j < len(k.doc.Tokens) && string(k.doc.Word(j)) == w {
			n = j + 1 - i
		} else if w != "and" || j == i+n || j == len(k.doc.Tokens) { // "A & B" is "a and b"
			break
		}
		form, words = rest, words+1
	}
	isPart := form != "" && (entry.Kind != detectors.KindOrg || len(whole)-len(form) < minOrgWord)
	if words == 1 && (isPart || !k.isNoEverydayWord(i, i+1)) {
		return 0
	}
	return n
}

// minOrgWord is how many bytes the first word of an organization has, with the space
// behind it, if it is enough to know the organization by.
const minOrgWord = 6

// skipMarks returns the token behind the punctuation marks from token j that occur
// within names.
func (k matching) skipMarks(j int) int {
	for j < len(k.doc.Tokens) && k.doc.Tokens[j].Class == detectors.Punct && strings.IndexByte(".-&'", k.doc.Tokens[j].Ch) >= 0 {
		j++
	}
	return j
}

// name returns how many tokens from i are words of a known name; 0 for none.
func (k matching) name(i int, entries []state.KnownWord) int {
	var name *state.KnownWord
	for e := range entries {
		if entries[e].Kind == detectors.KindName {
			name = &entries[e]
		}
	}
	if name == nil || k.doc.Tokens[i].Class == detectors.Letter {
		return 0
	}
	n := 1
	for i+n < len(k.doc.Tokens) {
		next := &k.doc.Tokens[i+n]
		if next.Hash == 0 || next.Class == detectors.Letter || !k.ofOnePerson(entries, k.Word(next.Hash)) {
			break
		}
		n++
	}
	if n > 1 || k.isNoEverydayWord(i, i+1) && !(name.Source == linking.SourceSaid && k.withinSentence(i)) {
		return n
	}
	return 0
}

// ofOnePerson reports whether two words are different words of one person's name.
func (k matching) ofOnePerson(a, b []state.KnownWord) bool {
	for i := range a {
		for j := range b {
			if a[i].Entity == b[j].Entity && a[i].Kind == detectors.KindName && k.Words(a[i]) != k.Words(b[j]) {
				return true
			}
		}
	}
	return false
}

// withinSentence reports whether the word at token i is hardly a name and has other
// words of its clause beside it: the "Executive" of what was once taken for a name.
func (k matching) withinSentence(i int) bool {
	e := entryOf(&k.doc.Tokens[i])
	if e.Common() < everydayWord || e.Name() > 0 {
		return false
	}
	return !k.clauseEnd(i-1) || !k.clauseEnd(i+1)
}

// clauseEnd reports whether token i ends a clause or lies outside of the text. A
// bracket, with which a tag begins or ends, does not.
func (k matching) clauseEnd(i int) bool {
	if i < 0 || i >= len(k.doc.Tokens) {
		return true
	}
	t := &k.doc.Tokens[i]
	return t.Class == detectors.Punct && t.Ch != '[' && t.Ch != ']'
}

// soundAlike adds the word at token i if it sounds like a known name and is not an
// English word.
func (k matching) soundAlike(i int) {
	tok := &k.doc.Tokens[i]
	if !tok.Class.IsWord() || tok.Len() < 3 || tok.Len() > 24 || tok.Bits != 0 || entryOf(tok).Common() > 0 {
		return
	}
	var buf [64]byte
	entries := k.Sound(wordhash.Bytes(linking.AppendPhonetic(buf[:0], string(k.doc.Word(i)))))
	if len(entries) == 0 {
		return
	}
	word := string(k.doc.Word(i))
	for e := range entries {
		if k.SoundAlike(entries[e], word) {
			k.add(i, i+1, detectors.PersonName)
			return
		}
	}
}

// isNoEverydayWord reports whether the known word at token i, which ends before
// token j, can be what is known rather than the everyday word that it also is.
func (k matching) isNoEverydayWord(i, j int) bool {
	tok := &k.doc.Tokens[i]
	e := entryOf(tok)
	last := k.clauseEnd(j)
	switch {
	case tok.Is(detectors.Month) && k.doc.LeadsToMonth(i-1, false):
		return false
	case e.Common() <= rareWord && !tok.Is(detectors.Function), k.capitalMidSentence(i):
		return true
	case last && k.addressed(i):
		return true
	case tok.Is(detectors.Function | detectors.Backchannel), i > 0 && beforeEverydayWord.Has(k.doc.Tokens[i-1].Hash):
		return false // "mark my words", "the mark", "to mark": a verb or a noun
	}
	return last && (e.Name() >= 6 || k.clauseEnd(i-1))
}

// addressed reports whether the words before token i address somebody: "thank you,
// Will", "feel better, Hope".
func (k matching) addressed(i int) bool {
	if i > 0 && k.doc.Tokens[i-1].Ch == ',' {
		i--
	}
	return endsBefore(addressingPhrases, k.doc, i)
}

func (k matching) afterPlaceWord(i int) bool { return i > 0 && beforePlace.Has(k.doc.Tokens[i-1].Hash) }

// capitalMidSentence reports whether token i has a capital letter that the beginning
// of a sentence does not explain.
func (k matching) capitalMidSentence(i int) bool {
	if !k.cased || k.doc.Tokens[i].Flags&detectors.UpperFirst == 0 || i == 0 {
		return false
	}
	before := &k.doc.Tokens[i-1]
	return before.Class != detectors.Punct || strings.IndexByte(`.!?:"`, before.Ch) < 0
}

// add adds a finding of tokens i to j-1, unless a finding of the same type covers them. A longer finding of the
// tagger alone does not count as covering: it is the known value and a word too many, as in "oh one nine five
// alrighty". With names of people it does, since only a part of a name may be known.
func (k matching) add(i, j int, t detectors.InfoType) {
	start, end := int(k.doc.Tokens[i].Start), int(k.doc.Tokens[j-1].End)
	if k.anyNear(end, func(f *detectors.Finding) bool {
		return f.Type == detectors.UserName && f.Start <= start && f.End >= end && f.Evidence&detectors.ByHotword != 0
	}) {
		return // a user name that is called one and is made of a known name
	}
	known := false
	k.anyNear(end, func(f *detectors.Finding) bool {
		switch {
		case k.numbered && f.Start < end && f.End > start:
			known = true
		case f.Type == t && f.Start <= start && f.End >= end &&
			(f.Evidence != detectors.ByModel || t == detectors.PersonName || f.Start == start && f.End == end):
			f.Evidence |= detectors.ByMemory
			known = true
		}
		return false
	})
	if known {
		return
	}
	k.doc.Add(detectors.Finding{
		Start: start, End: end, Type: t, Likelihood: detectors.VeryLikely, Score: detectors.ScoreOf(detectors.VeryLikely),
		Detector: "known", Evidence: detectors.ByMemory,
	})
}

// covered reports whether token i is part of a finding of the rules. What only the tagger found says
// less about it than the call knows.
func (k matching) covered(i int) bool {
	t := &k.doc.Tokens[i]
	return k.anyNear(int(t.End), func(f *detectors.Finding) bool {
		return f.Start <= int(t.Start) && f.End >= int(t.End) && f.Evidence != detectors.ByModel
	})
}

// maxNear is how many findings that begin before a place are looked at. Hardly ever
// do so many overlap.
const maxNear = 24

// anyNear reports whether any of the last findings that begin before byte offset end
// has a property. It looks at no more than maxNear of them, so that the cost for a
// text full of findings is linear in its length.
func (k matching) anyNear(end int, is func(*detectors.Finding) bool) bool {
	n := sort.Search(k.sorted, func(i int) bool { return k.doc.Findings[i].Start >= end })
	for i := n - 1; i >= 0 && i >= n-maxNear; i-- {
		if is(&k.doc.Findings[i]) {
			return true
		}
	}
	return false
}
