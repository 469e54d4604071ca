package telemetry

import (
	"unicode/utf8"

	"sotto/anonymize"
	"sotto/detectors"
	"sotto/schemas"
)

// Counts are what a worker did in the open transaction. They reach the metrics
// when it commits.
type Counts struct {
	Clean, Audit, Late, Interim, Utterances, IdleEnds, States, StateBytes int
	InputChars, RedactedChars, Final, Leftovers                           int
	Forgotten                                                             int
	Ends                                                                  []CallEnd
	Dead, byType, byDetector, subthreshold                                map[string]int // by reason, by infoType
	otherLanguages                                                        map[languageTurn]int
}

// languageTurn is a turn in another language than English and what became of it.
type languageTurn struct{ language, decision string }

// Language counts an event if it is in another language.
func (c *Counts) Language(d anonymize.LanguageDecision, decision string) {
	if d.Language != "" {
		count(&c.otherLanguages, languageTurn{d.Language, decision})
	}
}

func (c *Counts) Entity(e *schemas.Entity) {
	count(&c.byType, e.Type)
	count(&c.byDetector, e.Detector)
}

// AddSubthreshold counts findings below the threshold, which are not masked.
func (c *Counts) AddSubthreshold(found []detectors.SubthresholdFinding) {
	for _, f := range found {
		count(&c.subthreshold, string(f.Type))
	}
}

func (c *Counts) AddDead(reason string) { count(&c.Dead, reason) }

func count[K comparable](counts *map[K]int, key K) {
	if *counts == nil {
		*counts = map[K]int{}
	}
	(*counts)[key]++
}

// Characters counts how much of an utterance was replaced: the clean text
// outside of the tags is what remains of the raw text.
func (c *Counts) Characters(raw string, clean *schemas.CleanEvent) {
	input := utf8.RuneCountInString(raw)
	left := utf8.RuneCountInString(clean.Text)
	for i := range clean.Entities {
		left -= clean.Entities[i].End - clean.Entities[i].Start
	}
	c.InputChars += input
	c.RedactedChars += max(0, input-left)
}
