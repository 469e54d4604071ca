package dlp

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"sotto/detectors"
	"sotto/detectors/remote"
)

// Google's limits on a request: https://cloud.google.com/sensitive-data-protection/limits, and the
// reference of the API. Parts of the policy that exceed them are left out. The local tiers apply all
// of the policy to their own findings, and lists and expressions to Google's findings too.
const (
	// maxWords bounds the bytes of a word list, allWords those of all lists: with the largest batch
	// of texts, a request has to stay below half a megabyte.
	maxWords = 128 << 10
	allWords = 160 << 10
	// maxLists bounds the word lists, dictionaries and exclusions together.
	maxLists = 10
	// maxRegexes bounds the expressions, so that with maxLists dictionaries there are no more than
	// 30 custom infoTypes.
	maxRegexes = 20
	// maxRuleSets bounds the rule sets, maxRules the rules of each.
	maxRuleSets, maxRules = 10, 10
	// maxWindow bounds the characters before and after a finding in which a hotword counts.
	maxWindow = 1000
	// minPhrase is how many letters and digits an entry of a word list has at least.
	minPhrase = 2
	// maxFindings is the most that Google returns for a request.
	maxFindings = 3000
)

// The paper adds these infoTypes to Google's: letters that are spelled, digits in a row that no
// other infoType explains, and user names, which are a word with digits or with a sign within.
var paperTypes = []remote.CustomType{
	{Type: detectors.SpelledWord, Regex: `\b(?:[A-Za-z]-){2,}[A-Za-z]\b`, Likelihood: detectors.Likely},
	{Type: detectors.Numeric, Regex: `\b[0-9]{3,}\b`, Likelihood: detectors.Possible},
	{Type: detectors.UserName, Regex: `\b[A-Za-z]{3,}[._]?[A-Za-z]*[0-9]{1,4}\b`, Likelihood: detectors.Unlikely},
}

// The paper raises the likelihood of findings within 100 characters of these words.
var paperHotwords = remote.HotwordRule{
	Types: []detectors.InfoType{detectors.GenericID, detectors.PersonName, detectors.UserName},
	Words: []string{"username", "user name", "user ID", "login"}, Before: 100, Adjust: 2,
}

