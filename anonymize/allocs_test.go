//go:build !race

package anonymize

import (
	"runtime"
	"runtime/debug"
	"testing"

	"sotto/schemas"
	"sotto/state"
	"sotto/training/corpus/callgen"
)

// An utterance in which nothing is found costs no memory, whatever the call knows and whatever is
// asked.
func TestUtteranceWithoutFindingsAllocatesNothing(t *testing.T) {
	e := newEngine(t, Options{})
	c := state.NewCall()
	e.Apply(c, e.Prepare(utterance(1, "Agent", "This is Pam calling from Dunder Mifflin, may I speak to Jim?")))
	e.Apply(c, e.Prepare(utterance(2, "Customer", "Sure, my number is 212-555-0147.")))
	seq := int64(2)
	for _, text := range []string{
		"Okay.",
		"we would like to return the paper that we bought last week and get our money back",
		"I don't know (that's what they told me), it doesn't work at all!",
		"Could you tell me your date of birth, please?",
		"So what is it that you want to do with the order?",
	} {
		ev := utterance(0, "Customer", text)
		found := 0
		if n := testing.AllocsPerRun(100, func() {
			seq++
			ev.Seq = seq
			clean, _ := e.Apply(c, e.Prepare(ev))
			found += len(clean.Entities)
		}); n > 1 || found > 0 { // the call's window is new where the encoder reads the turn
			t.Errorf("%q: %v allocations an utterance, %d findings; want one and none", text, n, found)
		}
	}
}

// Generated calls are dense: every other utterance contains something. Whoever exceeds the bound finds
// the cause with
// go test ./anonymize -run AllocationsPerUtterance -memprofile mem.out -memprofilerate 1.
func TestAllocationsPerUtterance(t *testing.T) {
	const bound = 5.3
	e := newEngine(t, Options{})
	var calls [][]*schemas.RawEvent
	at := map[string]int{}
	utterances := 0
	for ev := range callgen.New(callgen.Config{Seed: 1}).Events(0, 100, 1) {
		if _, ok := at[ev.CallID]; !ok {
			at[ev.CallID] = len(calls)
			calls = append(calls, nil)
		}
		calls[at[ev.CallID]] = append(calls[at[ev.CallID]], &ev.RawEvent)
		utterances++
	}
	run := func() {
		for _, events := range calls {
			c := state.NewCall()
			for _, ev := range events {
				e.Apply(c, e.Prepare(ev))
			}
		}
	}
	// A collection would empty the pools, and those of another processor are empty at first: so the count would
	// depend on the machine.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	run() // loads the lists
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	n := float64(after.Mallocs-before.Mallocs) / float64(utterances)
	if n > bound {
		t.Errorf("%.2f allocations an utterance, and at most %v are allowed", n, bound)
	}
	t.Logf("%.2f allocations and %d bytes an utterance", n, (after.TotalAlloc-before.TotalAlloc)/uint64(utterances))
}
