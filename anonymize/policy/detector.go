package policy

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"sotto/detectors"
)

// Detector finds information in a way of one's own: by a model, by a library, by what a customer database knows.
type Detector struct {
	// Name identifies the detector and its version. It is a part of the policy: whoever changes what Find returns changes it.
	Name string
	// InfoTypes are those that Find returns, Sotto's or one's own, in capitals. policy.yaml can switch them off.
	InfoTypes []detectors.InfoType
	// Find returns what it finds in a text, in any order; findings may overlap. It is called more than once for an event, by
	// several goroutines at a time, and after a crash again for the same text: it must return the same then. The text lacks
	// characters that nobody can see. It must not be kept, logged or changed.
	Find func(text string) []Found
}

// Found is what a Detector found.
type Found struct {
	// Start and End are byte offsets into the text. What lies outside of it is cut off, and a character is masked whole.
	Start, End int
	// InfoType is one of the detector's; any other value means the first of them.
	InfoType detectors.InfoType
	// Likelihood decides between findings that overlap; 0 means VeryLikely.
	Likelihood detectors.Likelihood
}

// check reports what makes a detector unusable.
func (c *Detector) check() error {
	switch {
	case c.Name == "" || len(c.Name) > 64:
		return fmt.Errorf("a detector needs a name of at most 64 bytes")
	case c.Find == nil:
		return fmt.Errorf("detector %q has no Find", c.Name)
	case len(c.InfoTypes) == 0:
		return fmt.Errorf("detector %q has no infoTypes", c.Name)
	}
	for _, t := range c.InfoTypes {
		if !typeForm.MatchString(string(t)) {
			return fmt.Errorf("detector %q: %q is not an infoType: capitals, digits and underscores, a capital first", c.Name, t)
		}
		if near := misspelled(string(t)); near != "" {
			return fmt.Errorf("detector %q: there is no infoType %q; %s is meant", c.Name, t, near)
		}
	}
	return nil
}

// finding returns what was found as a finding; ok is false if no character is left of it.
func (c *Detector) finding(v visible, found Found) (f detectors.Finding, ok bool) {
	start, end := max(found.Start, 0), min(found.End, len(v.text))
	if start >= end {
		return f, false
	}
	for start > 0 && !utf8.RuneStart(v.text[start]) {
		start--
	}
	for end < len(v.text) && !utf8.RuneStart(v.text[end]) {
		end++
	}
	infoType := found.InfoType
	if !slices.Contains(c.InfoTypes, infoType) {
		infoType = c.InfoTypes[0]
	}
	likelihood := found.Likelihood
	if likelihood < detectors.VeryUnlikely || likelihood > detectors.VeryLikely {
		likelihood = detectors.VeryLikely
	}
	start, end = v.place(start, end)
	return detectors.Finding{
		Start: start, End: end, Type: infoType, Likelihood: likelihood, Score: detectors.ScoreOf(likelihood),
		Detector: "custom", Evidence: detectors.ByUser,
	}, true
}

// findOwn adds what the detectors of one's own find.
func findOwn(own []Detector, d *detectors.Document, v visible) {
	for i := range own {
		for _, found := range own[i].Find(v.text) {
			if f, ok := own[i].finding(v, found); ok {
				d.Add(f)
			}
		}
	}
}

// writeDetectors writes the names and infoTypes of detectors into a digest, and nothing without any.
func writeDetectors(w io.Writer, own []Detector) {
	for _, c := range own {
		sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", c.Name, c.InfoTypes))
		fmt.Fprintf(w, "detector %x\n", sum)
	}
}
