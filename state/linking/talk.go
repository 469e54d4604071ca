package linking

// Role is the part that a person has where the name is said.
type Role uint8

const (
	// RoleNone: the words around the name say nothing.
	RoleNone Role = iota
	// RoleOwn: it is who speaks.
	RoleOwn
	// RoleOther: it is who listens.
	RoleOther
	// RoleAddressed: a word of greeting, thanks or the like is before it.
	RoleAddressed
	// RoleSetOff: a comma is before it and the clause ends behind it, as with an address.
	RoleSetOff
	// RoleThird: it is likely somebody who neither speaks nor listens.
	RoleThird
	// RoleConfirmed: what was said before is said again.
	RoleConfirmed
	// RoleAlone: it is all that a clause says.
	RoleAlone
)

// Gender is what a title or another word says about a person.
type Gender uint8

// The genders.
const (
	AnyGender Gender = iota
	Male
	Female
)

// Talk is what the words around a name say about the person.
type Talk struct {
	Role   Role
	Gender Gender
	// Titled: a title is before the name. Possessive: "'s" is behind it. Asked: a question mark is. Starts and
	// Ends: a clause begins or ends there. AboutName: the words around it speak of names and of spelling.
	Titled, Possessive, Asked, Starts, Ends, AboutName bool
	// Also: it is another name of who speaks: "everybody calls me".
	Also bool
	// Kin: "my" and a word of kinship before it say that it is not who speaks.
	Kin bool
	// Alias: the words before it say that it is another name of somebody: "goes by". Another: they say that it is somebody else
	// of the name: "the other Ida". Relative: a word of kinship is among them. Back: it is whom to ask for. Or: "or" is before it.
	Alias, Another, Relative, Back, Or bool
	// Gap is how many tokens are between the name before it in the event and it, plus 1; 0 if there is none. Joined: "and"
	// or "or" is among them.
	Gap    uint8
	Joined bool
	// Question and QuestionAgo say which name was asked for before; see AskedName.
	Question, QuestionAgo uint8
	// Chances are what the encoder says of the person.
	Chances Chances
	// Given, Surname and Common are how often words of the name are names, and words, on the lexicon's scale.
	Given, Surname, Common uint8
}

// Names is how often the words are names: Given times 16, and Surname, each up to 15.
func (t *Talk) Names() uint8 { return min(t.Given, 15)<<4 | min(t.Surname, 15) }

// NameTalk is the Talk of a name of which nothing but its words is known: they are names as others are.
var NameTalk = Talk{Given: usualName, Surname: usualName}

// usualName is how often a word is a name, on the lexicon's scale, that is a usual one.
const usualName = 8
