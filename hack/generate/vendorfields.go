package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sotto/anonymize/intake/mapping"
)

// mappingFile is a mapping, for its page.
type mappingFile mapping.File

func (f *mappingFile) shortCall() string {
	if f.Fields.Call == "$key" {
		return "key"
	}
	first, _, _ := strings.Cut(f.Fields.Call, " | ")
	return "`" + strings.TrimPrefix(first, "/") + "`"
}

func (f *mappingFile) shortOrder() string {
	switch {
	case f.Order == "start":
		return "time"
	case f.Fields.Seq != "":
		return "number"
	}
	return "arrival"
}

// orderField is the name of the field that orders messages, "" if their arrival does.
func (f *mappingFile) orderField() string {
	path := f.Fields.Seq
	if f.Order == "start" {
		for _, r := range f.Rules {
			path = cmp.Or(path, r.Fields.Start)
		}
	}
	return path[strings.LastIndex(path, ".")+1:]
}

// keyStep says what the key of a record must be. received says that 'sotto ingest' writes the records.
func (f *mappingFile) keyStep(received bool) string {
	switch {
	case f.Fields.Call == "$key" && received:
		return "Messages of the transcript do not have the ID of their call: the **key of each record** must be the ID."
	case f.Fields.Call == "$key":
		return "Messages do not have the ID of their call: the **key of each record** must be the ID. Any ID of yours will do."
	case received:
		return "The **key of each record** is the ID of the call. `sotto ingest` takes it from " + pathText(f.Fields.Call) + " of the message."
	}
	return "The **key of each record** must be the ID of the call, " + pathText(f.Fields.Call) + " of the message."
}

// pathText is a path for readers.
func pathText(s string) string {
	var choices []string
	for choice := range strings.SplitSeq(s, " | ") {
		switch {
		case strings.HasPrefix(choice, "=") && len(choices) > 0:
			choice = "else `" + choice[1:] + "`"
		case choice == "$key":
			choice = "the key of the record"
		case choice == "$index":
			choice = "the number of the message in its record"
		case strings.HasPrefix(choice, "="):
			choice = "always `" + choice[1:] + "`"
		case strings.HasSuffix(choice, ".*"):
			choice = "each element of `" + strings.TrimSuffix(choice, ".*") + "`"
		case choice == ".":
			choice = "the document"
		default:
			choice = code(choice)
		}
		choices = append(choices, choice)
	}
	return alternatives(choices)
}

// conditionText is a condition of a rule for readers: its alternatives, those about one path together. Beside other conditions,
// it is in parentheses if it is about several.
func conditionText(s string, others bool) string {
	var about []string
	values := map[string][]string{}
	for choice := range strings.SplitSeq(s, " | ") {
		what, value := oneCondition(choice)
		if values[what] == nil {
			about = append(about, what)
		}
		if !slices.Contains(values[what], value) {
			values[what] = append(values[what], value)
		}
	}
	for i, what := range about {
		about[i] = what + " " + alternatives(values[what])
	}
	if others && len(about) > 1 {
		return "(" + alternatives(about) + ")"
	}
	return alternatives(about)
}

// oneCondition returns what a condition is about, and the value or the path that it names.
func oneCondition(s string) (about, value string) {
	path, value, has := strings.Cut(s, "=")
	not := strings.HasSuffix(path, "!")
	path = strings.TrimSuffix(path, "!")
	switch {
	case !has && strings.HasPrefix(path, "!"):
		return "it has no", code(path[1:])
	case !has:
		return "it has", code(path)
	case strings.HasPrefix(value, "*"):
		return code(path) + verb(not, "ends", "does not end") + " in", code(value[1:])
	case strings.HasSuffix(value, "*"):
		return code(path) + verb(not, "begins", "does not begin") + " with", code(strings.TrimSuffix(value, "*"))
	}
	return code(path) + verb(not, "is", "is not"), code(value)
}

func verb(not bool, yes, no string) string {
	if not {
		return " " + no
	}
	return " " + yes
}

// code is a path or a value as code, and where it begins if that is not the message.
func code(s string) string {
	if path, ok := strings.CutPrefix(s, "$record."); ok {
		return "`" + path + "` of the record"
	}
	return "`" + strings.TrimPrefix(s, "/") + "`"
}

