// Package feature turns the words of a document into the features that the
// tagger weighs. It reads the tokens of the shared pass.
package feature

import (
	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// Element is a word, number or clitic of a document, with what the features
// are made of. Punctuation is no element; it is the gap before the next one.
type Element struct {
	// Token is its token.
	Token int32
	// Word is the hash of the folded word, or Unknown.
	Word uint64
	// Lexicon is what the lexicon and the dictionary know of the word: how
	// common it is, how often a name, its role.
	Lexicon uint32
	// Place is its part in the name of a place that is known.
	Place uint8
	shape uint8
	gap   uint8
	// begins says that a sentence begins here.
	begins bool
	// prefix and suffix are its first and last three bytes, prefix4 and suffix4
	// four; inner are up to maxInner sequences of three between.
	prefix, suffix   uint32
	prefix4, suffix4 uint32
	inner            [maxInner]uint32
}

// maxInner bounds the inner sequences of an element.
const maxInner = 6

const (
	// Unknown is the Word of words that are not in the vocabulary.
	Unknown = 0x9ae16a3b2f90404f
	start   = 0xc3a5c85c97cb3127
	end     = 0xb492b66fbe98f273
	number  = 0x9ddfea08eb382d69
)

// The gaps: what stands before an element.
const (
	gapSpace = iota
	gapNone
	gapComma
	gapStop
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
		return gapComma
	case '.', '?', '!':
		return gapStop
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

// Reader reads documents. It keeps its memory between them and is not safe for
// concurrent use.
type Reader struct {
	Elements []Element
	// Perturb, if set, may change an element before features are made of it.
	Perturb func(*Element)

	features []uint32
	expect   uint32
	role     uint32
	length   uint32
}

// Read takes the elements of a document.
func (r *Reader) Read(d *detectors.Document, v Vocabulary) {
	r.Elements = r.Elements[:0]
	gap, begins := uint8(gapStart), true
	cased := caseOf(d)
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct || t.Class == detectors.Other {
			gap = gapOf(t.Ch)
			begins = begins || gap == gapStop
			continue
		}
		if gap == gapSpace && t.Glued() {
			gap = gapNone
		}
		e := Element{Token: int32(i), Word: t.Hash, gap: gap, begins: begins, shape: uint8(t.Class)<<4 | lengthOf(t.Len())<<2 | cased}
		if t.Class == detectors.Digits {
			e.Word = number + uint64(min(t.Len(), 12))
		} else if !v.Has(t.Hash) {
			e.Word = Unknown
		}
		e.Lexicon = lexiconOf(t)
		w := d.Word(i)
		for _, b := range w[:min(3, len(w))] {
			e.prefix = e.prefix<<8 | uint32(b)
		}
		for _, b := range w[max(0, len(w)-3):] {
			e.suffix = e.suffix<<8 | uint32(b)
		}
		for _, b := range w[:min(4, len(w))] {
			e.prefix4 = e.prefix4<<8 | uint32(b)
		}
		for _, b := range w[max(0, len(w)-4):] {
			e.suffix4 = e.suffix4<<8 | uint32(b)
		}
		if t.Hash != 0 {
			for k := 0; k < maxInner && k+4 < len(w); k++ {
				e.inner[k] = uint32(w[k+1])<<16 | uint32(w[k+2])<<8 | uint32(w[k+3])
			}
		}
		r.Elements = append(r.Elements, e)
		gap, begins = gapSpace, false
	}
	r.places(d)
	r.expect, r.role = expectOf(d), uint32(d.Role)
	r.length = lengthBucket(len(r.Elements))
	if r.Perturb != nil {
		for i := range r.Elements {
			r.Perturb(&r.Elements[i])
		}
	}
}

// caseOf returns whether a text has lower case only (0), both (1), or hardly
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

func lengthOf(n int) uint8 {
	switch {
	case n <= 2:
		return 0
	case n <= 4:
		return 1
	case n <= 7:
		return 2
	}
	return 3
}

func lengthBucket(n int) uint32 {
	switch {
	case n <= 3:
		return uint32(n)
	case n <= 5:
		return 4
	case n <= 9:
		return 5
	}
	return 6
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

// lexiconOf packs what is known of a word into 13 bits.
func lexiconOf(t *detectors.Token) uint32 {
	role := uint32(0)
	if t.Bits != 0 {
		for i, b := range &roles {
			if t.Is(b) {
				role = uint32(i + 1)
				break
			}
		}
	}
	if t.Hash == 0 {
		return 1<<13 | role
	}
	e := lexicon.LookupHash(t.Hash)
	return role<<9 | commonLevel[e.Common()]<<6 | givenLevel[e.Given()]<<3 | surnameLevel[e.Surname()]
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

// expectOf packs what is expected in a document: the kind and how strongly.
func expectOf(d *detectors.Document) uint32 {
	x := uint32(0)
	for i := range d.Expect {
		e := &d.Expect[i]
		level := uint32(1)
		if e.Strength >= 0.8 {
			level = 2
		}
		at := uint32(8)
		switch e.Type {
		case detectors.PersonName:
			at = 0
		case detectors.OrganizationName, detectors.Product:
			at = 2
		case detectors.Location, detectors.StreetAddress, detectors.USState:
			at = 4
		case detectors.EmailAddress, detectors.UserName:
			at = 6
		}
		if x>>at&3 < level {
			x = x&^(3<<at) | level<<at
		}
	}
	return x
}
