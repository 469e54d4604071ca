package eval

import (
	"regexp"
	"slices"
	"strings"

	"sotto/detectors"
	"sotto/internal/gold"
	"sotto/risk"
	"sotto/risk/estimate"
)

// Options say what is measured. The zero value is the default.
type Options struct {
	// Types restricts scoring to these infoTypes; spans of others are left
	// out, as if they were OTHER. Empty means all but those that are off by default
	// or in unscored, and but NUMERIC spans without three digits in a row: a quantity is no
	// personal information, a number that was read out may be.
	Types []string
	// Errors asks for the list of errors.
	Errors bool
	// People say who is who in conversations, by their IDs.
	People map[string]*gold.People
	// weights are those of the risk estimate, nil for none.
	weights *estimate.Weights
}

// unscored are the infoTypes that corpora label only so that they can be left out.
var unscored = map[string]bool{"MONEY": true, "OTHER": true}

// Scored reports whether a labelled span of this infoType and text is scored.
func (o *Options) Scored(infoType, value string) bool {
	if len(o.Types) > 0 {
		return slices.Contains(o.Types, infoType)
	}
	if infoType == "NUMERIC" {
		return readOut(value)
	}
	return !unscored[infoType] && !detectors.InfoType(infoType).OffByDefault()
}

// decimal is within a number that is grouped by commas or a decimal.
var decimal = regexp.MustCompile(`[0-9][,.][0-9]`)

var magnitudes = map[string]bool{"million": true, "billion": true, "thousand": true, "percent": true, "%": true}

// readOut reports whether a number has three digits in a row, written or
// dictated, and is neither grouped by commas nor a decimal, nor of a magnitude
// that nobody dictates. "Nine hundred fifty six" has three digits; "24-48" has
// twice two.
func readOut(value string) bool {
	hundred := false
	for _, f := range strings.Fields(strings.ToLower(value)) {
		if magnitudes[f] || strings.HasSuffix(f, "%") {
			return false
		}
		hundred = hundred || f == "hundred"
	}
	if decimal.MatchString(value) {
		return false
	}
	written, inAll := longestDigits(value), longestDigits(risk.Normalize(value).String())
	return hundred || written >= 3 || inAll >= 5 || inAll >= 3 && written <= 1
}

func longestDigits(s string) int {
	longest := 0
	for _, run := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		longest = max(longest, len(run))
	}
	return longest
}

var defaultTable = risk.Table6()
