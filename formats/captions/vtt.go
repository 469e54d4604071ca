package captions

import (
	"errors"
	"regexp"
	"strings"

	"sotto/formats/transcript"
	"sotto/schemas"
)

// arrow is the line of a cue with its times.
var arrow = regexp.MustCompile(`^((?:\d+:)?\d\d:\d\d[.,]\d{3})[ \t]+-->[ \t]+((?:\d+:)?\d\d:\d\d[.,]\d{3})(.*)$`)

var errNoCue = errors.New("it has no cue: a line such as 00:00:01.000 --> 00:00:04.000")

// line is a line of a text, without its line break, and where it is.
type line struct {
	text  string
	start int
}

// lines splits a text, whatever its line breaks.
func lines(s string) []line {
	var out []line
	for start := 0; start <= len(s); {
		n := strings.IndexAny(s[start:], "\r\n")
		if n < 0 {
			return append(out, line{s[start:], start})
		}
		out = append(out, line{s[start : start+n], start})
		if strings.HasPrefix(s[start+n:], "\r\n") {
			n++
		}
		start += n + 1
	}
	return out
}

// reader reads WebVTT or SRT.
type reader struct {
	source *transcript.Source
	call   *transcript.Call
	cues   []cue
	// markup means that <, > and & are those of WebVTT.
	markup bool
}

// ReadVTT reads WebVTT. Comments, styles and the names of cues are texts of the call.
func ReadVTT(s string) (*transcript.Document, error) { return read(s, true) }

// ReadSRT reads SRT.
func ReadSRT(s string) (*transcript.Document, error) { return read(s, false) }

func read(s string, vtt bool) (*transcript.Document, error) {
	r := &reader{source: transcript.NewSource(s), call: &transcript.Call{}, markup: vtt}
	all := lines(s)
	if vtt && len(all) > 0 {
		if header := strings.TrimPrefix(all[0].text, "WEBVTT"); strings.TrimSpace(header) != "" {
			r.other(line{header, all[0].start + len("WEBVTT")})
		}
		all = all[1:]
	}
	for len(all) > 0 {
		n := 0
		for n < len(all) && strings.TrimSpace(all[n].text) != "" {
			n++
		}
		r.block(all[:n])
		all = all[min(n+1, len(all)):]
	}
	if len(r.cues) == 0 {
		return nil, errNoCue
	}
	addTurns(r.call, r.cues)
	return &transcript.Document{Calls: []*transcript.Call{r.call}, Encode: func() ([]byte, error) { return []byte(r.source.Changed()), nil }}, nil
}

// other makes a line a text of the call that nobody said.
func (r *reader) other(l line) {
	if strings.TrimSpace(l.text) == "" {
		return
	}
	r.call.Others = append(r.call.Others, &transcript.Turn{Text: l.text, Set: func(clean string) {
		r.source.Replace(l.start, l.start+len(l.text), oneLine(clean))
	}})
}

// cueID are the names of cues that say nothing: numbers, and those of Teams.
var cueID = regexp.MustCompile(`^(?:\d{1,6}|[0-9a-fA-F-]{36}(?:/\d{1,6}-\d{1,6})?)$`)

// block reads what is between two blank lines.
func (r *reader) block(block []line) {
	for i, l := range block {
		m := arrow.FindStringSubmatchIndex(l.text)
		if m == nil {
			continue
		}
		for _, id := range block[:i] {
			if !cueID.MatchString(strings.TrimSpace(id.text)) {
				r.other(id)
			}
		}
		if settings := l.text[m[6]:m[7]]; !harmlessSettings.MatchString(settings) {
			r.source.Replace(l.start+m[6], l.start+m[7], "")
		}
		r.cue(block[i+1:], l.text[m[2]:m[3]], l.text[m[4]:m[5]])
		return
	}
	for _, l := range block {
		r.other(l)
	}
}

var harmlessSettings = regexp.MustCompile(`^(?:[ \t]+(?:align|position|line|size|vertical|region|X1|X2|Y1|Y2):[a-z0-9.,%-]+)*[ \t]*$`)

