package plaintext

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/formats/transcript"
	"sotto/schemas"
)

const timeForm = `\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?`

var (
	// timed is a time at the beginning of a line, "[00:01:02] ", or a range of two.
	timed = regexp.MustCompile(`^[ \t]*(?:[\[(<]?` + timeForm + `(?:[ \t]*(?:-->|-|–|,)[ \t]*` + timeForm + `)?[\])>]?[ \t]*(?:[-–][ \t]+)?)?`)
	// ends is a time at the end of a label, "Speaker 1 (00:01:02)".
	ends = regexp.MustCompile(`[ \t]*[\[(]?` + timeForm + `[\])]?[ \t]*$`)
)

// line is a line of a text: the bytes of its label and of its words, which are empty if it has none.
type line struct {
	labelStart, labelEnd int
	start, end           int
	blank                bool
}

// ReadDocument reads one call in one of these layouts. Everything between labels and words stays as
// it is: blank lines, times, spaces.
//
//	Speaker: words
//	[00:01:02] Speaker: words
//	Speaker (00:01:02):
//	words
//	Speaker  00:01:02
//	words
//	Speaker
//	words
//
// The last one is read as such only if most paragraphs of the text begin like that. A line without
// label belongs to the speaker of the line before it.
func ReadDocument(s string) *transcript.Document {
	source := transcript.NewSource(s)
	call := &transcript.Call{}
	var lines []line
	for _, l := range transcript.Lines(s) {
		lines = append(lines, readLine(l))
	}
	ownLine := haveOwnLines(s, lines)
	var current schemas.Speaker
	for i := range lines {
		l := &lines[i]
		if l.blank {
			current = schemas.Speaker{}
			continue
		}
		if l.labelEnd == 0 && ownLine && i+1 < len(lines) && !lines[i+1].blank && (i == 0 || lines[i-1].blank) && isName(s[l.start:l.end]) {
			l.labelStart, l.labelEnd, l.start = l.start, l.end, l.end
		}
		t := &transcript.Turn{}
		if l.labelEnd > 0 {
			label := s[l.labelStart:l.labelEnd]
			current = schemas.Speaker{ID: label, Label: label}
			t.SetLabel = source.Setter(l.labelStart, l.labelEnd)
		}
		t.Speaker, t.Text = current, s[l.start:l.end]
		t.Set = source.Setter(l.start, l.end)
		call.Turns = append(call.Turns, t)
	}
	return &transcript.Document{Calls: []*transcript.Call{call}, Encode: source.Encode}
}

func readLine(of transcript.Line) line {
	text := strings.TrimRightFunc(of.Text, unicode.IsSpace)
	if text == "" {
		return line{blank: true}
	}
	timeBefore := len(timed.FindString(text))
	begin, end := of.Start+timeBefore, of.Start+len(text)
	text = text[timeBefore:]
	l := line{start: begin, end: end}
	label, words := labelOf(text)
	if words == 0 {
		return l
	}
	label = ends.ReplaceAllString(label, "")
	trimmed := strings.TrimLeftFunc(label, unicode.IsSpace)
	l.labelStart = begin + len(label) - len(trimmed)
	l.labelEnd = l.labelStart + len(strings.TrimRightFunc(trimmed, unicode.IsSpace))
	l.start = end - len(strings.TrimLeft(text[words:], " \t"))
	return l
}

// labelOf returns the label that a line begins with, a time at its end included, and where the words
// begin; 0 if it has no label.
func labelOf(text string) (label string, words int) {
	if withoutColon, ok := strings.CutSuffix(text, ":"); ok || !strings.Contains(text, ": ") {
		// "Speaker  00:01:02" or "Speaker (00:01:02):"
		if m := ends.FindStringIndex(withoutColon); m != nil && m[0] > 0 && isName(text[:m[0]]) {
			return withoutColon, len(text)
		}
	}
	if _, _, ok := cutLabel(text); !ok {
		return "", 0
	}
	colon := strings.IndexByte(text, ':')
	return text[:colon], colon + 1
}

// haveOwnLines reports whether most paragraphs of a text, at least two, begin with what may be a
// name on a line of its own.
func haveOwnLines(s string, lines []line) bool {
	paragraphs, names := 0, 0
	for i := range lines {
		l := &lines[i]
		if l.blank || i > 0 && !lines[i-1].blank {
			continue
		}
		paragraphs++
		if l.labelEnd == 0 && i+1 < len(lines) && !lines[i+1].blank && isName(s[l.start:l.end]) {
			names++
		}
	}
	return names >= 2 && names*5 >= paragraphs*4
}

// isName reports whether a text may be a label: up to five words that begin with a capital or a
// digit, without punctuation at the end.
func isName(text string) bool {
	words := strings.Fields(text)
	if len(words) == 0 || len(words) > 5 || len(text) > 60 || strings.ContainsAny(text[len(text)-1:], ".?!,;") {
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool {
		r, _ := utf8.DecodeRuneInString(w)
		return !unicode.IsUpper(r) && !unicode.IsDigit(r) && r != '('
	})
}
