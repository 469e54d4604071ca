package plaintext

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/files/formats/transcript"
	"sotto/schemas"
)

const (
	timeForm = `\d{1,3}:\d\d(?::\d\d)?(?:[.,:]\d{1,3})?(?:[ \x{202f}\x{a0}]?[AaPp]\.?[Mm]\b\.?)?`
	dateForm = `(?:20\d\d[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](?:20)?\d\d)`
	// stampForm is a time, perhaps of a day, or a range of two.
	stampForm = `(?:` + dateForm + `[, T\t\x{202f}\x{a0}]+)?` + timeForm + `(?:Z|[+-]\d\d:?\d\d)?(?:[ \t]*(?:-->|-|–|,|to)[ \t]*(?:` + dateForm + `[, T]+)?` + timeForm + `)?`
)

var (
	// timed is a time at the beginning of a line, "[00:01:02] ", or a range of two.
	timed = regexp.MustCompile(`^[ \t\x{200e}\x{feff}]*(?:[\[(<]?` + stampForm + `[\])>]?[ \t]*(?:[-–|][ \t]+)?)?`)
	// ends is a time at the end of a label, "Speaker 1 (00:01:02)".
	ends = regexp.MustCompile(`[ \t]*(?:[|-][ \t]+)?[\[(<]?` + stampForm + `[\])>]?[ \t]*$`)
	// inBrackets is a time in brackets, which may follow a name or its colon.
	inBrackets = regexp.MustCompile(`[\[(<]` + stampForm + `[\])>][ \t]*`)
	// chatFrame is the line of Zoom's chat before the colon, in several languages.
	chatFrame = regexp.MustCompile(`^[ \t]*(?:From|Von|De|Da|Van)[ \t]+(.{1,60}?)[ \t]+(?:to|To|an|An|à|para|a|naar)[ \t]+` +
		`(Everyone|Hosts and panelists|All panelists|Panelists|Me|me|Alle|Todos|Tout le monde|Tutti|Iedereen|.{1,60}?)[ \t]*(?:\((?:Direct Message|Privately|Direktnachricht|Privat|Mensaje directo|Message direct)\))?[ \t]*:`)
	everyone = map[string]bool{"Everyone": true, "Hosts and panelists": true, "All panelists": true, "Panelists": true, "Me": true, "me": true, "Alle": true, "Todos": true,
		"Tout le monde": true, "Tutti": true, "Iedereen": true}
	// nickname is the name of a speaker in a log of a chat.
	nickname = regexp.MustCompile(`^<[^<>@:/ ]{1,40}>[ \t]+`)
	// labelTrack is the beginning of a line of Audacity's labels.
	labelTrack = regexp.MustCompile(`^(\d{1,6}[.,]\d{1,7})\t(\d{1,6}[.,]\d{1,7})\t`)
)

// line is a line of a text: the bytes of its label and of its words, which are empty if it has none.
type line struct {
	labelStart, labelEnd int
	start, end           int
	// toStart and toEnd are where the name of somebody is to whom a message of a chat goes.
	toStart, toEnd int
	// blank means that nothing is said there.
	blank bool
}

// ReadDocument reads one call in one of these layouts. Everything between labels and words stays as
// it is: blank lines, times, spaces, and what programs write around the words.
//
//	Speaker: words
//	[00:01:02] Speaker: words
//	Speaker [00:01:02] words
//	Speaker (00:01:02):
//	words
//	Speaker  00:01:02
//	words
//	Speaker
//	words
//	00:01:02 From Speaker to Everyone : words
//	1.25	3.5	words
//
// Speakers on a line of their own without a time are read as such only if most paragraphs of the text begin like that. A line
// without label belongs to the speaker of the line before it.
func ReadDocument(s string) *transcript.Document {
	source := transcript.NewSource(s)
	call := &transcript.Call{}
	all := transcript.Lines(s)
	f := &frame{source, call}
	taken := f.read(all)
	track := isLabelTrack(all)
	lines := make([]line, len(all))
	for i, l := range all {
		switch {
		case taken[i]:
			lines[i].blank = true
		case track && labelTrack.MatchString(l.Text):
			lines[i] = line{start: l.Start + len(labelTrack.FindString(l.Text)), end: l.Start + len(l.Text)}
		case track:
			lines[i].blank = true // frequencies of the label before
		default:
			lines[i] = readLine(l)
		}
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
		if l.toEnd > 0 {
			f.name(l.toStart, l.toEnd)
		}
		t.Speaker, t.Text = current, s[l.start:l.end]
		t.Set = source.Setter(l.start, l.end)
		if track {
			m := labelTrack.FindStringSubmatch(all[i].Text)
			t.StartMS, t.EndMS = millis(m[1]), millis(m[2])
		}
		call.Turns = append(call.Turns, t)
	}
	return &transcript.Document{Calls: []*transcript.Call{call}, Encode: source.Encode}
}

