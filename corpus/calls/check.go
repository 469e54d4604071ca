package calls

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/internal/gold"
)

// Report is the result of a check of one file.
type Report struct {
	Counts Counts
	// Problems are in the order of the file.
	Problems []Problem
	// Notes are in the order of the calls.
	Notes []Note
}

// Note is a place where a label may be missing. It quotes the call.
type Note struct {
	File string
	Line int
	// Kind says why the place is worth a second look.
	Kind NoteKind
	// Words are what may have to be labelled.
	Words string
	// Type and Call are set for a Relabel: the infoType of the same words elsewhere in this call.
	Type, Call string
}

// NoteKind is a reason for a Note.
type NoteKind int

// The kinds of notes.
const (
	// Relabel: the words have a label elsewhere in the call.
	Relabel NoteKind = iota
	// Capital: a word within a sentence begins with a capital letter.
	Capital
	// Digits: three or more digits.
	Digits
	// NumberWords: three or more number words in a row.
	NumberWords
)

func (n Note) String() string {
	what := ""
	switch n.Kind {
	case Relabel:
		what = fmt.Sprintf("%q is %s elsewhere in %s", n.Words, n.Type, n.Call)
	case Capital:
		what = fmt.Sprintf("capital %q", n.Words)
	case Digits:
		what = fmt.Sprintf("digits %q", n.Words)
	case NumberWords:
		what = fmt.Sprintf("number words %q", n.Words)
	}
	return fmt.Sprintf("%s:%d: %s", n.File, n.Line, what)
}

// Check reads marked-up text as a whole and reports everything that is wrong with it or deserves a
// second look. Problems are no error of Check.
func Check(r io.Reader, name string) (*Report, error) {
	f, err := parse(r, name)
	if err != nil {
		return nil, err
	}
	report := &Report{Problems: f.problems, Counts: count(f.calls)}
	for i := range f.calls {
		c := checker{call: &f.calls[i], name: name}
		report.Notes = append(report.Notes, c.check()...)
	}
	return report, nil
}

// checker looks for missing labels in one call.
type checker struct {
	*call
	name string
	// unlabelled is each turn with hidden in the place of each label.
	unlabelled [][]rune
	notes      []Note
}

// hidden stands for a label. It belongs to no word.
const hidden = '\x00'

func (c *checker) check() []Note {
	for i := range c.Utterances {
		text := withoutLabels(&c.Utterances[i])
		c.unlabelled = append(c.unlabelled, text)
		c.capitals(i, text)
		c.digits(i, text)
		c.numberWords(i, text)
	}
	c.relabels()
	return c.notes
}

func (c *checker) note(turn int, kind NoteKind, words []rune) {
	c.notes = append(c.notes, Note{File: c.name, Line: c.lines[turn], Kind: kind, Words: string(words)})
}

func withoutLabels(u *gold.Utterance) []rune {
	text := []rune(u.Text)
	var out []rune
	at := 0
	for _, s := range u.Entities {
		out = append(append(out, text[at:s.Start]...), hidden)
		at = s.End
	}
	return append(out, text[at:]...)
}

// inWord reports whether a code point is part of a word.
func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' }

// notNames begin a capitalized word that needs no label: "I", titles and so on.
var notNames = []string{"I'", "OK", "Okay", "Mr", "Mrs", "Ms", "Dr"}

// capitals looks for capitalized words within a sentence: after a lower-case letter or a comma, and
// a space.
func (c *checker) capitals(turn int, text []rune) {
	for i := 2; i < len(text); i++ {
		before := text[i-2]
		if !(before >= 'a' && before <= 'z' || before == ',') || text[i-1] != ' ' || text[i] < 'A' || text[i] > 'Z' {
			continue
		}
		end := i + 1
		for end < len(text) && (inWord(text[end]) || text[end] == '\'') {
			end++
		}
		if end-i < 2 || slices.ContainsFunc(notNames, func(n string) bool { return strings.HasPrefix(string(text[i:]), n) }) {
			continue
		}
		c.note(turn, Capital, text[i:end])
		i = end - 1
	}
}

