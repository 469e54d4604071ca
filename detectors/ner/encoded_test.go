package ner

import (
	"testing"

	"sotto/detectors"
	"sotto/detectors/ner/sequence"
)

// said is a reading in which every word of a text has the same probabilities.
type said struct {
	d *detectors.Document
	p []float32
}

func (s said) Len() int { return len(s.d.Tokens) }

func (s said) Word(i int) (start, end int, p []float32, begins float32) {
	return int(s.d.Tokens[i].Start), int(s.d.Tokens[i].End), s.p, 1
}

// knownAndPlace adds that a text is a name which the call knows, and a place.
func knownAndPlace(d *detectors.Document) {
	d.Findings = d.Findings[:0]
	d.Add(detectors.Finding{End: len(d.Text), Type: detectors.PersonName, Detector: "known", Evidence: detectors.ByMemory})
	d.Add(detectors.Finding{End: len(d.Text), Type: detectors.Location, Detector: "place", Evidence: detectors.ByDictionary})
}

// What the encoder said of one text decides nothing about the next one, which it did not read: that may be of another call.
func TestAReadingIsOfOneText(t *testing.T) {
	tagger := NewTagger(Builtin(), points[High], NewLabels([]string{"O", string(detectors.PersonName), string(detectors.Location)}))
	read := document("Dayton")
	tagger.Read(read)
	tagger.Weigh(read, &Context{})
	tagger.Decide(read, &Context{}, said{read, []float32{0.01, 0.01, 0.98}})
	knownAndPlace(read)
	if tagger.Settle(read); len(read.Findings) != 1 {
		t.Fatalf("%d findings are left where the encoder is sure of a place, want 1", len(read.Findings))
	}
	unread := document("Dayton")
	tagger.Read(unread)
	knownAndPlace(unread)
	if tagger.Settle(unread); len(unread.Findings) != 2 {
		t.Errorf("%d findings are left where the encoder read nothing, want 2", len(unread.Findings))
	}
}

// The encoder may take a date for a holiday or an appointment. If it answers a question for a date of birth and has its year, it is one.
func TestADateWithItsYearThatWasAskedForIsOneOfBirth(t *testing.T) {
	tagger := NewTagger(Builtin(), points[High], NewLabels([]string{"O", string(detectors.Date), string(detectors.DateOfBirth)}))
	for text, want := range map[string]detectors.InfoType{"July 4th, 1990": detectors.DateOfBirth, "1990.07.04": detectors.DateOfBirth, "July 4th": detectors.Date} {
		d := document(text)
		d.Findings = d.Findings[:0]
		d.Add(detectors.Finding{End: len(text), Type: detectors.Date, Detector: "date", Evidence: detectors.ByStructure})
		asked := Context{Asked: Asked(3 << (2 * sequence.Birth))}
		tagger.Read(d)
		tagger.Weigh(d, &asked)
		tagger.Decide(d, &asked, said{d, []float32{0.01, 0.98, 0.01}})
		if got := d.Findings[0].Type; got != want {
			t.Errorf("%s: a %s, want a %s", text, got, want)
		}
	}
}

// A call that dictates a card goes on with a phone number where the encoder is sure of one; a doubt changes nothing.
func TestADictatedValueEndsWhereAnotherKindIsSure(t *testing.T) {
	tagger := NewTagger(Builtin(), points[High], NewLabels([]string{"O", string(detectors.PhoneNumber), string(detectors.CreditCardNumber)}))
	for p, want := range map[float32]detectors.InfoType{0.9: detectors.PhoneNumber, 0.6: detectors.CreditCardNumber} {
		d := document("617 555")
		d.Findings = d.Findings[:0]
		d.Add(detectors.Finding{End: len(d.Text), Type: detectors.CreditCardNumber, Value: "617555", Detector: "dictation", Evidence: detectors.ByMemory})
		tagger.Read(d)
		tagger.Weigh(d, &Context{})
		tagger.Decide(d, &Context{}, said{d, []float32{0.01, p, 0.99 - p}})
		if got := d.Findings[0].Type; got != want {
			t.Errorf("%v: a %s, want a %s", p, got, want)
		}
	}
}

// "Calling from Larkmoor Quillan" names one organization. Neither part may become unmasked because the other one is not masked.
func TestAnOrganizationTakesThePlaceBehindIt(t *testing.T) {
	d := document("calling from Larkmoor Quillan")
	tagger := NewTagger(Builtin(), points[High], NewLabels([]string{"O", string(detectors.OrganizationName), string(detectors.Location)}))
	tagger.Read(d)
	const sure, weak = 0.9, 0.06
	for _, c := range []struct {
		organization, place float32
		want                int
	}{{sure, sure, 1}, {sure, weak, 2}, {weak, sure, 2}} {
		spans := []Span{{First: 2, Last: 2, Kind: sequence.Organization, P: c.organization}, {First: 3, Last: 3, Kind: sequence.Location, P: c.place}}
		if got := tagger.joinAffiliated(d, spans); len(got) != c.want || got[len(got)-1].Last != 3 {
			t.Errorf("%v and %v: %+v, want %d", c.organization, c.place, got, c.want)
		}
	}
}

// The encoder takes a known name before an address for a part of it. Behind a comma, the address has proof of its own.
func TestAKnownNameBeforeAnAddressIsAName(t *testing.T) {
	tagger := NewTagger(Builtin(), points[High], NewLabels([]string{"O", string(detectors.PersonName), string(detectors.EmailAddress)}))
	for text, want := range map[string]int{"Ida, ida@example.com": 3, "Ida ida@example.com": 2} {
		d := document(text)
		tagger.Read(d)
		tagger.Weigh(d, &Context{})
		tagger.Decide(d, &Context{}, said{d, []float32{0.01, 0.01, 0.98}})
		d.Findings = d.Findings[:0]
		d.Add(detectors.Finding{End: len("Ida"), Type: detectors.PersonName, Detector: "known", Evidence: detectors.ByMemory})
		d.Add(detectors.Finding{End: len("Ida"), Type: detectors.EmailAddress, Detector: "model", Evidence: detectors.ByModel})
		d.Add(detectors.Finding{Start: len(text) - len("ida@example.com"), End: len(text), Type: detectors.EmailAddress, Detector: "mail", Evidence: detectors.ByStructure})
		if tagger.Settle(d); len(d.Findings) != want {
			t.Errorf("%s: %d findings are left, want %d", text, len(d.Findings), want)
		}
	}
}
