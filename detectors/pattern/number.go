package pattern

import (
	"sync"

	d "sotto/detectors"
	"sotto/detectors/ids"
	"sotto/detectors/lexicon"
	"sotto/internal/wordhash"
)

// maxCode bounds the code of a run. A longer run is NUMERIC or GENERIC_ID, and
// its value is its beginning.
const maxCode = 64

// classifier finds out of which infoType one run is.
type classifier struct {
	doc  *d.Document
	run  *d.Run
	code []byte
	near d.Near
	// buf is the memory of code, which validators would else move to the heap.
	buf [maxCode + 1]byte
}

var classifiers = sync.Pool{New: func() any { return new(classifier) }}

// free returns the classifier to the pool without the text that it has read.
func (t *classifier) free() {
	t.doc, t.run = nil, nil
	classifiers.Put(t)
}

// numbers types the runs of a document.
func numbers(doc *d.Document) {
	c := classifiers.Get().(*classifier)
	defer c.free()
	for i := range doc.Runs {
		r := &doc.Runs[i]
		if r.Claimed {
			continue
		}
		n := r.Len()
		if len(doc.Expect) == 0 {
			if n < 3 && !(i+1 < len(doc.Runs) && doc.Runs[i+1].Fixes) {
				continue
			}
		} else if n < 2 {
			continue
		}
		c.classify(doc, i)
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
	t.doc, t.run, t.code = doc, r, appendCode(t.buf[:0], doc.Symbols(r))
	if r.Digits == 0 {
		t.near = doc.Near(r.Start, r.End, doc.HotwordWindow, after)
		t.letters()
		return
	}
	t.near = doc.Near(r.Start, r.End, doc.HotwordWindow, after)
	q := t.quantityContext()
	if q == surelyQuantity && r.Len() < 10 {
		return
	}
	emitted := false
	for _, c := range [...]candidate{t.address4(), t.hardware(), t.diagnosis()} {
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
	if c := t.byExpectation(); c.match > ids.None {
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

// appendCode appends the code of a run, not more than buf can hold.
func appendCode(buf []byte, symbols []d.Symbol) []byte {
	for _, y := range symbols {
		if y.Kind == d.Connector {
			continue
		}
		if len(buf) == maxCode+1 {
			break
		}
		buf = append(buf, y.Ch)
	}
	return buf
}

// structured types a run by the strongest form that it has, without context.
func (t *classifier) structured() candidate {
	if len(t.code) > maxCode {
		return candidate{}
	}
	layout := layout{}
	forms := d.Forms(!ids.AllDigits(t.code))
	for i := range forms {
		f := &forms[i]
		if !t.hasForm(f, &layout) {
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
func (t *classifier) hasForm(f *d.RankedForm, groups *layout) bool {
	n := len(t.code)
	switch {
	case n < f.Min, f.Max > 0 && n > f.Max, f.Spoken && t.run.Words == 0, t.run.Connectors < f.Separators:
		return false
	case f.Prefix != 0 && !t.startsWith(f.Prefix), len(f.Layouts) > 0 && !groups.of(t).isIn(f.Layouts):
		return false
	case f.NotNear != d.HotNone && t.near[f.NotNear] < d.Far:
		return false
	case f.Holds != nil:
		return f.Holds(t.code)
	}
	return len(f.Layouts) > 0 || f.Row.Match(t.code) == f.Match
}

// startsWith reports whether the character right before the run's first number,
// or its first, is ch.
func (t *classifier) startsWith(ch byte) bool {
	x := &t.doc.Tokens[t.run.First]
	return x.Class == d.Punct && x.Ch == ch
}

// layout is how the digits of a run are grouped, such as "3-2-4".
type layout struct {
	// text has the sizes of the groups; n is its length, 0 for no grouping, and
	// known says that it has been read.
	text  [8]byte
	n     int
	known bool
}

// of returns the layout of the run, which it reads the first time. Digits that were said
// one by one have none.
func (l *layout) of(t *classifier) *layout {
	if !l.known {
		l.known = true
		if !l.read(t.doc.Symbols(t.run)) {
			l.n = 0
		}
	}
	return l
}

func (l *layout) isIn(layouts []string) bool {
	for _, x := range layouts {
		if x == string(l.text[:l.n]) {
			return true
		}
	}
	return false
}

// read reads the sizes of the groups. It reports false for one that has none.
func (l *layout) read(symbols []d.Symbol) bool {
	size, group := 0, -1
	for i := range symbols {
		y := &symbols[i]
		if y.Kind == d.Connector {
			continue
		}
		if y.Kind != d.Written || y.Ch > '9' {
			return false
		}
		if int(y.First) != group && i > 0 {
			if !l.add(size) {
				return false
			}
			size = 0
		}
		group = int(y.First)
		size++
	}
	return l.add(size)
}

// add adds a group: one of up to 9 digits, or of 16, which is a card written in one.
func (l *layout) add(size int) bool {
	if size == 0 {
		return true
	}
	if size > 9 && size != 16 || l.n+3 > len(l.text) {
		return false
	}
	if l.n > 0 {
		l.text[l.n] = '-'
		l.n++
	}
	if size == 16 {
		l.text[l.n] = '1'
		l.n++
		size = 6
	}
	l.text[l.n] = byte('0' + size)
	l.n++
	return true
}

// byHotword types a run by the hotword that is nearest, weighed with how well
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
	return m >= ids.Exact || distance <= 20 && t.run.Len() >= 4 && !t.run.Scaled || distance <= 8
}

// named is the candidate of a hotword at a distance.
func (t *classifier) named(row *d.Row, m ids.Match, distance int) candidate {
	c := candidate{kind: row.Type, match: m, evidence: d.ByHotword | d.ByShape, score: 0.6 + 0.1*float32(m)}
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

// after is how many characters behind a value its hotwords are looked for.
const after = 40

// isPart reports whether the code is the end or the beginning of a value only.
func (t *classifier) isPart(kind d.InfoType) bool {
	n := len(t.code)
	row := kind.Row()
	return row != nil && n <= row.PartLength || t.near[d.HotLast] < 30 && n <= 8
}

// byExpectation types a run as what was asked for.
func (t *classifier) byExpectation() candidate {
	best := candidate{}
	for _, e := range t.doc.Expect {
		m := t.matchOf(e.Type)
		if m == ids.None || e.Type == d.StreetAddress && m == ids.Loose && t.run.Quantity && t.run.Len() < 3 {
			continue
		}
		score := 0.5 + 0.1*float32(m) + 0.1*e.Strength
		if score > best.score {
			best = candidate{kind: e.Type, match: m, evidence: d.ByExpectation, score: min(score, 0.98)}
			if e.Part || t.isPart(e.Type) {
				best.evidence |= d.Partial
			}
		}
	}
	return best
}

// matchOf says how well the code matches an infoType that was asked for. Two symbols
// that are the whole answer match any.
func (t *classifier) matchOf(kind d.InfoType) ids.Match {
	m := ids.None
	if row := kind.Row(); row != nil && row.Match != nil {
		m = row.Match(t.code)
	}
	if m == ids.None && len(t.code) == 2 && t.run.Opens && t.run.Closes {
		return ids.Loose
	}
	return m
}

// fallback types a run of which nothing is known.
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

// letters types a run that has no digits: a word that was spelled.
func (t *classifier) letters() {
	best := candidate{}
	if len(t.code) >= 3 && !t.isAcronym() {
		best = t.spelledWord()
	}
	for _, e := range t.doc.Expect {
		row := e.Type.Row()
		if len(t.code) < 2 || row == nil || !row.Spelled {
			continue
		}
		if s := 0.7 + 0.2*e.Strength; s > best.score && !(best.kind == d.PersonName && e.Type == d.GenericID) {
			best = candidate{kind: e.Type, match: ids.Loose, evidence: d.ByExpectation, score: s}
		}
	}
	if best.match > ids.None {
		t.emit(best)
	}
}

// codeWindow is how near a hotword must be to a code of letters only.
const codeWindow = 40

// spelledWord types letters that were not asked for: as a name, as the code that a
// hotword names, or as a word.
func (t *classifier) spelledWord() candidate {
	c := candidate{kind: d.SpelledWord, match: ids.Loose, evidence: d.ByShape, score: 0.6}
	if t.near[d.HotSpell] < d.Far {
		c.evidence |= d.ByHotword
		c.score = 0.8
	}
	for _, named := range d.NamedCodes() {
		if t.near[named.Hotword] < codeWindow && named.Row.Match(t.code) >= ids.Exact {
			c = candidate{kind: named.Row.Type, match: ids.Exact, evidence: d.ByHotword | d.ByShape, score: 0.85}
		}
	}
	switch {
	case lexicon.LookupHash(wordhash.Bytes(t.code)).Given() >= 6:
		c.kind = d.PersonName
	case t.near[d.HotAccount] < 15 && len(t.code) >= 4:
		c.kind = d.GenericID
	}
	return c
}

// isAcronym reports whether letters are an abbreviation that everybody knows, or
// the same letter over and over, as stutterers say it.
func (t *classifier) isAcronym() bool {
	same := true
	for _, c := range t.code {
		same = same && c == t.code[0]
	}
	if same {
		return true
	}
	if t.run.Connectors > 0 && t.onlyDots() && len(t.code) <= 4 {
		return true
	}
	return knownAcronym(t.code)
}

// knownAcronym reports whether letters are an abbreviation that everybody knows.
func knownAcronym(code []byte) bool { return acronyms.Has(wordhash.Bytes(code)) }

// onlyDots reports whether the connectors of the run are all dots.
func (t *classifier) onlyDots() bool {
	for _, y := range t.doc.Symbols(t.run) {
		if y.Kind == d.Connector && y.Ch != '.' {
			return false
		}
	}
	return true
}

// emit adds the run as a finding.
func (t *classifier) emit(c candidate) {
	r := t.run
	if r.Words > 0 {
		c.evidence |= d.BySpeech
	}
	end := r.End
	if c.kind == d.PhoneNumber {
		end = t.extensionEnd()
	}
	t.doc.Add(d.Finding{
		Start: r.Start, End: end, Type: c.kind, Value: t.value(c.kind), Likelihood: d.LikelihoodOf(c.score), Score: c.score,
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
