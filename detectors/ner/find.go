package ner

import (
	"slices"
	"strings"
	"unicode"

	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/detectors/ner/sequence"
)

const (
	// Threshold is the probability from which words are joined to one value; whether the value is
	// masked depends on its kind (Thresholds). suspect is the probability from which a word is
	// reported as sub-threshold.
	Threshold, suspect = 0.2, 0.05
	// core is the probability from which a word at the beginning or the end of a value belongs to its
	// core (detectors.Finding.Core).
	core = 0.5
	// maxSpan bounds the words of one value.
	maxSpan = 64
	// gate is the probability of a word from which an encoder reads the text.
	gate = 0.01
)

// Find is Weigh and Decide without an encoder.
func (t *Tagger) Find(d *detectors.Document, c *sequence.Context) {
	t.Weigh(d, c)
	t.Decide(d, c, nil)
}

// Weigh computes the probabilities of the document that was read, and reports whether it is worth to be read by an encoder: if the
// random field or a rule takes some of it for a value, or if it asks for one.
func (t *Tagger) Weigh(d *detectors.Document, c *sequence.Context) bool {
	t.open = t.Tag(d, c)
	return t.isWorthReading(d)
}

// Decide adds findings to the document that was weighed, drops the findings of the rules that the encoder speaks
// against, and gives others the infoType that it suggests. Their score is the calibrated probability that they are
// right. reading is what the encoder says of the text, nil if it did not read it.
func (t *Tagger) Decide(d *detectors.Document, c *sequence.Context, reading Reading) {
	t.encoded.words = t.encoded.words[:0]
	t.birthAsked = c.Asked.Level(sequence.Birth) > 0
	if reading != nil {
		t.take(d, reading)
	} else if !t.open && len(d.Findings) == 0 {
		return
	}
	t.judge(d)
	spans := t.joinAffiliated(d, t.Spans(d))
	for i := range spans {
		f := t.finding(d, &spans[i])
		if spans[i].P < t.thresholds.Kinds[spans[i].Kind] || !t.encoded.isRead() && t.isMonthAlone(d, c, &spans[i]) {
			d.Subthreshold = append(d.Subthreshold, f)
			continue
		}
		d.Add(f)
	}
	if t.encoded.isRead() {
		t.addEncodedDates(d)
	} else {
		t.addDates(d, c)
	}
}

// joinAffiliated makes one organization of one that somebody calls from and a place right behind it that is not well known: in "calling
// from X Y" the labels of training have no place.
func (t *Tagger) joinAffiliated(d *detectors.Document, spans []Span) []Span {
	for i := len(spans) - 1; i > 0; i-- {
		a, b := &spans[i-1], &spans[i]
		if a.Kind != sequence.Organization || b.Kind != sequence.Location || b.First != a.Last+1 || !t.isPlainGap(b.First) ||
			a.P < t.thresholds.Kinds[a.Kind] || b.P < t.thresholds.Kinds[b.Kind] || // what is masked stays masked
			affiliation(d, int(t.reader.Elements[a.First].Token)) == 0 {
			continue
		}
		if _, place := lexicon.PlaceAt(d, int(t.reader.Elements[b.First].Token)); place&lexicon.Large == 0 {
			a.Last = b.Last
			spans = slices.Delete(spans, i, i+1)
		}
	}
	return spans
}

// isPlainGap reports whether there is no comma, no stop and no other speech before element i.
func (t *Tagger) isPlainGap(i int) bool {
	e := &t.reader.Elements[i]
	return e.Gap != sequence.GapComma && e.Gap != sequence.GapStop && !e.Begins
}

// isWorthReading reports whether an encoder should read a text.
func (t *Tagger) isWorthReading(d *detectors.Document) bool {
	if len(d.Findings) > 0 || t.asked != 0 {
		return true
	}
	for i := range t.allowed {
		if t.allowed[i] == outsideOnly {
			continue
		}
		if _, p := t.best(i); p >= gate {
			return true
		}
	}
	return false
}

// Span is a stretch of elements that the tagger takes for a value.
type Span struct {
	// First and Last are its elements, Last inclusive.
	First, Last int
	Kind        Kind
	// P is the mean probability of its words to be masked.
	P float32
}

