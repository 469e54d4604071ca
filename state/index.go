package state

import (
	"cmp"
	"slices"
	"strings"
)

// Index finds the words that are known in a call. It is immutable.
type Index struct {
	filter []uint64
	words  []Known
	sounds []Known
	// digits tells that some word is a number.
	digits bool
}

// Known is one word that is known in a call, with what it belongs to.
type Known struct {
	hash uint64
	// Entity is the position of the entity in the call.
	Entity int
	Kind   Kind
	Source Source
	// Type is the entity's infoType.
	Type string
	// Form is the known form that the word opens; for a name, whose words are
	// known one by one, the word itself.
	Form string
	// Full is the longest known form of the entity.
	Full string
}

// Index returns the index of the call as it is now.
func (c *Call) Index() *Index {
	if c.index == nil {
		c.index = newIndex(c)
	}
	return c.index
}

// Hash is the hash of a lower-case word by which an Index finds it (FNV-1a).
func Hash(word string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(word); i++ {
		h = (h ^ uint64(word[i])) * 1099511628211
	}
	return h
}

func newIndex(c *Call) *Index {
	x := &Index{}
	for i := range c.entities {
		x.index(c, i)
	}
	sorted := func(k []Known) []Known {
		slices.SortStableFunc(k, func(a, b Known) int { return cmp.Compare(a.hash, b.hash) })
		return slices.CompactFunc(k, func(a, b Known) bool {
			return a.hash == b.hash && a.Entity == b.Entity && a.Form == b.Form
		})
	}
	x.words, x.sounds = sorted(x.words), sorted(x.sounds)
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

func (x *Index) index(c *Call, i int) {
	e := &c.entities[i]
	k := Known{Entity: i, Kind: e.kind, Source: e.source, Type: c.types[e.typ], Full: longestForm(e)}
	for _, f := range e.forms {
		switch e.kind {
		case KindName:
			var buf [6]string
			for _, w := range splitWords(buf[:0], f) {
				k.Form, k.hash = w, Hash(w)
				x.words = append(x.words, k)
				if key := Phonetic(w); len(w) >= 3 && key != "" {
					k.hash = Hash(key)
					x.sounds = append(x.sounds, k)
				}
			}
		case KindCode:
			if w := strings.ToLower(f); len(w) >= minSuffix || e.source != SourceSaid && len(w) > 1 {
				k.Form, k.hash = w, Hash(w)
				x.words = append(x.words, k)
				x.digits = x.digits || digits(w)
			}
		default:
			w, _, _ := strings.Cut(f, " ")
			k.Form, k.hash = f, Hash(w)
			x.words = append(x.words, k)
		}
	}
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
func (k *Known) SoundAlike(word string) bool { return soundAlike(word, k.Form) }

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
