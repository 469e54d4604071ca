package pattern

import (
	d "sotto/detectors"
	"sotto/detectors/lexicon"
)

// maxCode bounds the code of a run. A longer run is NUMERIC or GENERIC_ID, and
// its value is its beginning.
const maxCode = 64

// typer types one run.
type typer struct {
	doc  *d.Document
	run  *d.Run
	code []byte
	near d.Near
}

// numbers types the runs of a document.
func numbers(doc *d.Document) {
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
		typeRun(doc, i)
	}
}

// candidate is what a run may be.
type candidate struct {
	kind     d.InfoType
	fit      fit
	evidence d.Evidence
	score    float32
}

func typeRun(doc *d.Document, i int) {
	r := &doc.Runs[i]
	var buf [maxCode + 1]byte
	t := typer{doc: doc, run: r, code: appendCode(buf[:0], doc.Symbols(r))}
	if r.Digits == 0 {
		t.near = doc.Near(r.Start, r.End, doc.HotwordWindow, after)
		t.letters()
		return
	}
	t.near = doc.Near(r.Start, r.End, doc.HotwordWindow, after)
	harm := t.harmOf()
	if harm == surelyHarmless && r.Len() < 10 {
		return
	}
	emitted := false
	for _, c := range [...]candidate{t.address4(), t.hardware(), t.diagnosis()} {
		if c.fit > fitNone {
			t.emit(c)
			emitted = true
		}
	}
	if emitted {
		return
	}
	if c := t.structured(); c.fit > fitNone && (harm == harmful || c.fit == fitChecked) {
		t.emit(c)
		emitted = true
	}
	if c := t.byHotword(harm); c.fit > fitNone {
		t.emit(c)
		emitted = true
	}
	if c := t.byExpectation(); c.fit > fitNone {
		t.emit(c)
		emitted = true
	}
	if i+1 < len(doc.Runs) && doc.Runs[i+1].Fixes && r.Len() < 3 && doc.Runs[i+1].Len() >= 3 {
		t.emit(candidate{kind: d.Numeric, fit: fitLoose, evidence: d.ByShape | d.Partial, score: 0.45})
		return
	}
	if !emitted && harm == harmful && r.Len() >= 3 {
		t.fallback()
	}
}

