package ner

import (
	"slices"
	"strings"

	"sotto/detectors"
	"sotto/detectors/ner/sequence"
)

// Reading is what an encoder says of the words of a text, in order.
type Reading interface {
	// Len counts the words.
	Len() int
	// Word returns the byte offsets of word i, the probabilities of the encoder's labels, and that of a value beginning there.
	Word(i int) (start, end int, p []float32, begins float32)
}

// Labels are the labels of an encoder as this package knows them.
type Labels struct {
	kinds []Kind
	types []detectors.InfoType
}

// NewLabels returns what an encoder's labels mean: the first is no value, the others are infoTypes, MONEY or OTHER.
func NewLabels(names []string) *Labels {
	l := &Labels{make([]Kind, len(names)), make([]detectors.InfoType, len(names))}
	for i, name := range names[1:] {
		l.types[i+1] = detectors.InfoType(name)
		if name != other { // what is labelled OTHER is not masked
			l.kinds[i+1] = sequence.KindOfType(detectors.InfoType(name))
		}
	}
	return l
}

const other = "OTHER"

// encoded is what an encoder says of the elements of a text.
type encoded struct {
	labels *Labels
	// words has for each element the encoder's probabilities, nil where it has none. It is empty if the encoder did not read the text.
	words [][]float32
}

// isRead reports whether the encoder has read the text.
func (x *encoded) isRead() bool { return len(x.words) > 0 }

// take takes what an encoder says of the elements that were read, and makes it the probabilities of the tagger together with what the
// random field says of them.
func (t *Tagger) take(d *detectors.Document, reading Reading) {
	t.encoded.words = t.encoded.words[:0]
	k := 0
	for i := range t.Len() {
		token := &d.Tokens[t.reader.Elements[i].Token]
		start, end := int(token.Start), int(token.End)
		var best []float32
		first := float32(0)
		top := float32(-1)
		for ; k < reading.Len(); k++ {
			from, to, p, begins := reading.Word(k)
			if from >= end {
				break
			}
			if to > start {
				if m := 1 - p[0]; m > top {
					top, best = m, p
				}
				first = max(first, begins)
			}
			if to > end {
				break
			}
		}
		t.encoded.words = append(t.encoded.words, best)
		if best != nil {
			t.mix(i, best, first)
		}
	}
}

// share is the encoder's weight in the logarithm of a probability; the rest is the random field's. From floor on, both count.
const share, floor = 0.6, 1e-6

// mix makes the probabilities of element i those of the encoder and of the random field together: their weighted geometric mean
// (a logarithmic opinion pool; Genest and Zidek 1986). Unlike with an arithmetic mean, what one of them is sure to be no value
// becomes none because the other one guesses so.
func (t *Tagger) mix(i int, p []float32, begins float32) {
	var q [sequence.NumLabels]float32
	for y, x := range p {
		q[t.encoded.labels.kinds[y]] += x
	}
	q[sequence.InsidePerson] = float32(q[sequence.Person] * (1 - begins))
	q[sequence.BeginPerson] = q[sequence.Person] - q[sequence.InsidePerson]
	v := &t.chain.Marginals[i]
	if t.allowed[i] == outsideOnly {
		*v = sequence.Vector{sequence.Outside: 1}
	}
	pool(v, &q)
	t.allowed[i] = sequence.AnyLabel
	if 1-v[sequence.Outside] < suspect {
		t.allowed[i] = outsideOnly
	}
}

// pool makes v the weighted geometric mean of v and q.
func pool(v *sequence.Vector, q *[sequence.NumLabels]float32) {
	top := float32(-100)
	for y := range q {
		v[y] = float32(sequence.Log(max(q[y], floor))*share) + float32(sequence.Log(max(v[y], floor))*(1-share))
		top = max(top, v[y])
	}
	sum := float32(0)
	for y := range v {
		v[y] = sequence.Exp(v[y] - top)
		sum += v[y]
	}
	for y := range v {
		v[y] /= sum
	}
}

// typeOf returns the most likely infoType of a kind for the words from i to j-1, "" if nothing is known of them. probabilities has
// those of a word, nil for none.
func (l *Labels) typeOf(k Kind, i, j int, probabilities func(i int) []float32) (best detectors.InfoType) {
	top := float32(0)
	for y, kind := range l.kinds {
		if kind != k {
			continue
		}
		sum := float32(0)
		for w := i; w < j; w++ {
			if p := probabilities(w); p != nil {
				sum += p[y]
			}
		}
		if sum > top {
			top, best = sum, l.types[y]
		}
	}
	return best
}

