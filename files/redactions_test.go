package files

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// untimedSamples have no times that begin with the recording.
var untimedSamples = strings.Fields("contact-lens-chat.json cxone.json dialpad.json intercom.json ownline.txt salesforce.json table.tsv text.txt utterances.json vcon.json zendesk.json")

// spokenSamples have the times of the words that are said.
var spokenSamples = strings.Fields("azure-conversation.json vosk.json")

// wordless samples have times of turns alone, and of tables those are others.
var wordless = strings.Fields("captions.sbv captions.srt captions.ttml captions.vtt contact-lens-live.json contact-lens.json gong.json teams.vtt zoom.json zoom.vtt")

func TestRedactionsCoverWhatIsMasked(t *testing.T) {
	j := fileJob(t)
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		_, results := anonymized(t, j, name, samples[name](madeUp))
		if (results[0].cuts.untimed > 0) != slices.Contains(untimedSamples, name) {
			t.Errorf("%s: %d turns have no time", name, results[0].cuts.untimed)
		}
		if results[0].cuts.untimed > 0 || strings.HasPrefix(name, "table.") {
			continue
		}
		form := display
		if slices.Contains(spokenSamples, name) {
			form = spoken
		}
		for _, w := range slices.Concat(timedWords(madeUp, form)...) {
			covered := slices.ContainsFunc(results[0].cuts.redactions(), func(r redaction) bool { return r.Start <= w.start && w.end <= r.End })
			if secret := strings.ContainsAny(w.text, "0123456789@") || slices.Contains([]string{"ines", "quimby", "tobias", "wendover", "four", "one", "dot"}, bare(w.text)); secret && !covered {
				t.Errorf("%s: nothing covers what is said at %.1f s", name, w.start)
			}
			if covered && !slices.Contains(wordless, name) && slices.Contains([]string{"thank", "help", "great"}, bare(w.text)) {
				t.Errorf("%s: an ordinary word at %.1f s is covered", name, w.start)
			}
		}
	}
}

// A word without times is covered with everything between its neighbours: WhisperX has no times of numbers.
func TestRedactionsWithoutTimes(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"a word":        {"a.json", `{"segments":[{"text":"I am Ines Quimby.","start":1,"end":4,"words":[{"word":"I","start":1,"end":1.5},{"word":"am","start":1.5,"end":2},{"word":"Ines"},{"word":"Quimby."}]}]}`, "1.8-4.2 [PERSON_NAME_1]"},
		"lacking words": {"a.json", `{"segments":[{"text":"I am Ines Quimby.","start":1,"end":4,"words":[{"word":"I","start":1,"end":1.5},{"word":"am","start":1.5,"end":2}]}]}`, "0.8-4.2 [PERSON_NAME_1]"},
		"the end":       {"a.csv", "start,text\n5,I am Ines Quimby.\n9,Thanks.\n12,\"Bye, Ines.\"\n", "4.8-9.2 [PERSON_NAME_1];11.8-86400.2 [PERSON_NAME_1]"},
	} {
		_, results := anonymized(t, fileJob(t), c.file, c.text)
		if got := labelsOf(results[0].cuts.redactions()); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func labelsOf(all []redaction) string {
	labels := make([]string, len(all))
	for i, x := range all {
		labels[i] = fmt.Sprintf("%g-%g %s", x.Start, x.End, strings.Join(x.Tags, " "))
	}
	return strings.Join(labels, ";")
}

func TestRedactionsThatTouchAreOne(t *testing.T) {
	r := redactor{tags: map[string]string{"[A_1]": "[A_1]", "Carey": "[B_1]"}}
	r.said = []stretch{{5000, 6000, "[A_1]"}, {1000, 2000, "[A_1]"}, {2300, 2400, "Carey, [A_1]"}, {0, 100, "Carey"}}
	if got, want := labelsOf(r.redactions()), "0-0.3 [B_1];0.8-2.6 [A_1] [B_1];4.8-6.2 [A_1]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Each call of a file has redactions of its own.
func TestRedactionsAreWritten(t *testing.T) {
	dir := t.TempDir()
	calls := []CallResult{
		{cuts: &redactor{tags: map[string]string{"[A_1]": "[A_1]", "[B]": "[B]"}, said: []stretch{{1200, 2300, "[A_1]"}, {4200, 4800, "[B]"}}}},
		{cuts: &redactor{}},
	}
	if err := writeRedactions(filepath.Join(dir, "x/a.json"), calls); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"1.redactions.txt": "1.000\t2.500\t[A_1]\n4.000\t5.000\t[B]\n", "2.redactions.txt": "", "2.redactions.ffmpeg": "anull\n",
		"1.redactions.ffmpeg": "asetnsamples=n=64:p=0,volume=0:enable='between(t,0.990,2.500)+between(t,3.990,5.000)'\n", "2.redactions.json": "{\n  \"redactions\": []\n}\n",
	} {
		if got, err := os.ReadFile(filepath.Join(dir, "x/a.json."+name)); err != nil || string(got) != want {
			t.Errorf("%s: %v, got %s", name, err, got)
		}
	}
	if err := writeRedactions(filepath.Join(dir, "b"), []CallResult{{cuts: &redactor{untimed: 1}}}); err == nil {
		t.Error("nothing is said of a turn without time")
	}
}
