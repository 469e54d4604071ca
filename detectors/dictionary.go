package detectors

import "sotto/internal/wordhash"

// entry is what the dictionary knows of one word.
type entry struct {
	hash    uint64
	bits    Bits
	num, ch uint8
}

// dict is an open-addressing hash table of words behind a bitmap that most
// words do not pass.
type dict struct {
	seen  [1 << 10]uint64
	slots []entry
}

var dictionary = buildDictionary()

func (d *dict) lookup(h uint64) *entry {
	if b := h >> 48; d.seen[b>>6]&(1<<(b&63)) == 0 {
		return nil
	}
	if e := d.slot(h); e.hash != 0 {
		return e
	}
	return nil
}

// slot returns the entry of the word with a hash, a free one if it has none.
func (d *dict) slot(h uint64) *entry {
	mask := uint64(len(d.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		if e := &d.slots[i]; e.hash == h || e.hash == 0 {
			return e
		}
	}
}

// entryFor returns the entry of the word with a hash, adding it when it is new.
func (d *dict) entryFor(h uint64) *entry {
	e := d.slot(h)
	e.hash = h
	b := h >> 48
	d.seen[b>>6] |= 1 << (b & 63)
	return e
}

func buildDictionary() *dict {
	d := &dict{slots: make([]entry, 1<<12)}
	for _, r := range wordRoles {
		for _, w := range wordLists.Words(r.list) {
			d.entryFor(wordhash.String(w)).bits |= r.bits
		}
	}
	for _, r := range valueRoles {
		for _, v := range wordLists.Values(r.list) {
			for _, w := range v.Words {
				e := d.entryFor(wordhash.String(w))
				e.bits |= r.bits
				r.read(e, v.Value)
			}
		}
	}
	for i := range allHotwords[1:] {
		for _, phrase := range allHotwords[i+1].phrases() {
			words := phraseWords(phrase)
			if len(words) == 1 {
				d.entryFor(words[0]).bits |= IsHotword
			} else {
				d.entryFor(words[0]).bits |= HasPhrase
			}
		}
	}
	return d
}
