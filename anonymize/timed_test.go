package anonymize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/files/formats/plaintext"
	"sotto/schemas"
)

// Recognizers number events by their times. A dictation, an answer and what was asked are followed all the same.
func TestConversationsThatAreNumberedByTime(t *testing.T) {
	e := newEngine(t, Options{})
	for _, name := range []string{"dictation.txt", "numbers_asked.txt", "answers.txt", "parts_of_names_asked.txt", "parts_of_names_said.txt"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		raw, want, _ := strings.Cut(string(data), "\n---\n")
		conversation, n := NewConversation(e), int64(0)
		var lines []string
		if err := plaintext.Read(strings.NewReader(raw), func(ev *schemas.RawEvent) error {
			start, end := 4000*n, 4000*n+3500
			n++
			ev.Seq, ev.StartMS, ev.EndMS = start/10*8, &start, &end
			out := conversation.Add(ev)
			lines = append(lines, plaintext.Format(&out.Clean))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(lines, "\n"); got != strings.TrimSpace(want) {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", name, got, want)
		}
	}
}
