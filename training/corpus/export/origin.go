package export

import (
	"errors"
	"regexp"
	"slices"

	"sotto/anonymize/replace"
	"sotto/detectors/lookalike"
	"sotto/schemas"
)

// ErrRaw says that an event is not the work of an engine. It has nothing of the event.
var ErrRaw = errors.New("this call was not anonymized by sotto, so nothing is exported: " +
	"it lacks the policy and the entities of an engine, or they do not fit its text; run 'sotto anonymize --events' on it first")

var (
	policyHash = regexp.MustCompile(`^[0-9a-f]{6,64}$`)
	speakerID  = regexp.MustCompile(`^s[1-9][0-9]*$`)
	tag        = regexp.MustCompile(`^\[[A-Z][A-Z0-9_]*\]$`)
)

// CheckOrigin returns ErrRaw unless an event has what an engine writes. The words of a call are exported as they
// stand, so this is what keeps a raw call from being taken for an anonymized one.
func CheckOrigin(e *schemas.CleanEvent) error {
	choice, err := replace.ParseChoice(e.Strategy)
	if err != nil || !policyHash.MatchString(e.Policy) || e.Speaker != nil && !speakerID.MatchString(e.Speaker.ID) {
		return ErrRaw
	}
	// Text that looks like a tag is escaped, so that the only tags are those of the entities.
	tags := lookalike.Find(e.Text)
	tags = slices.DeleteFunc(tags, func(m lookalike.Match) bool { return m.Marks > 0 })
	text, at := []rune(e.Text), 0
	for _, x := range e.Entities {
		if x.Start < at || x.End <= x.Start || x.End > len(text) {
			return ErrRaw
		}
		at = x.End
		mark := string(text[x.Start:x.End])
		if tag.MatchString(mark) {
			tags = slices.DeleteFunc(tags, func(m lookalike.Match) bool { return m.Inside == len(string(text[:x.Start]))+1 })
		} else if !choice.Of(x.Type).Surrogates() {
			return ErrRaw
		}
	}
	if len(tags) > 0 {
		return ErrRaw
	}
	return nil
}
