package detectors

import (
	"cmp"
	"slices"
	"strings"
)

// Likelihood is how likely a finding is what it says, on Google's scale.
type Likelihood uint8

// The five levels.
const (
	VeryUnlikely Likelihood = iota + 1
	Unlikely
	Possible
	Likely
	VeryLikely
)

// String returns the name of the level as Google writes it.
func (l Likelihood) String() string {
	return [...]string{"LIKELIHOOD_UNSPECIFIED", "VERY_UNLIKELY", "UNLIKELY", "POSSIBLE", "LIKELY", "VERY_LIKELY"}[l]
}

// Evidence is what a finding rests on: a set of reasons.
type Evidence uint32

// The reasons.
const (
	// ByShape: the form alone.
	ByShape Evidence = 1 << iota
	// BySpeech: read from spoken words rather than written characters.
	BySpeech
	// ByHotword: a hotword is near.
	ByHotword
	_ // was a reason once: answers of remote tiers wait in sealed states, so the others keep their values
	// ByStructure: a form that hardly anything else has (an @ with a host, an
	// assigned prefix, a country's layout).
	ByStructure
	// ByChecksum: its check digits hold.
	ByChecksum
	// ByList: it is in a published list (diagnosis codes, public suffixes).
	ByList
	// ByCue: words around it introduce it.
	ByCue
	// ByModel: the statistical tagger.
	ByModel
	// ByDictionary: a built-in dictionary of names or places.
	ByDictionary
	// ByUser: the user's own dictionary or rule.
	ByUser
	// ByMemory: it is known in this call.
	ByMemory
	// AgainstChecksum: it should have a valid check digit and has not.
	AgainstChecksum
	// Partial: only a part of the value was said, such as its last four digits.
	Partial
	// OneByOne: three or more digits and letters said one by one, as amounts are not said.
	OneByOne
)

var evidenceNames = [...]string{"shape", "speech", "hotword", "", "structure", "checksum", "list", "cue", "model",
	"dictionary", "user", "memory", "checksum-fails", "partial", "one-by-one"}

// String lists the reasons, parted by "+".
func (e Evidence) String() string {
	var names []string
	for i, name := range evidenceNames {
		if e&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
}

// Finding is a span of text that is information of one type.
type Finding struct {
	// Start and End are byte offsets into the raw text.
	Start, End int
	Type       InfoType
	// Value is the canonical form, by which two findings are the same
	// information: digits only for numbers, lower-case letters joined for
	// spelled words, lower-case local part and host for an e-mail address. It is
	// empty when the words themselves are the value.
	Value string
	// Likelihood is never 0 and Score, from 0 to 1, lies within it.
	Likelihood Likelihood
	Score      float32
	// Detector names the detector that made it, for the clean event. What depends on where a finding comes from
	// asks Origin.
	Detector string
	Evidence Evidence
	Origin   Origin `json:",omitzero"`
	// Hint is what the words around a name say about whom it names.
	Hint Hint
	// coreStart and coreEnd are what Core returns, as far as it lies within Start and End. Both are 0
	// where nothing is known of it.
	coreStart, coreEnd int
}

// Origin says where a finding comes from, if anything depends on that.
type Origin uint8

// The origins.
const (
	// FromElsewhere: from rules, lists, the user, the memory of the call, or a service.
	FromElsewhere Origin = iota
	// FromTagger: from the tagger or the encoder, which read the turn.
	FromTagger
	// FromDictation: it continues a value that is dictated over several turns.
	FromDictation
)

// Core returns the part of the finding, in byte offsets into the raw text, that is probably the value. The
// words before and behind it are masked because they may belong to it; a value that the call does not know
// with them is compared without them. It is never empty.
func (f *Finding) Core() (start, end int) {
	if start, end = max(f.coreStart, f.Start), min(f.coreEnd, f.End); start < end {
		return start, end
	}
	return f.Start, f.End
}

// SetCore sets what Core returns.
func (f *Finding) SetCore(start, end int) { f.coreStart, f.coreEnd = start, end }

// Append makes one finding of f and g, which comes after it.
func (f *Finding) Append(g *Finding) {
	start, _ := f.Core()
	_, end := g.Core()
	f.End = g.End
	f.SetCore(start, end)
}

// SortFindings sorts the findings by their position.
func (d *Document) SortFindings() {
	if len(d.Findings) < 2 {
		return
	}
	slices.SortFunc(d.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), strings.Compare(string(a.Type), string(b.Type)),
			strings.Compare(a.Detector, b.Detector))
	})
}

// ScoreOf is the score in the middle of a likelihood level.
func ScoreOf(l Likelihood) float32 { return float32(float32(l)*0.2) - 0.1 }

// LikelihoodOf is the level that a score lies in.
func LikelihoodOf(score float32) Likelihood {
	return Likelihood(min(max(int(score*5)+1, int(VeryUnlikely)), int(VeryLikely)))
}

// SubthresholdFinding is a span of a text that may be personal and was not masked, because
// its score is below the threshold.
type SubthresholdFinding struct {
	// Text is the span itself and Start its byte offset in the raw text. The clean text
	// contains it, but it must never be logged.
	Text  string
	Start int
	Type  InfoType
	// Score is the estimated probability that the span is personal, from 0 to 1.
	Score float32
}

// Hint is what the words around a name say about whom it names: a set.
type Hint uint8

// The hints.
const (
	// HintSelf: the speaker gives his own name.
	HintSelf Hint = 1 << iota
	// HintOther: the name is of somebody other than the speaker.
	HintOther
	// HintGiven: it is a first name.
	HintGiven
	// HintSurname: it is a last name.
	HintSurname
	// HintOfSpeaker: the organization is the one the speaker belongs to.
	HintOfSpeaker
)
