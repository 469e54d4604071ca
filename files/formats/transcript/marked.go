package transcript

import (
	"html"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/detectors"
	"sotto/detectors/lookalike"
)

// gap stands for a placeholder where a text is read: something was said there.
const gap = "…"

// set returns the words of a text as a set.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

var (
	// elements are those of HTML, with what is read in their place: some begin a line. What else stands between < and > is text.
	elements = func() map[string]string {
		m := map[string]string{}
		for name := range set("address article blockquote br center dd div dl dt footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table tbody td th thead tr ul html body") {
			m[name] = "\n"
		}
		for name := range set("a abbr b bdi bdo big cite code em font i img ins kbd label mark q s small span strike strong sub sup time tt u var wbr") {
			m[name] = ""
		}
		return m
	}()
	// redacted are the words of which placeholders consist: those that say that something was taken away, and what kind of thing. No
	// name is among them.
	redacted = set("pii phi pci redacted redaction removed masked hidden private personal sensitive anonymized name names person per organization organisation org company " +
		"location loc address addr street city state county country zip zipcode postal postcode code phone telephone mobile fax number num email mail url ip " +
		"ssn us uk ca au in es it sin nhs nino itin iban swift dob date time datetime birth age bank account card credit debit cvv cvc expiry expiration exp pin " +
		"password passcode user username id identifier driver drivers license licence passport routing vehicle vin plate medical record mrn patient doctor " +
		"profession occupation title nationality nrp religion gender ethnicity language given first last middle full family surname numeric numerical event " +
		"money amount misc other entity info information data of and the")
	// certain are those that need no capitals and no brackets of their own kind: [redacted].
	certain = set("pii phi pci redacted redaction removed masked anonymized")
)

var (
	// stampForm is a time in a recording or of it, in brackets.
	stampForm = regexp.MustCompile(`[\[(](?:\d{1,2}:[0-5]\d:[0-5]\d(?:[.,]\d{1,3})?|20\d\d-[01]\d-[0-3]\d[ T]\d{1,2}:[0-5]\d(?::[0-5]\d)?(?: ?(?:GMT|UTC|Z)(?:[+-]\d{1,2}(?::?\d\d)?)?)?)[\])]`)
	// markupForm is a tag or an entity of HTML, a time in brackets, or a placeholder.
	markupForm = regexp.MustCompile(`(?i:<(/?)(` + strings.Join(slices.Sorted(maps.Keys(elements)), "|") + `)(?:[ \t\r\n][^<>]*)?/?>)|` +
		`(?i:&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,5});)|` + stampForm.String() + `|` + placeholderForm.String())
	// placeholderForm is what may stand for something that an earlier redaction took away.
	placeholderForm = regexp.MustCompile(`[\[<{(]{1,2}[A-Za-z][A-Za-z_ -]{1,40}(?:[_ -]?\d{1,3})?[\]>})]{1,2}|x{4,}|X{3,}|#{3,}|\*{3,}|█+`)
)

// isPlaceholder reports whether a text of that form is a placeholder.
func isPlaceholder(s string) bool {
	inner := strings.Trim(s, "[]<>{}()")
	if inner == s { // a mark or the letter x again and again, and no brackets
		return true
	}
	words := strings.FieldsFunc(inner, func(r rune) bool { return strings.ContainsRune("_ -", r) || unicode.IsDigit(r) })
	known, sure := len(words) > 0, false
	for _, w := range words {
		w = strings.ToLower(w)
		known, sure = known && redacted[w], sure || certain[w]
	}
	return known && (sure || inner == strings.ToUpper(inner) && s[0] != '(')
}

// escaped returns a placeholder as it is written: one that could be a tag of the engine is marked.
func escaped(s string) string {
	if inner := strings.Trim(s, "[]"); strings.TrimRight(inner, "0123456789") == inner && detectors.InfoType(inner).Row() == nil {
		return s
	}
	return lookalike.Escape(s)
}

// mayHaveMarks reports whether a text has a character with which a mark begins.
func mayHaveMarks(text string) bool {
	return strings.ContainsAny(text, "<&[{(#*█") || strings.Contains(text, "XXX") || strings.Contains(text, "xxxx")
}

// withoutPlaceholders returns a text with a gap in place of what stands for something that an earlier redaction took away.
func withoutPlaceholders(text string) string {
	if !mayHaveMarks(text) {
		return text
	}
	return placeholderForm.ReplaceAllStringFunc(text, func(s string) string {
		if isPlaceholder(s) && escaped(s) == s {
			return gap
		}
		return s
	})
}

// mark is a tag, an entity, a time or a placeholder in a text: where it is, what is read in its place, and how it is written.
type mark struct {
	start, end    int
	read, written string
	// isTag means a tag or a time, which stays where something around it is replaced, isHTML a tag or an entity.
	isTag, isHTML bool
}

