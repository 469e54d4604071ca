package processor

import (
	"strings"
	"testing"

	"sotto/config"
)

// The start-up log reports what 'sotto config' prints.
func TestPrivacyIsLogged(t *testing.T) {
	r := newRig(t, 1)
	r.Set.Strategy, r.Set.EntityMode = "default=typed,LOCATION=entity", "independent"
	r.Set.ReplaceProbability, r.Set.ReplaceRisk = 0.9, config.RiskAccepted
	in := r.start("a")
	eventually(t, "the processor to be ready", func() bool { return in.Ready() == nil })
	account, err := in.settings.PrivacyAccount()
	if err != nil {
		t.Fatal(err)
	}
	if log := r.log.String(); account.Bounded() || !strings.Contains(log, "epsilon=none") {
		t.Error("epsilon is not in the log")
	}
}
