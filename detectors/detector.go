package detectors

// Detector finds information in documents. It is immutable after it was made
// and safe for concurrent use with a Document per goroutine.
type Detector interface {
	// Name is the short name that findings carry.
	Name() string
	// Trigger says what a document must hold for Detect to have anything to do.
	Trigger() Trigger
	// Detect adds findings. It reads Text, Tokens, Runs, Hotwords, Expect, Prior
	// and Role and must take time linear in the length of the text.
	Detect(*Document)
}

// Trigger is what starts a detector: any of the classes or bits, or a run. The
// zero Trigger starts it always.
type Trigger struct {
	Classes []Class
	Bits    Bits
	Runs    bool
	// Expected starts it whenever anything is expected.
	Expected bool
}

// Detect runs the detectors that the document gives a reason for.
func Detect(d *Document, detectors ...Detector) {
	for _, x := range detectors {
		if t := x.Trigger(); t.Fires(d) {
			x.Detect(d)
		}
	}
}

// Fires reports whether the document gives a reason to start the detector.
func (t *Trigger) Fires(d *Document) bool {
	if len(t.Classes) == 0 && t.Bits == 0 && !t.Runs && !t.Expected {
		return true
	}
	for _, c := range t.Classes {
		if d.HasClass(c) {
			return true
		}
	}
	return d.Has(t.Bits) || t.Runs && len(d.Runs) > 0 || t.Expected && len(d.Expect) > 0
}
