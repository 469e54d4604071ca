package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// insideMark stands before the JSON of which a value is base64.
const insideMark = "base64 of "

// messageWidth is how wide a line of a message may be.
const messageWidth = 110

// messageText lays a message out for readers: JSON, or a form. Of lists of objects it shows the first one.
func messageText(value []byte) string {
	if !json.Valid(value) {
		return packed(strings.SplitAfter(string(value), "&"), "")
	}
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	return readJSON(d).lines("")
}

// jsonPart is a value of JSON, whose members stay in their order.
type jsonPart struct {
	text        string // of a scalar
	open, close string
	names       []string // of the members of an object
	parts       []*jsonPart
	more        bool // whether there are parts that are not shown
}

// readJSON reads a value of valid JSON.
func readJSON(d *json.Decoder) *jsonPart {
	token, _ := d.Token()
	if inside := jsonInside(token); inside != nil {
		return inside
	}
	delim, isDelim := token.(json.Delim)
	if !isDelim {
		return &jsonPart{text: plainJSON(token)}
	}
	p := &jsonPart{open: delim.String(), close: map[json.Delim]string{'{': "}", '[': "]"}[delim]}
	for d.More() {
		if delim == '{' {
			name, _ := d.Token()
			p.names = append(p.names, plainJSON(name)+": ")
		}
		part := readJSON(d)
		if delim == '[' && len(p.parts) > 0 && part.open != "" {
			p.more = true
			continue
		}
		p.parts = append(p.parts, part)
	}
	_, _ = d.Token()
	return p
}

// plainJSON writes a string, a number, a truth value or null as people write it, without escapes for HTML.
func plainJSON(token json.Token) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(token)
	return strings.TrimSpace(b.String())
}

// jsonInside returns the JSON of which a text is base64, nil if it is something else.
func jsonInside(token json.Token) *jsonPart {
	text, isText := token.(string)
	inside, err := base64.StdEncoding.DecodeString(text)
	if !isText || err != nil || !bytes.HasPrefix(inside, []byte("{")) || !json.Valid(inside) {
		return nil
	}
	p := readJSON(json.NewDecoder(bytes.NewReader(inside)))
	p.open = insideMark + p.open
	return p
}

// members are the parts of a value as they are written in one line each.
func (p *jsonPart) members() (all []string) {
	for i, part := range p.parts {
		name := ""
		if p.names != nil {
			name = p.names[i]
		}
		all = append(all, name+part.line())
	}
	if p.more {
		all = append(all, "…")
	}
	return all
}

func (p *jsonPart) line() string {
	if p.open == "" {
		return p.text
	}
	return p.open + strings.Join(p.members(), ", ") + p.close
}

// lines writes a value in as few lines as fit, those after the first one behind an indent.
func (p *jsonPart) lines(indent string) string {
	if line := p.line(); p.open == "" || len(indent)+len(line) <= messageWidth {
		return line
	}
	inner := indent + "  "
	members := p.members()
	for i, m := range members {
		if len(inner)+len(m) > messageWidth && i < len(p.parts) {
			name := ""
			if p.names != nil {
				name = p.names[i]
			}
			members[i] = name + p.parts[i].lines(inner)
		}
		if i < len(members)-1 {
			members[i] += ", "
		}
	}
	return p.open + "\n" + inner + packed(members, inner) + "\n" + indent + p.close
}

// packed joins texts in lines that are not too wide, if they need not be.
func packed(texts []string, indent string) string {
	var lines []string
	line := ""
	for _, text := range texts {
		if line != "" && (len(indent)+len(line)+len(text) > messageWidth || strings.Contains(text, "\n")) {
			lines, line = append(lines, strings.TrimRight(line, " ")), ""
		}
		line += text
		if strings.Contains(text, "\n") {
			lines, line = append(lines, strings.TrimRight(line, " ")), ""
		}
	}
	if line != "" {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n"+indent)
}
