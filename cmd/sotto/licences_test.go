package main

import (
	"strings"
	"testing"
)

func TestLicences(t *testing.T) {
	o := sotto(t, nil, "", "licences")
	if o.code != exitDone || o.errors != "" {
		t.Fatalf("status %d: %s", o.code, o.errors)
	}
	for _, want := range []string{"Apache License", "Third-party notices",
		"github.com/spf13/cobra v", "The Go Authors", "Kevin Atkinson"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("%q is missing", want)
		}
	}
}