// inspectConfig maps the user's policy to Google's configuration. types give the names of Google's
// infoTypes; an own infoType is asked for by its own name.
func inspectConfig(types *remote.Types, rules *remote.Rules) config {
	b := configBuilder{types: types, rules: rules, own: map[string]bool{}, config: config{
		MinLikelihood: detectors.Possible.String(), Limits: findLimits{maxFindings},
	}}
	b.addInfoTypes()
	b.addExpressions()
	b.addDictionaries()
	b.addLikelihoods()
	// Hotword rules come first: they change Google's findings. The local tiers apply exclusions anyway.
	b.addHotwords()
	b.addExclusions()
	return b.config
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

// isPapers reports whether a name is that of an infoType that the paper adds to Google's.
func isPapers(name string, t detectors.InfoType) bool {
	return name == string(t) && slices.ContainsFunc(paperTypes, func(own remote.CustomType) bool { return own.Type == t })
}

// ownLeast is the likelihood from which on an own infoType without a min_likelihood is masked. A
// user name needs its hotword, and the user's expressions count as they are.
func ownLeast(t remote.CustomType) detectors.Likelihood {
	if t.Type == detectors.UserName {
		return detectors.Possible
	}
	return detectors.VeryUnlikely
}

// configBuilder adds to a configuration.
type configBuilder struct {
	types  *remote.Types
	rules  *remote.Rules
	config config
	// own are the names of the custom infoTypes that are asked for.
	own map[string]bool
	// lists and bytes count the word lists so far, for their limits.
	lists, bytes int
}

// addInfoTypes asks for Google's own infoTypes.
func (b *configBuilder) addInfoTypes() {
	for _, n := range b.types.Names() {
		if t := b.types.Is(n); b.rules.Asked(t) && !b.types.IsOwn(n) && !isPapers(n, t) {
			b.config.InfoTypes = append(b.config.InfoTypes, named{n})
		}
	}
}

// addExpressions adds the infoTypes that the paper and the user define by an expression.
func (b *configBuilder) addExpressions() {
	for _, t := range slices.Concat(paperTypes, b.rules.Custom) {
		if !b.rules.Asked(t.Type) || len(b.own) == maxRegexes {
			continue
		}
		b.own[string(t.Type)] = true
		b.config.Custom = append(b.config.Custom, customType{
			InfoType: named{string(t.Type)}, Likelihood: t.Likelihood.String(), Regex: &regex{t.Regex},
		})
		if _, given := b.rules.Least[t.Type]; !given {
			b.addLeast(string(t.Type), ownLeast(t))
		}
	}
}

// addDictionaries adds the user's lists of values to mask. One name cannot have both an expression
// and a list, so lists of such infoTypes are left out.
func (b *configBuilder) addDictionaries() {
	for _, l := range b.rules.Dictionaries {
		if !b.rules.Asked(l.Type) || b.own[string(l.Type)] {
			continue
		}
		n := named{string(l.Type)}
		if names := b.names(l.Type); len(names) > 0 {
			n = names[0]
		}
		if list := b.list(l.Words); list != nil {
			b.own[n.Name] = true
			b.config.Custom = append(b.config.Custom, customType{InfoType: n, Likelihood: detectors.VeryLikely.String(), Dictionary: list})
		}
	}
}

func (b *configBuilder) addLikelihoods() {
	for _, t := range detectors.InfoTypes() {
		if l, given := b.rules.Least[t]; given {
			for _, n := range b.names(t) {
				b.addLeast(n.Name, l)
			}
		}
	}
}

func (b *configBuilder) addLeast(infoType string, l detectors.Likelihood) {
	b.config.Least = append(b.config.Least, least{named{infoType}, l.String()})
}

func (b *configBuilder) addHotwords() {
	for _, h := range append([]remote.HotwordRule{paperHotwords}, b.rules.Hotwords...) {
		var names []named
		for _, t := range h.Types {
			names = append(names, b.names(t)...)
		}
		b.addRule(names, rule{Hotword: newHotwordRule(h)})
	}
}

func (b *configBuilder) addExclusions() {
	for _, x := range b.rules.Exclusions {
		names := b.names(x.Type)
		if len(names) == 0 || !b.ruleFits(names) {
			continue
		}
		if list := b.list(x.Words); list != nil {
			b.addRule(names, rule{Exclusion: &exclusionRule{"MATCHING_TYPE_FULL_MATCH", *list}})
		}
	}
}

// addRule adds a rule for infoTypes, to the set of these infoTypes if it has room.
func (b *configBuilder) addRule(infoTypes []named, r rule) {
	if len(infoTypes) == 0 || !b.ruleFits(infoTypes) {
		return
	}
	if set := b.setOf(infoTypes); set != nil {
		set.Rules = append(set.Rules, r)
		return
	}
	b.config.RuleSets = append(b.config.RuleSets, ruleSet{infoTypes, []rule{r}})
}

func (b *configBuilder) ruleFits(infoTypes []named) bool {
	return len(b.config.RuleSets) < maxRuleSets || b.setOf(infoTypes) != nil
}

// setOf returns the rule set of the infoTypes that has room, nil if there is none.
func (b *configBuilder) setOf(infoTypes []named) *ruleSet {
	for i := range b.config.RuleSets {
		if set := &b.config.RuleSets[i]; len(set.Rules) < maxRules && slices.Equal(set.InfoTypes, infoTypes) {
			return set
		}
	}
	return nil
}

// names returns the names of an infoType that are asked for.
func (b *configBuilder) names(t detectors.InfoType) []named {
	if !b.rules.Asked(t) {
		return nil
	}
	var names []named
	for _, n := range b.types.Names() {
		if b.types.Is(n) == t && (b.own[n] || !b.types.IsOwn(n) && !isPapers(n, t)) {
			names = append(names, named{n})
		}
	}
	return names
}

// list returns a word list without the phrases that Google refuses, nil if there is none or no room.
func (b *configBuilder) list(phrases []string) *dictionary {
	var sent []string
	size := 0
	for _, p := range phrases {
		if lettersAndDigits(p) >= minPhrase {
			sent = append(sent, p)
			size += len(p) + 3 // as encoded
		}
	}
	if len(sent) == 0 || size > maxWords || b.bytes+size > allWords || b.lists == maxLists {
		return nil
	}
	b.lists, b.bytes = b.lists+1, b.bytes+size
	return &dictionary{wordList{sent}}
}

func lettersAndDigits(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

func newHotwordRule(h remote.HotwordRule) *hotwordRule {
	before, after := h.Before, h.After
	if sum := before + after; sum > maxWindow {
		before = before * maxWindow / sum
		after = maxWindow - before
	}
	r := &hotwordRule{Regex: regex{hotwordRegex(h.Words)}, Proximity: proximity{before, after}}
	if h.Adjust != 0 {
		r.Adjust.Relative = h.Adjust
	} else {
		r.Adjust.Fixed = h.Set.String()
	}
	return r
}

// hotwordRegex matches any of the words and phrases, whatever the case and the space between words.
func hotwordRegex(list []string) string {
	var parts []string
	for _, phrase := range list {
		var said []string
		for _, w := range strings.Fields(phrase) {
			said = append(said, regexp.QuoteMeta(w))
		}
		parts = append(parts, strings.Join(said, `\s+`))
	}
	return `(?i)\b(?:` + strings.Join(parts, "|") + `)\b`
}
