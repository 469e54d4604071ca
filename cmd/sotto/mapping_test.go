package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestMappingTry(t *testing.T) {
	file := filepath.Join(t.TempDir(), "live.jsonl")
	lines := `c-1	{"type":"Turn","turn_order":0,"end_of_turn":false,"transcript":"hi"}
c-1	{"type":"Turn","turn_order":0,"end_of_turn":true,"transcript":"hi there"}
c-1	{"type":"Turn","turn_order":0,"end_of_turn":true,"transcript":"Hi there."}
c-1	{"type":"Heartbeat"}
`
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	o := sotto(t, nil, "", "mapping", "try", "--mapping", "assemblyai", file)
	for _, want := range []string{
		"   1  nothing: it is an interim result", "   2  UTTERANCE, call c-1, seq 0: hi there\n", "   3  nothing: it was sent before with another text",
		"   4  dead letter unknown_message: ", "4 records: 1 events, 2 messages of no use, 1 dead letters",
	} {
		if !strings.Contains(o.out, want) {
			t.Errorf("the output lacks %q:\n%s", want, o.out)
		}
	}
	if o.code != 3 || !strings.Contains(o.errors, "1 messages become dead letters") {
		t.Errorf("exit status %d, %s", o.code, o.errors)
	}
	for _, c := range []struct{ name, want string }{{"", "deepgram\n"}, {"twilio", "TranscriptionEvent=transcription-content"}} {
		if o := sotto(t, nil, "", slices.DeleteFunc([]string{"mapping", "show", c.name}, func(s string) bool { return s == "" })...); o.code != 0 || !strings.Contains(o.out, c.want) {
			t.Errorf("exit status %d, %s", o.code, o.out)
		}
	}
	for _, args := range [][]string{{"mapping", "show", "nobody"}, {"mapping", "try"}, {"mapping", "try", file}, {"mapping", "try", "--mapping", "nobody", file}} {
		if o := sotto(t, nil, "", args...); o.code != 2 || strings.Count(o.errors, "\n") != 1 {
			t.Errorf("%v: exit status %d, %s", args, o.code, o.errors)
		}
	}
}
