package captions

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"sotto/files/formats/transcript"
	"sotto/schemas"
)

var errNotXML = errors.New("it is not valid XML")

type ttml struct {
	source *transcript.Source
	call   *transcript.Call
	cues   []cue
	// open are the elements around what is read.
	open []string
	// agent is the ID of the agent that is being named, names are those that were read.
	agent string
	names map[string]string
	cue   *cue
	// renamed are identifiers that could be somebody's, with what replaces them.
	renamed map[string]string
	// tickRate is how many ticks a second has, 0 if that is not known.
	tickRate float64
}

// ReadTTML reads TTML. A paragraph is a cue; its agent is the speaker. All other text is text of
// the call. Comments go, and so do the tags of elements, the names of attributes and the values
// that are not known.
func ReadTTML(s string) (*transcript.Document, error) {
	t := &ttml{source: transcript.NewSource(s), call: &transcript.Call{}, names: map[string]string{}, renamed: map[string]string{}}
	d := xml.NewDecoder(strings.NewReader(s))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it was decoded
	for {
		start := int(d.InputOffset())
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errNotXML
		}
		if err := t.token(token, start, int(d.InputOffset())); err != nil {
			return nil, err
		}
	}
	if len(t.cues) == 0 {
		return nil, errors.New("it has no paragraph <p>")
	}
	for i := range t.cues {
		if name, ok := t.names[t.cues[i].speaker.ID]; ok {
			t.cues[i].speaker.Label = name
		}
	}
	addTurns(t.call, t.cues)
	return &transcript.Document{Calls: []*transcript.Call{t.call}, Encode: t.source.Encode}, nil
}

func (t *ttml) token(token xml.Token, start, end int) error {
	switch e := token.(type) {
	case xml.StartElement:
		return t.startElement(e, start, end)
	case xml.EndElement:
		if e.Name.Local == "p" && t.cue != nil {
			t.cues, t.cue = append(t.cues, *t.cue), nil
		}
		if len(t.open) > 0 {
			t.open = t.open[:len(t.open)-1]
		}
		if !knownElement(e.Name) && start < end {
			t.source.Replace(start, end, "")
		}
	case xml.CharData:
		t.text(string(e), start, end)
	case xml.Comment:
		t.source.Replace(start, end, "")
	case xml.ProcInst:
		if e.Target != "xml" {
			t.source.Replace(start, end, "")
		} else if !declaration.MatchString(t.source.Text()[start:end]) {
			t.source.Replace(start, end, `<?xml version="1.0"?>`)
		}
	case xml.Directive: // a declaration may define entities
		t.source.Replace(start, end, "")
	}
	return nil
}

func (t *ttml) startElement(e xml.StartElement, start, end int) error {
	t.open = append(t.open, e.Name.Local)
	raw := t.source.Text()[start:end]
	if err := t.tag(e, raw, start, end); err != nil {
		return err
	}
	attribute := func(name string) string { return transcript.Attribute(e, name) }
	switch e.Name.Local {
	case "tt":
		t.tickRate, _ = strconv.ParseFloat(attribute("tickRate"), 64)
	case "agent":
		t.agent = attribute("id")
	case "p":
		t.cue = &cue{speaker: schemas.Speaker{ID: attribute("agent")}, start: clock(attribute("begin")), end: clock(attribute("end"))}
	case "span":
		if a := attribute("agent"); a != "" && t.cue != nil && len(t.cue.runs) == 0 {
			t.cue.speaker.ID = a
		}
	}
	if strings.HasSuffix(raw, "/>") && e.Name.Local == "p" {
		t.cue = nil
	}
	return nil
}

// attribute finds the attributes of an element.
var attribute = regexp.MustCompile(`\s*[^\s=/<>"']+\s*=\s*("[^"]*"|'[^']*')`)

// tag removes what is not known of the tag that begins an element.
func (t *ttml) tag(e xml.StartElement, raw string, start, end int) error {
	if !knownElement(e.Name) {
		if e.Name.Local == "tt" || e.Name.Local == "p" {
			return errors.New("the prefix of its namespace is not one that TTML files have, such as tt")
		}
		t.source.Replace(start, end, "")
		return nil
	}
	name := len("<") + strings.IndexAny(raw[1:], " \t\r\n/>")
	found := attribute.FindAllStringSubmatchIndex(raw[name:], -1)
	if len(found) != len(e.Attr) {
		return errNotXML
	}
	for i, m := range found {
		value := e.Attr[i].Value
		switch kept, ok := t.keptAttribute(e.Attr[i].Name, value); {
		case !ok:
			t.source.Replace(start+name+m[0], start+name+m[1], "")
		case kept != value:
			t.source.Replace(start+name+m[2]+1, start+name+m[3]-1, kept)
		}
	}
	return nil
}

func (t *ttml) text(s string, start, end int) {
	if strings.TrimSpace(s) == "" {
		return
	}
	set := func(clean string) { t.source.Replace(start, end, escapes.Replace(clean)) }
	switch {
	case t.cue != nil:
		t.cue.runs = append(t.cue.runs, transcript.Slot{Text: s, Set: set})
	case t.agent != "" && len(t.open) > 0 && t.open[len(t.open)-1] == "name":
		t.names[t.agent] = s
		t.call.Labels = append(t.call.Labels, transcript.Label{Speaker: schemas.Speaker{ID: t.agent, Label: s}, Set: set})
	default:
		t.call.AddOther(s, set)
	}
}

// clock reads a time such as 00:00:01.000 or 1.5s; nil if it is another one.
func clock(s string) *int64 {
	if f, err := strconv.ParseFloat(strings.TrimSuffix(s, "s"), 64); err == nil && strings.HasSuffix(s, "s") {
		return new(int64(f * 1000))
	}
	if !regexp.MustCompile(`^\d+:\d\d:\d\d\.\d{3}$`).MatchString(s) {
		return nil
	}
	return milliseconds(s)
}
