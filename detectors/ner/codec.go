package ner

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"sotto/detectors/ner/sequence"
	"sotto/internal/hugepages"
)

const (
	magic   = "SOTTO-NER"
	version = 4
	// maxRows and maxAskedBits bound what a model file may hold.
	maxRows      = 4 << 20
	maxAskedBits = 20
)

// Encode writes a model file:
//
//	"SOTTO-NER", version (1 byte), SHA-256 of the rest, and compressed (RFC 1951), little-endian:
//	transitions (16 times 16 float32), vocabulary (65,536 bytes), calibration curves (15 times 21
//	float32), the question model: log2 of its rows (1 byte), scale (float32), biases and base
//	rates (15 float32 each), the coarse model: scale, bias (float32), weights (524,288 bytes); the
//	rows of the question model; then the number of features (uint32), scale (float32), their hashes in rising order
//	as differences (varint), and their rows. Rows are written as columns: the first byte of each,
//	then the second, ... up to the fifteenth.
func Encode(w *Weights) ([]byte, error) {
	bits := log2(len(w.Asked))
	if len(w.Coarse) != 1<<sequence.CoarseBits || 1<<bits != len(w.Asked) || bits > maxAskedBits || len(w.Keys) != len(w.Rows) || len(w.Keys) > maxRows || len(w.Vocabulary)*64 != sequence.VocabularyBits {
		return nil, errors.New("ner: the weights have the wrong size")
	}
	rows, scale := quantize(w.Rows)
	order := telling(rows)
	slices.SortFunc(order, func(a, b int) int { return int(int64(w.Keys[a]) - int64(w.Keys[b])) })
	asked, askedScale := quantize(w.Asked)
	var body bytes.Buffer
	coarse := newCoarse(w.Coarse, w.CoarseBias)
	for _, v := range []any{
		w.Transitions, []uint64(w.Vocabulary), w.Curves, bits, askedScale, w.AskedBias, w.AskedBase, coarse.scale, coarse.bias, coarse.weights[:],
	} {
		if err := binary.Write(&body, binary.LittleEndian, v); err != nil {
			return nil, fmt.Errorf("ner: %w", err)
		}
	}
	writeColumns(&body, len(asked), func(i int) *row { return &asked[i] })
	for _, v := range []any{uint32(len(order)), scale} {
		if err := binary.Write(&body, binary.LittleEndian, v); err != nil {
			return nil, fmt.Errorf("ner: %w", err)
		}
	}
	last := uint32(0)
	var varint []byte
	for _, i := range order {
		varint = binary.AppendUvarint(varint[:0], uint64(w.Keys[i]-last))
		body.Write(varint)
		last = w.Keys[i]
	}
	writeColumns(&body, len(order), func(i int) *row { return &rows[order[i]] })
	return pack(body.Bytes())
}

// leastTelling is by how many steps a weight of a feature differs at least from the most frequent weight if
// the feature is kept. It leaves out about half of the features. At the thresholds that mask as many words
// without need, nothing is lost.
const leastTelling = 10

// telling returns the rows that are kept.
func telling(rows []row) (kept []int) {
	var counts [256]int
	for i := range rows {
		for y := 1; y < sequence.NumLabels; y++ {
			counts[rows[i].weight(y)]++
		}
	}
	usual := slices.Index(counts[:], slices.Max(counts[:]))
	for i := range rows {
		for y := 1; y < sequence.NumLabels; y++ {
			if d := int(rows[i].weight(y)) - usual; d >= leastTelling || -d >= leastTelling {
				kept = append(kept, i)
				break
			}
		}
	}
	return kept
}

func writeColumns(b *bytes.Buffer, n int, at func(i int) *row) {
	for y := 1; y < sequence.NumLabels; y++ {
		for i := range n {
			b.WriteByte(at(i).weight(y))
		}
	}
}

// pack compresses the body and puts the head before it.
func pack(body []byte) ([]byte, error) {
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("ner: %w", err)
	}
	if _, err := z.Write(body); err != nil {
		return nil, fmt.Errorf("ner: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("ner: %w", err)
	}
	sum := sha256.Sum256(packed.Bytes())
	out := append([]byte(magic), version)
	out = append(out, sum[:]...)
	return append(out, packed.Bytes()...), nil
}

