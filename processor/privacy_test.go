package processor

import (
	"fmt"
	"strings"
	"testing"

	"sotto/config"
)

// The start-up log and the metric report what 'sotto config' prints.
func TestPrivacyIsAMetric(t *testing.T) {
	r := newRig(t, 1)
	r.set.Strategy, r.set.EntityMode = "default=typed,LOCATION=entity", "independent"
	r.set.ReplaceProbability, r.set.ReplaceRisk = 0.9, config.RiskAccepted
	in := r.start("a")
	eventually(t, "the processor to be ready", func() bool { return in.Ready() == nil })
	account, err := in.settings.PrivacyAccount()
	if err != nil {
		t.Fatal(err)
	}
	families, err := in.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]float64{}
	for _, f := range families {
		if f.GetName() == "sotto_privacy_epsilon" {
			for _, m := range f.GetMetric() {
				told[m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
			}
		}
	}
	if len(told) != len(account.Types) || told["LOCATION"] != account.Epsilon || account.Epsilon <= 0 || told["PERSON_NAME"] != 0 {
		t.Errorf("the metric is %v, the account has %v of %d infoTypes", told, account.Epsilon, len(account.Types))
	}
	if log := r.log.String(); !strings.Contains(log, fmt.Sprint("epsilon=", account.Epsilon)) {
		t.Error("epsilon is not in the log")
	}
}
