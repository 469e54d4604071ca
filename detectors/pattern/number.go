package pattern

import (
	"slices"
	"strconv"

	d "sotto/detectors"
	"sotto/detectors/ids"
)

// maxCode bounds the code of a run. A longer run is NUMERIC or GENERIC_ID, and
// its value is its beginning.
const maxCode = 64

// classifier finds out of which infoType one run is.
type classifier struct {
	doc  *d.Document
	run  *d.Run
	code []byte
	// layout is how its digits are grouped.
	layout []byte
	near   d.Near
	// buf is the memory of code, which validators would else move to the heap.
	buf [2 * (maxCode + 1)]byte
}

// numbers classifies the runs of a document.
func (t *classifier) numbers(doc *d.Document) {
	for i := range doc.Runs {
		r := &doc.Runs[i]
		if r.Claimed {
			continue
		}
		least := 3
		if i+1 < len(doc.Runs) && doc.Runs[i+1].Fixes {
			least = 0
		}
		if r.Len() >= least {
			t.classify(doc, i)
		}
	}
}

// candidate is what a run may be.
type candidate struct {
	kind     d.InfoType
	match    ids.Match
	evidence d.Evidence
	score    float32
}

func (t *classifier) classify(doc *d.Document, i int) {
	r := &doc.Runs[i]
	// At most every second symbol is a connector.
	symbols := doc.Symbols(r)
	code := d.AppendCode(t.buf[:0], symbols[:min(len(symbols), len(t.buf))])
	t.doc, t.run, t.code = doc, r, code[:min(len(code), maxCode+1)]
	t.near = doc.Near(r.Start, r.End, doc.HotwordWindow, after)
	if r.Digits == 0 {
		t.letters()
		return
	}
	q := t.quantityContext()
	if q == surelyQuantity && r.Len() < 10 {
		return
	}
	emitted := false
	for _, c := range [...]candidate{t.ipv4(), t.macAddress(), t.diagnosis()} {
		if c.match > ids.None {
			t.emit(c)
			emitted = true
		}
	}
	if emitted {
		return
	}
	if c := t.structured(); c.match > ids.None && (q == notQuantity || c.match == ids.Checked) {
		t.emit(c)
		emitted = true
	}
	if c := t.byHotword(q); c.match > ids.None {
		t.emit(c)
		emitted = true
	}
	if i+1 < len(doc.Runs) && doc.Runs[i+1].Fixes && r.Len() < 3 && doc.Runs[i+1].Len() >= 3 {
		t.emit(candidate{kind: d.Numeric, match: ids.Loose, evidence: d.ByShape | d.Partial, score: 0.45})
		return
	}
	if !emitted && q == notQuantity && r.Len() >= 3 {
		t.fallback()
	}
}

// structured classifies a run by the strongest form that it has, without context.
func (t *classifier) structured() candidate {
	if len(t.code) > maxCode {
		return candidate{}
	}
	t.readLayout()
	forms := d.Forms(!ids.AllDigits(t.code))
	for i := range forms {
		f := &forms[i]
		if !t.hasForm(f) {
			continue
		}
		if f.YieldsTo != nil && t.near[f.YieldsToHotword] < t.near[f.Hotword] && f.YieldsTo.Match(t.code) >= f.Match {
			return candidate{} // the hotword decides
		}
		return candidate{f.Row.Type, f.Match, f.Evidence(), f.Score}
	}
	return candidate{}
}

// hasForm reports whether the run has a form.
func (t *classifier) hasForm(f *d.RankedForm) bool {
	n := len(t.code)
	switch {
	case n < f.Min, f.Max > 0 && n > f.Max, f.Spoken && t.run.Words == 0, t.run.Connectors < f.Separators:
		return false
	case f.Prefix != 0 && !t.doc.IsMark(t.run.First, f.Prefix),
		len(f.Layouts) > 0 && !slices.Contains(f.Layouts, string(t.layout)):
		return false
	case f.NotNear != d.HotNone && t.near[f.NotNear] < d.Far:
		return false
	case f.Holds != nil:
		return f.Holds(t.code)
	}
	return len(f.Layouts) > 0 || f.Row.Match(t.code) == f.Match
}

// readLayout reads how the digits of the run are grouped, such as "3-2-4". Digits that were said one by
// one are not.
func (t *classifier) readLayout() {
	t.layout = t.layout[:0]
	size, group := 0, uint32(0)
	for _, y := range t.doc.Symbols(t.run) {
		if y.Kind == d.Connector {
			continue
		}
		if y.Kind != d.Written || y.Ch > '9' {
			t.layout = t.layout[:0]
			return
		}
		if size > 0 && y.First != group {
			t.layout = append(strconv.AppendInt(t.layout, int64(size), 10), '-')
			size = 0
		}
		group = y.First
		size++
	}
	t.layout = strconv.AppendInt(t.layout, int64(size), 10)
}

