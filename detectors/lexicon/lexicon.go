// Package lexicon says how common a word is in English and how often it is a name,
// and finds names of places and medical terms.
package lexicon

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"io"
	"strconv"
	"sync"

	"sotto/internal/wordhash"
)

//go:embed words.bin
var packed []byte

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

// table is an open-addressing hash table. Key and value share a cache line: most words of a call are
// looked up, and few are in the cache.
type table []slot

// slot holds the high half of a word's hash, or 0 if it is free.
type slot struct {
	key   uint32
	entry Entry
	class Class
}

// tableSize is more than twice the number of words.
const tableSize = 1 << 20

var words = sync.OnceValue(load)

// LookupHash returns the entry of the folded word with this hash, that of a token.
func LookupHash(h uint64) Entry {
	e, _ := Lookup(h)
	return e
}

// Lookup returns the entry and the class of the folded word with this hash, that of a token.
func Lookup(h uint64) (Entry, Class) {
	s := words().find(h)
	return s.entry, s.class
}

// Digest is a hash of the embedded data.
func Digest() []byte {
	h := sha256.New()
	h.Write(packed)
	h.Write(packedPlaces)
	h.Write(packedTerms)
	h.Write(packedClasses)
	for _, file := range classFiles {
		h.Write([]byte(readList(file)))
	}
	return h.Sum(nil)
}

// find returns the slot of a word, a free one if it has none.
func (t table) find(h uint64) *slot {
	key := uint32(h>>32) | 1
	for i := int(h) & (len(t) - 1); ; i = (i + 1) & (len(t) - 1) {
		if s := &t[i]; s.key == key || s.key == 0 {
			return s
		}
	}
}

// put returns the slot of a word, which it takes if the word has none.
func (t table) put(h uint64) *slot {
	s := t.find(h)
	s.key = uint32(h>>32) | 1
	return s
}

func load() table {
	t := make(table, tableSize)
	unpack(packed, 2, func(int) {}, func(word, values []byte) {
		t.put(wordhash.Bytes(word)).entry = Entry(values[0])<<8 | Entry(values[1])
	})
	unpack(packedClasses, 2, func(int) {}, func(word, values []byte) {
		t.put(wordhash.Bytes(word)).class = Class(values[0])<<8 | Class(values[1])
	})
	return t
}

// unpack reads embedded data: begin with the number of words, each with every
// word and its values, one from each column. The data is part of the program:
// if it does not unpack, the build is broken, and nothing may start.
func unpack(data []byte, columns int, begin func(n int), each func(word, values []byte)) {
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
	begin(n)
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
