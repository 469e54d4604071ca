package processor

import (
	"strings"
	"testing"

	"sotto/config"
	"sotto/internal/testkit/endtest"
	"sotto/schemas"
)

func TestEndOfACall(t *testing.T) {
	endtest.Run(t, func(t *testing.T, set func(*config.Settings), utterances []string) *schemas.CallSummary {
		r := newRig(t, 1)
		set(&r.Set)
		r.start("a")
		for i, text := range utterances {
			e := utterance("c", int64(i+1), "x", text)
			e.Speaker, e.Context = nil, endtest.Context
			r.Feed(r.Raw(0, e))
		}
		e := ended("c", int64(len(utterances)+1))
		e.Context = endtest.Context
		r.Feed(r.Raw(0, e))
		return r.Clean(r.Await(r.Topics.Clean, len(utterances)+1))[len(utterances)].Call
	})
}

// Raw events are deleted after they were processed, and the process restarts: it cannot count again what a
// call had since its state was written. The END says that its count may be too low, and the call is not
// released. A call whose state is later than what was deleted is as ever.
func TestUtterancesWhoseRawEventsAreGone(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.KeepFinals(1)
	in := r.start("a")
	r.Feed(r.caller(0, "earlier", 1, rosa))
	r.Await(r.Topics.Clean, 1)
	for seq := int64(1); seq <= 3; seq++ { // each teaches the call a name
		r.Feed(r.caller(0, "later", seq, []string{rosa, hugo, "Ada Kowal"}[seq-1]))
		r.Await(r.Topics.Clean, int(seq)+1)
	}
	in.mustStop(t)
	r.deleteRecords(r.Topics.Raw, 0, 2) // the records 0 and 1
	r.start("b")
	r.Feed(r.Raw(0, ended("earlier", 2)), r.Raw(0, ended("later", 4)))
	r.Await(r.Topics.Clean, 6)
	for _, topic := range []string{r.Topics.Clean, r.Set.TopicFinal} {
		for _, e := range r.Clean(r.Await(topic, 6)) {
			if e.Type != schemas.End {
				continue
			}
			unsure := strings.Contains(e.Call.Reason, "the count of utterances lacks some")
			if want := e.CallID == "earlier"; unsure != want || want && e.Call.Release {
				t.Errorf("%s: %s: release %v, reason %q", topic, e.CallID, e.Call.Release, e.Call.Reason)
			}
		}
	}
}
