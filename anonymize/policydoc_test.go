package anonymize

import (
	"os"
	"strings"
	"testing"

	"sotto/state"
)

// TestExampleOfTheDocs checks that the example in docs/policy.md does what the page says.
func TestExampleOfTheDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/policy.md has no example")
	}
	e := newEngine(t, Options{DictionaryDir: policyDir(t, map[string]string{"policy.yaml": example})})
	for text, want := range map[string]string{
		"my badge is blue 12":         "my badge is [BADGE_1]",
		"blue 12 is on my staff id":   "[BADGE_1] is on my staff id",
		"we painted it blue 12 times": "we painted it blue 12 times",
		"the form is E12345":          "the form is [GENERIC_ID_1]",
	} {
		clean, _ := e.Apply(state.NewCall(), e.Prepare(utterance(1, "Agent", text)))
		if clean.Text != want {
			t.Errorf("got %q, want %q", clean.Text, want)
		}
	}
}
