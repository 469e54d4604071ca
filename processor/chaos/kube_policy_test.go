package chaos

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sotto/anonymize"
	"sotto/schemas"
)

// dictionaries are the files of a dictionary folder, for the chart and for the
// reference.
type dictionaries struct {
	files fields
	dir   string
}

func (k *kubeTest) dictionaries(files map[string]string) dictionaries {
	k.t.Helper()
	d := dictionaries{fields{}, k.t.TempDir()}
	for name, text := range files {
		d.files[name] = text
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
			k.t.Fatal(err)
		}
	}
	return d
}

// eventKey identifies a clean event.
type eventKey struct {
	call string
	seq  int64
}

// policyHistory records by which policy each event was anonymized.
type policyHistory struct {
	engines map[string]anonymize.Anonymizer
	of      map[eventKey]string
	events  map[string]int // clean events by policy
	delays  []time.Duration
	before  string // the policy before the upgrade
	upgrade string
	last    string // the policy of the last event fed
}

// byPolicy reads from the clean topic which policy produced which events. While pods are replaced
// there are four policies, because the old pods also load the new dictionaries.
func (k *kubeTest) byPolicy(one, two dictionaries) *policyHistory {
	k.t.Helper()
	h := &policyHistory{engines: map[string]anonymize.Anonymizer{}, of: map[eventKey]string{}, events: map[string]int{}}
	for _, d := range []dictionaries{one, two} {
		for _, entities := range []int{1000, 900} {
			set := k.r.Set
			set.DictionaryDir, set.MaxEntities = d.dir, entities
			e, err := set.NewEngine()
			if err != nil {
				k.t.Fatal(err)
			}
			h.engines[e.Policy()] = e
			if h.before == "" {
				h.before = e.Policy()
			}
			h.upgrade = e.Policy()
		}
	}
	if len(h.engines) != 4 {
		k.t.Fatalf("there are %d policies, want 4", len(h.engines))
	}
	sent := map[eventKey]time.Time{}
	for _, rec := range k.r.Read(k.r.Topics.Raw) {
		if e, err := k.r.Codec.DecodeRaw(rec.Value); err == nil {
			sent[eventKey{e.CallID, e.Seq}] = rec.Timestamp
		}
	}
	records := k.r.Read(k.r.Topics.Clean)
	for i, e := range k.r.Clean(records) {
		key := eventKey{e.CallID, e.Seq}
		h.of[key] = e.Policy
		h.events[e.Policy]++
		if at, ok := sent[key]; ok {
			h.delays = append(h.delays, records[i].Timestamp.Sub(at))
		}
		if e.CallID == "closing-0" {
			h.last = e.Policy
		}
	}
	slices.Sort(h.delays)
	return h
}

// wrap returns an engine for the reference. For each event it uses the policy by which the event
// was anonymized.
func (h *policyHistory) wrap(e anonymize.Anonymizer) anonymize.Anonymizer {
	return &changingEngine{Anonymizer: e, history: h}
}

// check fails the test unless both policies were used, and the first one again at the end.
func (h *policyHistory) check(t *testing.T) {
	t.Helper()
	if h.events[h.before] == 0 || h.events[h.upgrade] == 0 || h.last != h.before {
		t.Errorf("clean events by policy: %v; %s before the upgrade, %s after it, %s in the end", h.events, h.before, h.upgrade, h.last)
	}
}

// changingEngine has the policy of the event that was prepared last, which is enough for a serial
// run.
type changingEngine struct {
	anonymize.Anonymizer
	history *policyHistory
}

func (e *changingEngine) Prepare(ev *schemas.RawEvent) *anonymize.Prepared {
	if one := e.history.engines[e.history.of[eventKey{ev.CallID, ev.Seq}]]; one != nil {
		e.Anonymizer = one
	}
	return e.Anonymizer.Prepare(ev)
}
