package ner

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"sotto/detectors/ner/internal/crf"
	"sotto/detectors/ner/internal/feature"
)

// Model is a trained tagger. It is immutable and safe for concurrent use.
type Model struct {
	// rows has a row of weights for each value of a feature's hash: a byte for
	// each label but Outside, whose weights are 0, with 128 for 0.
	rows  []uint64
	shift uint8
	// scale is the weight of one step of a byte.
	scale       float32
	transitions crf.Transitions
	factors     *crf.Factors
	vocabulary  feature.Vocabulary
	curves      [crf.NumKinds]Curve
	digest      []byte
}

const (
	magic   = "SOTTO-NER"
	version = 1
	// minBits and maxBits bound the logarithm of the number of rows.
	minBits, maxBits = 8, 22
	// CurvePoints is the number of equal steps of a Curve.
	CurvePoints = 20
)

// Curve maps the mean probability of a name's words to the share of such names
// that are right: values at 0, 1/20, ... 1, between which it is linear. It never
// falls.
type Curve [CurvePoints + 1]float32

// At returns the calibrated probability.
func (c *Curve) At(p float32) float32 {
	x := min(max(p, 0), 1) * CurvePoints
	i := min(int(x), CurvePoints-1)
	return c[i] + (c[i+1]-c[i])*(x-float32(i))
}

// Identity is the curve that changes nothing.
func Identity() (c Curve) {
	for i := range c {
		c[i] = float32(i) / CurvePoints
	}
	return c
}

// Weights are the parts of a model as training makes them.
type Weights struct {
	// Rows has 1<<n rows of eight weights, one for each label but Outside.
	Rows        [][8]float32
	Transitions crf.Transitions
	Vocabulary  feature.Vocabulary
	Curves      [crf.NumKinds]Curve
}

// Encode writes a model file:
//
//	"SOTTO-NER", version (1 byte), SHA-256 of the rest, and compressed
//	(RFC 1951), little-endian: log2 of the rows (1 byte), scale (float32),
//	transitions (81 float32), curves (4 times 21 float32), vocabulary
//	(65,536 bytes), the rows, the first byte of each, then the second, ...
func Encode(w *Weights) ([]byte, error) {
	bits := 0
	for 1<<bits < len(w.Rows) {
		bits++
	}
	if 1<<bits != len(w.Rows) || bits < minBits || bits > maxBits || len(w.Vocabulary)*64 != feature.VocabularyBits {
		return nil, errors.New("ner: weights of a wrong size")
	}
	top := float32(0)
	for i := range w.Rows {
		for _, x := range &w.Rows[i] {
			top = max(top, x, -x)
		}
	}
	// What is above the clip is rare; finer steps for the rest matter more.
	scale := min(max(top, 1e-3), maxWeight) / 127
	var body bytes.Buffer
	body.WriteByte(byte(bits))
	for _, v := range []any{scale, w.Transitions, w.Curves, []uint64(w.Vocabulary)} {
		if err := binary.Write(&body, binary.LittleEndian, v); err != nil {
			return nil, fmt.Errorf("ner: %w", err)
		}
	}
	for k := range 8 {
		for i := range w.Rows {
			q := math.RoundToEven(float64(min(max(w.Rows[i][k]/scale, -127), 127)))
			body.WriteByte(byte(int(q) + 128))
		}
	}
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("ner: %w", err)
	}
	if _, err := z.Write(body.Bytes()); err != nil {
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

// maxWeight is the largest weight that is stored as it is.
const maxWeight = 4

// Decode reads a model file. It fails on a file that is not one, that was cut or
// changed, or that a later version wrote; it takes no more memory than the
// largest model has, whatever the file says.
func Decode(data []byte) (*Model, error) {
	head := len(magic) + 1 + sha256.Size
	if len(data) < head || string(data[:len(magic)]) != magic {
		return nil, errors.New("ner: not a model file")
	}
	if v := data[len(magic)]; v != version {
		return nil, fmt.Errorf("ner: the model file has version %d and this program reads version %d", v, version)
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

func decodeBody(packed []byte) (*Model, error) {
	z := flate.NewReader(bytes.NewReader(packed))
	r := &failing{r: z}
	var bits uint8
	m := &Model{vocabulary: feature.NewVocabulary()}
	r.read(&bits)
	r.read(&m.scale)
	r.read(&m.transitions)
	r.read(&m.curves)
	r.read([]uint64(m.vocabulary))
	if r.err != nil || bits < minBits || bits > maxBits || !m.finite() {
		return nil, errors.New("ner: the model file does not hold a model")
	}
	m.shift = 32 - bits
	column := make([]byte, 1<<bits)
	for k := range 8 {
		if _, err := io.ReadFull(z, column); err != nil {
			return nil, errors.New("ner: the model file is too short")
		}
		if k == 0 { // not for a file that only says that it is large
			m.rows = make([]uint64, 1<<bits)
		}
		for i, b := range column {
			m.rows[i] |= uint64(b) << (8 * k)
		}
	}
	if n, err := z.Read(column[:1]); n > 0 || err != io.EOF {
		return nil, errors.New("ner: the model file is too long")
	}
	m.factors = crf.NewFactors(&m.transitions)
	return m, nil
}

// failing reads values until the first error.
type failing struct {
	r   io.Reader
	err error
}

func (f *failing) read(v any) {
	if f.err == nil {
		f.err = binary.Read(f.r, binary.LittleEndian, v)
	}
}

// finite reports whether all numbers of the model can be computed with.
func (m *Model) finite() bool {
	if !(m.scale > 0 && m.scale <= 1) {
		return false
	}
	for a := range m.transitions {
		for _, x := range m.transitions[a] {
			if !(x >= -30 && x <= 30) {
				return false
			}
		}
	}
	for k := range m.curves {
		last := float32(0)
		for _, x := range m.curves[k] {
			if !(x >= last && x <= 1) {
				return false
			}
			last = x
		}
	}
	return true
}

// Digest is a hash of the model.
func (m *Model) Digest() []byte { return m.digest }