// Spans returns the values of the text after Tag, in order, and the single words that may be one but
// are below the threshold. The slice is valid until the next call.
func (t *Tagger) Spans(d *detectors.Document) []Span {
	t.spans = t.spans[:0]
	n := t.Len()
	for i := 0; i < n; {
		if t.allowed[i] == outsideOnly { // about two of three elements
			i++
			continue
		}
		k, p := t.best(i)
		j := i + 1
		if p >= Threshold {
			for sum := p; j < n && j-i < maxSpan && t.continues(d, j, k); j++ {
				_, q := t.best(j)
				sum += q
				p = sum / float32(j+1-i)
			}
		}
		switch s := (Span{i, j - 1, k, p}); {
		case p >= t.thresholds.Kinds[k]:
			j = t.extend(s)
		case p >= suspect:
			t.spans = append(t.spans, s)
		}
		i = j
	}
	return t.spans
}

// extend adds a value that is masked, with the words beside it that are likely enough to belong to it, and
// returns the element behind it. It takes the place of spans below the threshold that it covers.
func (t *Tagger) extend(s Span) int {
	before := len(t.spans)
	for before > 0 && t.spans[before-1].P < t.thresholds.Kinds[t.spans[before-1].Kind] {
		before--
	}
	least := 0
	if before > 0 {
		least = t.spans[before-1].Last + 1
	}
	for s.First > least && t.belongs(s.First-1, s.First, s.Kind) {
		s.First--
	}
	for s.Last+1 < t.Len() && t.belongs(s.Last+1, s.Last+1, s.Kind) {
		s.Last++
	}
	for len(t.spans) > before && t.spans[len(t.spans)-1].Last >= s.First {
		t.spans = t.spans[:len(t.spans)-1]
	}
	t.spans = append(t.spans, s)
	return s.Last + 1
}

// belongs reports whether element i, which is beside a masked value of a kind, is part of it. The gap between
// them is that before element gap.
func (t *Tagger) belongs(i, gap int, k sequence.Kind) bool {
	if !t.isPlainGap(gap) {
		return false
	}
	if t.allowed[i] == outsideOnly {
		return false
	}
	kind, p := t.best(i)
	return kind == k && p >= t.thresholds.Beside
}

// outsideOnly is the label of elements that are certainly part of no value.
const outsideOnly = sequence.LabelSet(1 << sequence.Outside)

// best returns the most likely kind of element i that is masked, and the probability that the
// element is masked at all.
func (t *Tagger) best(i int) (sequence.Kind, float32) {
	k, _ := t.surest(i)
	v := &t.chain.Marginals[i]
	return k, 1 - v[sequence.Outside] - v[sequence.Quantity]
}

// surest returns the most likely kind of element i that is masked, and its probability.
func (t *Tagger) surest(i int) (k sequence.Kind, top float32) {
	v := &t.chain.Marginals[i]
	k, top = sequence.Person, v[sequence.BeginPerson]+v[sequence.InsidePerson]
	for y := sequence.Organization; y < sequence.Quantity; y++ {
		if v[y] > top {
			k, top = y, v[y]
		}
	}
	return k, top
}

// continues reports whether element j continues a finding of a kind that ends before it.
func (t *Tagger) continues(d *detectors.Document, j int, k sequence.Kind) bool {
	next, p := t.best(j)
	if next != k || p < Threshold {
		return false
	}
	e := &t.reader.Elements[j]
	switch k {
	case sequence.Person:
		v := &t.chain.Marginals[j]
		return v[sequence.InsidePerson] >= v[sequence.BeginPerson] && e.Gap != sequence.GapComma && (e.Gap != sequence.GapStop || t.isAbbreviation(d, j-1))
	case sequence.Organization, sequence.Product, sequence.Medical, sequence.User, sequence.Age:
		return e.Gap != sequence.GapComma && e.Gap != sequence.GapStop
	case sequence.Location:
		return e.Gap != sequence.GapStop
	}
	return !e.Begins || t.isGlued(d, j)
}

// isGlued reports whether nothing separates element j from the one before it but punctuation: "102.00".
func (t *Tagger) isGlued(d *detectors.Document, j int) bool {
	between := d.Text[d.Tokens[t.reader.Elements[j-1].Token].End:d.Tokens[t.reader.Elements[j].Token].Start]
	return !strings.ContainsFunc(between, unicode.IsSpace)
}

// isAbbreviation reports whether element i is an initial or a title, behind which a full stop does not
// end the sentence.
func (t *Tagger) isAbbreviation(d *detectors.Document, i int) bool {
	token := &d.Tokens[t.reader.Elements[i].Token]
	return token.Len() <= 2 || token.Is(detectors.Title)
}

