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

// Note is a place where a label may be missing: the words have one elsewhere in the call. It quotes the
// call.
type Note struct {
	File string
	Line int
	// Words have the label Type elsewhere in Call.
	Words, Type, Call string
}

func (n Note) String() string {
	return fmt.Sprintf("%s:%d: %q is %s elsewhere in %s", n.File, n.Line, n.Words, n.Type, n.Call)
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
		report.Notes = append(report.Notes, f.calls[i].notes(name)...)
	}
	return report, nil
}

// hidden stands for a label. It belongs to no word.
const hidden = '\x00'

// notes looks for words that have a label elsewhere in the call.
func (c *markedCall) notes(name string) (notes []Note) {
	unlabelled := make([][]rune, len(c.Utterances))
	for i := range c.Utterances {
		unlabelled[i] = []rune(strings.ToLower(string(withoutLabels(&c.Utterances[i]))))
	}
	for _, v := range c.values() {
		for turn, text := range unlabelled {
			if hasWords(text, []rune(v.words)) {
				notes = append(notes, Note{File: name, Line: c.lines[turn], Words: v.words, Type: v.infoType, Call: c.ID})
			}
		}
	}
	return notes
}

// withoutLabels returns the text of a turn with hidden in the place of each label.
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

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' }

// value is what a label covers, in lower case.
type value struct{ words, infoType string }

// values are the labelled values of the call that must be labelled everywhere. If a value has
// several infoTypes, the last one counts.
func (c *markedCall) values() (values []value) {
	for i := range c.Utterances {
		text := []rune(c.Utterances[i].Text)
		for _, s := range c.Utterances[i].Entities {
			words := strings.ToLower(string(text[s.Start:s.End]))
			n := slices.IndexFunc(values, func(v value) bool { return v.words == words })
			if n < 0 {
				n, values = len(values), append(values, value{words: words})
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

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