// Decode reads a model file. It fails on a file that is not a model, that was truncated or changed,
// or that another version wrote. It uses no more memory than the largest model needs, whatever the
// file claims.
func Decode(data []byte) (*Model, error) {
	head := len(magic) + 1 + sha256.Size
	if len(data) < head || string(data[:len(magic)]) != magic {
		return nil, errors.New("ner: not a model file")
	}
	if v := data[len(magic)]; v != version {
		return nil, fmt.Errorf("ner: the model file has version %d and this program reads version %d; train the model again", v, version)
	}
	sum := sha256.Sum256(data[head:])
	if !bytes.Equal(sum[:], data[len(magic)+1:head]) {
		return nil, errors.New("ner: the model file is damaged: its hash does not match")
	}
	m, err := decodeBody(data[head:])
	if err != nil {
		return nil, err
	}
	m.digest = bytes.Clone(sum[:])
	return m, nil
}

var errBody = errors.New("ner: the file does not hold a model")

// bodyReader reads values until the first error.
type bodyReader struct {
	*bytes.Reader
	err error
}

func (r *bodyReader) read(v any) {
	if r.err == nil {
		r.err = binary.Read(r.Reader, binary.LittleEndian, v)
	}
}

// maxBody bounds the decompressed size of a model file.
const maxBody = maxRows*(sequence.NumLabels-1+5) + 1<<maxAskedBits*(sequence.NumLabels-1) + 1<<sequence.CoarseBits + 1<<20

func decodeBody(packed []byte) (*Model, error) {
	body, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), int64(maxBody)+1))
	if err != nil || len(body) > maxBody {
		return nil, errBody
	}
	r := &bodyReader{Reader: bytes.NewReader(body)}
	m := &Model{vocabulary: sequence.NewVocabulary(), coarse: new(coarse)}
	var transitions sequence.Transitions
	var bits uint8
	r.read(&transitions)
	r.read([]uint64(m.vocabulary))
	r.read(&m.curves)
	r.read(&bits)
	r.read(&m.askedScale)
	r.read(&m.askedBias)
	r.read(&m.askedBase)
	r.read(&m.coarse.scale)
	r.read(&m.coarse.bias)
	r.read(m.coarse.weights[:])
	if r.err != nil || bits > maxAskedBits || !m.isFinite(&transitions) {
		return nil, errBody
	}
	m.factors, m.askedShift = sequence.NewFactors(&transitions), 32-bits
	if m.asked, err = r.columns(1 << bits); err != nil {
		return nil, err
	}
	var n uint32
	r.read(&n)
	r.read(&m.scale)
	if r.err != nil || n > maxRows || int64(n) > int64(r.Len()) || !(m.scale > 0 && m.scale <= 1) {
		return nil, errBody
	}
	keys := make([]uint32, n)
	key := uint64(0)
	for i := range n {
		d, err := binary.ReadUvarint(r)
		key += d
		if err != nil || key > 1<<32-1 || d == 0 && i > 0 {
			return nil, errBody
		}
		keys[i] = uint32(key)
	}
	rows, err := r.columns(int(n))
	if err != nil {
		return nil, err
	}
	m.table = newTable(int(n))
	for i, k := range keys {
		m.table.add(k, rows[i])
	}
	if r.Len() > 0 {
		return nil, errBody
	}
	return m, nil
}

// columns reads n rows.
func (r *bodyReader) columns(n int) ([]row, error) {
	if r.Len() < n*(sequence.NumLabels-1) {
		return nil, errBody
	}
	rows := hugepages.Make[row](n)
	for i := range rows {
		rows[i] = noWeights
	}
	column := make([]byte, n)
	for y := 1; y < sequence.NumLabels; y++ {
		if _, err := io.ReadFull(r, column); err != nil {
			return nil, errBody
		}
		for i, b := range column {
			rows[i].setWeight(y, b)
		}
	}
	return rows, nil
}

// isFinite reports whether a model can be computed with.
func (m *Model) isFinite(t *sequence.Transitions) bool {
	ok := within(0, 1, m.askedScale, m.coarse.scale) && m.askedScale > 0 && m.coarse.scale > 0 &&
		within(-100, 100, m.askedBias[:]...) && within(-100, 100, m.coarse.bias)
	for a := range t {
		ok = ok && within(-30, 30, t[a][:]...)
	}
	for _, x := range m.askedBase {
		ok = ok && x >= 0 && x < 1
	}
	for k := range m.curves {
		last := float32(0)
		for _, x := range m.curves[k] {
			ok = ok && x >= last && x <= 1
			last = x
		}
	}
	return ok
}

// within reports whether all numbers are between two others.
func within(low, high float32, numbers ...float32) bool {
	for _, x := range numbers {
		if !(x >= low && x <= high) {
			return false
		}
	}
	return true
}
