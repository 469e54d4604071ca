package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"sotto/anonymize"
	"sotto/schemas"
	"sotto/state"
)

// echo is an engine that writes the words in capitals and panics on one word. It shows what the job
// does, independent of what the real engine finds, which it embeds.
type echo struct {
	*anonymize.Engine
	calls map[*state.Call]int
}

func newEcho(t *testing.T) *echo {
	t.Helper()
	e, err := anonymize.New(anonymize.Options{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	return &echo{e, map[*state.Call]int{}}
}

func (e *echo) Prepare(ev *schemas.RawEvent) *anonymize.Prepared {
	if strings.Contains(ev.Text, "boom") {
		panic("a panic that holds " + ev.Text)
	}
	return &anonymize.Prepared{Event: ev}
}

func (e *echo) Apply(c *state.Call, p *anonymize.Prepared) (schemas.CleanEvent, bool) {
	e.calls[c]++
	return schemas.CleanEvent{
		CallID: p.Event.CallID, Seq: p.Event.Seq, Type: p.Event.Type, Speaker: p.Event.Speaker,
		Text: strings.ToUpper(p.Event.Text), Strategy: fmt.Sprint(e.calls[c]),
	}, true
}

// run processes input and returns the clean events, the reports and the counts.
func run(t *testing.T, input string) ([]schemas.CleanEvent, []string, Counts) {
	t.Helper()
	var reports []string
	job := Job{Engine: newEcho(t), Report: func(line int, problem string) {
		reports = append(reports, fmt.Sprintf("%d: %s", line, problem))
	}}
	var out bytes.Buffer
	n, err := job.Events(context.Background(), strings.NewReader(input), &out)
	if err != nil {
		t.Fatal(err)
	}
	var events []schemas.CleanEvent
	for line := range strings.Lines(out.String()) {
		var e schemas.CleanEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("an output line is not JSON: %v", err)
		}
		events = append(events, e)
	}
	return events, reports, n
}

func event(call string, seq int, kind, text string) string {
	return fmt.Sprintf(`{"call_id":%q,"seq":%d,"type":%q,"text":%q}`+"\n", call, seq, kind, text)
}

func TestCallsInterleaveAndKeepTheirOrder(t *testing.T) {
	events, reports, n := run(t, event("a", 1, "START", "")+event("b", 1, "UTTERANCE", "one")+event("a", 2, "UTTERANCE", "two")+
		"\n"+event("b", 2, "END", "")+event("a", 3, "UTTERANCE", "three")+strings.TrimSuffix(event("a", 4, "END", ""), "\n"))
	if len(reports) > 0 || n != (Counts{Lines: 6, Events: 6}) {
		t.Fatalf("reports %v, counts %+v", reports, n)
	}
	var got []string
	for _, e := range events {
		got = append(got, fmt.Sprintf("%s%d %s step %s", e.CallID, e.Seq, e.Text, e.Strategy))
	}
	want := "a1  step 1|b1 ONE step 1|a2 TWO step 2|b2  step 2|a3 THREE step 3|a4  step 4"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	for _, e := range events {
		if (e.Type == schemas.End) != (e.Call != nil) {
			t.Errorf("%s %d: call summary %v", e.CallID, e.Seq, e.Call)
		}
	}
	if c := events[5].Call; c.Utterances != 2 || !c.Release || c.ClosedBy != schemas.ClosedByEnd {
		t.Errorf("summary of a: %+v", c)
	}
}

func TestBadLinesAreReportedWithoutTheirText(t *testing.T) {
	secret := "Quillfeather"
	events, reports, n := run(t, event("a", 1, "UTTERANCE", "one")+
		"{\"call_id\":\"a\", "+secret+"\n"+
		secret+"\n"+
		`{"call_id":"a","seq":2,"type":"`+secret+`","text":"x"}`+"\n"+
		`{"seq":2,"type":"UTTERANCE","text":"`+secret+`"}`+"\n"+
		event("a", 3, "UTTERANCE", "boom "+secret)+
		`{"call_id":"a","seq":4,"type":"UTTERANCE","text":"`+secret+"\xff\"}\n"+
		event("a", 5, "UTTERANCE", "two"))
	if len(events) != 2 || events[1].Text != "TWO" {
		t.Errorf("%d events were written", len(events))
	}
	if n.Bad != 6 || n.Lines != 8 || len(reports) != 6 {
		t.Errorf("counts %+v, %d reports", n, len(reports))
	}
	for i, r := range reports {
		if strings.Contains(r, secret) {
			t.Errorf("report %d shows the line's text", i)
		}
		if !strings.HasPrefix(r, fmt.Sprintf("%d: ", i+2)) {
			t.Errorf("report %d names the wrong line: %s", i, r)
		}
	}
}

func TestInterimHypothesesAreDropped(t *testing.T) {
	events, _, n := run(t, `{"call_id":"a","seq":1,"type":"UTTERANCE","text":"on","final":false}`+"\n"+
		`{"call_id":"a","seq":2,"type":"UTTERANCE","text":"one","final":true}`+"\n")
	if n.Interim != 1 || len(events) != 1 || events[0].Text != "ONE" {
		t.Errorf("counts %+v, %d events", n, len(events))
	}
}

func TestEventsAfterTheEnd(t *testing.T) {
	var in strings.Builder
	in.WriteString(event("a", 1, "UTTERANCE", "x") + event("a", 2, "END", "") + event("a", 3, "UTTERANCE", "x"))
	for i := range keepEnded {
		in.WriteString(event(fmt.Sprintf("other-%d", i), 1, "END", ""))
	}
	in.WriteString(event("a", 4, "UTTERANCE", "x"))
	events, reports, n := run(t, in.String())
	// Soon after the END, the state still exists.
	if e := events[2]; e.Strategy != "3" {
		t.Errorf("the event after END is step %s", e.Strategy)
	}
	// Much later the state is dropped, and the numbering must not restart.
	want := fmt.Sprintf("%d: %s", n.Lines, problemLate)
	if n.Bad != 1 || n.Events != n.Lines-1 || len(reports) != 1 || reports[0] != want {
		t.Errorf("an event of a call whose state was dropped: counts %+v, reports %q", n, reports)
	}
}

// outputs returns the clean events of an input.
func outputs(t *testing.T, input string) (out []schemas.CleanEvent) {
	t.Helper()
	e, err := anonymize.New(anonymize.Options{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := (&Job{Engine: e}).Events(context.Background(), strings.NewReader(input), &b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		var ev schemas.CleanEvent
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatal(err)
		}
		out = append(out, ev)
	}
	return out
}

// A value that only the START had is not written long after the end of its call.
func TestValuesOfTheStartAreNotWrittenLater(t *testing.T) {
	const start = `{"call_id":"a","seq":1,"type":"START","participants":[{"speaker_id":"s","other":["purple walrus"]}]}` + "\n"
	const text = "and then the purple walrus called back"
	for _, others := range []int{0, keepEnded} {
		var in strings.Builder
		in.WriteString(start + event("a", 2, "UTTERANCE", text) + event("a", 3, "END", ""))
		for i := range others {
			in.WriteString(event(fmt.Sprintf("other-%d", i), 1, "END", ""))
		}
		in.WriteString(event("a", 4, "UTTERANCE", text))
		out := outputs(t, in.String())
		for _, e := range out {
			if strings.Contains(e.Text, "walrus") {
				t.Errorf("after %d other calls: %q", others, e.Text)
			}
		}
		if want := 4 + others; others == 0 && len(out) != want || others > 0 && len(out) != want-1 {
			t.Errorf("after %d other calls: %d events", others, len(out))
		}
	}
}

func TestMemoryOfEndedCallsIsBounded(t *testing.T) {
	c := newCalls(8)
	for i := range 10_000 {
		id := fmt.Sprint(i)
		m := c.get(id)
		c.end(m)
		c.end(m)
	}
	if c.table.Len() != 8 {
		t.Errorf("%d states", c.table.Len())
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("word ", 100_000)
	events, reports, _ := run(t, event("a", 1, "UTTERANCE", long)+event("a", 2, "UTTERANCE", "after"))
	if len(events) != 2 || len(reports) != 0 || len(events[0].Text) != len(long) {
		t.Fatalf("%d events, %d reports", len(events), len(reports))
	}
	if testing.Short() {
		return
	}
	// A line without end is read and dropped, not buffered.
	endless := io.MultiReader(io.LimitReader(zeros{}, maxLine+5), strings.NewReader("\n"+event("a", 1, "UTTERANCE", "after")))
	var out bytes.Buffer
	var lines []int
	job := Job{Engine: newEcho(t), Report: func(line int, problem string) {
		lines = append(lines, line)
		if problem != problemTooLong {
			t.Errorf("reported as %q", problem)
		}
	}}
	n, err := job.Events(context.Background(), endless, &out)
	if err != nil || n.Bad != 1 || n.Events != 1 || len(lines) != 1 || lines[0] != 1 {
		t.Errorf("counts %+v, lines %v, error %v", n, lines, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// A filter at the end of a pipe must not wait for more input before it writes the output that it
// has.
func TestOutputDoesNotWaitForMoreInput(t *testing.T) {
	in, feed := io.Pipe()
	read, out := io.Pipe()
	job := Job{Engine: newEcho(t)}
	done := make(chan error, 1)
	go func() {
		_, err := job.Events(context.Background(), in, out)
		done <- errors.Join(err, out.Close())
	}()
	lines := make(chan string)
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := read.Read(b)
			if err != nil {
				close(lines)
				return
			}
			lines <- string(b[:n])
		}
	}()
	for seq := 1; seq <= 3; seq++ {
		fmt.Fprint(feed, event("a", seq, "UTTERANCE", "x"))
		if got := <-lines; !strings.Contains(got, fmt.Sprintf(`"seq":%d`, seq)) {
			t.Fatalf("after event %d: %q", seq, got)
		}
	}
	feed.Close()
	for range lines {
		t.Error("more output than input")
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestText(t *testing.T) {
	var reports []int
	job := Job{Engine: newEcho(t), Report: func(line int, _ string) { reports = append(reports, line) }}
	var out bytes.Buffer
	n, err := job.Text(context.Background(), "call", strings.NewReader("Pam: hello\n\nJim: boom\nbad\xff\nno label\n"), &out)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Pam: HELLO\nNO LABEL\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if n.Bad != 2 || n.Lines != 4 || fmt.Sprint(reports) != "[3 4]" {
		t.Errorf("counts %+v, reports %v", n, reports)
	}
}

func TestErrorsOfReadingAndWritingEndTheJob(t *testing.T) {
	job := Job{Engine: newEcho(t)}
	boom := errors.New("disk on fire")
	if _, err := job.Events(context.Background(), io.MultiReader(strings.NewReader(event("a", 1, "END", "")), failing{boom}), io.Discard); !errors.Is(err, boom) {
		t.Errorf("reading: %v", err)
	}
	if _, err := job.Events(context.Background(), strings.NewReader(event("a", 1, "END", "")), failing{boom}); !errors.Is(err, boom) {
		t.Errorf("writing: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := job.Events(ctx, strings.NewReader(event("a", 1, "END", "")), io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }
