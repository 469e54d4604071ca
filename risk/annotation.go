package risk

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/detectors/lookalike"
)

const (
	missedWord    = "MISSED"
	suffixPartial = "_PARTIAL"
	suffixSpeaker = "_SPEAKER"
)

// Annotation is one span that an annotator marked as missed.
type Annotation struct {
	Piece
	// Start and End are positions in the text without annotations. They count
	// Unicode code points, end exclusive.
	Start, End int
}

// Annotated is a transcript and what its annotator found.
type Annotated struct {
	// Text is the transcript without the annotations: only the words stay. Look-alikes of tags
	// and annotations stay escaped, as in the clean event; the Values of Missed are unescaped.
	Text   string
	Missed []Annotation
}

// SyntaxError says where annotated text is not well formed. It never quotes the text.
type SyntaxError struct {
	Line, Column int
	Problem      string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Problem)
}

// Parse reads annotated text: "(words)[MISSED_TYPE]" with the suffixes
// _PARTIAL and _SPEAKER, or "(words)(MISSED_TYPE)"; both brackets together, as
// the paper has them once, and space before the tag are understood too. TYPE
// is an infoType or the paper's short name for it, in any case. A tag may end in
// "#" and a Piece.Key of letters and digits: (Bill)[MISSED_PERSON_NAME#b], and then
// in "@" and a Piece.Person: (Leeds)[MISSED_LOCATION@b]. Words may hold balanced parentheses of their own, and parentheses that no tag
// follows are plain text.
//
// The error is a *SyntaxError for the first problem: a tag without words
// before it, an annotation within another, a tag that is not closed or whose
// type the table does not know, or words that are empty.
func (t *Table) Parse(text string) (Annotated, error) {
	p := annotations{table: t, text: text}
	for p.at < len(p.text) {
		if p.tagAhead(p.at) > 0 {
			return Annotated{}, p.fail("a tag needs (words) right before it")
		}
		switch p.text[p.at] {
		case '(':
			p.open = append(p.open, opening{p.at, len(p.out), len(p.missed)})
			p.keep()
		case ')':
			if err := p.closing(); err != nil {
				return Annotated{}, err
			}
		default:
			p.keep()
		}
	}
	return Annotated{Text: string(p.out), Missed: p.missed}, nil
}

type annotations struct {
	table  *Table
	text   string
	at     int // byte offset
	out    []byte
	open   []opening
	missed []Annotation
}

// opening is a parenthesis that has not been closed yet, or the closed one
// before a tag.
type opening struct {
	at     int // byte offset
	out    int // length of the output before it
	missed int // annotations before it
}

// closing handles a closing parenthesis, which ends either words with a tag or
// plain text.
func (p *annotations) closing() error {
	tagAt := p.at + 1
	for tagAt < len(p.text) && strings.IndexByte(" \t\r\n", p.text[tagAt]) >= 0 {
		tagAt++
	}
	brackets := p.tagAhead(tagAt)
	if brackets == 0 {
		p.keep()
		if n := len(p.open); n > 0 {
			p.open = p.open[:n-1]
		}
		return nil
	}
	n := len(p.open)
	if n == 0 {
		return p.fail("a tag follows a parenthesis that was never opened")
	}
	o := p.open[n-1]
	p.open = p.open[:n-1]
	if o.missed != len(p.missed) {
		p.at = o.at
		return p.fail("annotations cannot be nested")
	}
	p.at = tagAt
	return p.annotate(o, brackets)
}

// annotate reads the tag at the current position and records the words since
// the opening as missed.
func (p *annotations) annotate(o opening, brackets int) error {
	tag, length, ok := tagName(p.text[p.at:], brackets)
	if !ok {
		return p.fail("the tag is not closed")
	}
	piece, ok := p.table.piece(tag)
	if !ok {
		return p.fail("the tag names no infoType of the score table")
	}
	words := strings.TrimSpace(string(p.out[o.out+1:]))
	if words == "" {
		return p.fail("there are no words in the parentheses before the tag")
	}
	p.out = append(p.out[:o.out], words...)
	piece.Value = lookalike.Unescape(words)
	start, end := utf8.RuneCount(p.out[:o.out]), utf8.RuneCount(p.out)
	p.missed = append(p.missed, Annotation{Piece: piece, Start: start, End: end})
	p.at += length
	return nil
}

// piece turns the part of a tag after MISSED_ into type and flags.
func (t *Table) piece(tag string) (Piece, bool) {
	var piece Piece
	tag, person, about := strings.Cut(tag, "@")
	tag, key, keyed := strings.Cut(tag, "#")
	if keyed && !isKey(key) || about && !isKey(person) {
		return Piece{}, false
	}
	piece.Key, piece.Person = key, person
	for {
		if infoType, ok := t.tags[tag]; ok {
			piece.Type = infoType
			return piece, true
		}
		switch {
		case strings.HasSuffix(tag, suffixPartial) && !piece.Partial:
			tag, piece.Partial = strings.TrimSuffix(tag, suffixPartial), true
		case strings.HasSuffix(tag, suffixSpeaker) && !piece.Speaker:
			tag, piece.Speaker = strings.TrimSuffix(tag, suffixSpeaker), true
		default:
			return Piece{}, false
		}
	}
}

func isKey(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// tagAhead returns how many brackets open a tag at the byte offset, 0 when
// there is no tag.
func (p *annotations) tagAhead(at int) int {
	rest := p.text[at:]
	n := 0
	for n < len(rest) && n < 2 && (rest[n] == '[' || rest[n] == '(') {
		n++
	}
	rest = rest[n:]
	if n == 0 || len(rest) <= len(missedWord) || !strings.EqualFold(rest[:len(missedWord)], missedWord) {
		return 0
	}
	// Annotators write MISSED EMAIL and MISSED-EMAIL too. A space alone does
	// not make a tag of plain words such as "(missed call)": it needs capitals.
	switch rest[len(missedWord)] {
	case '_':
		return n
	case ' ', '-':
		word := strings.FieldsFunc(rest[len(missedWord)+1:], func(r rune) bool { return !unicode.IsLetter(r) })
		if len(word) > 0 && word[0] == strings.ToUpper(word[0]) && rest[:len(missedWord)] == missedWord {
			return n
		}
	}
	return 0
}

// tagName reads a tag with its brackets; length is in bytes.
func tagName(s string, brackets int) (name string, length int, ok bool) {
	var closers [2]byte
	for i := range brackets {
		closers[brackets-1-i] = map[byte]byte{'[': ']', '(': ')'}[s[i]]
	}
	end := strings.IndexAny(s[brackets:], "[]()\n")
	if end < 0 {
		return "", 0, false
	}
	end += brackets
	for i := range brackets {
		if end+i >= len(s) || s[end+i] != closers[i] {
			return "", 0, false
		}
	}
	name = strings.ToUpper(strings.TrimSpace(s[brackets+len(missedWord)+1 : end]))
	return strings.NewReplacer(" ", "_", "-", "_").Replace(name), end + brackets, true
}

func (p *annotations) fail(problem string) error {
	before := p.text[:p.at]
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return &SyntaxError{1 + strings.Count(before, "\n"), column, problem}
}

func (p *annotations) keep() {
	p.out = append(p.out, p.text[p.at])
	p.at++
}
