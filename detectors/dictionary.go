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
	// hot is the hotword that the word alone is.
	hot Hotword
	// phrases is the position of its list in dict.phrases, 0 for none.
	phrases uint16
}

// dict is an open-addressing hash table of words behind a bitmap that most
// words do not pass.
type dict struct {
	seen    [1 << 10]uint64
	slots   []entry
	phrases [][]phrase
}

// phrase is a hotword of several words.
type phrase struct {
	rest []uint64
	hot  Hotword
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

// entryFor returns the entry of a word, adding it when it is new.
func (d *dict) entryFor(word string) *entry {
	h := wordhash.String(word)
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

// buildDictionary makes the table from the lists in words.go and hotword.go.
func buildDictionary() *dict {
	d := &dict{slots: make([]entry, 1<<12), phrases: make([][]phrase, 1)}
	for _, l := range wordLists {
		for i, group := range strings.Fields(l.words) {
			for _, w := range strings.Split(group, "|") {
				e := d.entryFor(w)
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
				e := d.entryFor(w)
				e.bits |= l.bits
				e.ch = ch[0]
			}
		}
	}
	for hot, text := range hotwordText {
		for _, p := range strings.Split(text, ",") {
			d.addHotword(Hotword(hot), strings.Fields(p))
		}
	}
	return d
}

func (d *dict) addHotword(hot Hotword, words []string) {
	switch len(words) {
	case 0:
		return
	case 1:
		e := d.entryFor(words[0])
		e.bits |= IsHotword
		e.hot = hot
		return
	}
	p := phrase{hot: hot}
	for _, w := range words[1:] {
		p.rest = append(p.rest, wordhash.String(w))
	}
	e := d.entryFor(words[0])
	e.bits |= HasPhrase
	if e.phrases == 0 {
		e.phrases = uint16(len(d.phrases))
		d.phrases = append(d.phrases, nil)
	}
	d.phrases[e.phrases] = append(d.phrases[e.phrases], p)
}