// appendCode appends the code of a run, not more than buf can hold.
func appendCode(buf []byte, symbols []d.Symbol) []byte {
	for _, y := range symbols {
		if y.Kind == d.Joint {
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
func (t *typer) structured() candidate {
	code := t.code
	n := len(code)
	if n > maxCode {
		return candidate{}
	}
	if allDigits(code) {
		return t.structuredDigits(n)
	}
	switch {
	case n == 17 && vinShape(code) && vinCheck(code):
		return candidate{d.VIN, fitChecked, d.ByShape | d.ByChecksum, 0.95}
	case n >= 15 && ibanFit(code) == fitChecked:
		return candidate{d.IBAN, fitChecked, d.ByShape | d.ByChecksum, 0.98}
	case n >= 15 && ibanFit(code) == fitExact:
		return candidate{d.IBAN, fitExact, d.ByStructure | d.AgainstChecksum, 0.8}
	case n >= 9 && vatFit(code) == fitChecked:
		return candidate{d.VATNumber, fitChecked, d.ByShape | d.ByChecksum, 0.85}
	case n == 11 && mbi(code):
		return candidate{d.MedicalRecordNumber, fitExact, d.ByStructure, 0.75}
	case canadianPostal(code):
		return candidate{d.StreetAddress, fitExact, d.ByStructure, 0.85}
	case extension(code) > 0 && phoneFit(code[:extension(code)]) >= fitShape:
		return candidate{d.PhoneNumber, fitExact, d.ByStructure, 0.85}
	case n >= 10 && phoneFit(code) == fitShape && t.run.Joints >= 2:
		return candidate{d.PhoneNumber, fitShape, d.ByShape, 0.65}
	}
	return candidate{}
}

// structuredDigits is structured for digits only.
func (t *typer) structuredDigits(n int) candidate {
	code := t.code
	plus := t.startsWith('+')
	layout := t.layout()
	switch {
	case cardFit(code) == fitChecked:
		if n == 15 && imeiFit(code) == fitChecked && t.near[d.HotIMEI] < t.near[d.HotCard] {
			break
		}
		return candidate{d.CreditCardNumber, fitChecked, d.ByShape | d.ByChecksum, 0.95}
	case iccidFit(code) == fitChecked:
		return candidate{d.ICCID, fitChecked, d.ByShape | d.ByChecksum, 0.95}
	case imeiFit(code) == fitChecked:
		return candidate{d.IMEI, fitChecked, d.ByShape | d.ByChecksum, 0.9}
	case plus && international(code), n > 10 && code[0] == '0' && code[1] == '0' && international(code[2:]):
		return candidate{d.PhoneNumber, fitExact, d.ByStructure, 0.9}
	case layout == "3-2-4" && ssn(code):
		return candidate{d.SSN, fitExact, d.ByStructure, 0.8}
	case layout == "3-3-3" && sin(code):
		return candidate{d.SSN, fitChecked, d.ByShape | d.ByChecksum, 0.8}
	case layout == "2-7" && einPrefix(code) && t.near[d.HotSSN] == d.Far:
		return candidate{d.VATNumber, fitShape, d.ByShape, 0.5}
	case layout == "5-4":
		return candidate{d.StreetAddress, fitShape, d.ByShape, 0.6}
	case layout == "4-4-4-4", layout == "4-6-5", n == 16 && layout == "16":
		return candidate{d.CreditCardNumber, fitShape, d.ByShape | d.AgainstChecksum, 0.7}
	}
	digits := code
	if n == 11 && code[0] == '1' {
		digits = code[1:]
	}
	switch p := nanp(digits); {
	case p > 0 && (layout == "3-3-4" || layout == "1-3-3-4"):
		return candidate{d.PhoneNumber, fitExact, d.ByStructure, 0.85}
	case p == 2 && (t.run.Words > 0 || n == 10):
		return candidate{d.PhoneNumber, fitShape, d.ByShape, 0.65}
	case p == 1:
		return candidate{d.PhoneNumber, fitShape, d.ByShape, 0.55}
	case layout == "3-4" && exchange(code):
		return candidate{d.PhoneNumber, fitShape, d.ByShape, 0.6}
	case layout == "3-3-4", layout == "1-3-3-4":
		return candidate{d.PhoneNumber, fitShape, d.ByShape, 0.55}
	}
	return candidate{}
}

// startsWith tells whether the character right before the run's first number,
// or its first, is ch.
func (t *typer) startsWith(ch byte) bool {
	x := &t.doc.Tokens[t.run.First]
	return x.Class == d.Punct && x.Ch == ch
}

// layouts are the groupings of digits that mean something.
var layouts = [...]string{"3-2-4", "3-3-3", "2-7", "5-4", "4-4-4-4", "4-6-5", "16", "3-3-4", "1-3-3-4", "3-4"}

// layout returns how the digits are grouped, "" when the grouping means nothing.
// Digits that were said one by one have no grouping.
func (t *typer) layout() string {
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
		if y.Kind == d.Joint {
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
func (t *typer) byHotword(h harm) candidate {
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
		f := fitOf(kind, t.code)
		switch {
		case f == fitNone, f == fitLoose && dist > looseWindow:
			continue
		case hot == d.HotPhone && len(t.code) < 7 && dist > 25:
			continue
		case kind == d.Numeric && (len(t.code) > 6 || dist > 40):
			continue
		case kind == d.UserName && dist > 60:
			continue
		case kind == d.StreetAddress && dist > 40:
			continue
		case h == likelyHarmless && !(f >= fitExact || dist <= 20 && t.run.Len() >= 4 && !t.run.Scaled || dist <= 8):
			continue
		}
		cost := dist - 40*int(f)
		if cost < bestCost {
			bestCost = cost
			best = candidate{kind: kind, fit: f, evidence: d.ByHotword | d.ByShape, score: 0.6 + 0.1*float32(f)}
			if dist > 40 {
				best.score -= 0.1
			}
			if f == fitChecked {
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
func (t *typer) isPart(kind d.InfoType) bool {
	n := len(t.code)
	return (kind == d.CreditCardNumber || kind == d.SSN) && n <= 6 || t.near[d.HotLast] < 30 && n <= 8
}

// byExpectation types a run as what was asked for.
func (t *typer) byExpectation() candidate {
	best := candidate{}
	for _, e := range t.doc.Expect {
		f := fitOf(e.Type, t.code)
		if f == fitNone && len(t.code) == 2 && t.run.Opens && t.run.Closes {
			f = fitLoose
		}
		if f == fitNone || e.Type == d.StreetAddress && f == fitLoose && t.run.Quantity && t.run.Len() < 3 {
			continue
		}
		score := 0.5 + 0.1*float32(f) + 0.1*e.Strength
		if score > best.score {
			best = candidate{kind: e.Type, fit: f, evidence: d.ByExpectation, score: min(score, 0.98)}
			if e.Part || t.isPart(e.Type) {
				best.evidence |= d.Partial
			}
		}
	}
	return best
}

// fallback types a run of which nothing is known.
func (t *typer) fallback() {
	digits, letters := count(t.code)
	switch {
	case digits == 10 && letters == 0 && t.run.Opens && t.run.Closes && t.code[0] > '1':
		// Of numbers that somebody gives without a word, those of ten digits are
		// telephone numbers mostly, of another country if not of this one.
		t.emit(candidate{d.PhoneNumber, fitLoose, d.ByShape, 0.5})
	case letters == 0:
		t.emit(candidate{d.Numeric, fitLoose, d.ByShape, 0.5})
	case digits >= 2 && digits+letters >= 4, digits >= 1 && digits+letters >= 5:
		t.emit(candidate{d.GenericID, fitLoose, d.ByShape, 0.5})
	case digits >= 3:
		t.emit(candidate{d.Numeric, fitLoose, d.ByShape, 0.45})
	case t.oneByOne():
		t.emit(candidate{d.GenericID, fitLoose, d.ByShape, 0.45})
	}
}

// letters types a run that has no digits: a word that was spelled.
func (t *typer) letters() {
	best := candidate{}
	if len(t.code) >= 3 && !t.isAcronym() {
		best = candidate{kind: d.SpelledWord, fit: fitLoose, evidence: d.ByShape, score: 0.6}
		if t.near[d.HotSpell] < d.Far {
			best.evidence |= d.ByHotword
			best.score = 0.8
		}
		if t.near[d.HotSwift] < 40 && swiftFit(t.code) >= fitExact {
			best = candidate{kind: d.SWIFTCode, fit: fitExact, evidence: d.ByHotword | d.ByShape, score: 0.85}
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
				best = candidate{kind: e.Type, fit: fitLoose, evidence: d.ByExpectation, score: s}
			}
		}
	}
	if best.fit > fitNone {
		t.emit(best)
	}
}

// isAcronym tells whether letters are an abbreviation that everybody knows, or
// the same letter over and over, as stutterers say it.
func (t *typer) isAcronym() bool {
	same := true
	for _, c := range t.code {
		same = same && c == t.code[0]
	}
	if same {
		return true
	}
	if t.run.Joints > 0 && t.dotted() && len(t.code) <= 4 {
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
func (t *typer) dotted() bool {
	for _, y := range t.doc.Symbols(t.run) {
		if y.Kind == d.Joint && y.Ch != '.' {
			return false
		}
	}
	return true
}

// emit adds the run as a finding.
func (t *typer) emit(c candidate) {
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
func (t *typer) value(c candidate) string {
	code := t.code
	switch c.kind {
	case d.PhoneNumber:
		if n := extension(code); n > 0 {
			code = code[:n]
		}
		if len(code) == 11 && code[0] == '1' {
			code = code[1:]
		}
	case d.VIN:
		for i := range code {
			code[i] = vinFold(code[i])
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
