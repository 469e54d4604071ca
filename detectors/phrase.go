package detectors

import (
	"fmt"
	"strings"

	"sotto/detectors/wordlist"
	"sotto/internal/hugepages"
	"sotto/internal/wordhash"
)

// Phrases is an immutable set of phrases, each with a value. It finds the longest phrase that
// begins at a token of a document, in time that does not depend on the size of the set.
//
// Words are compared by the hash of their folded text (Document.HashAt), so that case and accents
// do not count, and numbers are words too. A Gap says what else may stand between two words.
//
// Make a set with a PhraseBuilder. It is safe for concurrent use. The zero Phrases is empty.
type Phrases[V PhraseValue] struct {
	// nodes is a trie as a hash table: it has an entry for the beginning of each phrase up to each
	// of its words, found by the chained hash of these words. Key 0 is free.
	nodes []phraseNode[V]
	// roots has a bit for each first word, and longer for each beginning of two words or more. Most
	// words of a text begin no phrase, or none that goes on as the text does, and get no further than
	// these, which stay in the cache.
	roots, longer bitmap
}

// PhraseValue is what a phrase may stand for.
type PhraseValue interface {
	~uint8 | ~uint16 | ~uint32
}

type phraseNode[V PhraseValue] struct {
	key   uint64
	value V
	flags phraseFlags
}

type phraseFlags uint8

const (
	// rootNode: the words are the first word of a phrase alone.
	rootNode phraseFlags = 1 << iota
	// wholeNode: the words are a phrase, whose value the node has.
	wholeNode
	// innerNode: the words are the beginning of a longer phrase.
	innerNode
)

// Gap says what may stand between two words of a phrase. It returns the token at which the next
// word may stand as well as at token j, or j itself. The phrase began at token first, and all
// tokens before j have been read. The nil Gap allows nothing.
type Gap func(d *Document, first, j int) int

// HyphensAndDots is the Gap for fixed terms, as in "e-mail" and "P.O. box".
func HyphensAndDots(d *Document, first, j int) int {
	const maxTokens = 8
	for j < len(d.Tokens) && d.Tokens[j].Class == Punct && (d.Tokens[j].Ch == '-' || d.Tokens[j].Ch == '.') && j-first < maxTokens {
		j++
	}
	return j
}

// HashAt returns the hash of the folded text of token i, digits included; 0 for a token that is no
// word and no number.
func (d *Document) HashAt(i int) uint64 {
	t := &d.Tokens[i]
	if t.Class != Digits {
		return t.Hash
	}
	return wordhash.Bytes(d.folded[t.from:t.to])
}

// WordHashes returns the hashes of all words and numbers of the document, for
// PhraseBuilder.AddWords.
func (d *Document) WordHashes() []uint64 {
	var hashes []uint64
	for i := range d.Tokens {
		if h := d.HashAt(i); h != 0 {
			hashes = append(hashes, h)
		}
	}
	return hashes
}

// bitmap is a set of hashes that also has some others.
type bitmap []uint64

// newBitmap makes a bitmap for n hashes with 16 to 32 bits for each.
func newBitmap(n int) bitmap {
	if n == 0 {
		return nil
	}
	size := 1
	for size*64 < 16*n {
		size *= 2
	}
	return make(bitmap, size)
}

func (b bitmap) add(hash uint64) { b[hash>>6&uint64(len(b)-1)] |= 1 << (hash & 63) }

func (b bitmap) has(hash uint64) bool {
	return len(b) > 0 && b[hash>>6&uint64(len(b)-1)]&(1<<(hash&63)) != 0
}

// Longest returns the value of the longest phrase that begins at token i and how many tokens it
// takes, those between its words included. n is 0 when no phrase begins there.
func (p *Phrases[V]) Longest(d *Document, i int, gap Gap) (v V, n int) {
	word := d.HashAt(i)
	key := wordhash.Chain(0, word)
	if word == 0 || !p.roots.has(key) {
		return v, 0
	}
	node := p.find(key)
	if node == nil {
		return v, 0
	}
	return p.extend(d, i, i+1, node, gap)
}

// Each calls f with each phrase in the document, from left to right and the longest where several
// begin at a token: its value, its first token and how many tokens it takes. Phrases do not
// overlap.
func (p *Phrases[V]) Each(d *Document, gap Gap, f func(v V, i, n int)) {
	for i := 0; i < len(d.Tokens); {
		v, n := p.Longest(d, i, gap)
		if n == 0 {
			i++
			continue
		}
		f(v, i, n)
		i += n
	}
}

