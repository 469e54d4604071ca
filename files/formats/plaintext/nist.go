package plaintext

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"sotto/files/formats/harmless"
	"sotto/files/formats/transcript"
	"sotto/schemas"
)

// The formats of NIST's scoring tools: STM has a segment a line, CTM a word a line.
var (
	stmLine = regexp.MustCompile(`^[ \t]*(\S+)[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\d{1,6}(?:\.\d{1,9})?)[ \t]+(\d{1,6}(?:\.\d{1,9})?)(?:[ \t]+<[^<>]*>)?[ \t]*(.*)$`)
	ctmLine = regexp.MustCompile(`^[ \t]*(\S+)[ \t]+(\S+)[ \t]+(\d{1,6}(?:\.\d{1,9})?)[ \t]+(\d{1,6}(?:\.\d{1,9})?)[ \t]+(\S+)(?:[ \t]+(?:-?\d(?:\.\d{1,9})?|NA)(?:[ \t]+[a-z-]{2,12}(?:[ \t]+\S+)?)?)?[ \t]*$`)
	// stmFrame are the comments that say what the labels of segments mean.
	stmFrame = regexp.MustCompile(`^;;[ \t]*(?:(?:LABEL|CATEGORY)\b.*)?$`)
)

// ctmPause is how many milliseconds of silence end what is read as one text.
const ctmPause = 2000

// IsCTM and IsSTM report whether all lines of a text are of the format, at least two of them.
func IsCTM(text string) bool { return allLines(text, ctmLine) }

// IsSTM is like IsCTM.
func IsSTM(text string) bool { return allLines(text, stmLine) }

func allLines(text string, form *regexp.Regexp) bool {
	n := 0
	for l := range strings.Lines(text) { // one after the other: most texts are none in their first line
		switch l = strings.TrimRight(l, "\r\n"); {
		case strings.TrimSpace(l) == "" || strings.HasPrefix(l, ";;"):
		case !form.MatchString(l):
			return false
		default:
			n++
		}
	}
	return n > 1
}

// nist reads a file line by line. A recording is a call.
type nist struct {
	source *transcript.Source
	doc    *transcript.Document
	calls  map[string]*transcript.Call
}

func newNIST(text string) *nist {
	s := transcript.NewSource(text)
	return &nist{s, &transcript.Document{Encode: s.Encode}, map[string]*transcript.Call{}}
}

// ReadSTM reads segments.
func ReadSTM(text string) (*transcript.Document, error) {
	r := newNIST(text)
	for _, l := range transcript.Lines(text) {
		m := r.match(l, stmLine)
		if m == nil {
			continue
		}
		c := r.call(l, m)
		t := &transcript.Turn{Speaker: schemas.Speaker{ID: l.Text[m[6]:m[7]]}, StartMS: millis(l.Text[m[8]:m[9]]), EndMS: millis(l.Text[m[10]:m[11]])}
		if s := t.Speaker.ID; !harmless.Speaker(s) && harmless.MayBeName(s) {
			t.Speaker.Label, t.SetLabel = s, r.source.Setter(l.Start+m[6], l.Start+m[7])
		}
		t.Text, t.Set = l.Text[m[12]:m[13]], r.source.Setter(l.Start+m[12], l.Start+m[13])
		c.Turns = append(c.Turns, t)
	}
	return r.doc, nil
}

// ReadCTM reads words. Those of a recording and a channel without a pause between them are a text.
func ReadCTM(text string) (*transcript.Document, error) {
	r := newNIST(text)
	var c *transcript.Call
	var words []ctmWord
	channel := ""
	flush := func() {
		if len(words) > 0 {
			c.Turns = append(c.Turns, r.turn(channel, words))
		}
		words = nil
	}
	for _, l := range transcript.Lines(text) {
		m := r.match(l, ctmLine)
		if m == nil {
			continue
		}
		w := ctmWord{line: l, at: m, start: *millis(l.Text[m[6]:m[7]])}
		w.end = w.start + *millis(l.Text[m[8]:m[9]])
		of := r.call(l, m)
		if here := l.Text[m[4]:m[5]]; of != c || here != channel || len(words) > 0 && w.start > words[len(words)-1].end+ctmPause {
			flush()
			c, channel = of, here
		}
		words = append(words, w)
	}
	flush()
	return r.doc, nil
}

// ctmWord is a line of a CTM and where its fields are.
type ctmWord struct {
	line       transcript.Line
	at         []int
	start, end int64
}

// turn returns the words of a channel as a turn. What is masked becomes one line.
func (r *nist) turn(channel string, words []ctmWord) *transcript.Turn {
	pieces := make([]string, len(words))
	for i, w := range words {
		pieces[i] = w.line.Text[w.at[10]:w.at[11]]
	}
	t := &transcript.Turn{Speaker: schemas.Speaker{ID: channel}, Text: transcript.JoinWords(pieces), StartMS: &words[0].start, EndMS: &words[len(words)-1].end}
	repeat := transcript.WordsRepeat(pieces, func(first, last int, text string) {
		a, b := words[first], words[last]
		r.source.Replace(a.line.Start+a.at[10], a.line.Start+a.at[11], strings.ReplaceAll(text, " ", "_"))
		if first == last {
			return
		}
		r.source.Replace(a.line.Start+a.at[8], a.line.Start+a.at[9], strconv.FormatFloat(float64(b.end-a.start)/1000, 'f', 2, 64))
		r.source.Replace(a.line.Start+len(a.line.Text), b.line.Start+len(b.line.Text), "")
	})
	repeat.Times = func(piece int) (start, end *int64) { return &words[piece].start, &words[piece].end }
	t.Repeats = []transcript.Repeat{repeat}
	return t
}

// match returns where the fields of a line are, nil if it is a comment or empty. Other lines and comments are texts that nobody said.
func (r *nist) match(l transcript.Line, form *regexp.Regexp) []int {
	if !strings.HasPrefix(l.Text, ";;") {
		if m := form.FindStringSubmatchIndex(l.Text); m != nil {
			return m
		}
	}
	if strings.TrimSpace(l.Text) != "" && !stmFrame.MatchString(l.Text) {
		r.callOf("").AddOther(l.Text, r.source.Setter(l.Start, l.Start+len(l.Text)))
	}
	return nil
}

// call returns the call of a line. The names in that of a recording are masked, the rest stays, so that files about one recording
// still belong together.
func (r *nist) call(l transcript.Line, m []int) *transcript.Call {
	id := l.Text[m[2]:m[3]]
	c := r.callOf(id)
	c.SetID = append(c.SetID, r.source.Setter(l.Start+m[2], l.Start+m[3]))
	at := l.Start + m[2]
	for i := 0; i < len(id); {
		n := strings.IndexFunc(id[i:], unicode.IsLetter)
		if n < 0 {
			break
		}
		i += n
		j := len(id)
		if n := strings.IndexFunc(id[i:], func(x rune) bool { return !unicode.IsLetter(x) }); n >= 0 {
			j = i + n
		}
		if word := id[i:j]; harmless.MayBeName(word) {
			c.Labels = append(c.Labels, transcript.Label{Speaker: schemas.Speaker{Label: word}, Set: r.source.Setter(at+i, at+j)})
		}
		i = j
	}
	return c
}

func (r *nist) callOf(id string) *transcript.Call {
	c := r.calls[id]
	if c == nil {
		c = &transcript.Call{ID: id}
		r.calls[id] = c
		r.doc.Calls = append(r.doc.Calls, c)
	}
	return c
}