// isLabelTrack reports whether all lines are labels of Audacity, or the frequencies of one.
func isLabelTrack(all []transcript.Line) bool {
	labels := 0
	for _, l := range all {
		switch {
		case labelTrack.MatchString(l.Text):
			labels++
		case l.Text != "" && !(labels > 0 && frequencies.MatchString(l.Text)):
			return false
		}
	}
	return labels > 0
}

var frequencies = regexp.MustCompile(`^\\\t\d{1,6}(?:[.,]\d{1,7})?\t\d{1,6}(?:[.,]\d{1,7})?$`)

// millis returns seconds in milliseconds.
func millis(seconds string) *int64 {
	f, err := strconv.ParseFloat(strings.Replace(seconds, ",", ".", 1), 64)
	if err != nil {
		return nil
	}
	return new(int64(f * 1000))
}

func readLine(of transcript.Line) line {
	text := strings.TrimRightFunc(of.Text, unicode.IsSpace)
	if text == "" {
		return line{blank: true}
	}
	timeBefore := len(timed.FindString(text))
	begin, end := of.Start+timeBefore, of.Start+len(text)
	hasTime := strings.ContainsAny(text[:timeBefore], "0123456789")
	text = text[timeBefore:]
	l := line{start: begin, end: end}
	if m := chatFrame.FindStringSubmatchIndex(text); m != nil && hasTime {
		l.labelStart, l.labelEnd = begin+m[2], begin+m[3]
		if to := text[m[4]:m[5]]; !everyone[to] {
			l.toStart, l.toEnd = begin+m[4], begin+m[5]
		}
		l.start = end - len(strings.TrimLeft(text[m[1]:], " \t"))
		return l
	}
	label, words := labelOf(text)
	if nick := nickname.FindString(text); words == 0 && hasTime && nick != "" {
		label, words = strings.TrimRight(nick, " \t"), len(nick)
	}
	if words == 0 {
		return l
	}
	label = ends.ReplaceAllString(label, "")
	from, to := nameIn(label)
	if l.labelStart, l.labelEnd = begin+from, begin+to; from == to {
		return line{start: begin, end: end}
	}
	rest := strings.TrimLeft(text[words:], " \t*_")
	if at := inBrackets.FindStringIndex(rest); at != nil && at[0] == 0 {
		rest = rest[at[1]:]
	}
	l.start = end - len(rest)
	return l
}

// nameIn returns where the name is in a label, without the marks around it: "**Ines**", "[Ines]". What may be a tag, [PERSON_NAME_1],
// is none.
func nameIn(label string) (from, to int) {
	trimmed := strings.TrimLeft(label, " \t\u00a0*_")
	from = len(label) - len(trimmed)
	trimmed = strings.TrimRight(trimmed, " \t\u00a0*_")
	for _, pair := range []string{"[]", "<>", "()"} {
		if inner, ok := strings.CutPrefix(trimmed, pair[:1]); ok && strings.HasSuffix(inner, pair[1:]) && strings.ToUpper(inner) != inner && !strings.ContainsAny(inner[:len(inner)-1], pair) {
			return from + 1, from + len(trimmed) - 1
		}
	}
	return from, from + len(trimmed)
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
	// "Ines Quimby [00:01:02] words" or "[Ines] [00:01:02] words", perhaps with a colon behind the time
	if m := inBrackets.FindStringIndex(text); m != nil && m[0] > 0 {
		from, to := nameIn(text[:m[0]])
		name, colon := text[from:to], strings.HasPrefix(text[m[1]:], ":")
		if isName(name) && (colon || from > 0 || len(strings.Fields(name)) > 1) {
			return text[:m[0]], m[1] + len(text[m[1]:]) - len(strings.TrimLeft(text[m[1]:], ": \t"))
		}
	}
	// "**Ines Quimby:** words"
	if inner, ok := strings.CutPrefix(text, "**"); ok {
		if name, _, ok := strings.Cut(inner, ":**"); ok && isName(name) {
			return text[:len(name)+2], len(name) + 5
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
