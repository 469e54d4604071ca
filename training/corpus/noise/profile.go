package noise

// Profile says how often each kind of noise occurs. A rate is the probability, from 0 to 1, that the
// noise occurs at a place where it can.
type Profile struct {
	Name string
	// Form is the case and punctuation of the result.
	Form Form

	// DigitsToWords: a number in digits is said in words, and so are the symbols of an address.
	DigitsToWords float64
	// WordsToDigits: number words are written in digits, in one of several groupings. Quantities
	// outside of labels are written so less often.
	WordsToDigits float64
	// Addresses: the symbols of an address that are said in words are written as such.
	Addresses float64
	// OhForZero: a spoken zero within a label is said in the other way.
	OhForZero float64
	// Spelling: letters that are spelled are written in another way, as in "A-A-S-E", "A. A. S. E."
	// or "a a s e".
	Spelling float64

	// Homophones: a word becomes another one that sounds alike.
	Homophones float64
	// Misheard: a rare name or term is respelled by its sound. Common ones are at a fifth of the rate.
	Misheard float64
	// Split and Fused: a compound becomes several words, or two words one; so do parts of names.
	Split, Fused float64
	// LostApostrophes: "it's" becomes "its".
	LostApostrophes float64

	// Dropped: a short word without a label is left out.
	Dropped float64
	// Repeated: a word occurs twice.
	Repeated float64
	// Fillers: a filler stands before a word. Within a value it splits the label.
	Fillers float64

	// Cut: a turn of six words or more is cut in the middle and goes on in another turn of the same
	// speaker. Half of the cuts are within a value if the turn has one.
	Cut float64
	// Interrupted is the share of cuts in which the other side says something in between.
	Interrupted float64
	// Shifted: a word or two at the edge of a turn belong to the turn of the other speaker.
	Shifted float64
	// WrongSpeaker: a turn is given to another speaker of the conversation.
	WrongSpeaker float64

	// StrayCapitals and LostCapitals: a word without a name is capitalized, or a name is not.
	// StrayMarks and LostMarks: a comma or period stands where none belongs, or is missing. They apply
	// to Formatted only.
	StrayCapitals, LostCapitals, StrayMarks, LostMarks float64
}

// Form is a way of writing a transcript.
type Form int

const (
	// AsWritten keeps case and punctuation.
	AsWritten Form = iota
	// Unformatted is lower case without punctuation. Only apostrophes stay.
	Unformatted
	// Formatted has capitals and punctuation; a turn without them gets them.
	Formatted
)

// Profiles are the profiles that come with the package.
func Profiles() []Profile { return []Profile{Typed, Raw, Commercial} }

// Typed is a transcript as people type it.
var Typed = Profile{
	Name: "typed", Form: Formatted,
	DigitsToWords: 0.1, WordsToDigits: 0.5, Addresses: 0.7, Spelling: 0.3,
	LostApostrophes: 0.01, Fused: 0.002, Split: 0.002,
	LostCapitals: 0.01, LostMarks: 0.02,
}

// Raw is the output of a recognizer without formatting: lower case, no punctuation, no digits.
var Raw = Profile{
	Name: "raw", Form: Unformatted,
	DigitsToWords: 1, OhForZero: 0.2, Spelling: 0.5,
	Homophones: 0.04, Misheard: 0.25, Split: 0.03, Fused: 0.02, LostApostrophes: 0.3,
	Dropped: 0.02, Repeated: 0.006, Fillers: 0.01,
	Cut: 0.06, Interrupted: 0.3, Shifted: 0.02, WrongSpeaker: 0.01,
}

// Commercial is the output of a recognizer that formats: cased and punctuated, but numbers, letters
// and the ends of turns are unpredictable.
var Commercial = Profile{
	Name: "commercial", Form: Formatted,
	DigitsToWords: 0.15, WordsToDigits: 0.7, Addresses: 0.5, OhForZero: 0.1, Spelling: 0.6,
	Homophones: 0.012, Misheard: 0.15, Split: 0.015, Fused: 0.01, LostApostrophes: 0.02,
	Dropped: 0.01, Repeated: 0.005, Fillers: 0.004,
	Cut: 0.1, Interrupted: 0.2, Shifted: 0.03, WrongSpeaker: 0.015,
	StrayCapitals: 0.01, LostCapitals: 0.06, StrayMarks: 0.01, LostMarks: 0.06,
}
