package dlp

import (
	"regexp"
	"slices"
	"strings"

	"cloud.google.com/go/dlp/apiv2/dlppb"

	"sotto/detectors"
	"sotto/detectors/remote"
)

const (
	// maxWords bounds the bytes of a word list: Google takes no more. Longer ones are left out;
	// the local tiers mask what is in them.
	maxWords = 128 << 10
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
func inspectConfig(types *remote.Types, rules *remote.Rules) *dlppb.InspectConfig {
	b := configBuilder{types: types, rules: rules, own: map[string]bool{}}
	c := &dlppb.InspectConfig{
		MinLikelihood: dlppb.Likelihood_POSSIBLE,
		Limits:        &dlppb.InspectConfig_FindingLimits{MaxFindingsPerRequest: maxFindings},
	}
	for _, t := range slices.Concat(paperTypes, rules.Custom) {
		if !rules.Asked(t.Type) {
			continue
		}
		b.own[string(t.Type)] = true
		c.CustomInfoTypes = append(c.CustomInfoTypes, &dlppb.CustomInfoType{
			InfoType: name(string(t.Type)), Likelihood: dlppb.Likelihood(t.Likelihood),
			Type: &dlppb.CustomInfoType_Regex_{Regex: &dlppb.CustomInfoType_Regex{Pattern: t.Regex}},
		})
		if _, given := rules.Least[t.Type]; !given {
			c.MinLikelihoodPerInfoType = append(c.MinLikelihoodPerInfoType, least(string(t.Type), ownLeast(t)))
		}
	}
	for _, n := range types.Names() {
		if t := types.Is(n); rules.Asked(t) && !types.IsOwn(n) && !isPapers(n, t) {
			c.InfoTypes = append(c.InfoTypes, name(n))
		}
	}
	for _, l := range rules.Dictionaries {
		names := b.names(l.Type)
		if len(names) == 0 || tooLong(l.Words) {
			continue
		}
		c.CustomInfoTypes = append(c.CustomInfoTypes, &dlppb.CustomInfoType{
			InfoType: names[0], Likelihood: dlppb.Likelihood_VERY_LIKELY, Type: &dlppb.CustomInfoType_Dictionary_{Dictionary: words(l.Words)},
		})
	}
	for _, t := range detectors.InfoTypes() {
		if l, given := rules.Least[t]; given {
			for _, n := range b.names(t) {
				c.MinLikelihoodPerInfoType = append(c.MinLikelihoodPerInfoType, least(n.Name, l))
			}
		}
	}
	c.RuleSet = b.ruleSet()
	return c
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

func name(n string) *dlppb.InfoType { return &dlppb.InfoType{Name: n} }

func least(n string, l detectors.Likelihood) *dlppb.InspectConfig_InfoTypeLikelihood {
	return &dlppb.InspectConfig_InfoTypeLikelihood{InfoType: name(n), MinLikelihood: dlppb.Likelihood(l)}
}

func words(list []string) *dlppb.CustomInfoType_Dictionary {
	return &dlppb.CustomInfoType_Dictionary{Source: &dlppb.CustomInfoType_Dictionary_WordList_{
		WordList: &dlppb.CustomInfoType_Dictionary_WordList{Words: list},
	}}
}

func tooLong(list []string) bool {
	n := 0
	for _, w := range list {
		n += len(w) + 1
	}
	return n > maxWords
}

type configBuilder struct {
	types *remote.Types
	rules *remote.Rules
	own   map[string]bool
}

// names returns Google's names of an infoType, those that are asked for.
func (b *configBuilder) names(t detectors.InfoType) []*dlppb.InfoType {
	if !b.rules.Asked(t) {
		return nil
	}
	var names []*dlppb.InfoType
	for _, n := range b.types.Names() {
		if b.types.Is(n) == t {
			names = append(names, name(n))
		}
	}
	if len(names) == 0 && b.own[string(t)] {
		names = append(names, name(string(t)))
	}
	return names
}

func (b *configBuilder) ruleSet() []*dlppb.InspectionRuleSet {
	var set []*dlppb.InspectionRuleSet
	for _, x := range b.rules.Exclusions {
		if names := b.names(x.Type); len(names) > 0 && !tooLong(x.Words) {
			set = append(set, &dlppb.InspectionRuleSet{InfoTypes: names, Rules: []*dlppb.InspectionRule{{
				Type: &dlppb.InspectionRule_ExclusionRule{ExclusionRule: &dlppb.ExclusionRule{
					MatchingType: dlppb.MatchingType_MATCHING_TYPE_FULL_MATCH, Type: &dlppb.ExclusionRule_Dictionary{Dictionary: words(x.Words)},
				}},
			}}})
		}
	}
	for _, h := range append([]remote.HotwordRule{paperHotwords}, b.rules.Hotwords...) {
		var names []*dlppb.InfoType
		for _, t := range h.Types {
			names = append(names, b.names(t)...)
		}
		if len(names) > 0 {
			set = append(set, &dlppb.InspectionRuleSet{InfoTypes: names, Rules: []*dlppb.InspectionRule{{Type: &dlppb.InspectionRule_HotwordRule{HotwordRule: hotwordRule(h)}}}})
		}
	}
	return set
}

func hotwordRule(h remote.HotwordRule) *dlppb.CustomInfoType_DetectionRule_HotwordRule {
	adjust := &dlppb.CustomInfoType_DetectionRule_LikelihoodAdjustment{}
	if h.Adjust != 0 {
		adjust.Adjustment = &dlppb.CustomInfoType_DetectionRule_LikelihoodAdjustment_RelativeLikelihood{RelativeLikelihood: int32(h.Adjust)}
	} else {
		adjust.Adjustment = &dlppb.CustomInfoType_DetectionRule_LikelihoodAdjustment_FixedLikelihood{FixedLikelihood: dlppb.Likelihood(h.Set)}
	}
	return &dlppb.CustomInfoType_DetectionRule_HotwordRule{
		HotwordRegex:         &dlppb.CustomInfoType_Regex{Pattern: hotwordRegex(h.Words)},
		Proximity:            &dlppb.CustomInfoType_DetectionRule_Proximity{WindowBefore: int32(h.Before), WindowAfter: int32(h.After)},
		LikelihoodAdjustment: adjust,
	}
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
