package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	notices "sotto"
	"sotto/cmd/internal/cli"
	"sotto/internal/texttable"
)

func TestLicences(t *testing.T) {
	o := sotto(t, nil, "", "licences")
	if o.code != cli.Done || o.errors != "" {
		t.Fatalf("status %d: %s", o.code, o.errors)
	}
	for _, want := range []string{"Apache License", "Third-party notices",
		"github.com/spf13/cobra v", "The Go Authors", "Kevin Atkinson"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for line := range strings.Lines(o.out) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); n > texttable.Width && strings.Contains(strings.TrimSpace(line), " ") {
			t.Errorf("a line of %d columns: %q", n, line)
		}
	}
	words := strings.Join(strings.Fields(o.out), " ")
	for _, text := range []string{notices.Licence, notices.ThirdPartyNotices} {
		if !strings.Contains(words, strings.Join(strings.Fields(text), " ")) {
			t.Error("wrapping changed the words")
		}
	}
}