// typeOf returns the most likely infoType of a kind for the elements from i to j-1, "" if the encoder did not read them.
func (x *encoded) typeOf(k Kind, i, j int) detectors.InfoType {
	if !x.isRead() {
		return ""
	}
	return x.labels.typeOf(k, i, j, func(i int) []float32 { return x.words[i] })
}

// proof is the evidence that nothing the encoder says can outweigh.
const proof = detectors.ByChecksum | detectors.ByStructure | detectors.ByUser

const (
	// denied is the mean probability of a date, a time, an amount or what is marked as no value from which a number or an address
	// without proof of form is not masked. Mere doubt does not suffice: no sequence of digits escapes because of the words around it.
	denied = 0.5
	// decided is the share of a type in the probability to be masked from which the encoder decides the infoType; sure is the
	// probability of a kind from which it contradicts what the call knows.
	decided, sure = 0.5, 0.8
	// possible is the share from which the infoType that a rule has from the words around stays.
	possible = 0.15
)

// opinion is what the encoder says of a span: how likely its words are masked, on average, and the most likely infoType with its
// share in that.
type opinion struct {
	masked float32
	// kept is how likely they are a date, a time, an amount or something else that is marked and not masked.
	kept     float32
	infoType detectors.InfoType
	kind     Kind
	share    float32
}

// of returns what the encoder says of the elements from i to j-1. ok is false if it says nothing.
func (x *encoded) of(i, j int) (o opinion, ok bool) {
	if !x.isRead() || i >= j {
		return o, false
	}
	var kinds [NumKinds]float32
	none, n := float32(0), float32(0)
	for _, p := range x.words[i:j] {
		if p == nil {
			continue
		}
		n++
		none += p[0]
		for y, q := range p {
			kinds[x.labels.kinds[y]] += q
		}
	}
	if n == 0 {
		return o, false
	}
	o.masked = 1 - (kinds[None]+kinds[sequence.Quantity])/n
	o.kept = 1 - o.masked - none/n
	top := float32(0)
	for k := sequence.Person; k < sequence.Quantity; k++ {
		if kinds[k] > top {
			top, o.kind = kinds[k], k
		}
	}
	if o.masked > 0 {
		o.share = top / n / o.masked
	}
	o.infoType = x.typeOf(o.kind, i, j)
	return o, true
}

// agree reports whether a finding of the rules is masked in the light of what the encoder says, and corrects its infoType.
func (t *Tagger) agree(d *detectors.Document, f *detectors.Finding) bool {
	i, j := t.elements(d, f)
	o, ok := t.encoded.of(i, j)
	if !ok {
		return true
	}
	own := sequence.KindOfType(f.Type)
	if f.Evidence&detectors.ByMemory != 0 { // it goes on with a value that is dictated, unless it is surely something else
		if o.kind != None && o.kind != own && !isName[o.kind] && t.encoded.shareOf(o.infoType, i, j) >= sure {
			f.Type, f.Value, f.Detector, f.Evidence, f.Origin = o.infoType, "", "model", detectors.ByModel, detectors.FromTagger
		}
		return true
	}
	if own == sequence.Birth || f.Type == detectors.Date {
		return t.agreeOnDate(d, f, i, j, &o)
	}
	if f.Evidence&proof != 0 {
		if own == o.kind && o.share >= decided && f.Evidence&(detectors.ByUser|detectors.ByChecksum) == 0 && own == sequence.Online && !t.isWeb(d, f, i) {
			f.Type = o.infoType
		}
		return true
	}
	if isName[own] || own == sequence.Quantity || o.kept >= denied && f.Evidence&detectors.OneByOne == 0 && !isAnnounced(f) {
		return false
	}
	t.retypeCode(f, i, j, &o)
	return true
}

// isWeb reports whether a URL or a host name is surely not the end of an e-mail address: the URL has a path, or the host is written with
// dots and the word before it (or before an "at") is not part of a value.
func (t *Tagger) isWeb(d *detectors.Document, f *detectors.Finding, i int) bool {
	text := d.Text[f.Start:f.End]
	if f.Type == detectors.URL && strings.Contains(text, "/") {
		return true
	}
	if i > 0 && d.WordIs(int(t.reader.Elements[i-1].Token), "at") {
		i--
	}
	if f.Type != detectors.DomainName || !strings.Contains(text, ".") || i == 0 {
		return false
	}
	_, p := t.best(i - 1)
	return p < Threshold
}

// isAnnounced reports whether words beside a code say what it is, as "password" does.
func isAnnounced(f *detectors.Finding) bool {
	return sequence.KindOfType(f.Type) == sequence.Code && f.Evidence&detectors.ByHotword != 0
}

