package jsondoc

import (
	"strings"
	"testing"

	"sotto/files/formats/jsontree"
)

// A suggested mapping leads to the turns of the file.
func TestSuggest(t *testing.T) {
	for file, want := range map[string]string{
		`{"data":{"log":[{"who_said":"ines","wording":"Good morning to you"},{"who_said":"tobias","wording":"Good morning, how are you?"},{"who_said":"ines","wording":"Fine, thank you"}]}}`: "ines|Good morning to you tobias|Good morning, how are you? ines|Fine, thank you",
		`{"conversations":[{"messages":[{"sender":"agent","content":"Good morning"}]},{"messages":[{"sender":"customer","content":"Hello there"}]}]}`:                                         "agent|Good morning customer|Hello there",
	} {
		mapping, err := Suggest(file)
		if err != nil {
			t.Fatal(err)
		}
		d, err := ReadMapped(file, mapping)
		if err != nil {
			t.Fatalf("%v\n%s", err, mapping)
		}
		var got []string
		for _, c := range d.Calls {
			for _, turn := range c.Turns {
				got = append(got, turn.Speaker.ID+"|"+turn.Text)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("got %s, want %s; the mapping:\n%s", s, want, mapping)
		}
	}
	for _, file := range []string{`{"a":1}`, "no JSON", `[1,2]`} {
		if _, err := Suggest(file); err == nil {
			t.Errorf("%s: there is a mapping", file)
		}
	}
}

// The nearest formats have the paths of a file in common with it, and not only some names.
func TestNearAreNear(t *testing.T) {
	if got := Near(`{"results":{"speaker_labels":{"segments":[]},"transcripts":[{"transcript":"a"}]},"status":"COMPLETED"}`); len(got) == 0 || got[0] != "amazon" {
		t.Errorf("near a part of one of Amazon: %q", got)
	}
	if got := Near(`{"message":{"results":[{"metadata":1,"words":[{"content":"x"}],"text":"a","end_ts":1}]}}`); len(got) > 0 {
		t.Errorf("near what has names in common: %q", got)
	}
}

func TestListsOfWordsAreNoTurns(t *testing.T) {
	for text, want := range map[string]bool{
		`[{"text":"a"},{"text":"b"},{"text":"c"},{"text":"d"},{"text":"e"},{"text":"f"}]`:              true,
		`[{"text":"a b"},{"text":"b c"},{"text":"c"},{"text":"d"},{"text":"e"},{"text":"f and more"}]`: false,
		`[{"text":"yes"},{"text":"no"}]`: false,
	} {
		n, err := jsontree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := areWords(n.Items(), "text"); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