// digits looks for runs of three digits or more that are neither part of a word, of a price nor of
// a decimal.
func (c *checker) digits(turn int, text []rune) {
	for i := 0; i < len(text); i++ {
		if !unicode.IsDigit(text[i]) {
			continue
		}
		end := i
		for end < len(text) && unicode.IsDigit(text[end]) {
			end++
		}
		if end-i >= 3 && !partOfNumber(text, i, end) {
			c.note(turn, Digits, text[i:end])
		}
		i = end
	}
}

// partOfNumber reports whether the digits from start to end belong to something longer.
func partOfNumber(text []rune, start, end int) bool {
	if start > 0 && (inWord(text[start-1]) || strings.ContainsRune("$€.,", text[start-1])) {
		return true
	}
	if end == len(text) {
		return false
	}
	return inWord(text[end]) ||
		strings.ContainsRune("%.,", text[end]) && end+1 < len(text) && unicode.IsDigit(text[end+1])
}

// numberWords looks for three or more number words, each separated from the next by one space or
// hyphen.
func (c *checker) numberWords(turn int, text []rune) {
	start, end, words := 0, 0, 0
	flush := func() {
		if words >= 3 {
			c.note(turn, NumberWords, lower(text[start:end]))
		}
		words = 0
	}
	for i := 0; i < len(text); {
		if !inWord(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && inWord(text[i]) {
			i++
		}
		if !numberWord[string(lower(text[from:i]))] {
			flush()
			continue
		}
		if words > 0 && !(from == end+1 && (text[end] == ' ' || text[end] == '-')) {
			flush()
		}
		if words == 0 {
			start = from
		}
		words++
		end = i
	}
	flush()
}

var numberWord = set("zero oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen " +
	"fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred " +
	"thousand double triple")

// relabels looks for words that have a label elsewhere in the call.
func (c *checker) relabels() {
	for i := range c.unlabelled {
		c.unlabelled[i] = lower(c.unlabelled[i])
	}
	for _, v := range c.values() {
		for turn, text := range c.unlabelled {
			if hasWords(text, []rune(v.words)) {
				c.notes = append(c.notes, Note{
					File: c.name, Line: c.lines[turn], Kind: Relabel, Words: v.words, Type: v.infoType, Call: c.ID,
				})
			}
		}
	}
}

// value is what a label covers, in lower case.
type value struct{ words, infoType string }

// values are the labelled values of the call that must be labelled everywhere. If a value has
// several infoTypes, the last one counts.
func (c *checker) values() (values []value) {
	index := map[string]int{}
	for i := range c.Utterances {
		text := []rune(c.Utterances[i].Text)
		for _, s := range c.Utterances[i].Entities {
			words := string(lower(text[s.Start:s.End]))
			n, known := index[words]
			if !known {
				n = len(values)
				index[words] = n
				values = append(values, value{words: words})
			}
			values[n].infoType = s.Type
		}
	}
	return slices.DeleteFunc(values, func(v value) bool {
		return utf8.RuneCountInString(v.words) < 4 || plainWord[v.words] || variesInCall[v.infoType]
	})
}

// plainWord are words that are names in one place and plain words in the next.
var plainWord = set("will may mark bill hope grace art rich drew summer rose dawn chase frank young long park bush " +
	"april june august target gap shell apple visa discover best first the and")

// variesInCall are the infoTypes whose words are often said for something else in the same call.
var variesInCall = set("DATE TIME MONEY AGE OTHER NUMERIC")

// hasWords reports whether the text holds these words, neither preceded nor followed by a part of a
// word.
func hasWords(text, words []rune) bool {
	for i := 0; i+len(words) <= len(text); i++ {
		if i > 0 && (inWord(text[i-1]) || text[i-1] == '{' || text[i-1] == '|') {
			continue
		}
		end := i + len(words)
		if slices.Equal(text[i:end], words) && (end == len(text) || !inWord(text[end])) {
			return true
		}
	}
	return false
}

func lower(text []rune) []rune {
	out := make([]rune, len(text))
	for i, r := range text {
		out[i] = unicode.ToLower(r)
	}
	return out
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