// marksOf returns the marks of a text in order.
func marksOf(raw string) (all []mark) {
	if !mayHaveMarks(raw) {
		return nil
	}
	for _, at := range markupForm.FindAllStringSubmatchIndex(raw, -1) {
		s := raw[at[0]:at[1]]
		m := mark{start: at[0], end: at[1], read: gap, written: s}
		switch {
		case at[4] >= 0:
			name, closed := raw[at[4]:at[5]], ""
			if strings.HasSuffix(s, "/>") {
				closed = "/"
			}
			// Attributes may be anything.
			m.read, m.written, m.isTag, m.isHTML = elements[strings.ToLower(name)], "<"+raw[at[2]:at[3]]+name+closed+">", true, true
		case s[0] == '&':
			if m.read, m.isHTML = html.UnescapeString(s), true; m.read == s {
				continue
			}
		case stampForm.MatchString(s):
			m.read, m.isTag = " ", true
		case !isPlaceholder(s):
			continue
		default:
			m.written = escaped(s)
		}
		all = append(all, m)
	}
	return all
}

// markup is a text of which parts are no words: what is read of it, and where that stands.
type markup struct {
	raw   string
	marks []mark
	read  strings.Builder
	// at and end are where each byte of what is read stands in raw, and where it ends.
	at, end []int
	// isHTML means that the text has tags or entities, so that <, > and & are written as such.
	isHTML bool
}

func newMarkup(raw string, marks []mark) *markup {
	m := &markup{raw: raw, marks: marks}
	done := 0
	for _, k := range m.marks {
		m.add(raw[done:k.start], done, k.start)
		m.add(k.read, k.start, k.end)
		m.isHTML = m.isHTML || k.isHTML
		done = k.end
	}
	m.add(raw[done:], done, len(raw))
	return m
}

func (m *markup) add(text string, start, end int) {
	m.read.WriteString(text)
	for i := range len(text) {
		if len(text) == end-start { // the same bytes
			m.at, m.end = append(m.at, start+i), append(m.end, start+i+1)
		} else {
			m.at, m.end = append(m.at, start), append(m.end, end)
		}
	}
}

// HideMarkup hides what is no word in all texts of a call that is complete: markup, and placeholders of an earlier redaction.
func (c *Call) HideMarkup() {
	for _, t := range slices.Concat(c.Turns, c.Others) {
		t.hideMarkup()
	}
	hidePlaceholders(c.Repeats)
}

// hideMarkup makes what is no word of a text invisible to those who read it, and keeps it where it stands: tags and
// entities of HTML, without their attributes, and placeholders of an earlier redaction.
func (t *Turn) hideMarkup() {
	hidePlaceholders(t.Repeats)
	if t.Plain || t.Lexical != "" {
		return
	}
	if t.Set == nil {
		t.Text = withoutPlaceholders(t.Text)
		return
	}
	marks := marksOf(t.Text)
	if len(marks) == 0 {
		return
	}
	m := newMarkup(t.Text, marks)
	write := t.Set
	t.Text, t.Set = m.read.String(), nil
	if plain := m.changed(nil); plain != m.raw {
		write(plain)
	}
	var pieces []string
	var at []place
	for start, end := range Words(t.Text) {
		pieces, at = append(pieces, t.Text[start:end]), append(at, place{m.at[start], m.end[end-1]})
	}
	t.Repeats = append(t.Repeats, Repeat{Pieces: pieces, Set: func(spans []Span) {
		var edits []edit
		for _, s := range spans {
			edits = append(edits, edit{at[s.First].start, at[s.Last].end, s.Text})
		}
		write(m.changed(edits))
	}})
	if move := t.Moved; move != nil {
		t.Moved = func(moved func(int) int) { move(m.moved(moved)) }
	}
}

// hidePlaceholders makes placeholders of an earlier redaction invisible in the pieces of repeats.
func hidePlaceholders(repeats []Repeat) {
	for i := range repeats {
		pieces := repeats[i].Pieces
		for k, p := range pieces {
			if without := withoutPlaceholders(p); without != p {
				if &pieces[0] == &repeats[i].Pieces[0] { // the list may be that of somebody else
					pieces = slices.Clone(pieces)
				}
				pieces[k] = without
			}
		}
		repeats[i].Pieces = pieces
	}
}

// changed returns the text with some changes. Tags within what is replaced come after it.
func (m *markup) changed(edits []edit) string {
	s := NewSource(m.raw)
	for _, k := range m.marks {
		if k.written != m.raw[k.start:k.end] {
			s.Replace(k.start, k.end, k.written)
		}
	}
	marks := m.marks
	for _, e := range edits {
		if m.isHTML {
			e.with = tagEscapes.Replace(e.with)
		}
		for len(marks) > 0 && marks[0].start < e.end {
			if k := marks[0]; k.isTag && k.start >= e.start {
				e.with += k.written
			}
			marks = marks[1:]
		}
		s.Replace(e.start, e.end, e.with)
	}
	return s.Changed()
}

var tagEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// moved returns where positions of the raw text are in the clean one, in code points. What the two have more than what is
// read of them is the same before the position.
func (m *markup) moved(at func(int) int) func(int) int {
	return func(point int) int {
		offset := len(m.raw)
		for i := range m.raw {
			if point == 0 {
				offset = i
				break
			}
			point--
		}
		read := m.read.String()[:sort.SearchInts(m.at, offset)]
		n := utf8.RuneCountInString(read)
		return at(n) + utf8.RuneCountInString(m.raw[:offset]) - n
	}
}
