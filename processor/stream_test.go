package processor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
)

func TestCallsGoThrough(t *testing.T) {
	brokertest.NoLeaks(t)
	r := newRig(t, 4)
	r.set.AuditRate = "default=0,customer_support=1"
	in := r.start("a")
	var want int
	for c := range 20 {
		call := fmt.Sprintf("call-%d", c)
		r.feed(
			r.raw(int32(c%4), utterance(call, 1, "x", "this is Pam calling from Dunder Mifflin")),
			r.raw(int32(c%4), utterance(call, 2, "y", "hello Pam")),
			r.raw(int32(c%4), ended(call, 3)))
		want += 3
	}
	events := r.clean(r.await(r.topics.Clean, want))
	ends := 0
	for _, e := range events {
		if e.Type != schemas.End {
			continue
		}
		ends++
		if e.Call == nil || e.Call.Utterances != 2 || e.Call.ClosedBy != schemas.ClosedByEnd || !e.Call.Release {
			t.Errorf("the END of %s has the summary %+v, want 2 utterances, closed by its END", e.CallID, e.Call)
		}
	}
	if ends != 20 || len(events) != want {
		t.Errorf("%d events with %d ENDs, want %d and 20", len(events), ends, want)
	}
	if got := len(r.await(r.topics.Audit, want)); got != want {
		t.Errorf("%d audit events at rate 1, want %d", got, want)
	}
	if err := in.stop(); err != nil {
		t.Errorf("stopped with %v", err)
	}
}

func TestDictionariesAreReadAgain(t *testing.T) {
	r := newRig(t, 1)
	r.set.DictionaryDir = t.TempDir()
	r.set.Reload = 100 * time.Millisecond
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(r.set.DictionaryDir, "PRODUCT.dictionary.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := r.start("a")
	before := in.Policy()
	say := func(seq int64) *schemas.CleanEvent {
		r.feed(r.raw(0, utterance("c", seq, "x", "we have paper in stock")))
		return r.clean(r.await(r.topics.Clean, int(seq)))[seq-1]
	}
	if e := say(1); len(e.Entities) != 0 {
		t.Fatalf("masked without a dictionary: %+v", e.Entities)
	}
	write("paper\n")
	eventually(t, "the new policy", func() bool { return in.Policy() != before })
	if e := say(2); len(e.Entities) != 1 || e.Entities[0].Type != "PRODUCT" || e.Policy == before {
		t.Errorf("with the dictionary: %+v under policy %s", e.Entities, e.Policy)
	}
	policy := in.Policy()
	os.WriteFile(filepath.Join(r.set.DictionaryDir, "nonsense.dictionary.txt"), []byte("x\n"), 0o600)
	eventually(t, "the report", func() bool { return strings.Contains(r.log.String(), "cannot reload the dictionaries") })
	if in.Policy() != policy {
		t.Error("a folder with an error changed the policy")
	}
	if e := say(3); len(e.Entities) != 1 {
		t.Error("a folder with an error removed the dictionary")
	}
}

// A start may wait for topics and brokers. Files that change meanwhile are read again.
func TestChangesDuringTheStartAreReloaded(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.set.DictionaryDir, r.set.Reload = t.TempDir(), 100*time.Millisecond
	p, err := New(t.Context(), r.set)
	if err != nil {
		t.Fatal(err)
	}
	before := p.Policy()
	if err := os.WriteFile(filepath.Join(r.set.DictionaryDir, "PRODUCT.dictionary.txt"), []byte("zorblatt\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	go p.watch(t.Context())
	eventually(t, "the new policy", func() bool { return p.Policy() != before })
}
