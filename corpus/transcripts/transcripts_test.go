package transcripts

import (
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

func read(t *testing.T, text, name string) []*Call {
	t.Helper()
	a := NewAssembler(0)
	var calls []*Call
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
	if len(got) != 2 || got[0].ID != "s/a" || !got[0].Released() || got[1].ID != "c" || got[1].Released() {
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
	for _, text := range []string{"\nsecret", conversation + "\n" + `{"call_id": "secr`, "\n" + `{"secret": 1}`, "\n" + `{"utterances": [{"text": 1}]}`} {
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
			if c.ID != "a" || len(c.Events) != 2 || c.Events[1].Seq != 2 || c.EndOffset != 3 {
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
