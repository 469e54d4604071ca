package dlp

import "encoding/json"

// The parts of the REST interface that are used:
// https://cloud.google.com/sensitive-data-protection/docs/reference/rest/v2/projects.content/inspect.
// An answer leaves out fields that are 0, and has the numbers of 64 bits as strings.

type request struct {
	Config config `json:"inspectConfig"`
	Item   struct {
		Table struct {
			Headers []named `json:"headers"`
			Rows    []row   `json:"rows"`
		} `json:"table"`
	} `json:"item"`
}

type row struct {
	Values []value `json:"values"`
}

type value struct {
	String string `json:"stringValue"`
}

// named is an infoType or a column.
type named struct {
	Name string `json:"name"`
}

type config struct {
	InfoTypes     []named      `json:"infoTypes,omitempty"`
	MinLikelihood string       `json:"minLikelihood"`
	Least         []least      `json:"minLikelihoodPerInfoType,omitempty"`
	Limits        findLimits   `json:"limits"`
	Custom        []customType `json:"customInfoTypes,omitempty"`
	RuleSets      []ruleSet    `json:"ruleSet,omitempty"`
}

type least struct {
	InfoType      named  `json:"infoType"`
	MinLikelihood string `json:"minLikelihood"`
}

type findLimits struct {
	PerRequest int `json:"maxFindingsPerRequest"`
}

type customType struct {
	InfoType   named  `json:"infoType"`
	Likelihood string `json:"likelihood"`
	Regex      regex  `json:"regex"`
}

type regex struct {
	Pattern string `json:"pattern"`
}

type ruleSet struct {
	InfoTypes []named `json:"infoTypes"`
	Rules     []rule  `json:"rules"`
}

// rule is a hotword rule as it is sent.
type rule = json.RawMessage

type response struct {
	Result *result `json:"result"`
}

type result struct {
	Findings  []finding `json:"findings"`
	Truncated bool      `json:"findingsTruncated"`
}

type finding struct {
	InfoType   named  `json:"infoType"`
	Likelihood string `json:"likelihood"`
	Location   struct {
		Codepoints *span             `json:"codepointRange"`
		Contents   []contentLocation `json:"contentLocations"`
	} `json:"location"`
}

type span struct {
	Start json.Number `json:"start,omitempty"`
	End   json.Number `json:"end,omitempty"`
}

type contentLocation struct {
	Record struct {
		Table *tableLocation `json:"tableLocation"`
	} `json:"recordLocation"`
}

type tableLocation struct {
	Row json.Number `json:"rowIndex,omitempty"`
}
