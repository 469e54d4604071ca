package lm

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
)

// A file has, in little-endian order:
//
//	magic     8 bytes
//	sizes     words, bytes of words, bigrams, trigrams (uint64 each)
//	words     ends of the words (uint32 each), then their bytes
//	sorted    positions of the words in the order of their bytes (uint32 each)
//	unigrams  probability, rest (float32 each)
//	bigrams   keys in order (uint64: both words), then probability, rest (float32 each)
//	reverse   bigrams by their second word (uint64: second word, first word)
//	trigrams  keys in order (uint64: position of the bigram, word), then probability (float32)
//
// A rest is the share that a context leaves to shorter contexts. Every section is padded to 8 bytes.
const magic = "SOTTOLM1"

// maxWords bounds the vocabulary and the number of n-grams of one length.
const maxWords = 1 << 31

// entry is an n-gram in memory, before it is written.
type entry struct {
	key     uint64
	p, rest float64
}

// builder gathers a model.
type builder struct {
	list                                  []string
	unigrams, bigrams, trigrams, contexts []entry
}

// addContexts adds contexts that are no bigrams of their own.
func (b *builder) addContexts() {
	b.bigrams = append(b.bigrams, b.contexts...)
	slices.SortFunc(b.bigrams, func(x, y entry) int { return cmp.Compare(x.key, y.key) })
	for i := range b.bigrams {
		if b.bigrams[i].rest == 0 {
			b.bigrams[i].rest = 1 // nothing was seen after it
		}
	}
}

func (b *builder) bigram(u, v uint32) int {
	key := uint64(u)<<32 | uint64(v)
	i, ok := slices.BinarySearchFunc(b.bigrams, key, func(e entry, k uint64) int { return cmp.Compare(e.key, k) })
	if !ok {
		return -1
	}
	return i
}

// lower is the probability of the second word after the first.
func (b *builder) lower(g bigram) float64 {
	if i := b.bigram(g[0], g[1]); i >= 0 {
		return b.bigrams[i].p
	}
	return b.unigrams[g[0]].rest * b.unigrams[g[1]].p
}

func (b *builder) encode() []byte {
	var out bytes.Buffer
	put := func(v any) { binary.Write(&out, binary.LittleEndian, v) } //nolint:errcheck // a buffer takes everything
	pad := func() { out.Write(make([]byte, -out.Len()&7)) }
	size := 0
	for _, w := range b.list {
		size += len(w)
	}
	out.WriteString(magic)
	put([]uint64{uint64(len(b.list)), uint64(size), uint64(len(b.bigrams)), uint64(len(b.trigrams))})
	at := uint32(0)
	for _, w := range b.list {
		at += uint32(len(w))
		put(at)
	}
	for _, w := range b.list {
		out.WriteString(w)
	}
	pad()
	order := make([]uint32, len(b.list))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return cmp.Compare(b.list[x], b.list[y]) })
	put(order)
	pad()
	for _, e := range b.unigrams {
		put([]float32{float32(e.p), float32(e.rest)})
	}
	pad()
	reverse := make([]uint64, len(b.bigrams))
	for i, e := range b.bigrams {
		put(e.key)
		reverse[i] = e.key<<32 | e.key>>32
	}
	for _, e := range b.bigrams {
		put([]float32{float32(e.p), float32(e.rest)})
	}
	slices.Sort(reverse)
	put(reverse)
	for _, e := range b.trigrams {
		put(e.key)
	}
	for _, e := range b.trigrams {
		put(float32(e.p))
	}
	pad()
	return out.Bytes()
}

// Model is a language model. It is immutable and safe for concurrent use.
type Model struct {
	data []byte
	// words and so on are parts of data.
	words, bigrams, trigrams          int
	ends, text, sorted, unigram       []byte
	bigramKeys, bigramValues, reverse []byte
	trigramKeys, trigramValues        []byte
	frequent                          []uint32
	unmap                             func() error
}

var errModel = errors.New("not a language model of 'sotto corpus lm', or a damaged one")

// Decode reads a model. It keeps data, and looks at its structure only: every look-up checks its
// bounds, so that a damaged model gives wrong probabilities and nothing worse.
func Decode(data []byte) (*Model, error) {
	if len(data) < 40 || string(data[:8]) != magic {
		return nil, errModel
	}
	var sizes [4]uint64
	for i := range sizes {
		if sizes[i] = binary.LittleEndian.Uint64(data[8+8*i:]); sizes[i] >= maxWords {
			return nil, errModel
		}
	}
	m := &Model{data: data, words: int(sizes[0]), bigrams: int(sizes[2]), trigrams: int(sizes[3])}
	at := 40
	ok := true
	take := func(n int) []byte {
		if n > len(data)-at {
			ok = false
			return nil
		}
		part := data[at : at+n]
		at += n
		return part
	}
	align := func() { take(-at & 7) }
	m.ends = take(4 * m.words)
	m.text = take(int(sizes[1]))
	align()
	m.sorted = take(4 * m.words)
	align()
	m.unigram = take(8 * m.words)
	align()
	m.bigramKeys = take(8 * m.bigrams)
	m.bigramValues = take(8 * m.bigrams)
	m.reverse = take(8 * m.bigrams)
	m.trigramKeys = take(8 * m.trigrams)
	m.trigramValues = take(4 * m.trigrams)
	align()
	if !ok || at != len(data) || m.words <= len(special) {
		return nil, errModel
	}
	for i, w := range special {
		if m.Word(uint32(i)) != w {
			return nil, errModel
		}
	}
	m.frequent = m.mostFrequent(maxFrequent)
	return m, nil
}

// WriteTo writes the model as a file.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(m.data)
	return int64(n), err
}

// Close frees the memory of a model from Open.
func (m *Model) Close() error {
	if m.unmap == nil {
		return nil
	}
	return m.unmap()
}

// Open maps the model in a file into memory.
func Open(path string) (*Model, error) {
	data, unmap, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	m, err := Decode(data)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s is %w", path, err), unmap())
	}
	m.unmap = unmap
	return m, nil
}

// Words is the size of the vocabulary, special words included.
func (m *Model) Words() int { return m.words }

// Word returns a word, "" if there is none with that number.
func (m *Model) Word(id uint32) string {
	if int(id) >= m.words {
		return ""
	}
	from := uint32(0)
	if id > 0 {
		from = binary.LittleEndian.Uint32(m.ends[4*(id-1):])
	}
	to := binary.LittleEndian.Uint32(m.ends[4*id:])
	if from > to || int(to) > len(m.text) {
		return ""
	}
	return string(m.text[from:to])
}

// id returns the number of a word, unknown if it is not in the vocabulary.
func (m *Model) id(word string) uint32 {
	i := sort.Search(m.words, func(i int) bool { return m.Word(m.at(i)) >= word })
	if i < m.words {
		if id := m.at(i); m.Word(id) == word {
			return id
		}
	}
	return unknown
}

// at returns the word at a position of the sorted vocabulary.
func (m *Model) at(i int) uint32 { return binary.LittleEndian.Uint32(m.sorted[4*i:]) }

func key(keys []byte, i int) uint64 { return binary.LittleEndian.Uint64(keys[8*i:]) }

// lowerBound returns the position of the first of n keys that is not below k.
func lowerBound(keys []byte, n int, k uint64) int {
	return sort.Search(n, func(i int) bool { return key(keys, i) >= k })
}

func float(values []byte, i int) float64 {
	f := float64(math.Float32frombits(binary.LittleEndian.Uint32(values[4*i:])))
	if !(f >= 0 && f <= 1) { // a damaged file
		return 0
	}
	return f
}
