package config

import (
	"strings"
	"testing"
)

// Raw text leaves the process only after two settings say so.
func TestARemoteTierNeedsConsent(t *testing.T) {
	valid := map[string]string{"SOTTO_REMOTE_TIER": "presidio", "SOTTO_REMOTE_CONSENT": RemoteConsent, "SOTTO_REMOTE_URL": "http://presidio:3000"}
	if _, err := Load(valid); err != nil {
		t.Fatal(err)
	}
	for change, want := range map[string]string{
		"SOTTO_REMOTE_CONSENT=":                "REMOTE_CONSENT=raw-text-leaves-the-process",
		"SOTTO_REMOTE_CONSENT=yes":             "REMOTE_CONSENT must be",
		"SOTTO_REMOTE_TIER=x":                  "REMOTE_TIER must be",
		"SOTTO_REMOTE_TIER=dlp":                "REMOTE_DLP_PARENT must be",
		"SOTTO_REMOTE_URL=":                    "REMOTE_URL must be",
		"SOTTO_REMOTE_URL=http://a:b@presidio": "REMOTE_URL must be",
		"SOTTO_REMOTE_DEADLINE=6s":             "half of SOTTO_KAFKA_TRANSACTION_TIMEOUT",
		"SOTTO_REMOTE_OUTAGE=x":                "REMOTE_OUTAGE must be",
		"SOTTO_REMOTE_MIN_DOUBT=2":             "REMOTE_MIN_DOUBT must be",
		"SOTTO_REMOTE_REQUESTS_PER_MINUTE=0":   "REMOTE_REQUESTS_PER_MINUTE must be",
	} {
		environ := map[string]string{}
		for k, v := range valid {
			environ[k] = v
		}
		name, value, _ := strings.Cut(change, "=")
		environ[name] = value
		if _, err := Load(environ); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", change, err, want)
		}
	}
}

// The consent alone turns nothing on, and what the tier is asked and how is a part of the policy.
func TestRemotePolicy(t *testing.T) {
	policy := func(environ map[string]string) string {
		t.Helper()
		s, err := Load(environ)
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.NewEngine()
		if err != nil {
			t.Fatal(err)
		}
		return e.Policy()
	}
	off := policy(nil)
	if policy(map[string]string{"SOTTO_REMOTE_CONSENT": RemoteConsent, "SOTTO_REMOTE_URL": "http://presidio"}) != off {
		t.Error("the consent alone changes the policy")
	}
	seen := map[string]bool{off: true}
	for _, change := range []string{"", "SOTTO_REMOTE_OUTAGE=continue", "SOTTO_REMOTE_MIN_DOUBT=0.1", "SOTTO_REMOTE_TIER=dlp"} {
		environ := map[string]string{"SOTTO_REMOTE_TIER": "presidio", "SOTTO_REMOTE_CONSENT": RemoteConsent, "SOTTO_REMOTE_URL": "http://presidio:3000",
			"SOTTO_REMOTE_DLP_PARENT": "projects/p"}
		if name, value, ok := strings.Cut(change, "="); ok {
			environ[name] = value
		}
		p := policy(environ)
		if seen[p] {
			t.Errorf("%q does not show in the policy", change)
		}
		seen[p] = true
	}
}
