package ending

import (
	"strings"
	"testing"

	"sotto/state"
)

func TestGate(t *testing.T) {
	limits := func(context string) float64 {
		if context == "sales" {
			return 8
		}
		return 3.5
	}
	for _, c := range []struct {
		mode, context string
		estimated     float64
		release       bool
		reason        string
	}{
		{GateOff, "", 90, true, ""},
		{GateWarn, "", 0.6, true, ""},
		{GateWarn, "", 1, true, "the estimated risk is 1, and one call in twenty like it is over 4.479; the limit is 3.5"},
		{GateEnforce, "meeting", 4, false, "the estimated risk is 4, and one call in twenty like it is over 10.958; the limit is 3.5"},
		{GateEnforce, "sales", 2.4, true, ""},
		{GateEnforce, "sales", 3.5, false, "the estimated risk is 3.5, and one call in twenty like it is over 10.009; the limit is 8"},
	} {
		g := Gate{c.mode, limits}
		s, over := g.Summary(state.NewCall(), Facts{Context: c.context, Estimated: c.estimated})
		if s.Release != c.release || s.Reason != c.reason || over != (c.reason != "") {
			t.Errorf("%+v: release %v, reason %q, over %v", c, s.Release, s.Reason, over)
		}
	}
}

// A version of a call that lacks utterances is never released, and says so and nothing else.
func TestLackingUtterances(t *testing.T) {
	call := state.NewCall()
	call.Withhold("es")
	for _, g := range []*Gate{nil, {GateEnforce, func(string) float64 { return 0.001 }}} {
		s, over := g.Summary(call, Facts{Utterances: 3, Lacking: 2, Estimated: 9})
		if s.Release || s.Reason != "the final version lacks 2 utterances" || s.Utterances != 3 || over != (g != nil) {
			t.Errorf("%+v, over %v", s, over)
		}
		if s, _ = g.Summary(state.NewCall(), Facts{Utterances: 3, Uncounted: true}); s.Release || !strings.HasPrefix(s.Reason, "the count of utterances lacks some") {
			t.Errorf("%+v", s)
		}
		if s, _ = g.Summary(call, Facts{Estimated: 0}); s.Release || s.Reason != "the call has turns in another language than English (es)" {
			t.Errorf("%+v", s)
		}
	}
}