// cue reads the lines of a cue.
func (r *reader) cue(text []line, start, end string) {
	c := cue{start: milliseconds(start), end: milliseconds(end)}
	var voices []cue // a cue with several voices is several
	for i, l := range text {
		at := 0
		if label, words, ok := cutLabel(l.text); ok && (i == 0 || c.setLabel != nil) && !strings.Contains(l.text[:words], "<") {
			if len(c.runs) > 0 {
				voices = append(voices, c)
				c.runs = nil
			}
			name := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(label), "-"))
			from := l.start + strings.Index(label, name)
			c.speaker = schemas.Speaker{ID: name, Label: r.decode(name)}
			c.setLabel = func(s string) { r.source.Replace(from, from+len(name), r.encode(s)) }
			at = words
		}
		voices = r.runs(l, at, &c, voices)
	}
	r.cues = append(append(r.cues, voices...), c)
}

// runs adds the text of a line, from a position, to a cue: what is between tags.
func (r *reader) runs(l line, at int, c *cue, voices []cue) []cue {
	for at < len(l.text) {
		n := strings.IndexByte(l.text[at:], '<')
		if n < 0 {
			r.run(l, at, len(l.text), c)
			return voices
		}
		r.run(l, at, at+n, c)
		at += n
		closing := strings.IndexByte(l.text[at:], '>')
		if closing < 0 {
			r.run(l, at, len(l.text), c)
			return voices
		}
		if name, ok := voice(l.text[at : at+closing]); ok {
			if len(c.runs) > 0 {
				voices = append(voices, *c)
				c.runs = nil
			}
			from := l.start + at + closing - len(name)
			c.speaker = schemas.Speaker{ID: name, Label: r.decode(name)}
			c.setLabel = func(s string) { r.source.Replace(from, from+len(name), r.encode(s)) }
		} else if !harmlessTag.MatchString(l.text[at : at+closing+1]) {
			r.source.Replace(l.start+at, l.start+at+closing+1, "")
		}
		at += closing + 1
	}
	return voices
}

// harmlessTag are tags that hold no words.
var harmlessTag = regexp.MustCompile(`^</?(?:[biuv]|c|ruby|rt|lang|font)?(?:\.[a-z_]{1,20})*(?: color="?#?[a-zA-Z0-9]{1,12}"?)?>$|^<[\d:.]+>$`)

// voice returns the name in a tag <v Name or <v.loud Name.
func voice(tag string) (name string, ok bool) {
	kind, name, ok := strings.Cut(tag, " ")
	if !ok || kind != "<v" && !strings.HasPrefix(kind, "<v.") || strings.TrimSpace(name) == "" {
		return "", false
	}
	return strings.TrimLeft(name, " "), true
}

func (r *reader) run(l line, from, to int, c *cue) {
	if strings.TrimSpace(l.text[from:to]) == "" {
		return
	}
	c.runs = append(c.runs, transcript.Slot{Text: r.decode(l.text[from:to]), Set: func(clean string) {
		r.source.Replace(l.start+from, l.start+to, r.encode(oneLine(clean)))
	}})
}

var (
	vttDecoder = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&nbsp;", "\u00a0", "&lrm;", "\u200e", "&rlm;", "\u200f", "&amp;", "&")
	vttEncoder = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
)

func (r *reader) decode(s string) string {
	if r.markup {
		return vttDecoder.Replace(s)
	}
	return s
}

func (r *reader) encode(s string) string {
	if r.markup {
		return vttEncoder.Replace(s)
	}
	return s
}

// oneLine replaces line breaks, which would end a line.
func oneLine(s string) string { return strings.NewReplacer("\r", " ", "\n", " ").Replace(s) }

// milliseconds reads a time of a cue.
func milliseconds(s string) *int64 {
	var ms, part int64
	for _, b := range []byte(s) {
		if b >= '0' && b <= '9' {
			part = part*10 + int64(b-'0')
			continue
		}
		ms, part = (ms+part)*60, 0
		if b != ':' { // the seconds end; what follows are thousandths
			ms = ms / 60 * 1000
		}
	}
	ms += part
	return &ms
}

// IsSRT reports whether a text begins as SRT does: with a number and a line of times, or with times.
func IsSRT(s string) bool {
	for i, l := range lines(s[:min(len(s), 200)]) {
		if arrow.MatchString(l.text) {
			return true
		}
		if i > 0 || strings.Trim(l.text, "0123456789 ") != "" {
			return false
		}
	}
	return false
}
