package main

import (
	"cmp"
	"strings"
)

// writeTypes writes the Go types of the records.
func writeTypes(s *schemas, w *writer) {
	for _, r := range s.records {
		comment(w, cmp.Or(typeDocs[r.name], r.name+": "+r.doc))
		w.line("type %s struct {", r.name)
		if r.extends != nil {
			w.line("%s", r.extends.name)
		}
		for _, f := range r.own() {
			comment(w, cmp.Or(f.choice.doc, f.doc))
			star, omit := "", ""
			if f.isPointer() {
				star = "*"
			}
			if f.omitted() {
				omit = ",omitempty"
			}
			w.line("%s %s%s `json:\"%s%s\"`", f.goName(), star, f.base(), f.name, omit)
		}
		w.line("}\n")
	}
	for _, e := range s.events {
		writeFinite(w, e)
	}
}

// comment writes a comment of lines that have at most 100 columns even when they are indented.
func comment(w *writer, text string) {
	const width = 92
	for text != "" {
		line := text
		if len(line) > width {
			line = line[:strings.LastIndexByte(line[:width], ' ')]
		}
		w.line("// %s", line)
		text = strings.TrimPrefix(text[len(line):], " ")
	}
}

// writeFinite writes a check of all numbers of an event.
func writeFinite(w *writer, e *record) {
	w.line("// finite reports whether no number of the event is infinite or NaN.")
	w.line("func (e *%s) finite() bool {", e.name)
	if e.extends != nil && hasDouble(e.extends) {
		w.line("if !e.%s.finite() {\nreturn false\n}", e.extends.name)
	}
	finiteFields(w, e.own(), "e")
	w.line("return true\n}\n")
}

func finiteFields(w *writer, fields []*field, from string) {
	for _, f := range fields {
		expr := from + "." + f.goName()
		switch {
		case f.typ == "double" && f.isPointer():
			w.line("if %s != nil && !isFinite(*%s) {\nreturn false\n}", expr, expr)
		case f.typ == "double":
			w.line("if !isFinite(%s) {\nreturn false\n}", expr)
		case f.nested == nil || !hasDouble(f.nested):
		case f.typ == "array":
			w.line("for i := range %s {\nx := &%s[i]", expr, expr)
			finiteFields(w, f.nested.fields, "x")
			w.line("}")
		case f.isPointer():
			w.line("if x := %s; x != nil {", expr)
			finiteFields(w, f.nested.fields, "x")
			w.line("}")
		default:
			finiteFields(w, f.nested.fields, expr)
		}
	}
}

func hasDouble(r *record) bool {
	for _, f := range r.fields {
		if f.typ == "double" || f.nested != nil && hasDouble(f.nested) {
			return true
		}
	}
	return false
}
