package config

import "testing"

func TestRiskLimits(t *testing.T) {
	if limits, err := parseRiskLimits("sales=8,default=3.5"); err != nil || limits.Of("sales") != 8 || limits.Of("meeting") != 3.5 {
		t.Errorf("%+v, %v", limits, err)
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
