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
	e := newEngine(t, Options{Policy: policyOf(map[string]string{"policy.yaml": example})})
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

// TestTenantsOfTheDocs checks the example of policies of tenants.
func TestTenantsOfTheDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "### Policy of a tenant")
	_, rest, _ = strings.Cut(rest, "```yaml\n")
	example, _, _ := strings.Cut(rest, "```")
	e := newEngine(t, Options{Policy: policyOf(map[string]string{"policy.yaml": example})})
	for _, c := range []struct{ tenant, context, want string }{
		{"", "sales", "it was on [DATE_1]"}, {"acme", "", "it was on [DATE]"}, {"acme", "sales", "it was on March 5th, 2021"}, {"bolt", "", "it was on [DATE_1]"},
	} {
		ev := utterance(1, "Agent", "it was on March 5th, 2021")
		ev.Tenant, ev.Context = c.tenant, c.context
		if clean, _ := e.Apply(state.NewCall(), e.Prepare(ev)); clean.Text != c.want {
			t.Errorf("%s in %s: got %q, want %q", c.tenant, c.context, clean.Text, c.want)
		}
	}
}
