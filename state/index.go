package state

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/detectors"
	"sotto/internal/wordhash"
	"sotto/state/linking"
)

// Index finds the words that are known in a call. It is valid until the call changes.
type Index struct {
	// filter has a bit for each word; words may share one.
	filter [8]uint64
	// words are sorted by hash, sounds by the hash of how they sound; equal ones are in the order
	// of their entities.
	words, sounds []KnownWord
	types         []string
	entities      []entity
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
	Kind            detectors.Kind
	Source          linking.Source
}

// wordKey is a word by which an entity is known; see KnownWord.
type wordKey struct {
	hash, sound     uint64
	alias, from, to uint8
}

// Index returns the index of the call as it is now.
func (c *Call) Index() *Index {
	if c.index != nil && !c.stale {
		return c.index
	}
	if c.index == nil || c.own&indexField == 0 {
		c.index = &Index{words: make([]KnownWord, 0, 8)}
		c.own |= indexField
	}
	c.index.build(c)
	c.stale = false
	return c.index
}

// Knowledge counts how often what the call knows changed: as long as it is the same number, the
// index is the same.
func (c *Call) Knowledge() uint64 { return c.knowledge }

func (c *Call) ownIndex() {
	if c.own&indexField != 0 {
		return
	}
	x := *c.index
	x.words, x.sounds = withRoom(x.words, 4), withRoom(x.sounds, 4)
	c.index = &x
	c.own |= indexField
}

// build makes the index of a call in the memory of the index before.
func (x *Index) build(c *Call) {
	x.types, x.entities, x.digits = c.types, c.entities, false
	x.words, x.sounds, x.filter = x.words[:0], x.sounds[:0], [len(x.filter)]uint64{}
	for i := range c.entities {
		x.add(i, func(words []KnownWord, k KnownWord) []KnownWord { return append(words, k) })
	}
	slices.SortStableFunc(x.words, byHash)
	slices.SortStableFunc(x.sounds, byHash)
}

// extend adds the words of the last entity of a call, which is new.
func (x *Index) extend(c *Call) {
	x.types, x.entities = c.types, c.entities
	x.add(len(c.entities)-1, insert)
}

func byHash(a, b KnownWord) int { return cmp.Compare(a.hash, b.hash) }

// insert inserts a word behind those with the same hash.
func insert(words []KnownWord, k KnownWord) []KnownWord {
	i := len(words)
	for i > 0 && words[i-1].hash > k.hash {
		i--
	}
	return slices.Insert(words, i, k)
}

// add adds each word by which entity i is known, and how it sounds if that counts. put puts it into its list.
func (x *Index) add(i int, put func(words []KnownWord, k KnownWord) []KnownWord) {
	e := &x.entities[i]
	var buf [16]wordKey
	for _, w := range appendKeys(buf[:0], e) {
		x.filter[w.hash>>6%uint64(len(x.filter))] |= 1 << (w.hash & 63)
		k := KnownWord{hash: w.hash, Entity: int32(i), alias: w.alias, from: w.from, to: w.to, Kind: e.Kind, Source: e.Source}
		x.words = put(x.words, k)
		if k.hash = w.sound; k.hash != 0 {
			x.sounds = put(x.sounds, k)
		}
		x.digits = x.digits || e.Kind == detectors.KindCode && digits(e.Aliases.At(int(w.alias)))
	}
}

// appendKeys appends the words by which an entity is found in a text to keys, which is empty. It is
// none for words whose detector was in doubt: they would be masked wherever they occur.
func appendKeys(keys []wordKey, e *entity) []wordKey {
	if e.Weak && e.Kind != detectors.KindCode && e.Source == linking.SourceSaid {
		return keys
	}
	for f := range e.Aliases.Len() {
		form := e.Aliases.At(f)
		switch e.Kind {
		case detectors.KindName:
			keys = appendNameKeys(keys, form, uint8(f))
		case detectors.KindCode:
			if len(form) >= minSuffix || e.Source != linking.SourceSaid && len(form) > 1 {
				keys = appendKey(keys, wordKey{hash: lowerHash(form), alias: uint8(f)})
			}
		default:
			w, _, _ := strings.Cut(form, " ")
			keys = append(keys, wordKey{hash: wordhash.String(w), alias: uint8(f)})
		}
	}
	return keys
}

// appendNameKeys appends the words of alias f of a person.
func appendNameKeys(keys []wordKey, form string, f uint8) []wordKey {
	for from := 0; from < len(form); {
		to := strings.IndexByte(form[from:], ' ') + from
		if to < from {
			to = len(form)
		}
		k := wordKey{hash: wordhash.String(form[from:to]), alias: f, from: uint8(from), to: uint8(to)}
		var buf [32]byte
		if key := linking.AppendPhonetic(buf[:0], form[from:to]); to-from >= 3 && len(key) > 0 {
			k.sound = wordhash.Bytes(key)
		}
		keys = appendKey(keys, k)
		from = to + 1
	}
	return keys
}

// appendKey appends a key, unless there is one of the same word.
func appendKey(keys []wordKey, k wordKey) []wordKey {
	for i := range keys {
		if keys[i].hash == k.hash {
			return keys
		}
	}
	return append(keys, k)
}

func lowerHash(code string) uint64 {
	var buf [linking.MaxAlias]byte
	lower := buf[:0]
	for _, r := range code {
		lower = utf8.AppendRune(lower, unicode.ToLower(r))
	}
	return wordhash.Bytes(lower)
}

// Type returns the infoType of the word's entity.
func (x *Index) Type(k KnownWord) string { return x.types[x.entities[k.Entity].Type] }

// Words returns the words of the alias that the word begins; for a name, the word itself.
func (x *Index) Words(k KnownWord) string {
	words := x.entities[k.Entity].Aliases.At(int(k.alias))
	if k.Kind == detectors.KindName {
		return words[k.from:k.to]
	}
	return words
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// HasDigits reports whether a number is among the known words.
func (x *Index) HasDigits() bool { return x.digits }

// Empty reports whether no word is known.
func (x *Index) Empty() bool { return len(x.words) == 0 }

// Word returns the entries of a lower-case word, given by its Hash. The slice must not be
// changed.
func (x *Index) Word(hash uint64) []KnownWord {
	if !x.MayKnow(hash) {
		return nil
	}
	return equalRange(x.words, hash)
}

// MayKnow reports whether a lower-case word, given by its hash, may be known: it is not if there is no
// entry with it, but for a few words.
func (x *Index) MayKnow(hash uint64) bool {
	return x.filter[hash>>6%uint64(len(x.filter))]>>(hash&63)&1 != 0
}

// HasSounds reports whether Sound finds any word.
func (x *Index) HasSounds() bool { return len(x.sounds) > 0 }

// Sound returns the words of names whose Phonetic key has this hash.
func (x *Index) Sound(hash uint64) []KnownWord { return equalRange(x.sounds, hash) }

// SoundAlike reports whether a lower-case word is likely a known one, heard differently.
func (x *Index) SoundAlike(k KnownWord, word string) bool {
	return linking.SoundAlike(word, x.Words(k))
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
