package ner

import (
	"strings"
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
		k, p, next := l.best(text, reading, i)
		i = next
		if p < least || !isContent(text, reading, first) {
			continue
		}
		last, score := i-1, p
		for i < reading.Len() {
			other, q, next := l.best(text, reading, i)
			if _, _, _, begins := reading.Word(i); other != k || q < least || k == sequence.Person && begins > 0.5 {
				break
			}
			if isContent(text, reading, i) {
				last, score = next-1, min(score, q)
			}
			i = next
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

// best returns the most likely kind of word i that is masked, the probability that it is masked at all, and the word behind it. A
// number that is written in one piece, such as 01/12/2026, counts as one word: it is masked whole or not at all.
func (l *Labels) best(text string, reading Reading, i int) (k Kind, p float32, next int) {
	var kinds [NumKinds]float32
	words := float32(0)
	for next = numberEnd(text, reading, i); i < next; i++ {
		if i+1 < next && !isContent(text, reading, i) {
			continue
		}
		words++
		_, _, labels, _ := reading.Word(i)
		for y, x := range labels {
			kinds[l.kinds[y]] += x
		}
	}
	k = sequence.Person
	for y := sequence.Person; y < sequence.Quantity; y++ {
		p += kinds[y]
		if kinds[y] > kinds[k] {
			k = y
		}
	}
	return k, p / words, next
}

// numberEnd returns the word behind the number that begins with word i of a reading and has no space in it, i+1 if there is no
// such number.
func numberEnd(text string, reading Reading, i int) int {
	isDigit := func(i int) bool {
		at, _, _, _ := reading.Word(i)
		return text[at] >= '0' && text[at] <= '9'
	}
	last := i
	for k := i + 1; isDigit(i) && k < reading.Len(); k++ {
		_, end, _, _ := reading.Word(k - 1)
		if start, _, _, _ := reading.Word(k); strings.ContainsFunc(text[end:start], unicode.IsSpace) {
			break
		}
		if isDigit(k) {
			last = k
		} else if isContent(text, reading, k) {
			break
		}
	}
	return last + 1
}
