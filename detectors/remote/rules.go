package remote

import "sotto/detectors"

// Rules are the user's policy in a form that a service can be configured with. The local tiers apply
// all of it too, so that a service that knows only some of it masks no less.
type Rules struct {
	// On and Off are the infoTypes that the policy switches on or off.
	On, Off map[detectors.InfoType]bool
	// Least are the likelihoods from which on an infoType is masked.
	Least map[detectors.InfoType]detectors.Likelihood
	// Custom are the user's own infoTypes.
	Custom []CustomType
	// Dictionaries are what must be masked, Exclusions what must not. Those of single tenants are
	// not among them.
	Dictionaries, Exclusions []WordList
	Hotwords                 []HotwordRule
}

// CustomType is an infoType that a regular expression (RE2) finds.
type CustomType struct {
	Type       detectors.InfoType
	Regex      string
	Likelihood detectors.Likelihood
}

// WordList holds words and phrases of an infoType.
type WordList struct {
	Type  detectors.InfoType
	Words []string
}

// HotwordRule changes the likelihood of findings near words.
type HotwordRule struct {
	Types []detectors.InfoType
	Words []string
	// Before and After are how many characters before and after a finding the words may stand.
	Before, After int
	// Adjust is added to the likelihood. If it is 0, Set takes its place.
	Adjust int
	Set    detectors.Likelihood
}

// Asked reports whether findings of an infoType can be masked at all.
func (r *Rules) Asked(t detectors.InfoType) bool {
	return !r.Off[t] && (!t.OffByDefault() || r.On[t])
}
