package captions

import (
	"errors"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sotto/files/formats/harmless"
	"sotto/files/formats/jsondoc"
	"sotto/files/formats/transcript"
	"sotto/schemas"
)

// arrow is the line of a cue with its times.
var arrow = regexp.MustCompile(`^((?:\d{1,2}:)?[0-5]\d:[0-5]\d[.,]\d{3})[ \t]+-->[ \t]+((?:\d{1,2}:)?[0-5]\d:[0-5]\d[.,]\d{3})((?:[ \t].*)?)$`)

// commas is the line of a cue of SBV with its times.
var commas = regexp.MustCompile(`^(\d{1,2}:[0-5]\d:[0-5]\d\.\d{3}),(\d{1,2}:[0-5]\d:[0-5]\d\.\d{3})()$`)

// reader reads WebVTT, SRT or SBV.
type reader struct {
	source *transcript.Source
	call   *transcript.Call
	cues   []cue
	// times is the line of a cue with its times.
	times *regexp.Regexp
	// markup means that <, > and & are those of WebVTT.
	markup bool
	lines  int
	// inner write the cues that are JSON.
	inner []func() error
}

// ReadVTT reads WebVTT. Comments, styles and the names of cues are texts of the call.
func ReadVTT(s string) (*transcript.Document, error) { return read(s, true, arrow) }

// ReadSRT reads SRT.
func ReadSRT(s string) (*transcript.Document, error) { return read(s, false, arrow) }

// ReadSBV reads SBV, the captions of YouTube.
func ReadSBV(s string) (*transcript.Document, error) { return read(s, false, commas) }

func read(s string, vtt bool, times *regexp.Regexp) (*transcript.Document, error) {
	r := &reader{source: transcript.NewSource(s), call: &transcript.Call{}, markup: vtt, times: times}
	all := transcript.Lines(s)
	r.lines = len(all)
	if vtt && len(all) > 0 {
		if header := strings.TrimPrefix(all[0].Text, "WEBVTT"); strings.TrimSpace(header) != "" {
			r.other(transcript.Line{Text: header, Start: all[0].Start + len("WEBVTT")})
		}
		all = all[1:]
	}
	for len(all) > 0 {
		n := 0
		for n < len(all) && !r.isBlank(all, n) && !r.beginsNext(all, n) {
			n++
		}
		r.block(all[:n])
		if n < len(all) && r.isBlank(all, n) {
			n++
		}
		all = all[n:]
	}
	if len(r.cues) == 0 {
		return nil, errors.New("it has no cue: a line such as 00:00:01.000 --> 00:00:04.000, or 0:00:01.000,0:00:04.000 in SBV")
	}
	addTurns(r.call, r.cues)
	return &transcript.Document{Calls: []*transcript.Call{r.call}, Encode: r.changed}, nil
}

// isBlank reports whether a line ends what is before it. In WebVTT a space is text; others have lines of spaces there, too.
func (r *reader) isBlank(all []transcript.Line, i int) bool {
	return all[i].Text == "" || !r.markup && strings.TrimSpace(all[i].Text) == "" && (i == 0 || !r.times.MatchString(all[i-1].Text))
}

// beginsNext reports whether a cue begins at a line, without a blank one before it: with its times, or with a number before
// them if the cue above had one, too.
func (r *reader) beginsNext(all []transcript.Line, i int) bool {
	isTimes := func(i int) bool { return i < len(all) && r.times.MatchString(all[i].Text) }
	isNumber := func(i int) bool { return strings.Trim(all[i].Text, "0123456789") == "" && r.saysNothing(all[i].Text) }
	if isTimes(i) {
		return slices.ContainsFunc(all[:i], func(l transcript.Line) bool { return r.times.MatchString(l.Text) })
	}
	return i > 1 && isTimes(i+1) && isNumber(i) && isNumber(0) && isTimes(1)
}

func (r *reader) changed() ([]byte, error) {
	for _, write := range r.inner {
		if err := write(); err != nil {
			return nil, err
		}
	}
	return []byte(r.source.Changed()), nil
}

// other makes a line a text of the call that nobody said.
func (r *reader) other(l transcript.Line) {
	if strings.TrimSpace(l.Text) != "" {
		r.call.AddOther(l.Text, func(clean string) { r.source.Replace(l.Start, l.Start+len(l.Text), oneLine(clean)) })
	}
}

// partOfCue is what Teams writes behind the UUID of a cue.
var partOfCue = regexp.MustCompile(`/\d{1,4}-\d{1,4}$`)

// saysNothing reports whether the name of a cue is one of Teams, or a number that is not larger
// than the number of lines.
func (r *reader) saysNothing(name string) bool {
	if n, err := strconv.ParseUint(name, 10, 32); err == nil {
		return n <= uint64(r.lines)
	}
	return harmless.For(0).Value("uuid", partOfCue.ReplaceAllString(name, ""))
}

// block reads what is between two blank lines.
func (r *reader) block(block []transcript.Line) {
	for i, l := range block {
		m := r.times.FindStringSubmatchIndex(l.Text)
		if m == nil {
			continue
		}
		for _, id := range block[:i] {
			if !r.saysNothing(strings.TrimSpace(id.Text)) {
				r.other(id)
			}
		}
		if settings := l.Text[m[6]:m[7]]; knownSettings(settings) != settings {
			r.source.Replace(l.Start+m[6], l.Start+m[7], knownSettings(settings))
		}
		c := cue{start: milliseconds(l.Text[m[2]:m[3]]), end: milliseconds(l.Text[m[4]:m[5]])}
		if !r.jsonCue(block[i+1:], c) {
			r.cue(block[i+1:], c)
		}
		return
	}
	css := r.markup && len(block) > 0 && (block[0].Text == "STYLE" || block[0].Text == "REGION")
	for i, l := range block {
		switch {
		case css && (i == 0 || knownCSS(l.Text)):
		case css && strings.ContainsAny(l.Text, "{}:;"):
			r.source.Replace(l.Start, l.Start+len(l.Text), withoutRule(l.Text))
		default:
			r.other(l)
		}
	}
}

