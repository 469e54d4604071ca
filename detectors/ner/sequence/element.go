package sequence

import (
	"math/bits"

	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// Element is a word, number or clitic of a document, with what the features
// are made of. Punctuation is no Element; it is the gap before the next one.
type Element struct {
	// Token is its Token.
	Token int32
	// Word is the hash of the folded Word, or unknown.
	Word uint64
	// Lexicon is what the Lexicon and the dictionary know of the word: how
	// common it is, how often a name, its role.
	Lexicon uint32
	// Class is the distributional class of the word.
	Class lexicon.Class
	// Place is its part in the name of a Place that is known.
	Place uint8
	Shape uint8
	Gap   uint8
	// Begins reports that a sentence Begins here.
	Begins bool
	// Rule is what the rules found here: the kind, its strength and whether it began before;
	// 0 for nothing. Run is the spoken or written run that the element is in; 0 for none.
	Rule, Run uint16
	// Gazetteer is the classes of the curated lists that the element is in.
	Gazetteer uint16
	// known is the kind as which the call's memory knows the word; None if it does not.
	known Kind
	// Prefix and Suffix are its first and last three bytes.
	Prefix, Suffix uint32
}

// Known returns the kind as which the call's memory knows the word; None if it does not.
func (e *Element) Known() Kind { return e.known }

const (
	// Unknown is the word of words that are not in the vocabulary.
	Unknown = 0x9ae16a3b2f90404f
	start   = 0xc3a5c85c97cb3127
	end     = 0xb492b66fbe98f273
	number  = 0x9ddfea08eb382d69
)

// The gaps between an element and the one before it.
const (
	gapSpace = iota
	gapNone
	GapComma
	GapStop
	gapHyphen
	gapAnd
	gapApostrophe
	gapColon
	gapOther
	gapStart
)

func gapOf(ch byte) uint8 {
	switch ch {
	case ',':
		return GapComma
	case '.', '?', '!':
		return GapStop
	case '-':
		return gapHyphen
	case '&', '+':
		return gapAnd
	case '\'':
		return gapApostrophe
	case ':', ';':
		return gapColon
	}
	return gapOther
}

// Vocabulary is the set of words that are features of their own, as a table of
// bits by hash; a word that is not in it is taken to be in it once in a few
// dozen.
type Vocabulary []uint64

// VocabularyBits is the size of a vocabulary in bits.
const VocabularyBits = 1 << 19

// NewVocabulary makes an empty one.
func NewVocabulary() Vocabulary { return make(Vocabulary, VocabularyBits/64) }

// Add adds a word by its hash.
func (v Vocabulary) Add(h uint64) {
	b := h >> 20 % VocabularyBits
	v[b/64] |= 1 << (b % 64)
}

// Has reports whether a word is in it.
func (v Vocabulary) Has(h uint64) bool {
	b := h >> 20 % VocabularyBits
	return v[b/64]>>(b%64)&1 != 0
}

// caseOf reports whether a text has lower case only (0), both (1), or hardly
// any lower case (2).
func caseOf(d *detectors.Document) uint8 {
	switch {
	case !d.HasClass(detectors.Cap) && !d.HasClass(detectors.Mixed) && !d.HasClass(detectors.Upper):
		return 0
	case !d.HasClass(detectors.Lower) && !d.HasClass(detectors.Cap):
		return 2
	}
	return 1
}

// reached counts the limits that a number is not below.
func reached[T int | float32](n T, limits ...T) (count int) {
	for _, l := range limits {
		if n >= l {
			count++
		}
	}
	return count
}

var (
	commonLevel  = [16]uint32{0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 6, 7, 7}
	givenLevel   = [16]uint32{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 7}
	surnameLevel = [16]uint32{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 7}
)

// roles are the bits of the dictionary that say what a word does, the first
// that holds counts.
var roles = [...]detectors.Bits{
	detectors.Title, detectors.Month, detectors.Weekday, detectors.State | detectors.Province, detectors.Country,
	detectors.Filler, detectors.NumWord | detectors.Teen | detectors.Tens | detectors.Scale, detectors.StreetType, detectors.Direction,
	detectors.Copula, detectors.Backchannel, detectors.Prepos, detectors.Spelling, detectors.LetterName, detectors.Function,
}

// roleBits are the bits of all roles, and roleOf has the number of the role of each of them, from 1.
var (
	roleBits detectors.Bits
	roleOf   [64]uint8
)

func init() {
	for i, role := range roles {
		roleBits |= role
		for b := uint64(role); b != 0; b &= b - 1 {
			if at := &roleOf[bits.TrailingZeros64(b)]; *at == 0 {
				*at = uint8(i + 1)
			}
		}
	}
}

// lexiconOf packs what is known of a word into 14 bits, and returns its class.
func lexiconOf(t *detectors.Token) (uint32, lexicon.Class) {
	role := uint32(0)
	if b := t.Bits & roleBits; b != 0 {
		role = uint32(len(roles))
		for ; b != 0; b &= b - 1 {
			role = min(role, uint32(roleOf[bits.TrailingZeros64(uint64(b))]))
		}
	}
	if t.Hash == 0 {
		return 1<<13 | role, 0
	}
	w := lexicon.Word(t.Lexicon)
	e := w.Entry()
	return role<<9 | commonLevel[e.Common()]<<6 | givenLevel[e.Given()]<<3 | surnameLevel[e.Surname()], w.Class()
}

// The parts of a known place's name.
const (
	placeSmall = 1 + iota
	placeLarge
	placeState
	placeInside = 4
)

func (r *Reader) places(d *detectors.Document) {
	until, kind := int32(-1), uint8(0)
	for i := range r.Elements {
		e := &r.Elements[i]
		if e.Token < until {
			e.Place = kind | placeInside
			continue
		}
		n, p := lexicon.PlaceAt(d, int(e.Token))
		if n == 0 {
			continue
		}
		switch {
		case p&(lexicon.State|lexicon.Country) != 0:
			kind = placeState
		case p&lexicon.Large != 0:
			kind = placeLarge
		default:
			kind = placeSmall
		}
		until = e.Token + int32(n)
		e.Place = kind
		if n > 1 {
			e.Place |= 8
		}
	}
}

// names marks the elements of listed names: organizations, products, drugs and conditions.
func (r *Reader) names(d *detectors.Document) {
	until, value := int32(-1), uint16(0)
	for i := range r.Elements {
		e := &r.Elements[i]
		if e.Token < until {
			e.Gazetteer = value | nameInside
			continue
		}
		n, names := lexicon.NameAt(d, int(e.Token))
		if n == 0 {
			continue
		}
		value, until = uint16(names), e.Token+int32(n)
		if n > 1 {
			value |= nameOfWords
		}
		e.Gazetteer = value
	}
}

// nameInside marks a further word of a listed name, nameOfWords the words of a name of several.
const (
	nameInside = 1 << (lexicon.NamesBits + iota)
	nameOfWords
)