// retypeCode gives a number or an address without proof of form the infoType that the encoder is sure of.
func (t *Tagger) retypeCode(f *detectors.Finding, i, j int, o *opinion) {
	own := sequence.KindOfType(f.Type)
	known := own == o.kind || own == sequence.Numeric && f.Evidence&detectors.ByHotword != 0 // a PIN, an expiry date
	switch {
	case o.share < decided || isName[o.kind]:
	case isUnspecific(f), !known && t.encoded.shareOf(f.Type, i, j) < possible*o.masked,
		f.Type == detectors.GenericID && t.encoded.shareOf(o.infoType, i, j) >= decided:
		f.Type = o.infoType
	}
}

// isUnspecific reports whether the rules know nothing of a code but that it is one.
func isUnspecific(f *detectors.Finding) bool {
	return f.Type == detectors.GenericID && f.Evidence&(detectors.ByCue|detectors.ByHotword) == 0
}

// agreeOnDate is agree for a date: one of birth or another one. What is plainly one of birth is one,
// whatever the encoder says of it, such as that it is a holiday.
func (t *Tagger) agreeOnDate(d *detectors.Document, f *detectors.Finding, i, j int, o *opinion) bool {
	switch {
	case f.Evidence&detectors.ByUser != 0:
	case t.isPlainlyBirth(d, f), t.encoded.shareOf(detectors.DateOfBirth, i, j) >= decided:
		f.Type = detectors.DateOfBirth
	case f.Type == detectors.DateOfBirth && o.kept >= decided:
		f.Type = detectors.Date
	}
	return true
}

// shareOf returns the mean probability of an infoType.
func (x *encoded) shareOf(infoType detectors.InfoType, i, j int) float32 {
	y := slices.Index(x.labels.types, infoType)
	if y < 0 {
		return 0
	}
	sum := float32(0)
	for _, p := range x.words[i:j] {
		if p != nil {
			sum += p[y]
		}
	}
	return sum / float32(j-i)
}

// Settle drops names that the call knows where the encoder is sure that other words are meant, and another finding masks them.
func (t *Tagger) Settle(d *detectors.Document) {
	if !t.encoded.isRead() {
		return
	}
	all := d.Findings
	isOther := func(f detectors.Finding) bool {
		if f.Evidence != detectors.ByMemory || !isName[sequence.KindOfType(f.Type)] {
			return false
		}
		i, j := t.elements(d, &f)
		o, ok := t.encoded.of(i, j)
		if !ok || o.kind == sequence.KindOfType(f.Type) || o.masked*o.share < sure || isBeforeAddress(d, all, f.End) {
			return false
		}
		return slices.ContainsFunc(all, func(g detectors.Finding) bool {
			return g.Evidence&detectors.ByMemory == 0 && g.Start <= f.Start && f.End <= g.End
		})
	}
	if slices.ContainsFunc(all, isOther) { // which is rare
		all = slices.Clone(all)
		d.Findings = slices.DeleteFunc(d.Findings, isOther)
	}
}

// isBeforeAddress reports whether a comma and an e-mail address that rules know by its structure follow byte offset end: "copy Ida,
// ida@example.com". The encoder takes the name for a part of the address.
func isBeforeAddress(d *detectors.Document, all []detectors.Finding, end int) bool {
	return strings.HasPrefix(d.Text[end:], ", ") && slices.ContainsFunc(all, func(f detectors.Finding) bool {
		return f.Start == end+len(", ") && f.Type == detectors.EmailAddress && f.Evidence&proof != 0
	})
}

// addEncodedDates adds the dates that the encoder finds.
func (t *Tagger) addEncodedDates(d *detectors.Document) {
	date := slices.Index(t.encoded.labels.types, detectors.Date)
	isDate := func(i int) bool { p := t.encoded.words[i]; return p != nil && p[date] >= decided }
	for i := 0; i < t.Len(); i++ {
		if date < 0 || !isDate(i) {
			continue
		}
		first := i
		for i+1 < t.Len() && isDate(i+1) && !t.reader.Elements[i+1].Begins {
			i++
		}
		p := t.encoded.words[first][date]
		f := detectors.Finding{
			Start: t.start(d, first), End: int(d.Tokens[t.reader.Elements[i].Token].End), Type: detectors.Date,
			Likelihood: detectors.LikelihoodOf(p), Score: p, Detector: "model", Evidence: detectors.ByModel, Origin: detectors.FromTagger,
		}
		if !overlaps(d.Findings, &f) {
			d.Add(f)
		}
	}
}
