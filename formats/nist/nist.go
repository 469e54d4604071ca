// Package nist reads what NIST's tools that score recognizers read: STM, with a turn a line, and CTM,
// with a word a line.
package nist

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"sotto/formats/harmless"
	"sotto/formats/transcript"
	"sotto/schemas"
)

// field is a field of a line, between spaces.
type field struct{ start, end int }

// reader reads the lines of a file. Each recording that it names is a call.
type reader struct {
	source *transcript.Source
	limits harmless.Limits
	out    transcript.Document
	calls  map[string]*transcript.Call
	files  map[string][]field // where a recording is named
	// comments are texts of the first call.
	comments []field
}

func newReader(s string) *reader {
	r := &reader{source: transcript.NewSource(s), limits: harmless.For(len(s)), calls: map[string]*transcript.Call{}, files: map[string][]field{}}
	r.out.Encode = r.source.Encode
	return r
}

func (r *reader) eachLine(f func(fields []field) error) error {
	s, end := r.source.Text(), 0
	for line := range strings.Lines(s) {
		start := end
		end += len(line)
		fields := split(s, start, end)
		switch {
		case len(fields) == 0:
		case strings.HasPrefix(s[fields[0].start:], ";;"):
			if words := split(s, fields[0].start+len(";;"), end); len(words) > 0 {
				r.comments = append(r.comments, field{words[0].start, words[len(words)-1].end})
			}
		default:
			if err := f(fields); err != nil {
				return err
			}
		}
	}
	return nil
}

// document returns what was read. Comments are texts of the first call.
func (r *reader) document() *transcript.Document {
	if len(r.out.Calls) == 0 && len(r.comments) > 0 {
		r.out.Calls = []*transcript.Call{{}}
	}
	for _, f := range r.comments {
		r.other(r.out.Calls[0], f)
	}
	return &r.out
}

func split(s string, start, end int) (fields []field) {
	for from, to := range transcript.Words(s[start:end]) {
		fields = append(fields, field{start + from, start + to})
	}
	return fields
}

func (r *reader) text(f field) string { return r.source.Text()[f.start:f.end] }

// set replaces a field, which has no spaces.
func (r *reader) set(f field, s string) {
	r.source.Replace(f.start, f.end, strings.Join(strings.Fields(s), "_"))
}

func (r *reader) other(c *transcript.Call, f field) {
	c.AddOther(r.text(f), func(s string) { r.source.Replace(f.start, f.end, strings.Join(strings.Fields(s), " ")) })
}

// recording returns the call of the recording that a line begins with. Its name and the channel are
// texts, unless they are harmless.
func (r *reader) recording(fields []field) *transcript.Call {
	file := r.text(fields[0])
	c := r.calls[file]
	if c == nil {
		c = &transcript.Call{}
		r.calls[file] = c
		r.out.Calls = append(r.out.Calls, c)
	}
	if r.files[file] == nil && !r.limits.Value("id", file) {
		c.AddOther(strings.ReplaceAll(file, "_", " "), func(s string) {
			for _, f := range r.files[file] {
				r.set(f, s)
			}
		})
	}
	r.files[file] = append(r.files[file], fields[0])
	if !r.limits.Value("channel", r.text(fields[1])) && !harmless.Speaker(r.text(fields[1])) {
		r.other(c, fields[1])
	}
	return c
}

// seconds reads a time; false if it is none, or later than a call lasts.
func (r *reader) seconds(f field) (float64, bool) {
	n, err := strconv.ParseFloat(r.text(f), 64)
	return n, err == nil && r.limits.Value("offset", r.text(f))
}

var (
	errSTM = errors.New("a line has not the form of STM: recording, channel, speaker, start, end, words")
	errCTM = errors.New("a line has not the form of CTM: recording, channel, start, duration, word")
)

// labels are the conditions of STM, such as <o,f0,male>.
var labels = regexp.MustCompile(`^<(?:o|f\d|fx|male|female|unknown|,)+>$`)

// ReadSTM reads STM.
func ReadSTM(s string) (*transcript.Document, error) {
	r := newReader(s)
	err := r.eachLine(func(f []field) error {
		if len(f) < 5 {
			return errSTM
		}
		start, isStart := r.seconds(f[3])
		end, isEnd := r.seconds(f[4])
		if !isStart || !isEnd {
			return errSTM
		}
		c := r.recording(f)
		name := strings.ReplaceAll(r.text(f[2]), "_", " ")
		t := &transcript.Turn{Speaker: schemas.Speaker{ID: name}, StartMS: new(int64(start * 1000)), EndMS: new(int64(end * 1000))}
		if !harmless.Speaker(name) {
			t.Speaker.Label, t.SetLabel = name, func(s string) { r.set(f[2], s) }
		}
		words := f[5:]
		if len(words) > 0 && labels.MatchString(r.text(words[0])) {
			words = words[1:]
		}
		if len(words) > 0 {
			at := field{words[0].start, words[len(words)-1].end}
			t.Text, t.Set = r.text(at), func(s string) { r.source.Replace(at.start, at.end, strings.Join(strings.Fields(s), " ")) }
		}
		c.Turns = append(c.Turns, t)
		return nil
	})
	return r.document(), err
}

// pause is how many seconds of silence end a turn of CTM, which has no turns.
const pause = 1

// ReadCTM reads CTM. Words that become one have the start of the first and the end of the last.
func ReadCTM(s string) (*transcript.Document, error) {
	r := newReader(s)
	var lines [][]field
	var last float64
	err := r.eachLine(func(f []field) error {
		if len(f) < 5 {
			return errCTM
		}
		start, isStart := r.seconds(f[2])
		length, isLength := r.seconds(f[3])
		if !isStart || !isLength {
			return errCTM
		}
		if len(lines) > 0 && (r.text(f[0]) != r.text(lines[0][0]) || r.text(f[1]) != r.text(lines[0][1]) || start-last > pause) {
			r.addWords(lines)
			lines = nil
		}
		lines, last = append(lines, f), start+length
		return nil
	})
	if len(lines) > 0 {
		r.addWords(lines)
	}
	return r.document(), err
}

func (r *reader) addWords(lines [][]field) {
	words := make([]string, len(lines))
	var c *transcript.Call
	for i, f := range lines {
		c = r.recording(f)
		words[i] = r.text(f[4])
		for k, more := range f[5:] {
			if k > 0 || !r.limits.Value("confidence", r.text(more)) {
				r.other(c, more)
			}
		}
	}
	start, _ := r.seconds(lines[0][2])
	t := &transcript.Turn{Speaker: schemas.Speaker{ID: "channel " + r.text(lines[0][1])}, Text: transcript.JoinWords(words), StartMS: new(int64(start * 1000))}
	repeat := transcript.WordsRepeat(words, func(first, last int, text string) {
		a, b := lines[first], lines[last]
		r.set(a[4], text)
		if first == last {
			return
		}
		begin, _ := r.seconds(a[2])
		end, _ := r.seconds(b[2])
		length, _ := r.seconds(b[3])
		r.source.Replace(a[3].start, a[3].end, strconv.FormatFloat(end+length-begin, 'f', 2, 64))
		r.source.Replace(a[len(a)-1].end, b[len(b)-1].end, "")
	})
	repeat.Times = func(i int) (*int64, *int64) {
		begin, _ := r.seconds(lines[i][2])
		length, _ := r.seconds(lines[i][3])
		return new(int64(begin * 1000)), new(int64((begin + length) * 1000))
	}
	t.Repeats = []transcript.Repeat{repeat}
	c.Turns = append(c.Turns, t)
}