// byHotword classifies a run by the hotword that is nearest, weighed with how well
// the code matches the hotword's infoType.
func (t *classifier) byHotword(q quantity) candidate {
	best := candidate{}
	bestCost := d.Far
	for _, named := range d.NamedCodes() {
		distance := int(t.near[named.Hotword])
		if distance == d.Far || !t.inWindow(named.Row, distance) {
			continue
		}
		m := named.Row.Match(t.code)
		if m == ids.None || m == ids.Loose && distance > looseWindow || q == likelyQuantity && !t.outweighs(m, distance) {
			continue
		}
		if cost := distance - 40*int(m); cost < bestCost {
			bestCost = cost
			best = t.named(named.Row, m, distance)
		}
	}
	return best
}

// looseWindow is how near a hotword must be to a code that is not of its shape.
const looseWindow = 45

// inWindow reports whether a hotword at a distance may name the code a value of its
// infoType.
func (t *classifier) inWindow(row *d.Row, distance int) bool {
	n := len(t.code)
	switch {
	case row.Window > 0 && distance > row.Window,
		row.MaxLength > 0 && n > row.MaxLength,
		n < row.ShortLength && distance > row.ShortWindow:
		return false
	}
	return true
}

// outweighs reports whether a hotword says more than the words that make the run look
// like a quantity.
func (t *classifier) outweighs(m ids.Match, distance int) bool {
	return m >= ids.Exact || distance <= 20 && t.run.Len() >= 4 && !t.run.Scaled || distance <= 8 || distance <= exactWindow && t.isExact()
}

// exactWindow is how near a hotword must be to a number phrase that is exact: "my security code would be two
// hundred and seventeen".
const exactWindow = 30

// named is the candidate of a hotword at a distance.
func (t *classifier) named(row *d.Row, m ids.Match, distance int) candidate {
	c := candidate{kind: row.Type, match: m, evidence: d.ByHotword | d.ByShape, score: 0.6 + float32(0.1*float32(m))}
	if distance > 40 {
		c.score -= 0.1
	}
	if m == ids.Checked {
		c.evidence |= d.ByChecksum
	}
	if t.isPart(row.Type) {
		c.evidence |= d.Partial
	}
	return c
}

// after is how many characters after a value a hotword may be.
const after = 40

// isPart reports whether the code is the end or the beginning of a value only.
func (t *classifier) isPart(kind d.InfoType) bool {
	n := len(t.code)
	row := kind.Row()
	return row != nil && n <= row.PartLength || t.near[d.HotLast] < 30 && n <= 8
}

// fallback classifies a run of which nothing is known.
func (t *classifier) fallback() {
	digits, letters := ids.Count(t.code)
	switch {
	case digits == 10 && letters == 0 && t.run.Opens && t.run.Closes && t.code[0] > '1':
		// Of numbers that somebody gives without a word, those of ten digits are
		// telephone numbers mostly, of another country if not of this one.
		t.emit(candidate{d.PhoneNumber, ids.Loose, d.ByShape, 0.5})
	case letters == 0:
		t.emit(candidate{d.Numeric, ids.Loose, d.ByShape, 0.5})
	case digits >= 2 && digits+letters >= 4, digits >= 1 && digits+letters >= 5:
		t.emit(candidate{d.GenericID, ids.Loose, d.ByShape, 0.5})
	case digits >= 3:
		t.emit(candidate{d.Numeric, ids.Loose, d.ByShape, 0.45})
	case t.oneByOne():
		t.emit(candidate{d.GenericID, ids.Loose, d.ByShape, 0.45})
	}
}

func (t *classifier) emit(c candidate) {
	r := t.run
	if r.Words > 0 {
		c.evidence |= d.BySpeech
	}
	if t.oneByOne() && t.areSingle() {
		c.evidence |= d.OneByOne
	}
	t.doc.Add(d.Finding{
		Start: r.Start, End: r.End, Type: c.kind, Value: t.value(c.kind), Likelihood: d.LikelihoodOf(c.score), Score: c.score,
		Detector: "number", Evidence: c.evidence,
	})
}

// value is the canonical form of the code for its type.
func (t *classifier) value(kind d.InfoType) string {
	row := kind.Row()
	switch {
	case kind == d.IPAddress:
		return t.dotted()
	case row != nil && row.Canonical != nil:
		return string(row.Canonical(t.code))
	}
	return string(t.code)
}

// dotted is the run with its dots, up to a mask or port.
func (t *classifier) dotted() string {
	var buf [24]byte
	b := buf[:0]
	for _, y := range t.doc.Symbols(t.run) {
		if len(b) == len(buf) || y.Ch == '/' || y.Ch == ':' {
			break
		}
		b = append(b, y.Ch)
	}
	return string(b)
}
