package policy

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/detectors"
	"sotto/detectors/ner"
)

// rules are those of policy.yaml: which infoTypes are masked, from which likelihood
// on, the user's own infoTypes, and hotwords.
type rules struct {
	enabled map[detectors.InfoType]bool
	least   map[detectors.InfoType]detectors.Likelihood
	// points are the operating points of single infoTypes.
	points map[detectors.InfoType]ner.Sensitivity
	custom []customType
	hot    []hotwordRule
	// window is the HotwordWindow of documents.
	window int
	digest []byte
}

// defaultRules mask all infoTypes that are on by default, at any likelihood.
func defaultRules() *rules {
	return &rules{
		window: detectors.DefaultHotwordWindow, enabled: map[detectors.InfoType]bool{},
		least: map[detectors.InfoType]detectors.Likelihood{}, points: map[detectors.InfoType]ner.Sensitivity{},
	}
}

// customType is an infoType found by a regular expression.
type customType struct {
	name       detectors.InfoType
	regex      *regexp.Regexp
	likelihood detectors.Likelihood
}

// hotwordRule changes the likelihood of findings near its hotwords.
type hotwordRule struct {
	types         map[detectors.InfoType]bool
	words         *detectors.Phrases[uint8]
	before, after int
	// change is added; when it is 0, fixed takes the place of the likelihood.
	change int
	fixed  detectors.Likelihood
}

// maxFinding bounds the bytes of the findings before a hotword that it counts
// for.
const maxFinding = 256

// find adds findings of the custom infoTypes.
func (r *rules) find(d *detectors.Document, v visible) {
	for i := range r.custom {
		c := &r.custom[i]
		for _, m := range c.regex.FindAllStringIndex(v.text, -1) {
			start, end := v.place(m[0], m[1])
			d.Add(detectors.Finding{
				Start: start, End: end, Type: c.name, Likelihood: c.likelihood, Score: detectors.ScoreOf(c.likelihood),
				Detector: "custom", Evidence: detectors.ByUser,
			})
		}
	}
}

// visible is a text without its invisible characters, as all detectors see it: nobody writes an expression that
// allows for them.
type visible struct {
	text string
	at   []int // where each byte stands in the whole text, nil if that has no such characters
}

// place returns where a span stands in the whole text.
func (v *visible) place(start, end int) (from, to int) {
	if v.at == nil || start >= end {
		return start, end
	}
	return v.at[start], v.at[end-1] + 1
}

func visibleText(text string) visible {
	first := strings.IndexFunc(text, isInvisible)
	if first < 0 {
		return visible{text: text}
	}
	var at []int
	b := make([]byte, 0, len(text))
	for i, r := range text {
		if isInvisible(r) {
			continue
		}
		for k := range utf8.RuneLen(r) {
			b, at = append(b, text[i+k]), append(at, i+k)
		}
	}
	return visible{string(b), at}
}

// isInvisible reports whether a rune cannot be seen: it has no width, or is a control that is no
// white space.
func isInvisible(r rune) bool {
	return detectors.Invisible(r) || unicode.IsControl(r) && !unicode.IsSpace(r)
}

// filter drops the findings of infoTypes that are off, and those that are too
// unlikely.
func (r *rules) filter(d *detectors.Document, dropped func(detectors.Finding, string)) {
	d.Findings = slices.DeleteFunc(d.Findings, func(f detectors.Finding) bool {
		switch {
		case r.isOff(f.Type):
			dropped(f, Off)
		case f.Likelihood < r.least[f.Type]:
			d.Subthreshold = append(d.Subthreshold, f)
			dropped(f, MinLikelihood)
		default:
			return false
		}
		return true
	})
}

func (r *rules) isOff(t detectors.InfoType) bool {
	on, said := r.enabled[t]
	return !on && (said || t.OffByDefault())
}

// apply changes the likelihood of the findings near each hotword.
func (h *hotwordRule) apply(d *detectors.Document) {
	if !slices.ContainsFunc(d.Findings, func(f detectors.Finding) bool { return h.types[f.Type] }) {
		return
	}
	d.SortFindings()
	h.words.Each(d, punctuation, func(_ uint8, first, n int) {
		start, end := int(d.Tokens[first].Start), int(d.Tokens[first+n-1].End)
		// A character has at most four bytes; a longer finding is not looked for.
		from := sort.Search(len(d.Findings), func(i int) bool { return d.Findings[i].Start >= start-4*h.after-maxFinding })
		for i := from; i < len(d.Findings) && d.Findings[i].Start <= end+4*h.before; i++ {
			f := &d.Findings[i]
			near := end <= f.Start && within(d.Text[end:f.Start], h.before) || start >= f.End && within(d.Text[f.End:start], h.after)
			if !h.types[f.Type] || !near {
				continue
			}
			l := h.fixed
			if h.change != 0 {
				l = detectors.Likelihood(min(max(int(f.Likelihood)+h.change, int(detectors.VeryUnlikely)), int(detectors.VeryLikely)))
			}
			if l != f.Likelihood {
				f.Likelihood, f.Score = l, detectors.ScoreOf(l)
			}
			f.Evidence |= detectors.ByHotword
		}
	})
}

// within reports whether a text has at most n characters.
func within(s string, n int) bool {
	return len(s) <= n || len(s) <= utf8.UTFMax*n && utf8.RuneCountInString(s) <= n
}
