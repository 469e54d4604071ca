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

// table is an open-addressing hash table: a slot holds the high 32 bits of the hash, the lowest of
// them 1, and the value in the low ones.
type table []uint64

var words = sync.OnceValue(load)

// LookupHash returns the entry of the folded word with this hash, that of a token.
func LookupHash(h uint64) Entry { return words().get(h) }

// Digest is a hash of the embedded data.
func Digest() []byte {
	h := sha256.New()
	h.Write(packed)
	h.Write(packedPlaces)
	h.Write(packedTerms)
	for _, file := range classFiles {
		h.Write([]byte(readList(file)))
	}
	return h.Sum(nil)
}

func (t table) get(h uint64) Entry {
	key := h>>32 | 1
	for i := int(h) & (len(t) - 1); ; i = (i + 1) & (len(t) - 1) {
		switch slot := t[i]; slot >> 32 {
		case key:
			return Entry(slot)
		case 0:
			return 0
		}
	}
}

func (t table) put(h uint64, e Entry) {
	i := int(h) & (len(t) - 1)
	for t[i] != 0 {
		i = (i + 1) & (len(t) - 1)
	}
	t[i] = (h>>32|1)<<32 | uint64(e)
}

func newTable(n int) table {
	size := 1
	for size < 2*n {
		size *= 2
	}
	return make(table, size)
}

func load() table {
	var t table
	unpack(packed, 2, func(n int) { t = newTable(n) }, func(word, values []byte) {
		t.put(wordhash.Bytes(word), Entry(values[0])<<8|Entry(values[1]))
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