// extend returns the longest phrase that goes on at token j with the words of a node.
func (p *Phrases[V]) extend(d *Document, first, j int, node *phraseNode[V], gap Gap) (v V, n int) {
	for node != nil {
		// The words themselves go before a reading with a gap that ends at the same token.
		if node.flags&wholeNode != 0 && j-first >= n {
			v, n = node.value, j-first
		}
		if node.flags&innerNode == 0 || j >= len(d.Tokens) {
			break
		}
		word := d.HashAt(j)
		next := p.child(node, word)
		if gap != nil {
			if k := gap(d, first, j); k > j && k < len(d.Tokens) {
				// The word at j may belong to one phrase and stand in the gap of another.
				if after := d.HashAt(k); after != word {
					if c := p.child(node, after); c != nil {
						if next == nil {
							node, j = c, k+1
							continue
						}
						if w, m := p.extend(d, first, k+1, c, gap); m > n {
							v, n = w, m
						}
					}
				}
			}
		}
		node, j = next, j+1
	}
	return v, n
}

// child returns the node of one more word, nil when there is none.
func (p *Phrases[V]) child(n *phraseNode[V], word uint64) *phraseNode[V] {
	key := wordhash.Chain(n.key, word)
	if word == 0 || !p.longer.has(key) {
		return nil
	}
	return p.find(key)
}

// find returns the node of a key, nil when there is none.
func (p *Phrases[V]) find(key uint64) *phraseNode[V] {
	if n := p.slot(key); n.key != 0 {
		return n
	}
	return nil
}

// slot returns the node of a key, or the free one where it belongs.
func (p *Phrases[V]) slot(key uint64) *phraseNode[V] {
	mask := uint64(len(p.nodes) - 1)
	i := key >> 32 & mask
	for p.nodes[i].key != 0 && p.nodes[i].key != key {
		i = (i + 1) & mask
	}
	return &p.nodes[i]
}

// PhrasesOf returns the phrases of curated lists. The value of a phrase is the position of its
// list; the name "" stands for no list. It panics if two lists have the same phrase.
func PhrasesOf[V PhraseValue](f *wordlist.File, lists ...string) *Phrases[V] {
	var b PhraseBuilder[V]
	for i, list := range lists {
		if list == "" {
			continue
		}
		for _, phrase := range f.Phrases(list) {
			if !b.Add(V(i), phrase) {
				panic(fmt.Sprintf("detectors: another list than %q has the phrase %q as well", list, phrase))
			}
		}
	}
	return b.Build()
}

// PhraseBuilder makes a set of phrases. The zero PhraseBuilder is ready to use.
type PhraseBuilder[V PhraseValue] struct {
	// Merge combines the values of a phrase that is added twice; nil keeps the first.
	Merge func(old, added V) V

	nodes map[uint64]*phraseNode[V]
}

// Add adds a phrase of a curated list, written as a wordlist has it: words in lower case, of
// letters, digits and apostrophes, separated by spaces. It panics on any other text. It reports
// whether the phrase is new.
func (b *PhraseBuilder[V]) Add(v V, text string) bool { return b.AddWords(v, phraseWords(text)...) }

// AddWords adds a phrase by the hashes of its words, as Document.HashAt returns them. It reports
// whether the phrase is new.
func (b *PhraseBuilder[V]) AddWords(v V, words ...uint64) bool {
	if b.nodes == nil {
		b.nodes = map[uint64]*phraseNode[V]{}
	}
	var node *phraseNode[V]
	key := uint64(0)
	for i, w := range words {
		if node != nil {
			node.flags |= innerNode
		}
		key = wordhash.Chain(key, w)
		if node = b.nodes[key]; node == nil {
			node = &phraseNode[V]{key: key}
			b.nodes[key] = node
		}
		if i == 0 {
			node.flags |= rootNode
		}
	}
	switch {
	case node == nil:
		panic("detectors: a phrase without words")
	case node.flags&wholeNode == 0:
		node.value = v
		node.flags |= wholeNode
		return true
	case b.Merge != nil:
		node.value = b.Merge(node.value, v)
	}
	return false
}

// Build returns the set. The builder must not be used afterwards.
func (b *PhraseBuilder[V]) Build() *Phrases[V] {
	firsts := 0
	for _, n := range b.nodes {
		if n.flags&rootNode != 0 {
			firsts++
		}
	}
	size := 16
	for size <= 2*len(b.nodes) {
		size *= 2
	}
	p := &Phrases[V]{
		nodes: hugepages.Make[phraseNode[V]](size), roots: newBitmap(firsts), longer: newBitmap(len(b.nodes) - firsts),
	}
	for key, n := range b.nodes {
		*p.slot(key) = *n
		if n.flags&rootNode != 0 {
			p.roots.add(key)
		} else {
			p.longer.add(key)
		}
	}
	return p
}

// phraseWords returns the hashes of the words of a phrase from a curated list, with an ending such
// as 's as a word of its own, as the tokenizer has it.
func phraseWords(text string) []uint64 {
	var hashes []uint64
	for _, word := range strings.Fields(text) {
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789'") != "" {
			panic(fmt.Sprintf("detectors: the phrase %q is not written as tokens are", text))
		}
		if at := strings.LastIndexByte(word, '\''); at > 0 && cliticLen(word[at+1:]) == len(word)-at-1 && at+1 < len(word) {
			hashes = append(hashes, wordhash.String(word[:at]))
			word = word[at:]
		}
		hashes = append(hashes, wordhash.String(word))
	}
	return hashes
}
