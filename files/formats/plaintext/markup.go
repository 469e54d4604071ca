package plaintext

import (
	"regexp"
	"strings"

	"sotto/files/formats/transcript"
	"sotto/schemas"
)

var (
	// callHeader begins a call of labelled calls in marked-up text: ### id=W101 context=sales.
	callHeader = regexp.MustCompile(`^###.*?\bid=(\S+)`)
	markedTurn = regexp.MustCompile(`^([A-Z][A-Z_0-9 ]*):[ \t]*(.*)$`)
	markedWord = regexp.MustCompile(`\{\{[A-Z0-9_]+\|(.+?)\}\}`)
)

// IsMarkup reports whether a text is labelled calls in marked-up text: its first line that is no comment is a header.
func IsMarkup(s string) bool {
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "//") {
			return callHeader.MatchString(line)
		}
	}
	return false
}

// ReadMarkup reads labelled calls. Headers and comments stay, and the markup of labels goes: what it marks is masked or
// was no value.
func ReadMarkup(s string) (*transcript.Document, error) {
	source := transcript.NewSource(s)
	d := &transcript.Document{Encode: source.Encode}
	for _, l := range transcript.Lines(s) {
		if m := callHeader.FindStringSubmatchIndex(l.Text); m != nil {
			d.Calls = append(d.Calls, &transcript.Call{ID: l.Text[m[2]:m[3]], SetID: []func(string){source.Setter(l.Start+m[2], l.Start+m[3])}})
			continue
		}
		if strings.HasPrefix(l.Text, "//") || strings.TrimSpace(l.Text) == "" || len(d.Calls) == 0 {
			continue
		}
		call := d.Calls[len(d.Calls)-1]
		t := &transcript.Turn{Text: l.Text}
		start := l.Start
		if m := markedTurn.FindStringSubmatchIndex(l.Text); m != nil {
			label := l.Text[m[2]:m[3]]
			t.Text, start = l.Text[m[4]:], l.Start+m[4]
			t.Speaker, t.SetLabel = schemas.Speaker{ID: label, Label: label}, source.Setter(l.Start+m[2], l.Start+m[3])
			if role := schemas.Role(label); role == schemas.RoleAgent || role == schemas.RoleCustomer {
				t.Speaker, t.SetLabel = schemas.Speaker{ID: label, Role: role}, nil
			}
		}
		t.Set = source.Setter(start, l.Start+len(l.Text))
		if text := markedWord.ReplaceAllString(t.Text, "$1"); text != t.Text {
			t.Text = text
			t.Set(text)
		}
		call.Turns = append(call.Turns, t)
	}
	return d, nil
}
