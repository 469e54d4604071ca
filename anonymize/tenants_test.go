package anonymize

import (
	"strings"
	"testing"

	"sotto/detectors/ner"
	"sotto/schemas"
	"sotto/state"
)

// overlays is a policy in which tenants and their contexts differ from the rest.
const overlays = `
info_types:
  PHONE_NUMBER: {enabled: true}
tenants:
  acme:
    sensitivity: maximum
    strategy: typed
    info_types: {EMAIL_ADDRESS: {enabled: false}, DATE: {enabled: true}}
    contexts:
      sales: {strategy: redact, info_types: {EMAIL_ADDRESS: {enabled: true}}}
  bolt:
    sensitivity: balanced
    info_types: {LOCATION: {sensitivity: maximum}, SSN: {min_likelihood: VERY_LIKELY}}
`

func TestPolicyOfATenant(t *testing.T) {
	e := newEngine(t, Options{Sensitivity: ner.High, Policy: policyOf(map[string]string{"policy.yaml": overlays})})
	const text = "write to pam@example.com on March 5th, 2021"
	for _, c := range []struct {
		tenant, context, want, strategy string
		sensitivity                     ner.Sensitivity
	}{
		{"", "", "write to [EMAIL_ADDRESS_1] on March 5th, 2021", "typed-numbered", ner.High},
		{"unknown", "sales", "write to [EMAIL_ADDRESS_1] on March 5th, 2021", "typed-numbered", ner.High},
		{"acme", "", "write to pam@example.com on [DATE]", "typed", ner.Maximum},
		{"acme", "meeting", "write to pam@example.com on [DATE]", "typed", ner.Maximum},
		{"acme", "sales", "write to ███ on ███", "redact", ner.Maximum},
		{"bolt", "sales", "write to [EMAIL_ADDRESS_1] on March 5th, 2021", "typed-numbered", ner.Balanced},
	} {
		ev := utterance(1, "Agent", text)
		ev.Tenant, ev.Context = c.tenant, c.context
		clean, _ := e.Apply(state.NewCall(), e.Prepare(ev))
		want := c.want
		if c.strategy == "redact" {
			want = clean.Text // its mark has a test of its own
			if strings.Contains(want, "pam@") || strings.Contains(want, "2021") {
				t.Errorf("%s in %s: %q", c.tenant, c.context, want)
			}
		}
		if clean.Text != want || clean.Strategy != c.strategy || clean.Policy != e.Policy() || e.Sensitivity(c.tenant, c.context) != c.sensitivity {
			t.Errorf("%q in %q: %q by %s at %s, policy %s", c.tenant, c.context, clean.Text, clean.Strategy, e.Sensitivity(c.tenant, c.context), clean.Policy)
		}
	}
}

// What is masked after the call has ended follows the tenant's policy, too.
func TestClosingPassOfATenant(t *testing.T) {
	e := newEngine(t, Options{Policy: policyOf(map[string]string{"policy.yaml": "tenants: {acme: {info_types: {PERSON_NAME: {enabled: false}}}, bolt: {strategy: typed}}"})})
	for tenant, want := range map[string]string{"": "ask [PERSON_NAME_1] then", "acme": "ask Halpert then", "bolt": "ask [PERSON_NAME] then"} {
		c := state.NewCall()
		learned := utterance(1, "Agent", "My name is Jim Halpert.")
		e.Apply(c, e.Prepare(learned))
		final, _, _ := e.ClosingPass(c, &schemas.CleanEvent{Seq: 2, Type: schemas.Utterance, Tenant: tenant, Text: "ask Halpert then"}, nil)
		if final.Text != want {
			t.Errorf("%q: got %q, want %q", tenant, final.Text, want)
		}
	}
}

func TestPolicyHashFollowsEachOverlay(t *testing.T) {
	seen := map[string]string{}
	for _, tenants := range []string{
		"", "tenants: {acme: {strategy: typed}}", "tenants: {acme: {sensitivity: maximum}}", "tenants: {bolt: {sensitivity: maximum}}",
		"tenants: {acme: {info_types: {SSN: {min_likelihood: LIKELY}}}}", "tenants: {acme: {contexts: {sales: {strategy: typed}}}}",
	} {
		hash := newEngine(t, Options{Policy: policyOf(map[string]string{"policy.yaml": "hotword_window: 90\n" + tenants})}).Policy()
		if other, ok := seen[hash]; ok {
			t.Errorf("%q and %q have the same hash", tenants, other)
		}
		seen[hash] = tenants
	}
}

func TestWrongOverlays(t *testing.T) {
	for _, c := range []struct{ policy, want string }{
		{"tenants:\n  acme:\n    sensitivity: most", "policy.yaml:3: \"most\" is not a sensitivity"},
		{"tenants:\n  acme:\n    strategy: nonsense", "policy.yaml:3: "},
		{"tenants:\n  acme:\n    strategy: entity", "tenant \"acme\": surrogates need a key"},
		{"tenants:\n  acme:\n    info_types:\n      NONE: {enabled: false}", "policy.yaml:4: \"NONE\" is not an infoType"},
		{"tenants:\n  acme:\n    contexts:\n      sales:\n        sensitivity: most", "policy.yaml:5: \"most\" is not a sensitivity"},
		{"tenants:\n  acme: {hotword_window: 3}", "policy.yaml:2: "},
		{"tenants:\n  'a b': {strategy: typed}", "the name of a tenant must be"},
		{"tenants: {acme: {contexts: {" + strings.Repeat("c", 33) + ": {strategy: typed}}}}", "the name of a context must be"},
	} {
		_, err := New(Options{Policy: policyOf(map[string]string{"policy.yaml": c.policy})})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %s", c.policy, err, c.want)
		}
	}
}
