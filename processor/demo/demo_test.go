package demo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"sotto/schemas"
	"sotto/training/corpus/callgen"
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
	out, err := show(t, t.Context(), Config{Calls: 8})
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
	for _, want := range []string{"came out exactly once, in the order of its call.", "What was missed: ", "Who is who: ", "named had one number throughout their call", "of the 8 calls that ended is "} {
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
	out, err := show(t, t.Context(), Config{Calls: 2, Speed: 1000, Terminal: true, Colours: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{red, green, "came out exactly once"} {
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
	out, err := show(t, t.Context(), Config{Input: strings.NewReader(input), InputName: "x"})
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{"dead letter: partition", "each of the 4 events came out exactly once", "1 record became a dead letter",
		"What was missed: that is not known", "as Sotto estimates it"} {
		if !strings.Contains(words, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(out, "not an event") {
		t.Error("the text of a bad record is shown")
	}
}

func TestDemoRefusesOtherFiles(t *testing.T) {
	for _, input := range []string{"", "hello\n", "[]", `{"a":1}`, "{\"text\":\"Quillfeather\"}\n"} {
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
	s := &stage{world: w, messages: generated(seed, 1), ledger: newLedger(), view: view{out: io.Discard}, patience: 300 * time.Millisecond}
	if err := s.connect(); err != nil {
		t.Fatal(err)
	}
	defer s.client.Close()
	if err := s.play(t.Context(), make(chan error)); err == nil || !strings.Contains(err.Error(), "nothing more has come out") {
		t.Error(err)
	}
}

func TestColoursMarkWhatIsMasked(t *testing.T) {
	at := func(n int) *int { return &n }
	var out bytes.Buffer
	view{&out, true}.pair(
		&schemas.RawEvent{CallID: "c", Speaker: &schemas.Speaker{Label: "Zoë\x1b[2J"}, Text: "你好 Mara\x1b[1m!"},
		&schemas.CleanEvent{CallID: "c", Seq: 3, Speaker: &schemas.Speaker{Label: "[PERSON_NAME_2]"}, Text: "你好 [PERSON_NAME_1]!",
			Entities: []schemas.Entity{{Start: 3, End: 18, RawStart: at(3), RawEnd: at(7)}}})
	want := "c #3\n  raw    Zoë[2J: 你好 " + red + "Mara" + normal + "[1m!\n  clean  [PERSON_NAME_2]: 你好 " + green + "[PERSON_NAME_1]" + normal + "!\n"
	if out.String() != want {
		t.Errorf("got %q", out.String())
	}
}
