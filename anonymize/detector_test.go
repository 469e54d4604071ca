package anonymize

import (
	"regexp"
	"strings"
	"testing"

	"sotto/anonymize/policy"
	"sotto/detectors"
	"sotto/schemas"
)

var ticket = regexp.MustCompile(`\bquark-[a-z]+`)

// tickets finds words in the form of quark-zorble.
func tickets(text string) (all []policy.Found) {
	for _, m := range ticket.FindAllStringIndex(text, -1) {
		all = append(all, policy.Found{Start: m[0], End: m[1], InfoType: "TICKET"})
	}
	return all
}

// What a detector of one's own finds is masked, numbered and known in the call, like everything else; policy.yaml
// switches it off, also for one tenant.
func TestDetectorsOfOnesOwn(t *testing.T) {
	own := []policy.Detector{{Name: "tickets 1", InfoTypes: []detectors.InfoType{"TICKET"}, Find: tickets}}
	for _, c := range []struct{ rules, tenant, want string }{
		{"", "", "It is [TICKET_1]. Yes, [TICKET_1]."},
		{"info_types: {TICKET: {enabled: false}}", "", ""},
		{"tenants: {acme: {info_types: {TICKET: {enabled: false}}}}", "acme", ""},
		{"tenants: {acme: {info_types: {TICKET: {enabled: false}}}}", "bolt", "It is [TICKET_1]. Yes, [TICKET_1]."},
	} {
		e := newEngine(t, Options{Fast: true, Detectors: own, Policy: policyOf(map[string]string{"policy.yaml": c.rules})})
		got := NewConversation(e).Add(&schemas.RawEvent{CallID: "c", Seq: 1, Type: schemas.Utterance, Tenant: c.tenant,
			Text: "It is quark-zorble. Yes, quark-zor\u200bble."}).Clean.Text
		if c.want == "" && strings.Contains(got, "TICKET") || c.want != "" && got != c.want {
			t.Errorf("%s, tenant %q: %q", c.rules, c.tenant, got)
		}
	}
}

// The policy has a hash of which detectors there are, with their versions.
func TestDetectorsAreAPartOfThePolicy(t *testing.T) {
	hashes := map[string]string{}
	for _, name := range []string{"", "a 1", "a 2"} {
		o := Options{Fast: true}
		if name != "" {
			o.Detectors = []policy.Detector{{Name: name, InfoTypes: []detectors.InfoType{"TICKET"}, Find: tickets}}
		}
		hash := newEngine(t, o).Policy()
		if other, ok := hashes[hash]; ok {
			t.Errorf("%q and %q have one hash", name, other)
		}
		hashes[hash] = name
	}
}

func TestUnusableDetectors(t *testing.T) {
	for want, d := range map[string]policy.Detector{
		"needs a name":        {InfoTypes: []detectors.InfoType{"TICKET"}, Find: tickets},
		"has no Find":         {Name: "a", InfoTypes: []detectors.InfoType{"TICKET"}},
		"has no infoTypes":    {Name: "a", Find: tickets},
		"is not an infoType":  {Name: "a", InfoTypes: []detectors.InfoType{"ticket"}, Find: tickets},
		"PERSON_NAME is mean": {Name: "a", InfoTypes: []detectors.InfoType{"PERSON_NAMES"}, Find: tickets},
	} {
		if _, err := New(Options{Fast: true, Detectors: []policy.Detector{d}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
