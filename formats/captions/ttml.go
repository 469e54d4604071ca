package captions

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"

	"sotto/formats/transcript"
	"sotto/schemas"
)

var errNotXML = errors.New("it is not valid XML")

// ttml reads TTML.
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
}

// ReadTTML reads TTML. A paragraph is a cue; its agent is the speaker. All other text, all comments
// and all attributes that are not known are texts of the call.
func ReadTTML(s string) (*transcript.Document, error) {
	t := &ttml{source: transcript.NewSource(s), call: &transcript.Call{}, names: map[string]string{}}
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
		t.token(token, start, int(d.InputOffset()))
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
	return &transcript.Document{Calls: []*transcript.Call{t.call}, Encode: func() ([]byte, error) { return []byte(t.source.Changed()), nil }}, nil
}

func (t *ttml) token(token xml.Token, start, end int) {
	switch e := token.(type) {
	case xml.StartElement:
		t.startElement(e, start, end)
	case xml.EndElement:
		if e.Name.Local == "p" && t.cue != nil {
			t.cues, t.cue = append(t.cues, *t.cue), nil
		}
		if len(t.open) > 0 {
			t.open = t.open[:len(t.open)-1]
		}
	case xml.CharData:
		t.text(string(e), start, end)
	case xml.Comment:
		t.source.Replace(start, end, "")
	case xml.ProcInst:
		if e.Target != "xml" {
			t.source.Replace(start, end, "")
		}
	case xml.Directive: // a declaration may define entities
		t.source.Replace(start, end, "")
	}
}

func (t *ttml) startElement(e xml.StartElement, start, end int) {
	t.open = append(t.open, e.Name.Local)
	raw := t.source.Text()[start:end]
	t.attributes(raw, start)
	attribute := func(name string) string {
		for _, a := range e.Attr {
			if a.Name.Local == name {
				return a.Value
			}
		}
		return ""
	}
	switch e.Name.Local {
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
}

// attribute finds the attributes of an element.
var attribute = regexp.MustCompile(`([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')`)

// harmlessAttribute are names of attributes that say nothing of anybody if they have the form of
// harmlessValue.
var (
	harmlessAttribute = regexp.MustCompile(`^(?:xmlns(?::\w+)?|xml:(?:lang|space|id)|(?:ttp|tts|itts|ittp|ebutts|smpte|m608):\w+|begin|end|dur|region|style|id|type|timeContainer|(?:ttm:)?(?:agent|role))$`)
	harmlessValue     = regexp.MustCompile(`^(?:https?://www\.w3\.org/[\w/#.-]*|http://www\.smpte-ra\.org/[\w/#.-]*|urn:ebu:[\w:.-]*|[\d:.,%]{1,16}(?:[a-z%]{1,3})?(?: [\d.]{1,8}(?:[a-z%]{1,3})?)*|#[0-9a-fA-F]{3,8}|[a-zA-Z]{2,3}(?:-[A-Za-z]{2,4})*|(?i:speaker|agent|customer|spk|s|p|r|c|caption|region|style|line|sub)[ _-]?\d{0,4}|[a-z]{3,12}(?:[A-Z][a-z]{2,9})?)$`)
)

// attributes makes the values that are not known to be harmless texts of the call.
func (t *ttml) attributes(raw string, start int) {
	for _, m := range attribute.FindAllStringSubmatchIndex(raw, -1) {
		name, from, to := raw[m[2]:m[3]], m[4]+1, m[5]-1
		if value := raw[from:to]; value != "" && !(harmlessAttribute.MatchString(name) && harmlessValue.MatchString(value)) {
			t.call.Others = append(t.call.Others, &transcript.Turn{Text: unescape(value), Set: func(clean string) {
				t.source.Replace(start+from, start+to, escapeQuotes(escape(clean)))
			}})
		}
	}
}

func (t *ttml) text(s string, start, end int) {
	if strings.TrimSpace(s) == "" {
		return
	}
	set := func(clean string) { t.source.Replace(start, end, escape(clean)) }
	switch {
	case t.cue != nil:
		t.cue.runs = append(t.cue.runs, transcript.Slot{Text: s, Set: set})
	case t.agent != "" && len(t.open) > 0 && t.open[len(t.open)-1] == "name":
		t.names[t.agent] = s
		t.call.Labels = append(t.call.Labels, transcript.Label{Speaker: schemas.Speaker{ID: t.agent, Label: s}, Set: set})
	default:
		t.call.Others = append(t.call.Others, &transcript.Turn{Text: s, Set: set})
	}
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

func escapeQuotes(s string) string {
	return strings.NewReplacer(`"`, "&quot;", "'", "&apos;").Replace(s)
}

func unescape(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&").Replace(s)
}

// clock reads a time such as 00:00:01.000 or 1.5s; nil if it is another one.
func clock(s string) *int64 {
	if !regexp.MustCompile(`^\d+:\d\d:\d\d\.\d{3}$`).MatchString(s) {
		return nil
	}
	return milliseconds(s)
}
