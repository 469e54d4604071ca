package pattern

import d "sotto/detectors"

// Detector is the detector of everything that has a form. The zero value is
// ready.
type Detector struct{}

// Name implements detectors.Detector.
func (Detector) Name() string { return "pattern" }

// Trigger implements detectors.Detector.
func (Detector) Trigger() d.Trigger { return d.Trigger{} }

// Detect implements detectors.Detector. The document's runs must have been made
// by spoken.Scan. It may be called again when Expect or Prior changed and the
// findings were cleared.
func (Detector) Detect(doc *d.Document) {
	for i := range doc.Runs {
		doc.Runs[i].Claimed = false
	}
	scanTokens(doc)
	if doc.HasClass(d.Punct) && len(doc.Hotwords) > 0 {
		cookies(doc)
	}
	monthDates(doc)
	addresses(doc)
	ages(doc)
	if len(doc.Runs) > 0 {
		runDates(doc)
		coordinates(doc)
	}
	if len(doc.Expect) > 0 {
		answers(doc)
	}
	if len(doc.Hotwords) > 0 || len(doc.Expect) > 0 {
		userNames(doc)
	}
	if doc.HasClass(d.Upper) {
		letterCodes(doc)
	}
	if len(doc.Runs) > 0 {
		codes(doc)
		numbers(doc)
	}
}
