package pattern

import (
	"sync"

	d "sotto/detectors"
	"sotto/detectors/ids"
	"sotto/detectors/lexicon"
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

// structured types a run by what its characters prove, without context.
func (t *classifier) structured() candidate {
	code := t.code
	n := len(code)
	if n > maxCode {
		return candidate{}
	}
	if ids.AllDigits(code) {
		return t.structuredDigits(n)
	}
	switch {
	case n == 17 && ids.VIN(code) == ids.Checked:
		return candidate{d.VIN, ids.Checked, d.ByShape | d.ByChecksum, 0.95}
	case n >= 15 && ids.IBAN(code) == ids.Checked:
		return candidate{d.IBAN, ids.Checked, d.ByShape | d.ByChecksum, 0.98}
	case n >= 15 && ids.IBAN(code) == ids.Exact:
		return candidate{d.IBAN, ids.Exact, d.ByStructure | d.AgainstChecksum, 0.8}
	case n >= 9 && ids.VAT(code) == ids.Checked:
		return candidate{d.VATNumber, ids.Checked, d.ByShape | d.ByChecksum, 0.85}
	case n == 11 && ids.MBI(code):
		return candidate{d.MedicalRecordNumber, ids.Exact, d.ByStructure, 0.75}
	case ids.CanadianPostal(code):
		return candidate{d.StreetAddress, ids.Exact, d.ByStructure, 0.85}
	case ids.Extension(code) > 0 && ids.Phone(code[:ids.Extension(code)]) >= ids.Shape:
		return candidate{d.PhoneNumber, ids.Exact, d.ByStructure, 0.85}
	case n >= 10 && ids.Phone(code) == ids.Shape && t.run.Connectors >= 2:
		return candidate{d.PhoneNumber, ids.Shape, d.ByShape, 0.65}
	}
	return candidate{}
}

// structuredDigits is structured for digits only.
func (t *classifier) structuredDigits(n int) candidate {
	code := t.code
	plus := t.startsWith('+')
	layout := t.layout()
	switch {
	case ids.Card(code) == ids.Checked:
		if n == 15 && ids.IMEI(code) == ids.Checked && t.near[d.HotIMEI] < t.near[d.HotCard] {
			break
		}
		return candidate{d.CreditCardNumber, ids.Checked, d.ByShape | d.ByChecksum, 0.95}
	case ids.ICCID(code) == ids.Checked:
		return candidate{d.ICCID, ids.Checked, d.ByShape | d.ByChecksum, 0.95}
	case ids.IMEI(code) == ids.Checked:
		return candidate{d.IMEI, ids.Checked, d.ByShape | d.ByChecksum, 0.9}
	case plus && ids.International(code), n > 10 && code[0] == '0' && code[1] == '0' && ids.International(code[2:]):
		return candidate{d.PhoneNumber, ids.Exact, d.ByStructure, 0.9}
	case layout == "3-2-4" && ids.ValidSSN(code):
		return candidate{d.SSN, ids.Exact, d.ByStructure, 0.8}
	case layout == "3-3-3" && ids.ValidSIN(code):
		return candidate{d.SSN, ids.Checked, d.ByShape | d.ByChecksum, 0.8}
	case layout == "2-7" && ids.EINPrefix(code) && t.near[d.HotSSN] == d.Far:
		return candidate{d.VATNumber, ids.Shape, d.ByShape, 0.5}
	case layout == "5-4":
		return candidate{d.StreetAddress, ids.Shape, d.ByShape, 0.6}
	case layout == "4-4-4-4", layout == "4-6-5", n == 16 && layout == "16":
		return candidate{d.CreditCardNumber, ids.Shape, d.ByShape | d.AgainstChecksum, 0.7}
	}
	digits := code
	if n == 11 && code[0] == '1' {
		digits = code[1:]
	}
	switch p := ids.NANP(digits); {
	case p > ids.NotNANP && (layout == "3-3-4" || layout == "1-3-3-4"):
		return candidate{d.PhoneNumber, ids.Exact, d.ByStructure, 0.85}
	case p == ids.NANPInService && (t.run.Words > 0 || n == 10):
		return candidate{d.PhoneNumber, ids.Shape, d.ByShape, 0.65}
	case p == ids.NANPForm:
		return candidate{d.PhoneNumber, ids.Shape, d.ByShape, 0.55}
	case layout == "3-4" && ids.Exchange(code):
		return candidate{d.PhoneNumber, ids.Shape, d.ByShape, 0.6}
	case layout == "3-3-4", layout == "1-3-3-4":
		return candidate{d.PhoneNumber, ids.Shape, d.ByShape, 0.55}
	}
	return candidate{}
}

// startsWith tells whether the character right before the run's first number,
// or its first, is ch.
func (t *classifier) startsWith(ch byte) bool {
	x := &t.doc.Tokens[t.run.First]
	return x.Class == d.Punct && x.Ch == ch
}

// layouts are the groupings of digits that mean something.
var layouts = [...]string{"3-2-4", "3-3-3", "2-7", "5-4", "4-4-4-4", "4-6-5", "16", "3-3-4", "1-3-3-4", "3-4"}

// layout returns how the digits are grouped, "" when the grouping means nothing.
// Digits that were said one by one have no grouping.
func (t *classifier) layout() string {
	var b [8]byte
	k := 0
	symbols := t.doc.Symbols(t.run)
	size, group := 0, -1
	flush := func() bool {
		if size == 0 {
			return true
		}
		if size > 9 && size != 16 || k+3 > len(b) {
			return false
		}
		if k > 0 {
			b[k] = '-'
			k++
		}
		if size == 16 {
			b[k], b[k+1] = '1', '6'
			k += 2
		} else {
			b[k] = byte('0' + size)
			k++
		}
		size = 0
		return true
	}
	for i := range symbols {
		y := &symbols[i]
		if y.Kind == d.Connector {
			continue
		}
		if y.Kind != d.Written || y.Ch > '9' {
			return ""
		}
		if int(y.First) != group && i > 0 {
			if !flush() {
				return ""
			}
		}
		group = int(y.First)
		size++
	}
	if !flush() {
		return ""
	}
	for _, l := range layouts {
		if l == string(b[:k]) {
			return l
		}
	}
	return ""
}

// byHotword types a run by the hotword that is nearest, weighed with how well
// the code fits the hotword's type.
func (t *classifier) byHotword(q quantity) candidate {
	best := candidate{}
	bestCost := d.Far
	for hot := d.HotNone + 1; hot < d.NumHotwords; hot++ {
		dist := int(t.near[hot])
		if dist == d.Far {
			continue
		}
		kind := hotwordType(hot)
		if kind == "" {
			continue
		}
		m := matchOf(kind, t.code)
		switch {
		case m == ids.None, m == ids.Loose && dist > looseWindow:
			continue
		case hot == d.HotPhone && len(t.code) < 7 && dist > 25:
			continue
		case kind == d.Numeric && (len(t.code) > 6 || dist > 40):
			continue
		case kind == d.UserName && dist > 60:
			continue
		case kind == d.StreetAddress && dist > 40:
			continue
		case q == likelyQuantity && !(m >= ids.Exact || dist <= 20 && t.run.Len() >= 4 && !t.run.Scaled || dist <= 8):
			continue
		}
		cost := dist - 40*int(m)
		if cost < bestCost {
			bestCost = cost
			best = candidate{kind: kind, match: m, evidence: d.ByHotword | d.ByShape, score: 0.6 + 0.1*float32(m)}
			if dist > 40 {
				best.score -= 0.1
			}
			if m == ids.Checked {
				best.evidence |= d.ByChecksum
			}
			if t.isPart(kind) {
				best.evidence |= d.Partial
			}
		}
	}
	return best
}

// looseWindow is how near a hotword must be to a code that is not of its shape.
const looseWindow = 45

// isPart tells whether the code is the end or the beginning of a value only.
func (t *classifier) isPart(kind d.InfoType) bool {
	n := len(t.code)
	return (kind == d.CreditCardNumber || kind == d.SSN) && n <= 6 || t.near[d.HotLast] < 30 && n <= 8
}

// byExpectation types a run as what was asked for.
func (t *classifier) byExpectation() candidate {
	best := candidate{}
	for _, e := range t.doc.Expect {
		m := matchOf(e.Type, t.code)
		if m == ids.None && len(t.code) == 2 && t.run.Opens && t.run.Closes {
			m = ids.Loose
		}
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
		best = candidate{kind: d.SpelledWord, match: ids.Loose, evidence: d.ByShape, score: 0.6}
		if t.near[d.HotSpell] < d.Far {
			best.evidence |= d.ByHotword
			best.score = 0.8
		}
		if t.near[d.HotSwift] < 40 && ids.SWIFT(t.code) >= ids.Exact {
			best = candidate{kind: d.SWIFTCode, match: ids.Exact, evidence: d.ByHotword | d.ByShape, score: 0.85}
		}
		switch e := lexicon.LookupHash(lexicon.HashBytes(t.code)); {
		case e.Given() >= 6:
			best.kind = d.PersonName
		case t.near[d.HotAccount] < 15 && len(t.code) >= 4:
			best.kind = d.GenericID
		}
	}
	for _, e := range t.doc.Expect {
		if len(t.code) < 2 {
			break
		}
		switch e.Type {
		case d.PersonName, d.UserName, d.EmailAddress, d.OrganizationName, d.GenericID, d.MedicalRecordNumber, d.VIN, d.Passport,
			d.SpelledWord, d.StreetAddress, d.Location:
			if s := 0.7 + 0.2*e.Strength; s > best.score && !(best.kind == d.PersonName && e.Type == d.GenericID) {
				best = candidate{kind: e.Type, match: ids.Loose, evidence: d.ByExpectation, score: s}
			}
		}
	}
	if best.match > ids.None {
		t.emit(best)
	}
}

// isAcronym tells whether letters are an abbreviation that everybody knows, or
// the same letter over and over, as stutterers say it.
func (t *classifier) isAcronym() bool {
	same := true
	for _, c := range t.code {
		same = same && c == t.code[0]
	}
	if same {
		return true
	}
	if t.run.Connectors > 0 && t.dotted() && len(t.code) <= 4 {
		return true
	}
	return knownAcronym(t.code)
}

// knownAcronym tells whether letters are an abbreviation that everybody knows.
func knownAcronym(code []byte) bool {
	switch string(code) {
	case "usa", "api", "faq", "ups", "atm", "pdf", "usb", "www", "irs", "url", "ssn", "pin", "dob", "vin", "gps", "kyc", "otp", "ceo",
		"dns", "lte", "csv", "sms", "vpn", "http", "https", "asap", "fbi", "dmv", "hvac", "ebay", "cvv", "cvc", "mms", "isp", "eta",
		"fyi", "diy", "dvd", "led", "lcd", "hdmi", "cpa", "apr", "apy", "pto", "hmo", "ppo", "pcp", "mri", "nfl", "nba", "cnn", "bbc", "imei",
		"iban", "icu", "ira", "llc", "mba", "phd", "rsvp", "suv", "tba", "tbd", "omg", "lol", "aka", "btw",
		"poc", "crm", "erp", "sql", "html", "css", "iot", "roi", "kpi", "sla", "rma", "msrp", "upc", "sku", "eob", "covid", "ptsd", "adhd", "hiv", "rsv":
		return true
	}
	return false
}

// dotted tells whether the connectors of the run are all dots.
func (t *classifier) dotted() bool {
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
		Start: r.Start, End: end, Type: c.kind, Value: t.value(c), Likelihood: d.LikelihoodOf(c.score), Score: c.score,
		Detector: "number", Evidence: c.evidence,
	})
}

// value is the canonical form of the code for its type.
func (t *classifier) value(c candidate) string {
	code := t.code
	switch c.kind {
	case d.PhoneNumber:
		if n := ids.Extension(code); n > 0 {
			code = code[:n]
		}
		if len(code) == 11 && code[0] == '1' {
			code = code[1:]
		}
	case d.VIN:
		for i := range code {
			code[i] = ids.VINFold(code[i])
		}
	case d.IPAddress:
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
	return string(code)
}
