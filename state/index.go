package state

import (
	"cmp"
	"slices"
	"strings"

	"sotto/internal/wordhash"
)

// Index finds the words that are known in a call. It is immutable.
type Index struct {
	filter   []uint64
	words    []Known
	sounds   []Known
	types    []string
	entities []entity
	// digits tells that some word is a number.
	digits bool
}

// Known is a word that is known in a call, with what it belongs to.
type Known struct {
	hash uint64
	// Entity is the position of the entity in the call.
	Entity int32
	// form is the position of the form that the word opens; of a name, whose
	// words are known one by one, from and to are the word's place in it.
	form, from, to uint8
	Kind           Kind
	Source         Source
}

// wordKey is a word by which an entity is known.
type wordKey struct {
	hash, sound    uint64
	form, from, to uint8
}

// Index returns the index of the call as it is now.
func (c *Call) Index() *Index {
	if c.index == nil {
		c.index = newIndex(c)
	}
	return c.index
}

func newIndex(c *Call) *Index {
	n := 0
	for i := range c.entities {
		n += len(c.entities[i].keys)
	}
	x := &Index{types: c.types, entities: c.entities, words: make([]Known, 0, n)}
	for i := range c.entities {
		e := &c.entities[i]
		for _, w := range e.keys {
			k := Known{hash: w.hash, Entity: int32(i), form: w.form, from: w.from, to: w.to, Kind: e.kind, Source: e.source}
			x.words = append(x.words, k)
			if w.sound != 0 {
				k.hash = w.sound
				x.sounds = append(x.sounds, k)
			}
			x.digits = x.digits || e.kind == KindCode && digits(e.aliases[w.form])
		}
	}
	byHash := func(a, b Known) int { return cmp.Compare(a.hash, b.hash) }
	slices.SortStableFunc(x.words, byHash)
	slices.SortStableFunc(x.sounds, byHash)
	size := 4
	for size*4 < len(x.words) {
		size *= 2
	}
	x.filter = make([]uint64, size)
	for i := range x.words {
		at, bit := x.slot(x.words[i].hash)
		x.filter[at] |= bit
	}
	return x
}

// keysOf returns the words by which an entity is known: none of words whose
// detector was in doubt, which would be masked wherever they stand.
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
				k := wordKey{hash: wordhash.String(form[from:to]), form: uint8(f), from: uint8(from), to: uint8(to)}
				if key := Phonetic(form[from:to]); to-from >= 3 && key != "" {
					k.sound = wordhash.String(key)
				}
				add(k)
				from = to + 1
			}
		case KindCode:
			if len(form) >= minSuffix || e.source != SourceSaid && len(form) > 1 {
				add(wordKey{hash: wordhash.String(strings.ToLower(form)), form: uint8(f)})
			}
		default:
			w, _, _ := strings.Cut(form, " ")
			keys = append(keys, wordKey{hash: wordhash.String(w), form: uint8(f)})
		}
	}
	return keys
}

// Type returns the infoType of a known word's entity.
func (x *Index) Type(k Known) string { return x.types[x.entities[k.Entity].typ] }

// Form returns the form that the word opens; for a name the word itself.
func (x *Index) Form(k Known) string {
	f := x.entities[k.Entity].aliases[k.form]
	if k.Kind == KindName {
		return f[k.from:k.to]
	}
	return f
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// HasDigits tells whether a number is among the known words.
func (x *Index) HasDigits() bool { return x.digits }

// Empty tells whether no word is known.
func (x *Index) Empty() bool { return len(x.words) == 0 }

// Word returns what a lower-case word, given by its Hash, opens. The slice
// must not be written to.
func (x *Index) Word(hash uint64) []Known {
	if at, bit := x.slot(hash); x.filter[at]&bit == 0 {
		return nil
	}
	return equalRange(x.words, hash)
}

// Sound returns the names that have a word whose Phonetic key has this hash.
func (x *Index) Sound(hash uint64) []Known { return equalRange(x.sounds, hash) }

// SoundAlike tells whether a lower-case word is likely another hearing of a
// known one.
func (x *Index) SoundAlike(k Known, word string) bool { return soundAlike(word, x.Form(k)) }

func (x *Index) slot(hash uint64) (at int, bit uint64) {
	return int(hash>>6) & (len(x.filter) - 1), 1 << (hash & 63)
}

func equalRange(s []Known, hash uint64) []Known {
	lo, found := slices.BinarySearchFunc(s, hash, func(k Known, h uint64) int { return cmp.Compare(k.hash, h) })
	if !found {
		return nil
	}
	hi := lo + 1
	for hi < len(s) && s[hi].hash == hash {
		hi++
	}
	return s[lo:hi]
}
