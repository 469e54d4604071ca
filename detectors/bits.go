package detectors

// Bits is what the dictionary knows of a word: a set of roles.
type Bits uint64

// The roles. A word may have several ("may", "november", "oh").
const (
	// NumWord is a digit word, zero to nine; Num is its value.
	NumWord Bits = 1 << iota
	// Teen is ten to nineteen; Num is its value.
	Teen
	// Tens is twenty, thirty, ... ninety; Num is its value.
	Tens
	// Scale is hundred (Num 2) or thousand (Num 3), million (6), billion (9).
	Scale
	// Mult is double (Num 2), triple (3), quadruple (4).
	Mult
	// Spelling is a word of a spelling alphabet, NATO's first of all; Ch is its
	// letter.
	Spelling
	// LetterName is a letter's name written as a word ("em", "kay"); Ch is the
	// letter.
	LetterName
	// LetterSound is a common word that sounds like a letter ("are", "you",
	// "see"); Ch is the letter. It counts only within a run.
	LetterSound
	// Homophone is a common word that sounds like a number ("for", "to",
	// "ate"); Num is the number. It counts only within a run.
	Homophone
	// Connect is a spoken connector (dot, at, dash, underscore, slash); Ch is
	// its character.
	Connect
	// Filler is a hesitation that means nothing (uh, um).
	Filler
	// Ordinal is first to thirty-first; Num is its number.
	Ordinal
	// Month is a month's name or abbreviation.
	Month
	// Weekday is a day's name.
	Weekday
	// StreetType is street, avenue, road, ... and their abbreviations.
	StreetType
	// Ambiguous marks a StreetType that is an everyday word (way, place, court).
	Ambiguous
	// Direction is north, southwest, NE, ... .
	Direction
	// AddressUnit is apartment, unit, suite, floor, ... .
	AddressUnit
	// State is a state of the United States or its two-letter code.
	State
	// Province is a province of Canada or its two-letter code.
	Province
	// Currency is dollars, cents, euros, bucks, ... .
	Currency
	// Measure is a unit of measure or a thing that is counted (minutes, miles,
	// percent, people).
	Measure
	// Clock is a word that makes the number next to it a time (am, pm, o'clock).
	Clock
	// Title is Mr, Mrs, Ms, Dr, ... .
	Title
	// Function is a word that carries grammar and is never part of a value.
	Function
	// Backchannel is a sign of listening (okay, yeah, right, mhm).
	Backchannel
	// Correct is a word of correction (sorry, wait, actually, no).
	Correct
	// TopLevel is a top-level domain of the kinds that are said aloud.
	TopLevel
	// MailHost is the name of a mail service, without its suffix.
	MailHost
	// Model is a word that makes the number next to it part of a product name
	// (version, iphone).
	Model
	// Prepos is a preposition that a year may follow (in, since, until).
	Prepos
	// Copula is a word between a hotword and its value (is, was, it's).
	Copula
	// HasPhrase: a phrase of the hotword list may begin here.
	HasPhrase
	// IsHotword: the word alone is a hotword.
	IsHotword
	// Capital is "capital", "uppercase", "lowercase", "letter", "number": what
	// says how the next symbol is written.
	Capital
	// Country is a country's name in one word.
	Country
	// Decade is fifties, 20s, ... .
	Decade
	// Foreign is a number word of Spanish or French; Num is its value. It counts only among numbers.
	Foreign
)
