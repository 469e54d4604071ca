package anonymize

import (
	"strings"
	"testing"
)

// A code that would be masked anyway stays masked if the infoType that was asked for is off.
func TestAnAnswerIsMaskedIfWhatWasAskedForIsOff(t *testing.T) {
	e := newEngine(t, Options{Policy: policyOf(map[string]string{"policy.yaml": "info_types: {MEDICAL_RECORD_NUMBER: {enabled: false}}"})})
	got := converse(t, e, "Agent: And your mother's Medicaid number for the trip?\nCustomer: 8 0 0 4 1")
	if !strings.HasSuffix(got, "Customer: [GENERIC_ID_1]") {
		t.Errorf("got %s", got)
	}
}
