package mapping

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// path says where values are. Of its alternatives, the first that leads anywhere counts. It has the
// language of the mappings for files (docs/files.md), and further places to begin at.
type path []route

// route is one alternative of a path.
type route struct {
	from  place
	name  string // of a header; of a constant, its value
	steps []string
}

// place is where a route begins.
type place uint8

const (
	fromMessage place = iota
	fromRoot          // of the vendor's document that has the message
	fromRecord        // the value of the record, with everything that is wrapped around the document
	fromKey
	fromHeader
	fromIndex // the number of the message in its record
	constant
)

var errPath = errors.New("a path is a list of names with dots between them; it may begin with / or $record, or be $key, $header.NAME, $index or =TEXT")

func parsePath(s string) (p path, err error) {
	if s == "" {
		return nil, nil
	}
	for alternative := range strings.SplitSeq(s, "|") {
		r, err := parseRoute(strings.TrimSpace(alternative))
		if err != nil {
			return nil, err
		}
		p = append(p, r)
	}
	return p, nil
}

func parseRoute(s string) (r route, err error) {
	header, isHeader := strings.CutPrefix(s, "$header.")
	text, isConstant := strings.CutPrefix(s, "=")
	record, isRecord := strings.CutPrefix(s, "$record")
	root, isRoot := strings.CutPrefix(s, "/")
	switch {
	case isConstant:
		return route{from: constant, name: text}, nil
	case s == "$key":
		return route{from: fromKey}, nil
	case s == "$index":
		return route{from: fromIndex}, nil
	case isHeader && header != "":
		return route{from: fromHeader, name: header}, nil
	case isRecord && (record == "" || record[0] == '.'):
		r.from, s = fromRecord, strings.TrimPrefix(record, ".")
	case isRoot:
		r.from, s = fromRoot, root
	case s == "" || s[0] == '$':
		return r, errPath
	}
	if s == "." || s == "" {
		return r, nil
	}
	r.steps = strings.Split(s, ".")
	if slices.Contains(r.steps, "") {
		return r, errPath
	}
	return r, nil
}

// scope is where the paths of a message begin.
type scope struct {
	*source
	root, message any
}

// source is a record that is being read.
type source struct {
	record Record
	tree   any
	form   bool
	// opened are documents that stand in a text, by that text.
	opened map[string]any
	// index is the number of the message that is being read.
	index int
	// noText reports that a key or a header which a path names is not valid Unicode.
	noText bool
}

// all returns the values to which a path leads, without null.
func (s scope) all(p path) []any {
	for i := range p {
		if found := s.follow(&p[i]); len(found) > 0 {
			return found
		}
	}
	return nil
}

// pick returns the first value to which a path leads, nil if there is none.
func (s scope) pick(p path) any {
	if found := s.all(p); len(found) > 0 {
		return found[0]
	}
	return nil
}

// text returns the text, the number or the truth value to which a path leads, "" if it leads to none.
func (s scope) text(p path) string { return plain(s.pick(p)) }

func plain(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// isTree reports whether a value is an object or a list, which has no text of its own.
func isTree(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

func (s scope) follow(r *route) []any {
	begin := s.message
	switch r.from {
	case constant:
		return []any{r.name}
	case fromKey:
		return s.outside(string(s.record.Key))
	case fromHeader:
		return s.outside(s.record.header(r.name))
	case fromIndex:
		return []any{strconv.Itoa(s.index)}
	case fromRoot:
		begin = s.root
	case fromRecord:
		begin = s.tree
	}
	found := []any{begin}
	for _, step := range r.steps {
		var next []any
		for _, v := range found {
			next = s.step(next, v, step)
		}
		found = next
	}
	return slices.DeleteFunc(found, func(v any) bool { return v == nil })
}

// outside returns a key or a header, nothing if it is empty. They may be any bytes.
func (s *source) outside(value string) []any {
	switch {
	case value == "":
		return nil
	case !utf8.ValidString(value):
		s.noText = true
		return nil
	}
	return []any{value}
}

// step appends the values to which a step of a path leads. A step goes into a text that holds JSON, or
// base64 of it.
func (s *source) step(to []any, v any, step string) []any {
	if text, ok := v.(string); ok {
		v = s.open(text)
	}
	switch v := v.(type) {
	case map[string]any:
		if step == "*" {
			for _, name := range slices.Sorted(maps.Keys(v)) {
				to = append(to, v[name])
			}
		} else if member, ok := v[step]; ok {
			to = append(to, member)
		}
	case []any:
		if step == "*" {
			return append(to, v...)
		}
		if i, err := strconv.Atoi(step); err == nil && 0 <= i && i < len(v) {
			to = append(to, v[i])
		}
	}
	return to
}

// condition is met if one of its alternatives is.
type condition []test

// test is met if a path leads to a value, to one that reads want, or if it does not. A star at an end of want
// stands for anything.
type test struct {
	route  route
	equals bool
	want   string
	not    bool
}

func parseCondition(s string) (c condition, err error) {
	for alternative := range strings.SplitSeq(s, "|") {
		t := test{}
		where := strings.TrimSpace(alternative)
		where, t.want, t.equals = strings.Cut(where, "=")
		if inner, ok := strings.CutSuffix(where, "!"); ok && t.equals {
			where, t.not = inner, true
		} else if inner, ok := strings.CutPrefix(where, "!"); ok {
			where, t.not = inner, true
		}
		if t.route, err = parseRoute(where); err != nil {
			return nil, err
		}
		c = append(c, t)
	}
	return c, nil
}

func (s scope) meets(c condition) bool {
	return slices.ContainsFunc(c, func(t test) bool {
		found := slices.ContainsFunc(s.follow(&t.route), func(v any) bool { return !t.equals || reads(plain(v), t.want) })
		return found != t.not
	})
}

func reads(s, want string) bool {
	if end, ok := strings.CutPrefix(want, "*"); ok {
		return strings.HasSuffix(s, end)
	}
	if begin, ok := strings.CutSuffix(want, "*"); ok {
		return strings.HasPrefix(s, begin)
	}
	return s == want
}

func (s scope) meetsAll(all []condition) bool {
	return !slices.ContainsFunc(all, func(c condition) bool { return !s.meets(c) })
}
