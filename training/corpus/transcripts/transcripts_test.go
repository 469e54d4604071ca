package transcripts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sotto/schemas"
)

const conversation = `{"id": "a", "source": "s", "utterances": [{"speaker": "agent", "text": "hi Zoë", "entities": [{"start": 3, "end": 6, "type": "PERSON_NAME"}]}]}`

const clean = `{"call_id": "c", "seq": 1, "type": "UTTERANCE", "text": "hello", "entities": []}
{"call_id": "c", "seq": 2, "type": "END", "text": "", "call": {"utterances": 1, "release": false, "entities": {}}}`

func read(t *testing.T, text, name string) []*Transcript {
	t.Helper()
	a := NewAssembler(0)
	var calls []*Transcript
	if err := Read(strings.NewReader(text), name, func(e *schemas.CleanEvent) error {
		calls = append(calls, a.Add(e, 0, 0)...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return append(calls, a.Flush()...)
}

func TestRead(t *testing.T) {
	got := read(t, conversation+"\n\n"+clean, "f.jsonl")
	if len(got) != 2 || got[0].ID != "a" || got[0].Released() || got[1].ID != "c" || got[1].Released() {
		t.Fatalf("%+v", got)
	}
	if e := got[0].Events[0]; e.Entities[0].Type != "PERSON_NAME" || e.Speaker.Role != schemas.RoleAgent {
		t.Errorf("%+v", e)
	}
	got = read(t, "### id=W1 context=sales\nAGENT: this is {{PERSON_NAME|Ines}}.\n", "f.txt")
	if len(got) != 1 || got[0].Events[0].Text != "this is Ines." {
		t.Errorf("%+v", got)
	}
}

func TestDamagedFiles(t *testing.T) {
	for _, text := range []string{conversation + "\n" + conversation, "\nsecret", conversation + "\n" + `{"call_id": "secr`, "\n" + `{"secret": 1}`, "\n" + `{"utterances": [{"text": 1}]}`} {
		err := Read(strings.NewReader(text), "f", func(*schemas.CleanEvent) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), "f:2") || strings.Contains(err.Error(), "secr") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func event(id string, seq int64, kind schemas.EventType, at int64) *schemas.CleanEvent {
	e := &schemas.CleanEvent{CallID: id, Seq: seq, Type: kind, TimestampMS: at}
	if kind == schemas.End {
		e.Call = &schemas.CallSummary{Release: true}
	}
	return e
}

func TestCallsAreCompleteAfterTheirGrace(t *testing.T) {
	a := NewAssembler(time.Minute)
	const base = 1_000_000
	for i, step := range []struct {
		e    *schemas.CleanEvent
		done int
	}{
		{event("a", 1, schemas.Utterance, base), 0},
		{event("b", 1, schemas.Utterance, base), 0},
		{event("a", 3, schemas.End, base+1000), 0},
		{event("a", 2, schemas.Utterance, base+2000), 0}, // within the grace period
		{event("b", 2, schemas.Utterance, base+60_999), 0},
		{event("b", 3, schemas.Utterance, base+61_000), 1},
	} {
		done := a.Add(step.e, 0, int64(i))
		if len(done) != step.done {
			t.Fatalf("step %d: %d calls are complete", i, len(done))
		}
		for _, c := range done {
			if c.ID != "a" || len(c.Events) != 2 || c.Events[1].Seq != 2 {
				t.Errorf("%+v", c)
			}
		}
	}
	if low := a.Low(0, 6); low != 1 || a.Open() != 1 {
		t.Errorf("the oldest open event is at %d, %d are open", low, a.Open())
	}
	if done := a.Flush(); len(done) != 0 {
		t.Error("a call without END is complete")
	}
}

// The clock of a call's producer may be hours behind those of others.
func TestACallWhoseClockIsBehindHasItsGrace(t *testing.T) {
	a := NewAssembler(time.Minute)
	const base, behind = 100_000_000, 3_600_000
	for i, e := range []*schemas.CleanEvent{
		event("right", 1, schemas.Utterance, base),
		event("a", 1, schemas.Utterance, base-behind),
		event("a", 3, schemas.End, base-behind+1000),
		event("a", 2, schemas.Utterance, base-behind+2000),
		event("right", 2, schemas.Utterance, base+60_000),
	} {
		if done := a.Add(e, 0, int64(i)); len(done) != i/4 || len(done) == 1 && len(done[0].Events) != 2 {
			t.Fatalf("step %d: %d calls are complete", i, len(done))
		}
	}
	if a.Open() != 1 {
		t.Errorf("%d calls are open, want the other one", a.Open())
	}
}

func TestConversations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.jsonl")
	if err := os.WriteFile(path, []byte(clean+"\n"+conversation), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Conversations(path)
	if err != nil || len(got) != 2 || got[0].Utterances[0].Text != "hello" || got[1].Utterances[0].Entities[0].Type != "PERSON_NAME" || got[1].Utterances[0].Speaker != "agent" {
		t.Errorf("%+v %v", got, err)
	}
}

// said is an utterance of the call "c".
func said(seq int64, text string, own ...schemas.Span) *schemas.CleanEvent {
	return &schemas.CleanEvent{CallID: "c", Seq: seq, Type: schemas.Utterance, Text: text, Indirect: own}
}

// endOf is an END of the call "c" that tells of the graph of indirect identifiers.
func endOf(seq int64, release bool, in *schemas.IndirectSummary) *schemas.CleanEvent {
	return &schemas.CleanEvent{CallID: "c", Seq: seq, Type: schemas.End, TimestampMS: seq, Call: &schemas.CallSummary{Release: release, Indirect: in}}
}

func TestMarksOfTheStream(t *testing.T) {
	word := func(seq int64, start, end int) schemas.MarkedWord {
		return schemas.MarkedWord{Seq: seq, Start: start, End: end}
	}
	for name, test := range map[string]struct {
		events []*schemas.CleanEvent
		want   string
	}{
		"the END of the clean topic lists them": {
			[]*schemas.CleanEvent{said(1, "hé vertebra"), said(2, "yes"), endOf(3, true, &schemas.IndirectSummary{Judged: true, Count: 1, Words: []schemas.MarkedWord{word(1, 3, 11)}})},
			"[{3 11}] []",
		},
		"utterances of the final topic have them": {
			[]*schemas.CleanEvent{said(1, "hé vertebra", schemas.Span{Start: 3, End: 11}), said(2, "yes"), endOf(3, true, &schemas.IndirectSummary{Judged: true, Count: 1}), said(4, "and so on")},
			"[{3 11}] [] []",
		},
		"too few calls were counted": {
			[]*schemas.CleanEvent{said(1, "vertebra"), endOf(2, true, &schemas.IndirectSummary{}), said(3, "and")}, "[] []",
		},
		"no graph": {[]*schemas.CleanEvent{said(1, "vertebra"), endOf(2, true, nil), said(3, "and")}, "[] []"},
		"the END had no room for all": {
			[]*schemas.CleanEvent{said(1, "one"), said(2, "two two"), said(3, "three"), endOf(4, true, &schemas.IndirectSummary{Judged: true, Count: 3, Words: []schemas.MarkedWord{word(1, 0, 3), word(2, 0, 3)}})},
			"[{0 3}] [{0 7}] [{0 5}]",
		},
		"the END had room for none": {
			[]*schemas.CleanEvent{said(1, "one"), said(2, "two"), endOf(3, true, &schemas.IndirectSummary{Judged: true, Count: 3})}, "[{0 3}] [{0 3}]",
		},
		"after the END, nobody judges": {
			[]*schemas.CleanEvent{
				said(1, "one"), endOf(2, true, &schemas.IndirectSummary{Judged: true, Count: 1, Words: []schemas.MarkedWord{word(1, 0, 3)}}),
				said(3, "late"), endOf(4, true, &schemas.IndirectSummary{Judged: true}),
			}, "[{0 3}] [{0 4}]",
		},
	} {
		a := NewAssembler(time.Hour)
		for i, e := range test.events {
			a.Add(e, 0, int64(i))
		}
		var got []string
		for _, e := range a.Flush()[0].Events {
			got = append(got, fmt.Sprint(e.Indirect))
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: marked %s, want %s", name, s, test.want)
		}
	}
}

// A call that the first END withholds stays withheld.
func TestEveryENDMustRelease(t *testing.T) {
	for _, release := range [][2]bool{{true, true}, {true, false}, {false, true}} {
		a := NewAssembler(time.Hour)
		for i, r := range release {
			a.Add(endOf(int64(i+1), r, nil), 0, int64(i))
		}
		if got := a.Flush()[0].Released(); got != (release[0] && release[1]) {
			t.Errorf("%v: released %v", release, got)
		}
	}
}

// What only the START says of a call holds for its utterances.
func TestWhatTheStartSaysHoldsForTheCall(t *testing.T) {
	a := NewAssembler(0)
	for _, e := range []*schemas.CleanEvent{
		{CallID: "c", Seq: 0, Type: schemas.Start, Context: "sales", Tenant: "acme", Language: "en-US"},
		{CallID: "c", Seq: 1, Type: schemas.Utterance, Text: "hello"},
		{CallID: "c", Seq: 2, Type: schemas.Utterance, Text: "hola", Language: "es"},
	} {
		a.Add(e, 0, 0)
	}
	done := a.Add(&schemas.CleanEvent{CallID: "c", Seq: 3, Type: schemas.End, Call: &schemas.CallSummary{Release: true}}, 0, 0)
	if len(done) != 1 || len(done[0].Events) != 2 {
		t.Fatalf("%+v", done)
	}
	if e := done[0].Events[0]; e.Context != "sales" || e.Tenant != "acme" || e.Language != "en-US" {
		t.Errorf("%+v", e)
	}
	if e := done[0].Events[1]; e.Context != "sales" || e.Language != "es" {
		t.Errorf("%+v", e)
	}
}
