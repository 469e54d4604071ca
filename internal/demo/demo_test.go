package demo

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"sotto/internal/callgen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func show(t *testing.T, ctx context.Context, c Config) (string, error) {
	t.Helper()
	var out bytes.Buffer
	c.Out = &out
	err := Run(ctx, c)
	return out.String(), err
}

func TestDemoOfGeneratedCalls(t *testing.T) {
	out, err := show(t, t.Context(), Config{Calls: 8, Stats: true})
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(out), " ")
	events := 0
	for e := range callgen.New(callgen.Config{Seed: seed, Interim: 0.03}).Events(0, 8, 4) {
		if events++; !e.Interim() && e.Text != "" && !strings.Contains(words, strings.Join(strings.Fields(e.Text), " ")) {
			t.Error("an utterance is not shown")
		}
	}
	for _, want := range []string{"raw events", "came out exactly once, in the order of its call.", "transactions committed", "labelled spans",
		"Residual risk", "Mean + STD", "What was missed: ", "of the 8 calls that ended is "} {
		if !strings.Contains(words, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for line := range strings.Lines(out) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("a line of %d columns: %q", n, line)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Error("control sequences in plain output")
	}
}

func TestDemoOnATerminal(t *testing.T) {
	out, err := show(t, t.Context(), Config{Calls: 2, Speed: 1000, Width: func() int { return 100 }})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\x1b[", "━", "100 %", "transactions", "came out exactly once"} {
		if !strings.Contains(out, want) {
			t.Errorf("the screen lacks %q", want)
		}
	}
}

func TestDemoOfEventsAndOfBadLines(t *testing.T) {
	input := `{"call_id":"a","seq":1,"type":"UTTERANCE","text":"hello","timestamp_ms":1000}
{"call_id":"a","seq":2,"type":"UTTERANCE","text":"hel","final":false,"timestamp_ms":1100}
not an event at all
{"call_id":"a","seq":3,"type":"UTTERANCE","text":"bye","timestamp_ms":1200}
{"call_id":"a","seq":4,"type":"END","timestamp_ms":1300}
`
	out, err := show(t, t.Context(), Config{Input: strings.NewReader(input), InputName: "x", Stats: true})
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{"dead letter: ", "dead letters                      1", "interim hypotheses                1", "clean events                      3",
		"1 record became a dead letter", "What was missed: that is not known", "as Sotto estimates it"} {
		if !strings.Contains(out, want) && !strings.Contains(words, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(out, "not an event") {
		t.Error("the text of a bad record is shown")
	}
}

func TestDemoOfLabelledConversations(t *testing.T) {
	input := `{"id":"x","context":"sales","utterances":[{"speaker":"agent","text":"Hi, this is Pam.","entities":[{"start":12,"end":15,"type":"PERSON_NAME"}]}]}
{"id":"x","utterances":[{"speaker":"customer","text":"hello","entities":[]}]}
`
	out, err := show(t, t.Context(), Config{Input: strings.NewReader(input), InputName: "x", Stats: true})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "calls that ended                  2") || !strings.Contains(out, "Of 1 labelled spans") {
		t.Error("two conversations with one labelled span each are not in the counts")
	}
}

func TestDemoOfACorpus(t *testing.T) {
	const file = "../../../shared/corpora/dev/fakevcons.jsonl"
	f, err := os.Open(file)
	if err != nil {
		t.Skip("the corpora are missing")
	}
	defer f.Close()
	if _, err := show(t, t.Context(), Config{Input: f, InputName: file}); err != nil {
		t.Error(err)
	}
}

func TestDemoRefusesOtherFiles(t *testing.T) {
	for _, input := range []string{"", "hello\n", "[]", `{"a":1}`, "{\"utterances\":[{\"text\":\"Quillfeather\",\"entities\":[{\"start\":5,\"end\":500,\"type\":\"X\"}]}]}\n"} {
		_, err := show(t, t.Context(), Config{Input: strings.NewReader(input), InputName: "file.txt"})
		var wrong *SettingsError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "file.txt") || strings.Contains(err.Error(), "Quillfeather") {
			t.Errorf("%.20q: %v", input, err)
		}
	}
}

func TestDemoWithWrongSettings(t *testing.T) {
	_, err := show(t, t.Context(), Config{Calls: 1, Environ: map[string]string{"SOTTO_AUDIT_RATE": "7"}})
	var wrong *SettingsError
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "SOTTO_AUDIT_RATE") {
		t.Error(err)
	}
}

// A demo that is stopped reports correctly on what was played until then.
func TestDemoStoppedHalfway(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	out, err := show(t, ctx, Config{Calls: 50, Speed: 20})
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{"before you stopped the demo, Sotto masked", "came out exactly once"} {
		if !strings.Contains(words, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

// A processor that hangs must not make the demo hang.
func TestDemoGivesUpWhenNothingComesOut(t *testing.T) {
	w, err := newWorld(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	var out bytes.Buffer
	s := &stage{world: w, messages: generated(seed, 1), ledger: newLedger(), registry: prometheus.NewRegistry(),
		view: &plainView{&out}, began: time.Now(), patience: 300 * time.Millisecond}
	if s.player, err = newPlayer(&w.settings, 0); err != nil {
		t.Fatal(err)
	}
	defer s.player.client.Close()
	l, err := s.listen()
	if err != nil {
		t.Fatal(err)
	}
	defer l.client.Close()
	if err := s.show(t.Context(), l, make(chan error)); err == nil || !strings.Contains(err.Error(), "nothing more has come out") {
		t.Error(err)
	}
}

func TestGeneratedAndNumbered(t *testing.T) {
	play := generated(seed, 3)
	for i, m := range play {
		if m.index != i || i > 0 && m.at < play[i-1].at {
			t.Fatalf("message %d has index %d and comes at %s", i, m.index, m.at)
		}
	}
}