func (t *Tagger) finding(d *detectors.Document, s *Span) detectors.Finding {
	first, last := int(t.reader.Elements[s.First].Token), int(t.reader.Elements[s.Last].Token)
	score := t.model.curves[s.Kind].At(s.P)
	f := detectors.Finding{
		Start: int(d.Tokens[first].Start), End: int(d.Tokens[last].End), Type: sequence.Types[s.Kind],
		Likelihood: detectors.LikelihoodOf(score), Score: score, Detector: "model", Evidence: detectors.ByModel, Origin: detectors.FromTagger,
	}
	f.SetCore(t.core(d, s))
	if infoType := t.encoded.typeOf(s.Kind, s.First, s.Last+1); infoType != "" {
		f.Type = infoType
	}
	switch s.Kind {
	case sequence.Organization, sequence.Product:
		f.Hint = affiliation(d, first)
	case sequence.Location:
		if t.isState(d, s) {
			f.Type = detectors.USState
		}
		if affiliation(d, first) != 0 && t.reader.Elements[s.First].Place == 0 { // who calls from what is no place that is known
			f.Type, f.Hint = detectors.OrganizationName, detectors.HintOfSpeaker
		}
	case sequence.Person:
		f.Hint = introduction(d, first, s.Last-s.First+1)
	}
	return f
}

// isState reports whether a span is the name of a state or a province. If it is that of a city, too, the encoder must think it possible.
func (t *Tagger) isState(d *detectors.Document, s *Span) bool {
	first, last := int(t.reader.Elements[s.First].Token), int(t.reader.Elements[s.Last].Token)
	n, place := lexicon.PlaceAt(d, first)
	if first+n != last+1 || place&lexicon.State == 0 && !(n == 1 && d.Tokens[first].Is(detectors.Province)) {
		return false
	}
	return place&lexicon.City == 0 || t.encoded.isRead() && t.encoded.shareOf(detectors.USState, s.First, s.Last+1) >= possible
}

// core returns where the core of a span begins and ends, 0 and 0 if it has none.
func (t *Tagger) core(d *detectors.Document, s *Span) (start, end int) {
	for i := s.First; i <= s.Last; i++ {
		if _, p := t.best(i); p < core {
			continue
		}
		token := &d.Tokens[t.reader.Elements[i].Token]
		if end == 0 {
			start = int(token.Start)
		}
		end = int(token.End)
	}
	return start, end
}

// judge weighs the findings of the rules against what the encoder says.
func (t *Tagger) judge(d *detectors.Document) {
	n := 0
	for _, f := range d.Findings {
		if t.encoded.isRead() && !t.agree(d, &f) {
			d.Subthreshold = append(d.Subthreshold, f)
			continue
		}
		d.Findings[n] = f
		n++
	}
	d.Findings = d.Findings[:n]
}

// elements returns the first element of a finding and the one behind its last.
func (t *Tagger) elements(d *detectors.Document, f *detectors.Finding) (from, to int) {
	from = t.reader.First(d, f.Start)
	to = from
	for to < t.Len() && t.start(d, to) < f.End {
		to++
	}
	return from, to
}

// start is the byte offset of element i.
func (t *Tagger) start(d *detectors.Document, i int) int {
	return int(d.Tokens[t.reader.Elements[i].Token].Start)
}

// isName has the kinds whose values are names.
var isName = [NumKinds]bool{
	sequence.Person: true, sequence.Organization: true, sequence.Location: true, sequence.Product: true, sequence.Medical: true,
}

// TurnOf describes a text by what was found in it; findings are disjoint and in order.
func TurnOf(d *detectors.Document, found []detectors.Finding) (kinds sequence.Kinds, end sequence.Kind) {
	for i := range found {
		f := &found[i]
		k := sequence.KindOfType(f.Type)
		kinds |= 1 << k
		if end = sequence.None; wordsAfter(d, f.End) < 2 {
			end = k
		}
	}
	return kinds, end
}

// wordsAfter counts the words from byte offset b on, up to two.
func wordsAfter(d *detectors.Document, b int) (n int) {
	for i := len(d.Tokens) - 1; i >= 0 && int(d.Tokens[i].Start) >= b && n < 2; i-- {
		if d.Tokens[i].Class != detectors.Punct && d.Tokens[i].Class != detectors.Other {
			n++
		}
	}
	return n
}
