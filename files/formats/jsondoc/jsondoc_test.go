package jsondoc

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/files/formats/jsontree"
	"sotto/files/formats/transcript"
)

// read reads a document and replaces all texts of its calls that are no repeats.
func read(t *testing.T, s, format string) string {
	t.Helper()
	d, _, err := Read(s, format)
	if err != nil || d == nil {
		t.Fatalf("%v", err)
	}
	for _, c := range d.Calls {
		for _, turn := range append(c.Turns, c.Others...) {
			if turn.Set != nil {
				turn.Set("<X>")
			}
		}
		for _, l := range c.Labels {
			l.Set("<L>")
		}
	}
	out, err := d.Encode()
	if err != nil || !json.Valid(out) {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// A value that no format knows is a text, whatever its type and its name.
func TestUnknownValuesAreTexts(t *testing.T) {
	base64 := strings.Repeat("UklGRiQAAABXQVZF", 20)
	in := `{"monologues":[], "Ines Quimby": 5, "phone": 6045550134, "confidence": 0.25, "start_time": "1.5", "id": "Ines",
  "status": "Ines", "language": "en-US", "type": "word", "ok": true, "none": null, "file": "ines.wav", "deep": [[{"x": "y\u0041"}]], "tokens": [1044, 291], "text": "` + base64 + `"}`
	const want = `{"monologues":[], "<X>": 5, "<X> (2)": 0, "confidence": 0.25, "start_time": "1.5", "id": "<X>",
  "status": "<X>", "language": "en-US", "type": "word", "<X> (3)": true, "<X> (4)": null, "file": "[GENERIC_ID]", "<X> (5)": [[{"<X>": "<X>"}]], "tokens": [], "text": "[GENERIC_ID]"}`
	if got := read(t, in, "rev"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// formatNamed returns the mapping of a format, formNamed how it writes the words of its turns.
func formatNamed(name string) *mapping {
	return mappings()[slices.IndexFunc(mappings(), func(m *mapping) bool { return m.Name == name })]
}

func formNamed(name string) *wordForm { return &formatNamed(name).Turns[0].Words[0] }

// What is merged keeps the start of the first word and gets the end of the last.
func TestMergedWordsKeepTheirTimes(t *testing.T) {
	for _, c := range []struct {
		form *wordForm
		in   string
		want string
	}{
		{formNamed("deepgram"), `[{"word":"a","start":1,"end":2,"punctuated_word":"A"}, {"word":"b","start":3,"end":4.5,"punctuated_word":"b,"}, {"word":"c","start":5,"end":6}]`,
			`[{"word":"[X]","start":1,"end":4.5,"punctuated_word":"[X],"}, {"word":"c","start":5,"end":6}]`},
		{formNamed("azure-conversation"), `[{"word":"a","offset":"PT1.5S","duration":"PT0.5S","offsetInTicks":15000000.0,"durationInTicks":5000000.0},{"word":"b","offset":"PT1M3S","duration":"PT0.25S","offsetInTicks":630000000.0,"durationInTicks":2500000.0}]`,
			`[{"word":"[X]","offset":"PT1.5S","duration":"PT61.75S","offsetInTicks":15000000.0,"durationInTicks":617500000.0}]`},
		{formNamed("amazon-call-analytics"), `[{"Content":"a","EndOffsetMillis":10},{"Content":"b","EndOffsetMillis":20}]`, `[{"Content":"[X]","EndOffsetMillis":20}]`},
	} {
		root, err := jsontree.Parse(c.in)
		if err != nil {
			t.Fatal(err)
		}
		d := newDocument(c.in, root)
		d.merge(root.Children[:2], c.form, "[X],")
		if got := d.encode(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	names := Names()
	slices.Sort(names)
	if len(slices.Compact(names)) != len(formats) {
		t.Errorf("a name occurs twice: %v", names)
	}
}

// Each sample has one format, so that the order of the mappings does not matter.
func TestSamplesHaveOneFormat(t *testing.T) {
	files, err := filepath.Glob("../../testdata/formats/*.json")
	if err != nil || len(files) < 25 {
		t.Fatalf("%d samples: %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		root, err := jsontree.Parse(string(data))
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, m := range mappings() {
			if m.detects(root) {
				found = append(found, m.Name)
			}
		}
		if name := filepath.Base(file); len(found) != 1 && name != "vcon.json" && name != "utterances.json" {
			t.Errorf("%s has the formats %v", name, found)
		}
	}
}

// Positions in a list of words and numbers of its words follow where words become one.
func TestPositionsFollowMergedWords(t *testing.T) {
	const in = `{"results":{"channels":[{"alternatives":[{"transcript":"a b c d e","words":[{"word":"a"},{"word":"b"},{"word":"c"},{"word":"d"},{"word":"e"}],` +
		`"paragraphs":{"paragraphs":[{"num_words":2},{"num_words":3}]},"entities":[{"start_word":1,"end_word":3},{"start_word":2,"end_word":5},{"start_word":604555,"end_word":0}]}]}]}}`
	const want = `{"results":{"channels":[{"alternatives":[{"transcript":"a b c d e","words":[{"word":"a"},{"word":"[X]"},{"word":"d"},{"word":"e"}],` +
		`"paragraphs":{"paragraphs":[{"num_words":2},{"num_words":2}]},"entities":[{"start_word":1,"end_word":2},{"start_word":1,"end_word":4},{"start_word":604555,"end_word":0}]}]}]}}`
	d, _, err := Read(in, "deepgram")
	if err != nil {
		t.Fatal(err)
	}
	d.Calls[0].Turns[0].Repeats[0].Set([]transcript.Span{{First: 1, Last: 2, Text: "[X]"}})
	if out, err := d.Encode(); err != nil || string(out) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, out, want)
	}
	others := d.Calls[0].Others // a number that is no position is a text
	if len(others) == 0 || others[len(others)-1].Text != "604555" {
		t.Error("a number that is no position is kept")
	}
}
