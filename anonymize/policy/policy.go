// Package policy holds what the user decides: own dictionaries and exclusion lists
// (dictionary.go), the rules of policy.yaml (rules.go, rulesfile.go), and detectors (detector.go).
package policy

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"sotto/anonymize/replace"
	"sotto/detectors"
	"sotto/detectors/ner"
)

// Policy is what the user decides. It is immutable and safe for concurrent use.
type Policy struct {
	dictionary *dictionary
	rules      *rules
	overlays   map[Scope]*Overlay
	own        []Detector
}

// Scope is whose calls an overlay is for: those of a tenant in one context, or in all others if Context is "".
type Scope struct{ Tenant, Context string }

// Overlay is the policy for the calls of a scope, with what it says beside the rules.
type Overlay struct {
	*Policy
	Sensitivity ner.Sensitivity // "" is that of all other calls
	Strategy    *replace.Choice // nil is that of all other calls
}

// Overlays are the policies of single tenants. They share the dictionaries and all that they do not change.
func (p *Policy) Overlays() map[Scope]*Overlay { return p.overlays }

// Default masks all infoTypes that are on by default, at any likelihood, and has no
// dictionaries.
func Default() *Policy { return &Policy{dictionary: &dictionary{}, rules: defaultRules()} }

// Read reads a folder of dictionaries, exclusion lists and policy.yaml, which docs/policy.md
// describes, unless folder is nil, and adds detectors of one's own. The error names file and line and does not quote an entry.
func Read(folder fs.FS, own ...Detector) (*Policy, error) {
	if folder == nil {
		folder = embed.FS{}
	}
	d, err := readDictionary(folder)
	if err != nil {
		return nil, err
	}
	types := d.types()
	for i := range own {
		if err := own[i].check(); err != nil {
			return nil, err
		}
		for _, t := range own[i].InfoTypes {
			types[t] = true
		}
	}
	r, overlays, err := readRules(folder, func(t detectors.InfoType) bool {
		return types[t] || slices.Contains(detectors.InfoTypes(), t)
	})
	if err != nil {
		return nil, err
	}
	for _, o := range overlays {
		o.dictionary, o.own = d, own
	}
	return &Policy{d, r, overlays, own}, nil
}

// HotwordWindow is the HotwordWindow of documents.
func (p *Policy) HotwordWindow() int { return p.rules.window }

// Move takes for single infoTypes the thresholds of the operating points that the user chose for them.
func (p *Policy) Move(t *ner.Thresholds) {
	for infoType, s := range p.rules.points {
		t.Move(infoType, s)
	}
}

// Masks reports whether findings of an infoType can be masked at all.
func (p *Policy) Masks(t detectors.InfoType) bool { return !p.rules.isOff(t) }

// Least returns the likelihood from which on an infoType is masked; ok is false if the user gave none.
func (p *Policy) Least(t detectors.InfoType) (l detectors.Likelihood, ok bool) {
	l, ok = p.rules.least[t]
	return l, ok
}

// Prompt is what a language model is told to do, "" if the user gave nothing.
func (p *Policy) Prompt() string { return p.dictionary.prompt }

// Find adds findings of the user's dictionaries, infoTypes and detectors.
func (p *Policy) Find(d *detectors.Document, tenant string) {
	p.dictionary.find(d, tenant)
	if len(p.rules.custom)+len(p.own) > 0 {
		v := visibleText(d.Text)
		p.rules.find(d, v)
		findOwn(p.own, d, v)
	}
}

// Adjust changes likelihoods by the hotword rules. It must be called once for a
// document.
func (p *Policy) Adjust(d *detectors.Document) {
	for i := range p.rules.hot {
		p.rules.hot[i].apply(d)
	}
}

// The reasons for which Filter drops a finding.
const (
	Excluded      = "excluded"
	Off           = "off"
	MinLikelihood = "min_likelihood"
)

// Filter drops the findings that the user does not want masked. dropped, unless nil,
// is called for each of them, with the reason.
func (p *Policy) Filter(d *detectors.Document, tenant string, dropped func(f detectors.Finding, reason string)) {
	if dropped == nil {
		dropped = func(detectors.Finding, string) {}
	}
	p.dictionary.filter(d, tenant, dropped)
	p.rules.filter(d, dropped)
}

// WriteDigest writes hashes of all that was read.
func (p *Policy) WriteDigest(w io.Writer) {
	fmt.Fprintf(w, "dictionary %x\nrules file %x\n", p.dictionary.digest, p.rules.digest)
	writeDetectors(w, p.own)
}
