package config

import (
	"os"
	"path/filepath"
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
		"SOTTO_REMOTE_TIER=llm":                "REMOTE_MODEL must be",
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
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "remote.prompt.txt"), []byte("Find {types}."), 0o600); err != nil {
		t.Fatal(err)
	}
	off := policy(nil)
	if policy(map[string]string{"SOTTO_REMOTE_CONSENT": RemoteConsent, "SOTTO_REMOTE_URL": "http://presidio"}) != off {
		t.Error("the consent alone changes the policy")
	}
	seen := map[string]bool{off: true}
	for _, change := range []string{"", "SOTTO_REMOTE_OUTAGE=continue", "SOTTO_REMOTE_MIN_DOUBT=0.1", "SOTTO_REMOTE_TIER=dlp", "SOTTO_REMOTE_TIER=llm",
		"SOTTO_REMOTE_MODEL=other", "SOTTO_DICTIONARY_DIR=" + dir} {
		environ := map[string]string{"SOTTO_REMOTE_TIER": "presidio", "SOTTO_REMOTE_CONSENT": RemoteConsent, "SOTTO_REMOTE_URL": "http://presidio:3000",
			"SOTTO_REMOTE_DLP_PARENT": "projects/p", "SOTTO_REMOTE_MODEL": "tiny"}
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

// A key that is rotated takes effect, and none is no error.
func TestRemoteToken(t *testing.T) {
	s := Settings{}
	if token, err := s.RemoteToken(); token != "" || err != nil {
		t.Errorf("without a file: %q, %v", token, err)
	}
	s.RemoteTokenFile = filepath.Join(t.TempDir(), "key")
	for _, key := range []string{"one", "two"} {
		if err := os.WriteFile(s.RemoteTokenFile, []byte(key+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if token, err := s.RemoteToken(); token != key || err != nil {
			t.Errorf("got %q, %v", token, err)
		}
	}
}
