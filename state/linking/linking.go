// Package linking decides who is who: whether a mention of a person is one of the persons of a call, and which persons of a call
// have turned out to be one.
//
// Two models decide, on features that say how alike the names are spelled and sound, and what was said of both (pair.go,
// couple.go); training/who trains them. Where the models have not learned anything, rules decide (rules.go). Everything is a
// pure function in whole numbers, so that every machine decides the same. The state of the call keeps the persons, and gives them
// their numbers.
package linking

// Mention is a mention of a person as it was found in a text. All of it is personal.
type Mention struct {
	// Type is the position of its infoType among those of the call, -1 if it is none of them.
	Type int
	// Alias is the words, in lower case and joined by one space, of at most MaxAlias bytes; Words are all of them.
	Alias string
	Words []string
	// Part is which part of a name the words are.
	Part Part
	// Guessed means that the type of the words is the tagger's guess. Known means that the words were found because the call
	// knows them: they are the name of a known person. Spelled means that they were spelled letter by letter.
	Guessed, Known, Spelled bool
	// Self means that speakers name themselves; Other, that it is somebody other than the speaker.
	Self, Other bool
	Source      Source
	// Speaker is who talks.
	Speaker SpeakerID
	// Talker is the speaker's place in the order in which the speakers of the call began to talk, from 1; 0 if that is not known.
	Talker int
	// Seq is the sequence number of the event; StartMS and EndMS are when it began and ended, -1 where that is not known. Place is
	// how many mentions it has before this one.
	Seq, StartMS, EndMS int64
	Place               int
	// Talk is what the words around it say about the person.
	Talk Talk
}

// introducesSpeaker reports whether speakers surely say who they are: "my name is Ida".
func (m *Mention) introducesSpeaker() bool { return m.Self && m.Talk.Role == RoleOwn }

// meansAnother reports whether the words before the name say that somebody else may have it, too: "the other Ida", "my sister Ida".
func (m *Mention) meansAnother() bool {
	return m.Talk.Another || m.Talk.Relative && !m.introducesSpeaker()
}

// turnMS is what a turn takes with the pause behind it, as detectors/ner/sequence estimates it, too.
const turnMS = 4000

// Turns estimates how many turns lie between an event that ended at a time, -1 if that is not known, and the event of the mention.
// That is the difference of their sequence numbers, unless these are made from times; then the times say.
func (m *Mention) Turns(seq, endMS int64) int64 {
	const (
		plausible = 20  // so many turns may be between, whatever the times say
		fastestMS = 250 // what turns take at least
	)
	d, since := m.Seq-seq, m.StartMS-endMS
	if d <= plausible || m.StartMS < 0 || endMS < 0 || since >= d*fastestMS {
		return d
	}
	return 1 + max(since, 0)/turnMS
}

// People are whom a mention may mean: the entities of a call, by their positions in the order in which they became known.
type People interface {
	// Len is how many entities there are, those that are not persons among them.
	Len() int
	// Person returns the entity at a position, nil if it is not a person. It is not changed.
	Person(i int) *Person
	// Speakers is how many speakers have talked.
	Speakers() int
}

// OfSpeaker returns the position of the person who is a speaker, the one mentioned last of several, or -1.
func OfSpeaker(people People, s SpeakerID) int {
	at, last := -1, int64(0)
	for i := range people.Len() {
		if p := people.Person(i); s != 0 && p != nil && p.Owner == s && (at < 0 || p.Last >= last) {
			at, last = i, p.Last
		}
	}
	return at
}

// flag is 1 for true.
func flag(b bool) int16 {
	if b {
		return 1
	}
	return 0
}
