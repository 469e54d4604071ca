package dlp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"sotto/detectors"
	"sotto/detectors/remote"
)

// maxRequest bounds the bytes of a request.
const maxRequest = 500_000

// checkLimits returns Google's error for requests that exceed its limits, by the reference of the API
// and by https://cloud.google.com/sensitive-data-protection/limits.
func checkLimits(q *request) error {
	c := q.Config
	if n := len(encode(q)); n > maxRequest {
		return fmt.Errorf("a request of %d bytes", n)
	}
	if n := len(c.Custom); n > 30 {
		return fmt.Errorf("%d custom infoTypes", n)
	}
	known := names(c.InfoTypes)
	var lists []*dictionary
	own := map[string]bool{}
	for _, t := range c.Custom {
		if own[t.InfoType.Name] {
			return errors.New("two custom infoTypes of one name")
		}
		own[t.InfoType.Name], known[t.InfoType.Name] = true, true
		if t.Dictionary != nil {
			lists = append(lists, t.Dictionary)
		}
	}
	if n := len(c.RuleSets); n > 10 {
		return fmt.Errorf("%d rule sets", n)
	}
	for _, set := range c.RuleSets {
		if n := len(set.Rules); n > 10 {
			return fmt.Errorf("%d rules in a set", n)
		}
		for _, t := range set.InfoTypes {
			if !known[t.Name] {
				return errors.New("a rule for an infoType that is not asked for")
			}
		}
		for _, r := range set.Rules {
			if h := r.Hotword; h != nil && h.Proximity.Before+h.Proximity.After > 1000 {
				return errors.New("a window of more than 1000 characters")
			}
			if r.Exclusion != nil {
				lists = append(lists, &r.Exclusion.Dictionary)
			}
		}
	}
	for _, l := range c.Least {
		if !known[l.InfoType.Name] {
			return errors.New("a likelihood of an infoType that is not asked for")
		}
	}
	return checkLists(lists)
}

func checkLists(lists []*dictionary) error {
	if len(lists) > 10 {
		return fmt.Errorf("%d dictionaries", len(lists))
	}
	for _, l := range lists {
		words := l.List.Words
		if len(words) == 0 || len(strings.Join(words, "\n")) > 128<<10 {
			return errors.New("a dictionary that is empty or too long")
		}
		for _, w := range words {
			n := 0
			for _, r := range w {
				if unicode.IsLetter(r) || unicode.IsDigit(r) {
					n++
				}
			}
			if n < 2 {
				return errors.New("a phrase of fewer than two letters")
			}
		}
	}
	return nil
}

// largePolicy has more of everything than Google accepts in a request.
func largePolicy() *remote.Rules {
	r := &remote.Rules{Least: map[detectors.InfoType]detectors.Likelihood{}}
	for i := range 50 {
		t := detectors.InfoType(fmt.Sprintf("OWN_%d", i))
		r.Custom = append(r.Custom, remote.CustomType{Type: t, Regex: fmt.Sprintf(`\bown %d\b`, i), Likelihood: detectors.Possible})
		r.Least[t] = detectors.Possible
		r.Hotwords = append(r.Hotwords, remote.HotwordRule{
			Types: []detectors.InfoType{t, detectors.PersonName}, Words: []string{"badge"}, Before: 1000, After: 1000, Adjust: 1,
		})
	}
	for range 15 {
		r.Hotwords = append(r.Hotwords, remote.HotwordRule{Types: []detectors.InfoType{detectors.Location}, Words: []string{"town"}, Before: 50, Adjust: 1})
	}
	long := strings.Split(strings.Repeat("quenlith vorbask\n", 2500), "\n")
	for i, t := range detectors.InfoTypes() {
		if i < 20 {
			r.Dictionaries = append(r.Dictionaries, remote.WordList{Type: t, Words: append([]string{"X", "Å", "quenlith"}, long...)})
			r.Exclusions = append(r.Exclusions, remote.WordList{Type: t, Words: []string{"Reading"}})
		}
	}
	r.Dictionaries = append(r.Dictionaries,
		remote.WordList{Type: detectors.Numeric, Words: []string{"quenlith"}}, remote.WordList{Type: detectors.Product, Words: []string{"X", "-"}})
	return r
}

// Google accepts the requests of a policy of any size: parts that exceed its limits are left out. The
// local tiers apply them in any case.
func TestALargePolicyIsAccepted(t *testing.T) {
	eachServer(t, largePolicy(), func(t *testing.T, tier *remote.Tier) {
		text := "mail ann@example.com"
		expect(t, text, tier.Ask(t.Context(), []remote.Utterance{{Text: text}})[0], "ann@example.com", detectors.EmailAddress)
	})
	rules := largePolicy()
	q := &request{Config: inspectConfig(remote.DLPTypes().With(rules), rules)}
	// A tier sends at most so many bytes of text.
	if n := len(encode(q)) + 256<<10; n > maxRequest {
		t.Errorf("with the largest batch, a request has %d bytes", n)
	}
}

// Hotword rules go first, because only Google can apply them to its findings. The local tiers apply
// the lists to Google's findings too.
func TestHotwordRulesGoBeforeExclusions(t *testing.T) {
	rules := &remote.Rules{Hotwords: []remote.HotwordRule{{Types: []detectors.InfoType{detectors.Passport}, Words: []string{"travel"}, Before: 600, After: 900, Adjust: 1}}}
	for _, i := range detectors.InfoTypes()[:20] {
		rules.Exclusions = append(rules.Exclusions, remote.WordList{Type: i, Words: []string{"Reading"}})
	}
	sets := inspectConfig(remote.DLPTypes().With(rules), rules).RuleSets
	if len(sets) != maxRuleSets {
		t.Fatalf("%d rule sets", len(sets))
	}
	if sets[1].InfoTypes[0].Name != "PASSPORT" || sets[1].Rules[0].Hotword.Proximity != (proximity{400, 600}) {
		t.Errorf("the rule is %v", sets[1])
	}
}
