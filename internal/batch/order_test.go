package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sotto/anonymize"
	"sotto/internal/callgen"
	"sotto/schemas"
	"sotto/state"
)

func holdingEngine(t *testing.T, n int, d time.Duration) *anonymize.Engine {
	t.Helper()
	e, err := anonymize.New(anonymize.Options{HoldBack: n, HoldBackTime: d})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func said(call string, seq int, ms int64, speaker, text string) string {
	return fmt.Sprintf(`{"call_id":%q,"seq":%d,"type":"UTTERANCE","speaker":{"id":%q},"text":%q,"timestamp_ms":%d}`+"\n", call, seq, speaker, text, ms)
}

func outputs(t *testing.T, e anonymize.Anonymizer, input string) (out []schemas.CleanEvent, reports []string, n Counts) {
	t.Helper()
	job := Job{Engine: e, Report: func(line int, problem string) { reports = append(reports, fmt.Sprint(line, " ", problem)) }}
	var b bytes.Buffer
	n, err := job.Events(context.Background(), strings.NewReader(input), &b)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		var ev schemas.CleanEvent
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatal(err)
		}
		out = append(out, ev)
	}
	return out, reports, n
}

// The output has the order of the input, even if an event of one call is deferred while other calls
// continue.
func TestDeferredLinesKeepTheirPosition(t *testing.T) {
	input := said("a", 1, 1000, "x", "my card is four five") + said("b", 1, 1000, "y", "well, okay") + said("a", 2, 2000, "x", "three two one five one one") +
		said("b", 2, 2000, "y", "my account is 4 4 7") + said("a", 3, 3000, "x", "two eight three oh three six six") + said("b", 3, 3000, "z", "What is your name?")
	out, _, n := outputs(t, holdingEngine(t, 5, time.Minute), input)
	var got []string
	for _, e := range out {
		got = append(got, fmt.Sprintf("%s%d %s", e.CallID, e.Seq, e.Text))
	}
	want := []string{"a1 my card is [CREDIT_CARD_NUMBER_1]", "b1 well, okay", "a2 [CREDIT_CARD_NUMBER_1]", "b2 my account is [GENERIC_ID_1]",
		"a3 [CREDIT_CARD_NUMBER_1]", "b3 What is your name?"}
	if !slices.Equal(got, want) || n.Events != 6 {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// The event times of other calls release it before it is completed.
	out, _, _ = outputs(t, holdingEngine(t, 5, time.Second), input)
	if out[0].Text == "my card is [CREDIT_CARD_NUMBER_1]" {
		t.Errorf("after a second the event is still deferred: %s", out[0].Text)
	}
}

// With hold-back, every event of interleaved calls is written once, at its position.
func TestEveryLineComesOutOnceWithHoldBack(t *testing.T) {
	codec, err := schemas.NewCodec(context.Background(), schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		t.Fatal(err)
	}
	var input []byte
	var want []string
	for e := range callgen.New(callgen.Config{Seed: 3}).Events(0, 60, 12) {
		if input, err = codec.AppendRaw(input, &e.RawEvent); err != nil {
			t.Fatal(err)
		}
		input = append(input, '\n')
		want = append(want, fmt.Sprint(e.CallID, " ", e.Seq))
	}
	counter := &countingDeferred{Anonymizer: holdingEngine(t, 4, 20*time.Second)}
	out, reports, _ := outputs(t, counter, string(input))
	var got []string
	for _, e := range out {
		got = append(got, fmt.Sprint(e.CallID, " ", e.Seq))
		if e.Call != nil && e.Call.Utterances == 0 {
			t.Errorf("the END of %s counts no utterances", e.CallID)
		}
	}
	if !slices.Equal(got, want) || len(reports) > 0 {
		t.Errorf("%d of %d events were written, in another order or with errors: %v", len(got), len(want), reports)
	}
	if counter.waited == 0 {
		t.Error("no event was deferred: the test tests nothing")
	}
}

// countingDeferred counts the events that are prepared before an earlier one was applied.
type countingDeferred struct {
	anonymize.Anonymizer
	prepared, applied, waited int
}

func (c *countingDeferred) Prepare(ev *schemas.RawEvent) *anonymize.Prepared {
	if c.prepared++; c.prepared > c.applied+1 {
		c.waited++
	}
	return c.Anonymizer.Prepare(ev)
}

func (c *countingDeferred) Apply(m *state.Call, p *anonymize.Prepared) (schemas.CleanEvent, bool) {
	c.applied++
	return c.Anonymizer.Apply(m, p)
}

type failsOn struct {
	anonymize.Anonymizer
	text string
}

func (f failsOn) Apply(c *state.Call, p *anonymize.Prepared) (schemas.CleanEvent, bool) {
	if p.Event.Text == f.text {
		panic("a panic that holds " + f.text)
	}
	return f.Anonymizer.Apply(c, p)
}

func TestADeferredEventThatFailsIsReportedByItsLine(t *testing.T) {
	e := failsOn{holdingEngine(t, 5, time.Minute), "go on now"}
	out, reports, n := outputs(t, e, said("a", 1, 1, "x", "my card is four five")+said("a", 2, 2, "y", "go on now")+
		said("a", 3, 3, "x", "three two one five one one two eight three oh three six six"))
	if len(out) != 2 || n.Bad != 1 || len(reports) != 1 || reports[0] != "2 "+problemPanic {
		t.Errorf("%d events, reports %q", len(out), reports)
	}
}

// However long a call with deferred events is silent, and whatever the event times are, the lines
// after it do not accumulate without bound.
func TestDeferredLinesAreBounded(t *testing.T) {
	var written int
	o := newOrder(t.Context(), &Job{Engine: holdingEngine(t, 5, time.Minute)}, 1, func(*schemas.CleanEvent, []anonymize.Explanation) (bool, error) {
		written++
		return true, nil
	})
	ev := func(call string, seq int64, text string) *schemas.RawEvent {
		return &schemas.RawEvent{CallID: call, Seq: seq, Type: schemas.Utterance, Text: text}
	}
	if err := o.take(ev("a", 1, "my card is four five"), 1); err != nil {
		t.Fatal(err)
	}
	for i := range maxPending + 5 {
		if err := o.take(ev("b", int64(i), "okay"), i+2); err != nil {
			t.Fatal(err)
		}
		if len(o.lines) > maxPending {
			t.Fatalf("%d lines are pending", len(o.lines))
		}
	}
	if written != maxPending+6 {
		t.Errorf("%d lines were written, want all %d", written, maxPending+6)
	}
}

func TestTextWithHoldBack(t *testing.T) {
	var out bytes.Buffer
	n, err := (&Job{Engine: holdingEngine(t, 2, time.Second)}).Text(context.Background(),
		strings.NewReader("Ann: my card is four five\nAnn: three two one five one one two eight three oh three six six\nAnn: and my account is 4 4 7"), &out)
	if want := "Ann: my card is [CREDIT_CARD_NUMBER_1]\nAnn: [CREDIT_CARD_NUMBER_1]\nAnn: and my account is [GENERIC_ID_1]\n"; err != nil || n.Events != 3 ||
		!strings.HasSuffix(out.String(), strings.ReplaceAll(want, "Ann", "[PERSON_NAME_1]")) {
		t.Errorf("%v, %+v: %q", err, n, out.String())
	}
}
