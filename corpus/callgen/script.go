package callgen

import (
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// The scripts are plain text, so that a new exchange costs a few lines:
//
//	== verify 2-4          a phase, and how many of its exchanges a call takes
//	A: And your number?    one line of the agent (A) or the customer (C)
//	C: (Sure|Yes), {phone} a choice, and a slot filled with a fact of the call
//
// An empty line ends an exchange, # starts a comment.
//
//go:embed scripts/*.txt
var scriptFiles embed.FS

// script is one domain's way of talking.
type script struct {
	domain string
	phases []phase
	lines  int // lines in all exchanges
}

type phase struct {
	name     string
	min, max int
	pool     []exchange
}

type exchange []scriptLine

type scriptLine struct {
	agent bool
	parts []part
}

// part is a literal, a slot or a choice; exactly one of them is set.
type part struct {
	text, plain string // literal as written, and as an unformatted recognizer gives it
	slot        *slot
	choice      [][]part
}

// mustLoadScripts parses the embedded scripts. They are part of the program:
// an error in them is an error of this package, which its tests would show.
func mustLoadScripts() []*script {
	entries, err := scriptFiles.ReadDir("scripts")
	if err != nil {
		panic(err)
	}
	var all []*script
	for _, e := range entries {
		data, err := scriptFiles.ReadFile(path.Join("scripts", e.Name()))
		if err != nil {
			panic(err)
		}
		s, err := parseScript(strings.TrimSuffix(e.Name(), ".txt"), string(data))
		if err != nil {
			panic(err)
		}
		all = append(all, s)
	}
	return all
}

func parseScript(domain, text string) (*script, error) {
	s := &script{domain: domain}
	var open exchange
	closeExchange := func() {
		if len(open) > 0 {
			p := &s.phases[len(s.phases)-1]
			p.pool = append(p.pool, open)
			open = nil
		}
	}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		fail := func(format string, args ...any) error {
			return fmt.Errorf("script %s line %d: %s", domain, i+1, fmt.Sprintf(format, args...))
		}
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			closeExchange()
		case strings.HasPrefix(line, "=="):
			closeExchange()
			p, err := parsePhase(line)
			if err != nil {
				return nil, fail("%v", err)
			}
			s.phases = append(s.phases, p)
		case strings.HasPrefix(line, "A: "), strings.HasPrefix(line, "C: "):
			if len(s.phases) == 0 {
				return nil, fail("a line before the first phase")
			}
			parts, err := parseParts(line[3:])
			if err != nil {
				return nil, fail("%v", err)
			}
			open = append(open, scriptLine{agent: line[0] == 'A', parts: parts})
			s.lines++
		default:
			return nil, fail("neither a phase nor a line of A or C")
		}
	}
	closeExchange()
	for _, p := range s.phases {
		if p.max > len(p.pool) {
			return nil, fmt.Errorf("script %s: phase %s takes %d exchanges and has %d", domain, p.name, p.max, len(p.pool))
		}
	}
	return s, nil
}

func parsePhase(line string) (phase, error) {
	f := strings.Fields(line)
	if len(f) < 2 || len(f) > 3 {
		return phase{}, fmt.Errorf("a phase is '== name' or '== name 2-4'")
	}
	p := phase{name: f[1], min: 1, max: 1}
	if len(f) == 3 {
		lo, hi, ok := strings.Cut(f[2], "-")
		var err1, err2 error
		p.min, err1 = strconv.Atoi(lo)
		p.max, err2 = strconv.Atoi(hi)
		if !ok || err1 != nil || err2 != nil || p.min < 1 || p.max < p.min {
			return phase{}, fmt.Errorf("a range is 'low-high'")
		}
	}
	return p, nil
}

// parseParts reads the text of a line. Choices do not nest.
func parseParts(text string) ([]part, error) {
	var parts []part
	for text != "" {
		i := strings.IndexAny(text, "({")
		if i < 0 {
			return append(parts, literal(text)), nil
		}
		if i > 0 {
			parts = append(parts, literal(text[:i]))
		}
		if text[i] == '{' {
			end := strings.IndexByte(text, '}')
			if end < i {
				return nil, fmt.Errorf("a slot without end")
			}
			s, ok := slots[text[i+1:end]]
			if !ok {
				return nil, fmt.Errorf("no slot named %q", text[i+1:end])
			}
			parts = append(parts, part{slot: s})
			text = text[end+1:]
			continue
		}
		end := strings.IndexByte(text[i:], ')')
		if end < 0 {
			return nil, fmt.Errorf("a choice without end")
		}
		var c [][]part
		for option := range strings.SplitSeq(text[i+1:i+end], "|") {
			p, err := parseParts(option)
			if err != nil {
				return nil, err
			}
			c = append(c, p)
		}
		parts = append(parts, part{choice: c})
		text = text[i+end+1:]
	}
	return parts, nil
}

func literal(text string) part { return part{text: text, plain: plain(text)} }

// plain is text as a recognizer without formatting gives it: no capitals and
// no punctuation within sentences.
func plain(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		switch r {
		case '.', ',', '?', '!', ':', ';':
			return -1
		}
		return r
	}, text))
}
