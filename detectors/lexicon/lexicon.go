// Package lexicon says how common a word is in English and how often it is a name,
// and finds names of places and those of the curated lists.
package lexicon

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strconv"
	"sync"

	"sotto/detectors"
	"sotto/internal/hugepages"
	"sotto/internal/ruledata"
	"sotto/internal/wordhash"
)

//go:embed words.bin
var wordsFile []byte

var packed = ruledata.Bytes("detectors/lexicon/words.bin", wordsFile)

// Entry is what the lexicon knows of a word. The zero Entry is that of a word
// that it does not know.
type Entry uint16

// Common says how common the word is: 0 not an English word, 1 to 10 the
// levels of SCOWL from rare to frequent, 11 to 15 from 30 to 1,000 in a
// million words of conversation.
func (e Entry) Common() int { return int(e >> 12) }

// Given says how often the word is a first name: 0 never, then log2 of the
// count in the United States since 1940, less 7.
func (e Entry) Given() int { return int(e >> 8 & 15) }

// Surname says how often the word is a last name: 0 never, then log2 of the
// number of bearers in 100,000 Americans, plus 1.
func (e Entry) Surname() int { return int(e & 15) }

// Name is the higher of Given and Surname.
func (e Entry) Name() int { return max(e.Given(), e.Surname()) }

// Word is the lexicon's record of a word: its entry, its class, and whether places or listed
// names may begin with it. Unknown words have the zero Word.
type Word uint32

// The parts of a Word: the class in the lowest bits, then the begins flags, then the entry.
const (
	classBits  = 13
	entryShift = 16
)

// The begins flags: the name of a place or a name of the curated lists may begin with the word.
const (
	beginsPlace Word = 1 << (classBits + iota)
	beginsName
)

// Entry says how common the word is and how often a name.
func (w Word) Entry() Entry { return Entry(w >> entryShift) }

// Class is the distributional class of the word.
func (w Word) Class() Class { return Class(w & (1<<classBits - 1)) }

// table is an open-addressing hash table. Key and value share a cache line: most words of a call are
// looked up, and few are in the cache.
type table []slot

// slot holds the high half of a word's hash, or 0 if it is free.
type slot struct {
	key  uint32
	word Word
}

// tableSize is more than twice the number of words.
const tableSize = 1 << 20

// knowledge is all that the lexicon knows, unpacked.
type knowledge struct {
	words  table
	places *detectors.Phrases[Place]
	names  *detectors.Phrases[Names]
}

// known returns the lexicon, which the first call unpacks.
var known = sync.OnceValue(load)

// LookupHash returns the entry of the folded word with this hash, that of a token.
func LookupHash(h uint64) Entry { return known().words.find(h).word.Entry() }

// Read looks the words of a document up, and sets their Lexicon. It does nothing for a document that
// was read before.
func Read(d *detectors.Document) {
	if d.LexiconRead {
		return
	}
	d.LexiconRead = true
	words := known().words
	for i := range d.Tokens {
		if t := &d.Tokens[i]; t.Hash != 0 {
			t.Lexicon = uint32(words.find(t.Hash).word)
		}
	}
}

// mayBegin reports whether a phrase may begin at token i. begins is the flag of the words with which one does.
func mayBegin(d *detectors.Document, i int, begins Word) bool {
	t := &d.Tokens[i]
	return !d.LexiconRead || t.Class == detectors.Digits || Word(t.Lexicon)&begins != 0
}

// find returns the slot of a word, a free one if it has none.
func (t table) find(h uint64) *slot {
	key := uint32(h>>32) | 1
	for i := h & uint64(len(t)-1); ; i = (i + 1) & uint64(len(t)-1) {
		// One branch for both reasons to stop, since which of them it is cannot be guessed.
		if s := &t[i]; (s.key^key)*min(s.key, 1) == 0 {
			return s
		}
	}
}

// add adds the bits of w to the record of a word.
func (t table) add(h uint64, w Word) {
	s := t.find(h)
	s.key = uint32(h>>32) | 1
	s.word |= w
}

func load() *knowledge {
	k := &knowledge{words: hugepages.Make[slot](tableSize)}
	readColumns(packed, 2, func(word, values []byte) {
		k.words.add(wordhash.Bytes(word), (Word(values[0])<<8|Word(values[1]))<<entryShift)
	})
	readColumns(packedClasses, 2, func(word, values []byte) {
		k.words.add(wordhash.Bytes(word), Word(values[0])<<8|Word(values[1]))
	})
	k.places, k.names = k.loadPlaces(), k.loadLists()
	return k
}

// readColumns reads embedded data: each gets every word and its values, one from each column. The
// data is part of the program: if it does not unpack, the build is broken, and nothing may start.
func readColumns(data []byte, columns int, each func(word, values []byte)) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		panic("lexicon: embedded data: " + err.Error())
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		panic("lexicon: embedded data: " + err.Error())
	}
	head, rest, _ := bytes.Cut(raw, []byte{'\n'})
	n, err := strconv.Atoi(string(head))
	if err != nil {
		panic("lexicon: embedded data has no count")
	}
	column := rest[len(rest)-columns*n:]
	var word []byte
	values := make([]byte, columns)
	for i := range n {
		var suffix []byte
		suffix, rest, _ = bytes.Cut(rest, []byte{'\n'})
		word = append(word[:suffix[0]-32], suffix[1:]...)
		for k := range values {
			values[k] = column[k*n+i]
		}
		each(word, values)
	}
}
