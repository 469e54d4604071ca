package ner

import (
	"unicode"
	"unicode/utf8"

	"sotto/detectors"
	"sotto/detectors/ner/sequence"
)

// Finished returns the values that an encoder finds in a text from a mean probability on, in order. Its readers see a finished call.
func (l *Labels) Finished(text string, reading Reading, least float32) (found []detectors.Finding) {
	probabilities := func(i int) []float32 {
		_, _, p, _ := reading.Word(i)
		return p
	}
	for i := 0; i < reading.Len(); {
		first := i
		k, p := l.best(reading, i)
		i++
		if p < least || !isContent(text, reading, first) {
			continue
		}
		last, score := first, p
		for ; i < reading.Len(); i++ {
			next, q := l.best(reading, i)
			if _, _, _, begins := reading.Word(i); next != k || q < least || k == sequence.Person && begins > 0.5 {
				break
			}
			if isContent(text, reading, i) {
				last, score = i, min(score, q)
			}
		}
		start, _, _, _ := reading.Word(first)
		_, end, _, _ := reading.Word(last)
		found = append(found, detectors.Finding{
			Start: start, End: end, Type: l.typeOf(k, first, last+1, probabilities), Score: score, Likelihood: detectors.LikelihoodOf(score),
			Detector: "finished", Evidence: detectors.ByModel,
		})
	}
	return found
}

// isContent reports whether a word of a reading has a letter or a digit.
func isContent(text string, reading Reading, i int) bool {
	start, _, _, _ := reading.Word(i)
	r, _ := utf8.DecodeRuneInString(text[start:])
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// best returns the most likely kind of a word that is masked, and the probability that it is masked at all.
func (l *Labels) best(reading Reading, i int) (k Kind, p float32) {
	var kinds [NumKinds]float32
	_, _, labels, _ := reading.Word(i)
	for y, x := range labels {
		kinds[l.kinds[y]] += x
	}
	k = sequence.Person
	for y := sequence.Person; y < sequence.Quantity; y++ {
		p += kinds[y]
		if kinds[y] > kinds[k] {
			k = y
		}
	}
	return k, p
}
