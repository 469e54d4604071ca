package jsondoc

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"sotto/files/formats/harmless"
	"sotto/files/formats/jsontree"
	"sotto/files/formats/table"
)

// Suggest returns a mapping to start from for a document whose format is not known: where most words are said.
func Suggest(s string) (string, error) {
	root, err := jsontree.Parse(s)
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
		if root, err = jsontree.Parse(first); err != nil {
			return "", errors.New("it is not JSON, or not one document a line")
		}
	}
	m := utteranceMapping(root)
	if m == nil {
		l, t := wordiest(root)
		if t == nil {
			return "", errors.New("it has no list of objects with sentences, so there is nothing that may be turns; write a mapping by hand (docs/files.md#mappings)")
		}
		m = &mapping{Turns: []turnSource{*t}}
		m.locate(root, l)
	}
	return m.format(), nil
}

// wordiest returns the list whose elements say most words in one of their members.
func wordiest(root *jsontree.Node) (best list, t *turnSource) {
	most := 0
	for _, l := range lists(root) {
		words := map[string]int{}
		for _, n := range l.Items() {
			for _, c := range n.Children {
				if k := len(strings.Fields(c.Str)); n.Kind == jsontree.Object && c.IsText() && k > 1 {
					words[c.Key] += k
				}
			}
		}
		for name, n := range words {
			if n > most || n == most && t != nil && name < t.Text {
				c, _ := table.Columns{}.Guess(l.Items()[0].MemberNames())
				most, best, t = n, l, &turnSource{Text: name, Speaker: c.Speaker, Role: c.Role, Start: c.Start, End: c.End}
				if t.Speaker == "" {
					t.Speaker = speakerIn(l.Items(), name)
				}
			}
		}
	}
	return best, t
}

// speakerIn returns the member of objects whose values are few and short, "" if there is none.
func speakerIn(items []*jsontree.Node, text string) string {
	for _, name := range items[0].MemberNames() {
		values := map[string]bool{}
		for _, n := range items {
			if v := n.Member(name); v.IsText() && len(v.Str) <= 40 {
				values[v.Str] = true
			}
		}
		if name != text && len(values) > 1 && len(values) <= 6 && len(values) < len(items) {
			return name
		}
	}
	return ""
}

// format returns a mapping as YAML.
func (m *mapping) format() string {
	var b strings.Builder
	line := func(indent, name, value string) {
		if value != "" {
			b.WriteString(indent + name + ": " + scalar(value) + "\n")
		}
	}
	b.WriteString("# A mapping to start from: compare it with the file, and see docs/files.md#mappings for the other names.\n")
	line("", "calls", m.Calls)
	line("", "id", m.ID)
	b.WriteString("turns:\n")
	for i := range m.Turns {
		t := &m.Turns[i]
		b.WriteString("  - path: " + scalar(t.Path) + "\n")
		for _, p := range [][2]string{{"text", t.Text}, {"speaker", t.Speaker}, {"role", t.Role}, {"start", t.Start}, {"end", t.End}} {
			line("    ", p[0], p[1])
		}
		if t.Split {
			line("    ", "split", "true")
		}
		for _, w := range t.Words {
			b.WriteString("    words:\n      - {path: " + scalar(w.Path) + ", text: " + flow(w.Text) + ", start: " + flow(w.Start) + ", end: " + flow(w.End) + "}\n")
		}
	}
	return b.String()
}

func flow(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = scalar(n)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// plainScalar is what needs no quotes in YAML.
var plainScalar = harmless.Whole(`[A-Za-z][A-Za-z0-9_.*| -]*[A-Za-z0-9_*]|[A-Za-z]|true`)

func scalar(s string) string {
	if plainScalar.MatchString(s) && !slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "null", "false"}, strings.ToLower(s)) {
		return s
	}
	return strconv.Quote(s)
}
