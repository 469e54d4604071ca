package detectors

// Class is the written shape of a token.
type Class uint8

// The classes. A token has exactly one.
const (
	// Punct is one punctuation character, or the same one several times.
	Punct Class = iota
	// Lower is a word in lower case, or of a script without case.
	Lower
	// Cap is a word with an upper-case first letter.
	Cap
	// Upper is a word of two or more upper-case letters.
	Upper
	// Mixed is any other word, such as "iPhone" or "McDonald".
	Mixed
	// Letter is a single letter.
	Letter
	// Digits is a sequence of digits only.
	Digits
	// Alnum is letters and digits together.
	Alnum
	// Clitic is an ending that an apostrophe sets off: 's 'm 're 've 'll 'd.
	Clitic
	// Other is anything else that is visible: emoji and the like.
	Other
)

// IsWord reports whether a token of this class consists of letters only.
func (c Class) IsWord() bool { return c >= Lower && c <= Letter }

// Flags are facts about how a token is written.
type Flags uint8

// The flags.
const (
	// SpaceBefore: white space, or the beginning of the text, comes before it.
	SpaceBefore Flags = 1 << iota
	// UpperFirst: its first letter is upper-case.
	UpperFirst
	// Folded: its raw text is not plain ASCII, so raw and folded differ.
	Folded
)

// Token is a word, a number or a punctuation mark.
type Token struct {
	// Start and End are byte offsets into the raw text.
	Start, End uint32
	// from and to are offsets into the folded text.
	from, to uint32
	// Hash is the hash of the folded text, as package wordhash computes it. It is 0
	// for Punct, Digits and Other; Document.HashAt has that of Digits as well.
	Hash uint64
	// Bits are the dictionary's properties of the word.
	Bits Bits
	// Lexicon is the lexicon's record of the word, a lexicon.Word; lexicon.Read sets it.
	Lexicon uint32
	Class   Class
	Flags   Flags
	// Num is the number that a number word, ordinal, month or homophone stands
	// for; its meaning depends on Bits.
	Num uint8
	// Ch is the folded character of a Punct, the character that a connector
	// word stands for, the letter that a letter name or a spelling-alphabet word
	// stands for, or the letter of a Letter. 0 for others.
	Ch byte
}

// Is reports whether the token has any of the bits.
func (t *Token) Is(b Bits) bool { return t.Bits&b != 0 }

// Glued reports whether the token follows the one before it without white space.
func (t *Token) Glued() bool { return t.Flags&SpaceBefore == 0 }

// UpperCase reports whether the word begins with an upper-case letter.
func (t *Token) UpperCase() bool { return t.Flags&UpperFirst != 0 }

// Times is how often a Punct repeats its character.
func (t *Token) Times() int {
	if t.Flags&Folded != 0 {
		return 1
	}
	return int(t.End - t.Start)
}

// Len is the length of the folded text, which is the number of characters of
// a word and the number of digits of a number.
func (t *Token) Len() int { return int(t.to - t.from) }
