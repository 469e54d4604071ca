package cue

import "sotto/detectors"

// cueKind is what a cue introduces.
type cueKind uint8

// The kinds. cues.txt has the phrases of each and says what follows them.
const (
	_ cueKind = iota
	ownName
	maybeOwnName
	ownNameBeforeSpeaking
	otherName
	maybeOtherName
	someName
	maybeName
	givenName
	surname
	vocative
	relative
	ownOrg
	maybeOrg
	orgName
	numKinds
)

// kindNames are the names of the lists in cues.txt.
var kindNames = [numKinds]string{
	ownName:               "own name",
	maybeOwnName:          "maybe own name",
	ownNameBeforeSpeaking: "own name before speaking",
	otherName:             "other name",
	maybeOtherName:        "maybe other name",
	someName:              "somebody's name",
	maybeName:             "maybe a name",
	givenName:             "given name",
	surname:               "surname",
	vocative:              "vocative",
	relative:              "relative",
	ownOrg:                "own organization",
	maybeOrg:              "maybe an organization",
	orgName:               "organization name",
}

// leadsToOrg reports whether an organization follows a cue, if anything.
func (k cueKind) leadsToOrg() bool { return k == ownOrg || k == maybeOrg || k == orgName }

// asksForName reports whether a cue has a word for name, so that its speaker may say that he is not
// sure of the name: "the name is probably ...".
func (k cueKind) asksForName() bool {
	return k == ownName || k == someName || k == givenName || k == surname
}

var cuePhrases = detectors.PhrasesOf[cueKind](cueLists, kindNames[:]...)

// hesitationGap is the gap between the words of a cue: hesitations and repeated words.
func hesitationGap(d *detectors.Document, _, j int) int { return pastHesitations(d, j) }

// maxHesitations bounds how many hesitations are passed over.
const maxHesitations = 6

// pastHesitations returns the first token from i on that is no hesitation.
func pastHesitations(d *detectors.Document, i int) int {
	for k := 0; k < maxHesitations && i > 0 && i < len(d.Tokens); k++ {
		n := hesitation(d, i)
		if n == 0 {
			break
		}
		i += n
	}
	return i
}

// hesitation returns how many tokens at j say nothing: "uh", "you know", "I
// mean", a word said twice.
func hesitation(d *detectors.Document, j int) int {
	if j == 0 {
		return 0
	}
	t := &d.Tokens[j]
	switch {
	case t.Is(detectors.Filler):
		return 1
	case t.Ch == ',' && d.Tokens[j-1].Is(detectors.Filler):
		return 1
	case t.Hash == 0 || j+1 >= len(d.Tokens):
		return 0
	case t.Hash == d.Tokens[j-1].Hash:
		return 1
	}
	return d.HesitationPhrase(j)
}
