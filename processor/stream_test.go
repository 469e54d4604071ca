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
	r.Set.AuditRate = "default=0,customer_support=1"
	in := r.start("a")
	var want int
	for c := range 20 {
		call := fmt.Sprintf("call-%d", c)
		r.Feed(
			r.Raw(int32(c%4), utterance(call, 1, "x", "this is Pam calling from Dunder Mifflin")),
			r.Raw(int32(c%4), utterance(call, 2, "y", "hello Pam")),
			r.Raw(int32(c%4), ended(call, 3)))
		want += 3
	}
	events := r.Clean(r.Await(r.Topics.Clean, want))
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
	if got := len(r.Await(r.Topics.Audit, want)); got != want {
		t.Errorf("%d audit events at rate 1, want %d", got, want)
	}
	if err := in.stop(); err != nil {
		t.Errorf("stopped with %v", err)
	}
}

func TestDictionariesAreReadAgain(t *testing.T) {
	r := newRig(t, 1)
	r.Set.DictionaryDir = t.TempDir()
	r.Set.Reload = 100 * time.Millisecond
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(r.Set.DictionaryDir, "PRODUCT.dictionary.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := r.start("a")
	before := in.Policy()
	say := func(seq int64) *schemas.CleanEvent {
		r.Feed(r.Raw(0, utterance("c", seq, "x", "we have paper in stock")))
		return r.Clean(r.Await(r.Topics.Clean, int(seq)))[seq-1]
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
	os.WriteFile(filepath.Join(r.Set.DictionaryDir, "nonsense.dictionary.txt"), []byte("x\n"), 0o600)
	eventually(t, "the report", func() bool { return strings.Contains(r.log.String(), "cannot reload the dictionaries") })
	if in.Policy() != policy {
		t.Error("a folder with an error changed the policy")
	}
	if e := say(3); len(e.Entities) != 1 {
		t.Error("a folder with an error removed the dictionary")
	}
}

// TestPolicyOfATenantIsReadAgain reloads overlays: each tenant's calls follow theirs, those of others stay, a file with an
// error changes nothing, and the closing pass knows tenants whose names are not in the outputs.
func TestPolicyOfATenantIsReadAgain(t *testing.T) {
	r := newRig(t, 1)
	r.KeepFinals(1)
	r.Set.DictionaryDir, r.Set.Reload = t.TempDir(), 100*time.Millisecond
	in := r.start("a")
	write := func(text string) {
		t.Helper()
		before := in.Policy()
		file := filepath.Join(t.TempDir(), "policy.yaml") // never seen half written
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file, filepath.Join(r.Set.DictionaryDir, "policy.yaml")); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the reload", func() bool {
			return in.Policy() != before || strings.Contains(r.log.String(), "cannot reload the dictionaries")
		})
	}
	n := 0
	say := func(tenant string, seq int64) *schemas.CleanEvent {
		ev := utterance("c-"+tenant, seq, "x", "write to pam@example.com")
		ev.Tenant = tenant
		r.Feed(r.Raw(0, ev))
		n++
		return r.Clean(r.Await(r.Topics.Clean, n))[n-1]
	}
	for seq, c := range []struct{ policy, acme, bolt string }{
		{"tenants: {acme: {strategy: typed}}", "[EMAIL_ADDRESS]", "[EMAIL_ADDRESS_1]"},
		{"tenants: {acme: {info_types: {EMAIL_ADDRESS: {enabled: false}}}, bolt: {strategy: typed}}", "pam@example.com", "[EMAIL_ADDRESS]"},
		{"tenants: {acme: {strategy: nonsense}}", "pam@example.com", "[EMAIL_ADDRESS]"},
	} {
		write(c.policy)
		for tenant, want := range map[string]string{"acme": c.acme, "bolt": c.bolt} {
			if e := say(tenant, int64(seq+1)); e.Text != "write to "+want || e.Policy != in.Policy() || e.Tenant != "other" {
				t.Errorf("%s under %q: %q, policy %s, tenant %s", tenant, c.policy, e.Text, e.Policy, e.Tenant)
			}
		}
	}
	// The call of bolt has learned the address; the transcript of acme's shows it, and so does its final version.
	for _, tenant := range []string{"acme", "bolt"} {
		r.Feed(r.Raw(0, &schemas.RawEvent{CallID: "c-" + tenant, Seq: 9, Type: schemas.End, Tenant: tenant}))
	}
	for _, e := range r.Clean(r.Await(r.Set.TopicFinal, 8)) {
		if shown := strings.Contains(e.Text, "pam@"); shown != (e.CallID == "c-acme" && e.Seq > 1 && e.Seq < 9) || e.Tenant != "other" {
			t.Errorf("the final version of %s has %q, tenant %s", e.CallID, e.Text, e.Tenant)
		}
	}
}

// A start may wait for topics and brokers. Files that change meanwhile are read again.
func TestChangesDuringTheStartAreReloaded(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.Set.DictionaryDir, r.Set.Reload = t.TempDir(), 100*time.Millisecond
	p, err := New(t.Context(), r.Set)
	if err != nil {
		t.Fatal(err)
	}
	before := p.Policy()
	if err := os.WriteFile(filepath.Join(r.Set.DictionaryDir, "PRODUCT.dictionary.txt"), []byte("zorblatt\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	go p.watch(t.Context(), p.settings.Reload, p.reloaded)
	eventually(t, "the new policy", func() bool { return p.Policy() != before })
}
