package presidio

import (
	"context"
	"io"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// The bounds of the regular expressions of a request: how many, how long one is, and about how many
// instructions they have together once they are compiled. A{1000} is short.
const (
	maxPatterns     = 100
	maxPatternBytes = 4096
	maxInstructions = 50_000
)

// compiler compiles the regular expressions of a request, of Python with the flags of Python's
// module re, within the bounds.
type compiler struct {
	flags              string
	count, instruction int
}

func newCompiler(flags int) *compiler {
	c := &compiler{}
	for _, f := range []struct {
		bit  int
		name string
	}{{2, "i"}, {8, "m"}, {16, "s"}} {
		if flags&f.bit != 0 {
			c.flags += f.name
		}
	}
	return c
}

// expression is a regular expression whose search in a text can be stopped.
type expression struct {
	// first finds the first match, next one after the first character of its text. The whole
	// match is group 1 of both.
	first, next *regexp.Regexp
}

func (c *compiler) compile(text string) (*expression, error) {
	if c.count++; c.count > maxPatterns || len(text) > maxPatternBytes {
		return nil, errPattern
	}
	flagged := "(?" + c.flags + ":(" + text + "))"
	// By itself, too: "a)(b" is none.
	if _, err := syntax.Parse(text, syntax.Perl); err != nil {
		return nil, errPattern // the error shows the expression
	}
	parsed, err := syntax.Parse(flagged, syntax.Perl)
	if err != nil {
		return nil, errPattern
	}
	c.instruction += instructions(parsed) * parsed.MaxCap()
	if c.instruction > maxInstructions {
		return nil, errPattern
	}
	e := &expression{}
	if e.first, err = regexp.Compile(flagged); err == nil {
		e.next, err = regexp.Compile(`\A(?s:.)(?s:.*?)` + flagged)
	}
	if err != nil {
		return nil, errPattern
	}
	return e, nil
}

// instructions returns about how many instructions an expression has, or more than are permitted.
func instructions(e *syntax.Regexp) int {
	n := 1 + len(e.Rune)
	for _, sub := range e.Sub {
		if n += instructions(sub); n > maxInstructions {
			return n
		}
	}
	if e.Op == syntax.OpRepeat {
		n *= max(1, e.Min+1, e.Max)
	}
	return min(n, maxInstructions+1)
}

// each calls do with the positions of the groups of each match in a text. It ends early if ctx
// does.
func (e *expression) each(ctx context.Context, text string, do func(groups []int) error) error {
	search, from := e.first, 0
	for at := 0; at <= len(text); {
		groups := search.FindReaderSubmatchIndex(&searched{ctx: ctx, text: text[from:]})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if groups == nil {
			return nil
		}
		for i := range groups {
			if groups[i] >= 0 {
				groups[i] += from
			}
		}
		if err := do(groups); err != nil {
			return err
		}
		if at = groups[3]; groups[2] == groups[3] || at == 0 {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += max(1, size)
		}
		// What is before a match decides about it, too.
		_, size := utf8.DecodeLastRuneInString(text[:min(at, len(text))])
		search, from = e.next, min(at, len(text))-size
	}
	return nil
}

// searched is a text that ends when ctx does: nothing else stops the search for an expression.
type searched struct {
	ctx   context.Context
	text  string
	at, n int
}

func (s *searched) ReadRune() (rune, int, error) {
	if s.n++; s.n%64 == 0 && s.ctx.Err() != nil || s.at >= len(s.text) {
		return 0, 0, io.EOF
	}
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	s.at += size
	return r, size, nil
}
