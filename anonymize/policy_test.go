package anonymize

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"sotto/detectors/ner"
	"sotto/schemas"
	"sotto/state"
)

// policyOf is a policy folder of these files.
func policyOf(files map[string]string) fs.FS {
	folder := fstest.MapFS{}
	for name, text := range files {
		folder[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return folder
}

func TestRules(t *testing.T) {
	const badge = `
custom_info_types:
  - {name: BADGE, regex: '\bE\d{5}\b', likelihood: UNLIKELY}
info_types:
  BADGE: {min_likelihood: LIKELY}
hotword_rules:
  - {info_types: [BADGE], hotwords: [badge, "staff id"], window_before: 12, window_after: 8, adjust: +2}
`
	for _, c := range []struct{ name, policy, text, want string }{
		{"nothing", "", "My name is Ann.", "My name is [PERSON_NAME_1]."},
		{"empty lists", "info_types: {}\n", "My name is Ann.", "My name is [PERSON_NAME_1]."},
		{"off", "info_types: {PERSON_NAME: {enabled: false}}", "My name is Ann.", "My name is Ann."},
		{"lifted by a hotword", badge, "my badge is E12345", "my badge is [BADGE_1]"},
		{"lifted by one behind", badge, "E12345 is surely the staff id", "[GENERIC_ID_1] is surely the staff id"},
		{"lifted by one close behind", badge, "E12345, staff id", "[BADGE_1], staff id"},
		{"set by a hotword", "info_types: {PHONE_NUMBER: {min_likelihood: POSSIBLE}, NUMERIC: {enabled: false}, GENERIC_ID: {enabled: false}}\n" +
			"hotword_rules: [{info_types: [PHONE_NUMBER], hotwords: [product], set: VERY_UNLIKELY}]",
			"the product has the phone number 604-555-0134", "the product has the phone number 604-555-0134"},
		{"a hotword far before", "", "my phone line " + strings.Repeat("was down for so long ", 4) + "4471882", "my phone line " +
			strings.Repeat("was down for so long ", 4) + "[PHONE_NUMBER_1]"},
		{"outside of the window", "hotword_window: 60", "my phone line " + strings.Repeat("was down for so long ", 4) + "4471882", "my phone line " +
			strings.Repeat("was down for so long ", 4) + "[GENERIC_ID_1]"},
		{"outside of the usual one", badge + "  - {info_types: [BADGE], hotwords: [tag], adjust: +2}",
			"tag " + strings.Repeat("was down for so long ", 8) + "E54321", "tag " + strings.Repeat("was down for so long ", 8) + "[GENERIC_ID_1]"},
		{"inside of a wider one", "hotword_window: 200\n" + badge + "  - {info_types: [BADGE], hotwords: [tag], adjust: +2}",
			"tag " + strings.Repeat("was down for so long ", 8) + "E54321", "tag " + strings.Repeat("was down for so long ", 8) + "[BADGE_1]"},
		{"the window is that of rules, too", "hotword_window: 5\n" + badge + "  - {info_types: [BADGE], hotwords: [tag], adjust: +2}",
			"tag: E12345, tag it is: E54321", "tag: [BADGE_1], tag it is: [GENERIC_ID_1]"},
		{"own expression for one of ours", `custom_info_types: [{name: SSN, regex: 'S\d{2}-\d'}]`, "it is S12-3", "it is [SSN_1]"},
		{"own expression", `custom_info_types: [{name: BADGE, regex: 'E\d{5}'}]`, "it is E12345", "it is [BADGE_1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{}
			if c.policy != "" {
				files["policy.yaml"] = c.policy
			}
			e := newEngine(t, Options{Policy: policyOf(files)})
			clean, _ := e.Apply(state.NewCall(), e.Prepare(utterance(1, "Agent", c.text)))
			if clean.Text != c.want {
				t.Errorf("got %q, want %q", clean.Text, c.want)
			}
		})
	}
}

func TestDictionariesAndExclusionsDecide(t *testing.T) {
	dir := policyOf(map[string]string{
		"PRODUCT.dictionary.txt":  "harbor one\n",
		"PERSON_NAME.exclude.txt": "Paige\n",
		"policy.yaml":             "info_types: {PRODUCT: {enabled: true}}",
	})
	e := newEngine(t, Options{Policy: dir})
	clean, _ := e.Apply(state.NewCall(), e.Prepare(utterance(1, "Agent", "My name is Paige, may I speak to Jim about Harbor One?")))
	if want := "My name is Paige, may I speak to [PERSON_NAME_1] about [PRODUCT_1]?"; clean.Text != want {
		t.Errorf("got %q, want %q", clean.Text, want)
	}
	if other := newEngine(t, Options{}); e.Policy() == other.Policy() {
		t.Error("the policy hash does not depend on the dictionaries")
	}
}

// explained is Apply with the reasons.
func explained(e *Engine, c *state.Call, ev *schemas.RawEvent) (schemas.CleanEvent, []Explanation) {
	p := e.Prepare(ev)
	var why []Explanation
	p.Explain = &why
	clean, _ := e.Apply(c, p)
	return clean, why
}

func TestExplain(t *testing.T) {
	e := newEngine(t, Options{})
	c := state.NewCall()
	clean, x := explained(e, c, utterance(1, "Pam", "This is Pam calling from Dunder Mifflin, may I speak to Jim Halpert?"))
	if len(x) != 3 || len(clean.Entities) != 3 {
		t.Fatalf("%d explanations of %d entities", len(x), len(clean.Entities))
	}
	if x[0].Evidence != "model+memory" || *x[0].Entity.RawStart != 8 || x[0].Entity.Detector != "speaker" || x[0].Detector != "model" {
		t.Errorf("the first is %+v", x[0])
	}
	if clean.Entities[0].RawStart != nil {
		t.Error("the explained event has raw positions")
	}
	_, x = explained(e, c, utterance(2, "Pam", "Jim?"))
	if len(x) != 1 || !x[0].Known {
		t.Errorf("the second time: %+v", x)
	}
}

// Findings that the user's rules drop are explained, too, with the rule that dropped them.
func TestDroppedFindingsAreExplained(t *testing.T) {
	e := newEngine(t, Options{Fast: true, Policy: policyOf(map[string]string{
		"PERSON_NAME.exclude.txt": "Paige\n",
		"policy.yaml":             "info_types: {PHONE_NUMBER: {enabled: false}, USER_NAME: {min_likelihood: VERY_LIKELY}}",
	})})
	_, x := explained(e, state.NewCall(), utterance(1, "Agent", "It says @pq4. My name is Paige, we met in Boston on March 5th, 2021, account 604 555 0134"))
	rules := map[string]string{}
	for _, one := range x {
		if one.Left != "" {
			rules[one.Entity.Type] = one.Left
			if one.Entity.RawStart == nil || one.Entity.ID != 0 || one.Detector == "" {
				t.Errorf("%+v", one)
			}
		}
		for _, l := range one.Lost {
			rules["lost "+l.Type] = l.Rule
		}
	}
	for name, want := range map[string]string{"PERSON_NAME": "excluded", "USER_NAME": "min_likelihood", "DATE": "off"} {
		if rules[name] != want {
			t.Errorf("%s: %q, want %q", name, rules[name], want)
		}
	}
	clean, x := explained(e, state.NewCall(), utterance(1, "Agent", "this is Paige"))
	if len(clean.Entities) != 0 || len(x) == 0 || x[0].Left != "excluded" {
		t.Errorf("where nothing is masked: %+v", x)
	}
}

// Expressions mask everything that they match, without a limit.
func TestAnExpressionIsNotBoundedInWhatItMasks(t *testing.T) {
	e := newEngine(t, Options{Policy: policyOf(map[string]string{"policy.yaml": "custom_info_types: [{name: BADGE, regex: 'q[a-z]x'}]"})})
	clean, _ := e.Apply(state.NewCall(), e.Prepare(utterance(1, "Agent", strings.Repeat("qzx, ", 3000))))
	if strings.Contains(clean.Text, "q") || len(clean.Entities) != 3000 {
		t.Errorf("%d of 3000 are masked", len(clean.Entities))
	}
}

// The hash has the thresholds themselves, whatever they are called.
func TestPolicyHashHasTheThresholds(t *testing.T) {
	high, _ := ner.ThresholdsOf(ner.High, true)
	other := high
	other.Kinds[1] *= 0.9
	same, named, changed := newEngine(t, Options{Thresholds: &high}), newEngine(t, Options{Sensitivity: ner.High}), newEngine(t, Options{Thresholds: &other})
	if same.Policy() != named.Policy() {
		t.Error("the hash depends on where the thresholds come from")
	}
	if same.Policy() == changed.Policy() {
		t.Error("the hash does not depend on the thresholds")
	}
}

// An infoType of policy.yaml has the thresholds of its own operating point.
func TestSensitivityOfAnInfoType(t *testing.T) {
	never, _ := ner.ThresholdsOf(ner.Balanced, true)
	for k := range never.Kinds {
		never.Kinds[k] = 2
	}
	const text = "My colleague Priyanka Deshmukh has a grandson who turned eleven."
	for policy, want := range map[string]string{
		"":                                 text,
		"PERSON_NAME: {sensitivity: high}": "My colleague [PERSON_NAME_1] has a grandson who turned eleven.",
		"AGE: {sensitivity: high}":         "My colleague Priyanka Deshmukh has a grandson who turned [AGE_1].",
	} {
		dir := policyOf(map[string]string{"policy.yaml": "info_types: {" + policy + "}"})
		e := newEngine(t, Options{Thresholds: &never, Policy: dir})
		clean, _ := e.Apply(state.NewCall(), e.Prepare(utterance(1, "Agent", text)))
		if clean.Text != want {
			t.Errorf("%q: got %q, want %q", policy, clean.Text, want)
		}
	}
}
