package linking

import (
	"math"
	"slices"
	"strings"
)

// SpeakerID refers to a speaker of the call; 0 is nobody in particular.
type SpeakerID uint8

// Part says which part of a name a mention is.
type Part uint8

const (
	// PartAny is not known.
	PartAny Part = iota
	// PartGiven is a first name.
	PartGiven
	// PartSurname is a last name.
	PartSurname

	// Parts is how many there are.
	Parts = iota
)

// Source says how an entity became known.
type Source uint8

const (
	// SourceSaid was found in what was said.
	SourceSaid Source = iota
	// SourceParticipant was given with the START of the call.
	SourceParticipant
	// SourceLabel is a speaker's label.
	SourceLabel

	// Sources is how many there are.
	Sources = iota
)

// Person is what is known of a person of a call. All of it is personal.
type Person struct {
	Facts
	// Aliases are what the person was called, as Mention.Alias has it.
	Aliases Aliases
}

// Facts are what is known of a person but the names.
type Facts struct {
	// Type is the position of the infoType among those of the call.
	Type   uint8
	Part   Part
	Source Source
	// Owner is the speaker who is the person.
	Owner SpeakerID
	// Num is the number within the type, 0 until it is said.
	Num uint32
	// Called is the speaker who addressed the person last, and By the one who mentioned them last.
	Called, By SpeakerID
	Gender     Gender
	// Seen says in which ways the name of the person was said.
	Seen Seen
	// Last says when the person was mentioned last: the sequence number of the event times perEvent, and which of its mentions.
	// An event may have the number 0: IsSaid says whether there was one.
	Last int64
	// Said is how many times the person was mentioned, up to 255.
	Said uint8
	// Maybe is the position of another person, plus 1, who may be the same, by what was said of both; 0 for nobody.
	Maybe uint16
	// Names is how often the words of the first name that was said are names; see Talk.Names.
	Names uint8
	// LastMS is when the event of Last ended, plus 1; 0 if that is not known.
	LastMS int64
	// Doubt is the model's score of Maybe, in steps; see Likely.But.
	Doubt int8
	// Leaning says who the person may be.
	Leaning Leaning
}

// Seen is a set of ways in which a name was said.
type Seen uint8

const (
	seenSpelled Seen = 1 << iota
	seenTitled
	seenPlain
)

// perEvent bounds the mentions of an event that Last tells apart.
const perEvent = 16

// Learn adds to the facts about a person what the talk around a mention says, if somebody said it.
func (f *Facts) Learn(m *Mention) {
	if m.Source != SourceSaid {
		return
	}
	if m.Talk.Role == RoleOther || m.Talk.Role == RoleAddressed || m.Talk.Role == RoleSetOff {
		f.Called = m.Speaker
	}
	f.By = m.Speaker
	f.Leaning.learn(m)
	if m.Talk.Gender != AnyGender {
		f.Gender = m.Talk.Gender
	}
	switch {
	case m.Spelled:
		f.Seen |= seenSpelled
	case m.Talk.Titled:
		f.Seen |= seenTitled
	default:
		f.Seen |= seenPlain
	}
	if last := placeAt(m, m.Place); !f.IsSaid() || last > f.Last {
		f.Last, f.LastMS = last, m.EndMS+1
		f.Said += uint8(flag(f.Said < math.MaxUint8))
	}
}

// IsSaid reports whether the person was mentioned. States from before Said was counted have Last alone.
func (f *Facts) IsSaid() bool { return f.Said > 0 || f.Last > 0 }

// Ago is how many turns before a mention the person was mentioned last, 0 in the same event.
func (f *Facts) Ago(m *Mention) int64 { return m.Turns(f.Last/perEvent, f.LastMS-1) }

// apart is how many turns lie between the last mentions of two persons.
func (f *Facts) apart(o *Facts) int64 {
	if f.Last < o.Last {
		f, o = o, f
	}
	later := Mention{Seq: f.Last / perEvent, StartMS: -1}
	if f.LastMS > 0 {
		later.StartMS = f.LastMS - 1 - turnMS/2 // when it began is not remembered
	}
	return o.Ago(&later)
}

// wasAt reports whether the person was mentioned last at a place of the event of a mention.
func (f *Facts) wasAt(m *Mention, place int) bool {
	return f.IsSaid() && f.Last == placeAt(m, place)
}

// placeAt is the Last of a person who is mentioned at a place of the event of a mention.
func placeAt(m *Mention, place int) int64 { return m.Seq*perEvent + int64(min(place, perEvent-1)) }

// Lacks reports whether one part of a person's name may be all that is known.
func (p *Person) Lacks(part Part) bool {
	return !strings.Contains(p.Aliases.Longest(), " ") && p.Part != part
}

// Aliases are the forms of one entity, of which most have one.
type Aliases struct {
	first string
	more  []string
}

// NewAliases returns the aliases of which there is at least the first. The slice is taken over.
func NewAliases(first string, more ...string) Aliases { return Aliases{first, more} }

// Len is how many there are.
func (a *Aliases) Len() int { return 1 + len(a.more) }

// At returns one of them; that at 0 is what the entity was called first.
func (a *Aliases) At(i int) string {
	if i == 0 {
		return a.first
	}
	return a.more[i-1]
}

// Has reports whether a form is one of them.
func (a *Aliases) Has(form string) bool { return a.first == form || slices.Contains(a.more, form) }

// Add adds a form, in memory that no copy of the aliases shares.
func (a *Aliases) Add(form string) { a.more = append(slices.Clip(a.more), form) }

// List returns all in a slice of its own.
func (a *Aliases) List() []string { return append([]string{a.first}, a.more...) }

// Longest returns that with the most words, the first of several.
func (a *Aliases) Longest() string {
	at, n := "", 0
	for i := range a.Len() {
		form := a.At(i)
		if k := countWords(form); k > n {
			at, n = form, k
		}
	}
	return at
}

func countWords(s string) int { return strings.Count(s, " ") + 1 }

// MaxAlias bounds the bytes of an alias.
const MaxAlias = 120

// maxWords bounds the words of an alias that are compared.
const maxWords = 8

// wordsOf returns the first words of an alias, and how many they are.
func wordsOf(alias string) (words [maxWords]string, n int) {
	for ; alias != "" && n < maxWords; n++ {
		words[n], alias, _ = strings.Cut(alias, " ")
	}
	return words, n
}

// SameLetters reports whether two aliases differ only in spaces.
func SameLetters(a, b string) bool {
	for {
		a, b = strings.TrimLeft(a, " "), strings.TrimLeft(b, " ")
		if a == "" || b == "" || a[0] != b[0] {
			return a == b
		}
		a, b = a[1:], b[1:]
	}
}
