package calls

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"sotto/internal/gold"
)

// Problem is a line that is not well formed. It does not quote the line.
type Problem struct {
	File    string
	Line    int
	Message string
}

func (p Problem) Error() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message) }

// Parse reads marked-up text. It fails with the first Problem.
func Parse(r io.Reader, name string) ([]gold.Conversation, error) {
	f, err := parse(r, name)
	if err != nil {
		return nil, err
	}
	if len(f.problems) > 0 {
		return nil, f.problems[0]
	}
	conversations := make([]gold.Conversation, len(f.calls))
	for i := range f.calls {
		conversations[i] = f.calls[i].Conversation
	}
	return conversations, nil
}

type markedCall struct {
	gold.Conversation
	kind  string
	lines []int // of each utterance
}

// parser reads a file. Its calls hold every turn that has a speaker, also those with a problem.
type parser struct {
	calls    []markedCall
	problems []Problem

	name string
	line int
	kind string // of the calls that follow
	ids  map[string]bool
}

func parse(r io.Reader, name string) (*parser, error) {
	p := &parser{name: name, ids: map[string]bool{}}
	err := gold.Lines(r, name, func(n int, line []byte) error {
		p.line = n
		p.read(strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r"))
		return nil
	})
	p.endCall()
	return p, err
}

func (p *parser) problem(line int, message string) {
	p.problems = append(p.problems, Problem{p.name, line, message})
}

func (p *parser) read(line string) {
	switch {
	case !utf8.ValidString(line):
		p.problem(p.line, "the line is not valid UTF-8")
	case strings.HasPrefix(line, "//"):
		if kind, ok := strings.CutPrefix(line, "// kind "); ok {
			p.kind = kinds[strings.TrimSpace(kind)]
		}
	case strings.HasPrefix(line, "###"):
		p.header(line)
	default:
		p.turn(line)
	}
}

// headerField is NAME=VALUE.
var headerField = regexp.MustCompile(`([\pL\pN_]+)=(\S+)`)

func (p *parser) header(line string) {
	p.endCall()
	fields := map[string]string{}
	for _, m := range headerField.FindAllStringSubmatch(line, -1) {
		fields[m[1]] = m[2]
	}
	id := fields["id"]
	switch {
	case id == "" || fields["context"] == "":
		p.problem(p.line, "the header needs id= and context=")
	case p.ids[id]:
		p.problem(p.line, "an earlier call has the same id")
	}
	p.ids[id] = true
	p.calls = append(p.calls, markedCall{kind: p.kind, Conversation: gold.Conversation{
		ID: id, Source: "calls", Context: fields["context"], Vertical: fields["vertical"], Line: p.line,
	}})
}

func (p *parser) endCall() {
	if n := len(p.calls); n > 0 && len(p.calls[n-1].Utterances) == 0 {
		p.problem(p.calls[n-1].Line, "a call without turns")
	}
}

// turnLine is SPEAKER: WORDS.
var turnLine = regexp.MustCompile(`^([A-Z][A-Z_0-9 ]*): (.*)$`)

func (p *parser) turn(line string) {
	m := turnLine.FindStringSubmatch(line)
	switch {
	case m == nil:
		p.problem(p.line, "no speaker; a turn is 'SPEAKER: words'")
		return
	case len(p.calls) == 0:
		p.problem(p.line, "a turn before the first '### id=ID context=CONTEXT' line")
		return
	}
	u := parseTurn(m[2])
	u.Speaker = strings.ToLower(m[1])
	for _, s := range u.Entities {
		if !labelTypes[s.Type] {
			p.problem(p.line, "a label has an unknown infoType")
		}
	}
	if strings.Contains(u.Text, "{{") || strings.Contains(u.Text, "}}") {
		p.problem(p.line, "broken markup; a label is '{{INFOTYPE|words}}'")
	}
	c := &p.calls[len(p.calls)-1]
	c.Utterances = append(c.Utterances, u)
	c.lines = append(c.lines, p.line)
}

// label is {{INFOTYPE|WORDS}}.
var label = regexp.MustCompile(`\{\{([A-Z0-9_]+)\|(.+?)\}\}`)

func parseTurn(source string) (u gold.Utterance) {
	var text strings.Builder
	at, points := 0, 0
	write := func(s string) {
		text.WriteString(s)
		points += utf8.RuneCountInString(s)
	}
	for _, m := range label.FindAllStringSubmatchIndex(source, -1) {
		write(source[at:m[0]])
		start := points
		write(source[m[4]:m[5]])
		u.Entities = append(u.Entities, gold.Span{Start: start, End: points, Type: source[m[2]:m[3]]})
		at = m[1]
	}
	write(source[at:])
	u.Text = text.String()
	return u
}