// jsonCue reads a cue that is a JSON object, as Microsoft Graph writes them, and reports whether it is
// one.
func (r *reader) jsonCue(text []transcript.Line, c cue) bool {
	if len(text) == 0 || !strings.HasPrefix(text[0].Text, "{") {
		return false
	}
	start, end := text[0].Start, text[len(text)-1].Start+len(text[len(text)-1].Text)
	d := jsondoc.ReadUtterance(r.source.Text()[start:end])
	if d == nil {
		return false
	}
	of := d.Calls[0]
	t := of.Turns[0]
	c.speaker, c.setLabel = t.Speaker, t.SetLabel
	c.runs = []transcript.Slot{{Text: t.Text, Set: t.Set}}
	r.cues = append(r.cues, c)
	r.call.Others = append(r.call.Others, of.Others...)
	r.call.Repeats = append(r.call.Repeats, t.Repeats...)
	r.inner = append(r.inner, func() error {
		out, err := d.Encode()
		r.source.Replace(start, end, string(out))
		return err
	})
	return true
}

func (r *reader) cue(text []transcript.Line, c cue) {
	for len(text) > 0 && strings.TrimSpace(text[0].Text) == "" {
		text = text[1:]
	}
	for i, l := range text {
		at := 0
		if label, words, ok := cutLabel(l.Text); ok && (i == 0 || c.setLabel != nil) && !strings.Contains(l.Text[:words], "<") {
			name := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(label), "-"))
			r.speak(&c, name, l.Start+strings.Index(label, name))
			at = words
		}
		r.runs(l, at, &c)
	}
	r.cues = append(r.cues, c)
}

// speak begins the words of another voice within a cue; those before become a cue of their own. The name of the voice
// stands at position from of the file.
func (r *reader) speak(c *cue, name string, from int) {
	if len(c.runs) > 0 {
		r.cues = append(r.cues, *c)
		c.runs = nil
	}
	c.speaker = schemas.Speaker{ID: name, Label: r.decode(name)}
	c.setLabel = func(s string) { r.source.Replace(from, from+len(name), r.encode(s)) }
}

// runs adds the text of a line, from a position, to a cue: what is between tags.
func (r *reader) runs(l transcript.Line, at int, c *cue) {
	for at < len(l.Text) {
		text, _, tagged := strings.Cut(l.Text[at:], "<")
		r.run(l, at, at+len(text), c)
		if !tagged {
			return
		}
		at += len(text)
		closing := strings.IndexByte(l.Text[at:], '>')
		if closing < 0 {
			r.run(l, at, len(l.Text), c)
			return
		}
		if name, kind, ok := voice(l.Text[at : at+closing]); ok {
			if classes := kind[len("<v"):]; knownClasses(classes) != classes {
				r.source.Replace(l.Start+at, l.Start+at+len(kind), "<v"+knownClasses(classes))
			}
			r.speak(c, name, l.Start+at+closing-len(name))
		} else if tag := l.Text[at : at+closing+1]; knownTag(tag, c) != tag {
			r.source.Replace(l.Start+at, l.Start+at+closing+1, knownTag(tag, c))
		}
		at += closing + 1
	}
}

// voice returns the name in a tag <v Name or <v.loud Name, and what is before it.
func voice(tag string) (name, kind string, ok bool) {
	kind, name, ok = strings.Cut(tag, " ")
	if !ok || kind != "<v" && !strings.HasPrefix(kind, "<v.") || strings.TrimSpace(name) == "" {
		return "", "", false
	}
	return strings.TrimLeft(name, " "), kind, true
}

func (r *reader) run(l transcript.Line, from, to int, c *cue) {
	if strings.TrimSpace(l.Text[from:to]) == "" {
		return
	}
	c.runs = append(c.runs, transcript.Slot{Text: r.decode(l.Text[from:to]), Set: func(clean string) {
		r.source.Replace(l.Start+from, l.Start+to, r.encode(oneLine(clean)))
	}})
}

// escapes are those of text, in WebVTT and XML.
var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func (r *reader) decode(s string) string {
	if r.markup {
		return html.UnescapeString(s)
	}
	return s
}

func (r *reader) encode(s string) string {
	if r.markup {
		return escapes.Replace(s)
	}
	return s
}

// oneLine replaces line breaks, which would end a line.
func oneLine(s string) string { return strings.NewReplacer("\r", " ", "\n", " ").Replace(s) }

func milliseconds(s string) *int64 {
	var minutes, ms int64
	for part := range strings.SplitSeq(strings.NewReplacer(".", "", ",", "").Replace(s), ":") {
		minutes = minutes*60 + ms
		ms, _ = strconv.ParseInt(part, 10, 64) // the seconds have three decimals
	}
	return new(minutes*60_000 + ms)
}

// IsSRT reports whether a text begins as SRT does: with a number and a line of times, or with times.
func IsSRT(s string) bool {
	for i, l := range transcript.Lines(s[:min(len(s), 200)]) {
		if arrow.MatchString(l.Text) {
			return true
		}
		if i > 0 || strings.Trim(l.Text, "0123456789 ") != "" {
			return false
		}
	}
	return false
}

// IsSBV reports whether a text begins as SBV does, with a line of times.
func IsSBV(s string) bool {
	return commas.MatchString(transcript.Lines(s[:min(len(s), 200)])[0].Text)
}
