package config

import (
	"strings"
	"testing"
)

// A late event cannot be anonymized safely: the state of its call is gone.
func TestAnonymizingLateEventsIsRefused(t *testing.T) {
	base := map[string]string{"SOTTO_STATE_KEY_FILE": "state.key", "SOTTO_KAFKA_BROKERS": "localhost:9092"}
	if _, err := Load(base); err != nil {
		t.Fatalf("the default is refused: %v", err)
	}
	base["SOTTO_LATE_EVENTS"] = "anonymize"
	_, err := Load(base)
	if err == nil || !strings.Contains(err.Error(), "SOTTO_LATE_EVENTS") || !strings.Contains(err.Error(), "only the START") {
		t.Errorf("got %v, want a refusal that says why", err)
	}
}
