package main

import (
	"strings"
	"testing"
)

// A command that does not ask the tier does not run as if it did.
func TestCommandsThatDoNotAskRemoteTiersRefuse(t *testing.T) {
	environ := map[string]string{"SOTTO_REMOTE_TIER": "presidio", "SOTTO_REMOTE_CONSENT": "raw-text-leaves-the-process", "SOTTO_REMOTE_URL": "http://127.0.0.1:1"}
	for _, args := range [][]string{{"anonymize", "--text"}, {"serve"}, {"demo", "--calls", "1"}, {"eval", "--gold", "x"}} {
		if r := sotto(t, environ, "Ann: hello\n", args...); r.code != exitUsage || r.out != "" || !strings.Contains(r.errors, "unset SOTTO_REMOTE_TIER") {
			t.Errorf("%v: status %d, %q", args, r.code, r.errors)
		}
	}
}
