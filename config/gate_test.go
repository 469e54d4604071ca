package config

import (
	"testing"

	"sotto/schemas"
)

func TestGate(t *testing.T) {
	limits, err := parseRiskLimits("sales=8,default=3.5")
	if err != nil {
		t.Fatal(err)
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
		s := &schemas.CallSummary{EstimatedRisk: &c.estimated}
		if over := g.Judge(c.context, s); s.Release != c.release || s.Reason != c.reason || over != (c.reason != "") {
			t.Errorf("%+v: release %v, reason %q, over %v", c, s.Release, s.Reason, over)
		}
	}
	for _, bad := range []string{"", "x", "-1", "NaN", "Inf", "sales=1,2"} {
		if _, err := parseRiskLimits(bad); err == nil {
			t.Errorf("the limit %q is accepted", bad)
		}
	}
	if b, err := parseRiskLimits("sales=8"); err != nil || b.Of("meeting") != defaultRiskLimit {
		t.Errorf("limits that name one context: %+v, %v", b, err)
	}
}
