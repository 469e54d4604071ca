package plaintext

import (
	"strings"
	"testing"

	"sotto/schemas"
)

func TestRead(t *testing.T) {
	var got []string
	err := Read(strings.NewReader("Pam: hello: there\n\n  no label here\nat 10:30 sharp\nJim:\nthis is far too long to be: a label\nx:y\n"),
		func(ev *schemas.RawEvent) error {
			label := "-"
			if ev.Speaker != nil {
				label = ev.Speaker.Label
			}
			got = append(got, label+"|"+ev.Text)
			return nil
		})
	want := "Pam|hello: there -|no label here -|at 10:30 sharp Jim| -|this is far too long to be: a label -|x:y"
	if g := strings.Join(got, " "); g != want || err != nil {
		t.Errorf("got  %s, %v\nwant %s", g, err, want)
	}
}

func TestReadNamesALineThatIsTooLong(t *testing.T) {
	err := Read(strings.NewReader("a\n"+strings.Repeat("x", maxLine+1)), func(*schemas.RawEvent) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), "line 2:") {
		t.Errorf("error %v", err)
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		speaker *schemas.Speaker
		text    string
		want    string
	}{
		{&schemas.Speaker{Label: "Agent"}, "hi", "Agent: hi"},
		{&schemas.Speaker{Label: "Agent"}, "", "Agent:"},
		{&schemas.Speaker{ID: "s1"}, "hi", "hi"},
		{nil, "hi", "hi"},
	} {
		if got := Format(&schemas.CleanEvent{Speaker: c.speaker, Text: c.text}); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
