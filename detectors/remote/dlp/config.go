package dlp

import (
	"sotto/anonymize/policy"
	"sotto/detectors"
	"sotto/detectors/remote"
)

// maxFindings is the most that Google returns for a request.
const maxFindings = 3000

// paperTypes are what the paper adds to Google's infoTypes: letters that are spelled, digits in a row
// that no other infoType explains, and user names, which are a word with digits or with a sign within.
// A user name needs its hotword.
var paperTypes = map[string]struct{ regex, likelihood, least string }{
	string(detectors.SpelledWord): {`\b(?:[A-Za-z]-){2,}[A-Za-z]\b`, "LIKELY", "VERY_UNLIKELY"},
	string(detectors.Numeric):     {`\b[0-9]{3,}\b`, "POSSIBLE", "VERY_UNLIKELY"},
	string(detectors.UserName):    {`\b[A-Za-z]{3,}[._]?[A-Za-z]*[0-9]{1,4}\b`, "UNLIKELY", "POSSIBLE"},
}

// The paper raises the likelihood of findings of these infoTypes within 100 characters of these words.
var (
	hotwordTypes = map[detectors.InfoType]bool{detectors.GenericID: true, detectors.PersonName: true, detectors.UserName: true}
	hotwords     = rule(`{"hotwordRule":{"hotwordRegex":{"pattern":"(?i)\\b(?:username|user\\s+name|user\\s+ID|login)\\b"},` +
		`"proximity":{"windowBefore":100},"likelihoodAdjustment":{"relativeLikelihood":2}}}`)
)

// inspectConfig asks for the infoTypes that the user's policy masks, from the likelihood on that it
// says. The local tier applies everything else of the policy, also to Google's findings, so that nothing
// of the user's lists and expressions is sent.
func inspectConfig(types *remote.Types, rules *policy.Policy) config {
	c := config{MinLikelihood: detectors.Possible.String(), Limits: findLimits{maxFindings}}
	var raised []named
	for _, name := range types.Names() {
		t := types.Is(name)
		if !rules.Masks(t) {
			continue
		}
		from := ""
		if own, ok := paperTypes[name]; ok {
			c.Custom = append(c.Custom, customType{named{name}, own.likelihood, regex{own.regex}})
			from = own.least
		} else {
			c.InfoTypes = append(c.InfoTypes, named{name})
		}
		if l, given := rules.Least(t); given {
			from = l.String()
		}
		if from != "" {
			c.Least = append(c.Least, least{named{name}, from})
		}
		if hotwordTypes[t] {
			raised = append(raised, named{name})
		}
	}
	if len(raised) > 0 {
		c.RuleSets = []ruleSet{{raised, []rule{hotwords}}}
	}
	return c
}

// likelihoodOf returns the level of a name; Possible if it is not known.
func likelihoodOf(name string) detectors.Likelihood {
	for l := detectors.VeryUnlikely; l <= detectors.VeryLikely; l++ {
		if l.String() == name {
			return l
		}
	}
	return detectors.Possible
}
