package state

import (
	"cmp"
	"slices"
	"strings"

	"sotto/internal/wordhash"
)

// Index finds the words that are known in a call. It is immutable.
type Index struct {
	filter []uint64
	// small is the filter of few words.
	small    [4]uint64
	words    []KnownWord
	sounds   []KnownWord
	types    []string
	entities []entity
	// digits means that some word is a number.
	digits bool
}

// KnownWord is a word that is known in a call, and where it comes from.
type KnownWord struct {
	hash uint64
	// Entity is the position of the entity in the call.
	Entity int32
	// alias is the position of the alias that the word begins. The words of a name are known
	// one by one: from and to are the word's place in the alias.
	alias, from, to uint8
	Kind            Kind
	Source          Source
}

// wordKey is a word by which an entity is known; see KnownWord.
type wordKey struct {
	hash, sound     uint64
	alias, from, to uint8
}

// Index returns the index of the call as it is now.
func (c *Call) Index() *Index {
	if c.index == nil {
		c.index = newIndex(c)
	}
	return c.index
}

func newIndex(c *Call) *Index {
	words, sounds := 0, 0
	for i := range c.entities {
		words += len(c.entities[i].keys)
		for k := range c.entities[i].keys {
			if c.entities[i].keys[k].sound != 0 {
				sounds++
			}
		}
	}
	known := make([]KnownWord, words+sounds)
	x := &Index{types: c.types, entities: c.entities, words: known[:0:words], sounds: known[words:words]}
	for i := range c.entities {
		e := &c.entities[i]
		for _, w := range e.keys {
			k := KnownWord{hash: w.hash, Entity: int32(i), alias: w.alias, from: w.from, to: w.to, Kind: e.kind, Source: e.source}
			x.words = append(x.words, k)
			if w.sound != 0 {
				k.hash = w.sound
				x.sounds = append(x.sounds, k)
			}
			x.digits = x.digits || e.kind == KindCode && digits(e.aliases[w.alias])
		}
	}
	byHash := func(a, b KnownWord) int { return cmp.Compare(a.hash, b.hash) }
	slices.SortStableFunc(x.words, byHash)
	slices.SortStableFunc(x.sounds, byHash)
	size := len(x.small)
	for size*4 < len(x.words) {
		size *= 2
	}
	if x.filter = x.small[:]; size > len(x.small) {
		x.filter = make([]uint64, size)
	}
	for i := range x.words {
		at, bit := x.slot(x.words[i].hash)
		x.filter[at] |= bit
	}
	return x
}

// keysOf returns the words by which an entity is found in a text. It is none for words whose
// detector was in doubt: they would be masked wherever they occur.
func keysOf(e *entity) []wordKey {
	if e.weak && e.kind != KindCode && e.source == SourceSaid {
		return nil
	}
	var keys []wordKey
	add := func(k wordKey) {
		for i := range keys {
			if keys[i].hash == k.hash {
				return
			}
		}
		keys = append(keys, k)
	}
	for f, form := range e.aliases {
		switch e.kind {
		case KindName:
			for from := 0; from < len(form); {
				to := strings.IndexByte(form[from:], ' ') + from
				if to < from {
					to = len(form)
				}
				k := wordKey{hash: wordhash.String(form[from:to]), alias: uint8(f), from: uint8(from), to: uint8(to)}
				if key := Phonetic(form[from:to]); to-from >= 3 && key != "" {
					k.sound = wordhash.String(key)
				}
				add(k)
				from = to + 1
			}
		case KindCode:
			if len(form) >= minSuffix || e.source != SourceSaid && len(form) > 1 {
				add(wordKey{hash: wordhash.String(strings.ToLower(form)), alias: uint8(f)})
			}
		default:
			w, _, _ := strings.Cut(form, " ")
			keys = append(keys, wordKey{hash: wordhash.String(w), alias: uint8(f)})
		}
	}
	return keys
}

// Type returns the infoType of the word's entity.
func (x *Index) Type(k KnownWord) string { return x.types[x.entities[k.Entity].typ] }

// Words returns the words of the alias that the word begins; for a name, the word itself.
func (x *Index) Words(k KnownWord) string {
	words := x.entities[k.Entity].aliases[k.alias]
	if k.Kind == KindName {
		return words[k.from:k.to]
	}
	return words
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// HasDigits reports whether a number is among the known words.
func (x *Index) HasDigits() bool { return x.digits }

// Empty reports whether no word is known.
func (x *Index) Empty() bool { return len(x.words) == 0 }

// Word returns the entries of a lower-case word, given by its Hash. The slice must not be
// changed.
func (x *Index) Word(hash uint64) []KnownWord {
	if at, bit := x.slot(hash); x.filter[at]&bit == 0 {
		return nil
	}
	return equalRange(x.words, hash)
}

// Sound returns the words of names whose Phonetic key has this hash.
func (x *Index) Sound(hash uint64) []KnownWord { return equalRange(x.sounds, hash) }

// SoundAlike reports whether a lower-case word is likely a known one, heard differently.
func (x *Index) SoundAlike(k KnownWord, word string) bool { return soundAlike(word, x.Words(k)) }

func (x *Index) slot(hash uint64) (at int, bit uint64) {
	return int(hash>>6) & (len(x.filter) - 1), 1 << (hash & 63)
}

func equalRange(s []KnownWord, hash uint64) []KnownWord {
	lo, found := slices.BinarySearchFunc(s, hash, func(k KnownWord, h uint64) int { return cmp.Compare(k.hash, h) })
	if !found {
		return nil
	}
	hi := lo + 1
	for hi < len(s) && s[hi].hash == hash {
		hi++
	}
	return s[lo:hi]
}
