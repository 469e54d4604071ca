package policy

import (
	"strings"
	"testing"
)

func TestRuleErrorsNameTheLine(t *testing.T) {
	for _, c := range []struct{ name, policy, want string }{
		{"syntax", "info_types:\n  - [", "policy.yaml:2:"},
		{"unknown key", "info_types: {}\nhotwords: []\n", "policy.yaml:2:"},
		{"unknown type", "info_types:\n  PERSON_NAME: {enabled: true}\n  PERSON: {enabled: true}\n", `policy.yaml:3: "PERSON" is not an infoType`},
		{"unknown likelihood", "info_types:\n  SSN:\n    min_likelihood: SURE\n", `policy.yaml:3: "SURE" is not a likelihood`},
		{"unknown sensitivity", "info_types:\n  AGE:\n    sensitivity: most\n", `policy.yaml:3: "most" is not a sensitivity: balanced, high or maximum`},
		{"sensitivity of a form", "info_types:\n  SSN:\n    sensitivity: maximum\n", "policy.yaml:3: SSN has no sensitivity of its own; that of GENERIC_ID decides"},
		{"sensitivity of a domain", "info_types:\n  URL:\n    sensitivity: maximum\n", "policy.yaml:3: URL has no sensitivity of its own; that of EMAIL_ADDRESS decides"},
		{"sensitivity of no kind", "info_types:\n  DATE:\n    sensitivity: maximum\n", "policy.yaml:3: DATE is found by rules alone"},
		{"sensitivity of an own type", "custom_info_types: [{name: BADGE, regex: E1}]\ninfo_types:\n  BADGE:\n    sensitivity: high\n", "policy.yaml:4: BADGE is found by rules alone"},
		{"bad expression", "custom_info_types:\n  - name: BADGE\n    regex: '('\n", "policy.yaml:3: not a regular expression of RE2"},
		{"empty match", "custom_info_types:\n  - name: BADGE\n    regex: 'a*'\n", "policy.yaml:2: the expression must not match the empty text"},
		{"bad name", "custom_info_types:\n  - name: badge\n    regex: 'a'\n", "policy.yaml:2: a custom infoType needs a name in capitals"},
		{"no change", "hotword_rules:\n  - info_types: [SSN]\n    hotwords: [social]\n", "policy.yaml:2: a hotword rule needs either adjust"},
		{"no words", "hotword_rules:\n  - info_types: [SSN]\n    adjust: 1\n", "policy.yaml:2: a hotword rule needs info_types and hotwords"},
		{"window", "hotword_rules:\n  - info_types: [SSN]\n    hotwords: [social]\n    adjust: 1\n    window_after: 5000\n", "policy.yaml:5: a window is 0 to 1000"},
		{"window of all", "info_types: {}\nhotword_window: 1001\n", "policy.yaml:2: a window is 0 to 1000"},
		{"window below 0", "hotword_rules:\n  - info_types: [SSN]\n    hotwords: [social]\n    adjust: 1\n    window_before: -1\n", "policy.yaml:5: a window is 0 to 1000"},
		{"window that is no number", "hotword_window: wide\n", "policy.yaml:1:"},
		{"second document", "hotword_window: 50\n---\nhotword_window: 70\n", "policy.yaml: more than one document"},
		{"expression that takes long", "custom_info_types:\n  - name: A\n    regex: '(a{1,50}){1,19}(b{1,50}){1,19}'\n", "policy.yaml:3: the expression takes too long"},
		{"expressions that do together", "custom_info_types:\n" + strings.Repeat("  - name: A\n    regex: '(a{1,50}){1,19}'\n", 6), "policy.yaml:13: the expression takes too long"},
		{"blank phrase", "hotword_rules:\n  - info_types: [SSN]\n    hotwords: [social, '--']\n    adjust: 1\n", "policy.yaml:3: phrase 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(folderOf(map[string]string{"policy.yaml": c.policy}))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}