// alternatives joins texts with commas and "or".
func alternatives(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// becomesOf says what a rule makes of a message.
var becomesOf = map[string]string{
	"":        "UTTERANCE",
	"start":   "START",
	"end":     "END",
	"interim": "nothing: an interim result",
	"ignore":  "nothing: it is of no use",
}

// writeRules writes the rules as a table. unknown is what comes of a message that none of them knows.
func (f *mappingFile) writeRules(w io.Writer, unknown string) {
	fmt.Fprint(w, "| line | if | the message becomes |\n|---|---|---|\n")
	for i, r := range f.Rules {
		var all []string
		for _, c := range r.When {
			all = append(all, conditionText(c, len(r.When) > 1))
		}
		fmt.Fprintf(w, "| %d | %s | %s |\n", i+1, strings.Join(all, " and "), becomesOf[r.Is])
	}
	fmt.Fprintf(w, "| | no line fits | %s |\n", unknown)
}

// byRule joins what the rules for utterances say of something, with the numbers of the rules where they differ.
func (f *mappingFile) byRule(of func(*mapping.FileRule) string) string {
	var texts []string
	numbers := map[string][]string{}
	utterances := 0
	for i := range f.Rules {
		if f.Rules[i].Is != "" {
			continue
		}
		utterances++
		text := of(&f.Rules[i])
		if text == "" {
			continue
		}
		if numbers[text] == nil {
			texts = append(texts, text)
		}
		numbers[text] = append(numbers[text], fmt.Sprint(i+1))
	}
	if len(texts) == 1 && len(numbers[texts[0]]) == utterances {
		return texts[0]
	}
	for i, text := range texts {
		texts[i] = fmt.Sprintf("%s (line %s)", text, strings.Join(numbers[text], ", "))
	}
	return strings.Join(texts, "; ")
}

// field is byRule for a path that the mapping may have for all rules.
func (f *mappingFile) field(get func(*mapping.FieldPaths) string) string {
	return f.byRule(func(r *mapping.FileRule) string {
		if s := cmp.Or(get(&r.Fields), get(&f.Fields)); s != "" {
			return pathText(s)
		}
		return ""
	})
}

// writeFields writes a table of where the parts of an event come from.
func (f *mappingFile) writeFields(w io.Writer) {
	fmt.Fprint(w, "| of an event | comes from |\n|---|---|\n")
	row := func(name, from string) {
		if from != "" {
			fmt.Fprintf(w, "| %s | %s |\n", name, from)
		}
	}
	row("messages", f.messagesText())
	row("call ID", pathText(f.Fields.Call))
	row("order, `seq`", f.orderText())
	row("identity, by which a repeat is known", f.identityText())
	row("text", f.field(func(x *mapping.FieldPaths) string { return x.Text }))
	row("words as spoken", f.field(func(x *mapping.FieldPaths) string { return x.Lexical }))
	row("words", f.byRule(wordsText))
	row("speaker", join(f.field(func(x *mapping.FieldPaths) string { return x.Speaker }), prefixed("the channel, ", f.field(func(x *mapping.FieldPaths) string { return x.Channel }))))
	row("name of the speaker", f.field(func(x *mapping.FieldPaths) string { return x.Name }))
	row("role", cmp.Or(join(f.field(func(x *mapping.FieldPaths) string { return x.Role }), f.rolesText()), "nothing: it is UNKNOWN"))
	row("start", f.field(func(x *mapping.FieldPaths) string { return x.Start }))
	row("end", join(f.field(func(x *mapping.FieldPaths) string { return x.End }), prefixed("the start plus ", f.field(func(x *mapping.FieldPaths) string { return x.Duration }))))
	row("time of day", f.field(func(x *mapping.FieldPaths) string { return x.Time }))
	row("language", f.field(func(x *mapping.FieldPaths) string { return x.Language }))
}

func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func (f *mappingFile) messagesText() string {
	var all []string
	for _, m := range f.Messages {
		all = append(all, pathText(m))
	}
	text := strings.Join(all, ", then ")
	if f.Unwrap != "" {
		text = strings.TrimSuffix("what is in `"+f.Unwrap+"`: "+text, ": ")
	}
	return text
}

// wordsText says where the words of a message are, and what each has.
func wordsText(r *mapping.FileRule) string {
	if r.Words == nil {
		return ""
	}
	all := []string{pathText(r.Words.Text)}
	for _, part := range []struct{ what, path string }{{"speaker", r.Words.Speaker}, {"start", r.Words.Start}, {"end", r.Words.End}} {
		if part.path != "" {
			all = append(all, part.what+" `"+part.path+"`")
		}
	}
	return fmt.Sprintf("`%s`, each with %s", r.Words.Path, strings.Join(all, ", "))
}

func (f *mappingFile) orderText() string {
	switch f.shortOrder() {
	case "time":
		return "the start, in steps of 10 ms, and the speaker's channel, else the role, else the ID"
	case "number":
		return "the vendor's number, " + pathText(f.Fields.Seq)
	}
	return "the order of arrival: the next number of the call"
}

func (f *mappingFile) identityText() string {
	return cmp.Or(f.byRule(func(r *mapping.FileRule) string {
		id := cmp.Or(r.Fields.ID, f.Fields.ID)
		if id == "" {
			return ""
		}
		var parts []string
		for part := range strings.SplitSeq(id, " + ") {
			text := pathText(part)
			if strings.Contains(text, " or ") && strings.Contains(id, " + ") {
				text = "(" + text + ")"
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, " with ")
	}), "the number and the speaker")
}

func (f *mappingFile) rolesText() string {
	if len(f.Roles) == 0 {
		return ""
	}
	var all []string
	for _, word := range slices.Sorted(maps.Keys(f.Roles)) {
		all = append(all, fmt.Sprintf("`%s` means %s", word, f.Roles[word]))
	}
	return strings.Join(all, ", ")
}
