package detectors

import (
	"strings"

	"sotto/internal/wordhash"
)

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
	return d.find(h)
}

func (d *dict) find(h uint64) *entry {
	mask := uint64(len(d.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		switch e := &d.slots[i]; e.hash {
		case h:
			return e
		case 0:
			return nil
		}
	}
}

// entryFor returns the entry of the word with a hash, adding it when it is new.
func (d *dict) entryFor(h uint64) *entry {
	if e := d.find(h); e != nil {
		return e
	}
	b := h >> 48
	d.seen[b>>6] |= 1 << (b & 63)
	mask := uint64(len(d.slots) - 1)
	i := h & mask
	for d.slots[i].hash != 0 {
		i = (i + 1) & mask
	}
	d.slots[i].hash = h
	return &d.slots[i]
}

// buildDictionary makes the table from the lists in words.go and hotwords.txt.
func buildDictionary() *dict {
	d := &dict{slots: make([]entry, 1<<12)}
	for _, l := range wordLists {
		for i, group := range strings.Fields(l.words) {
			for _, w := range strings.Split(group, "|") {
				e := d.entryFor(wordhash.String(w))
				e.bits |= l.bits
				if l.numbered {
					e.num = uint8(l.first + i)
				} else if l.first != 0 {
					e.num = uint8(l.first)
				}
			}
		}
	}
	for _, l := range charLists {
		for _, pair := range strings.Fields(l.pairs) {
			ch, words, _ := strings.Cut(pair, "=")
			for _, w := range strings.Split(words, "|") {
				e := d.entryFor(wordhash.String(w))
				e.bits |= l.bits
				e.ch = ch[0]
			}
		}
	}
	for h := HotEmail; h < NumHotwords; h++ {
		for _, phrase := range hotwordLists.Phrases(hotwordNames[h]) {
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
