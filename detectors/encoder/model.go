package encoder

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"sotto/detectors/encoder/kernel"
)

// Magic begins every file of a model.
const Magic = "SOTTOENC"

// headWidth is how many numbers a head of attention has.
const headWidth = 32

// shapes and speakers are how many of them a model tells apart.
const (
	shapes   = 7
	speakers = 3
)

// Model is what a file has. It does not change, and may be used by many workers.
type Model struct {
	header header
	digest string
	vocabulary
	words, positions quantized
	shape, speaker   []float32
	gain, shift      []float32 // of the sum of the embeddings
	layers           []layer
	head             Head
	roles            *roleReader // nil if it does not tell them
}

// header says how large a model is, and what its labels are.
type header struct {
	Layers int      `json:"layers"`
	Heads  int      `json:"heads"`
	Inner  int      `json:"inner"`
	Window int      `json:"window"`
	Pieces int      `json:"pieces"`
	Labels []string `json:"labels"`
	Masked []bool   `json:"masked"`
}

func (h *header) width() int { return h.Heads * headWidth }

// quantized is a table of rows of bytes with a scale for each row.
type quantized struct {
	scales []float32
	values []byte
}

// linear is a layer's matrix with what turns its sums into numbers.
type linear struct {
	columns      kernel.Columns
	depth        int
	scales, bias []float32
}

type layer struct {
	in, out, inner, outer              linear // queries, keys and values; attention; the two of the inner layer
	gain, shift, innerGain, innerShift []float32
}

// Labels are the names of the labels, in the order of probabilities.
func (m *Model) Labels() []string { return m.header.Labels }

// Masked says whether the words of a label are personal.
func (m *Model) Masked(label int) bool { return m.header.Masked[label] }

// Digest is that of the file, in hexadecimal digits.
func (m *Model) Digest() string { return m.digest }

// Layers is how many it has.
func (m *Model) Layers() int { return m.header.Layers }

// Window is how many pieces the model sees at once.
func (m *Model) Window() int { return m.header.Window }

// Load reads a model, and keeps data: the embeddings and matrices are used where they are.
func Load(data []byte) (*Model, error) {
	m := &Model{}
	if err := m.load(data); err != nil {
		return nil, fmt.Errorf("model of the encoder: %w; write it again with training/encoder/export.py", err)
	}
	return m, nil
}

func (m *Model) load(data []byte) error {
	r, err := openFile(data, Magic)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	m.digest = hex.EncodeToString(sum[:])
	if err := m.header.read(r.block(64 << 10)); err != nil {
		return err
	}
	if err := m.vocabulary.read(r.block(4<<20), m.header.Pieces); err != nil {
		return err
	}
	if want := m.header.size(); len(r.rest) != want {
		return fmt.Errorf("its header asks for %d bytes of tensors, and it has %d", want, len(r.rest))
	}
	m.read(r)
	if r.wild {
		return errors.New("it has numbers that are infinite, or too large")
	}
	return nil
}

// openFile checks the mark and the digest of a file, and returns what is between.
func openFile(data []byte, magic string) (*reader, error) {
	if len(data) < len(magic)+sha256.Size || string(data[:len(magic)]) != magic {
		return nil, errors.New("the file does not begin with " + magic)
	}
	body := data[:len(data)-sha256.Size]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], data[len(body):]) {
		return nil, errors.New("the digest at its end is not that of the file")
	}
	return &reader{rest: body[len(magic):]}, nil
}

// sealFile returns a small file: its mark, a header as JSON behind its length, numbers, and the digest of all that.
func sealFile(magic string, header any, numbers ...[]float32) ([]byte, error) {
	text, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	data := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(text)))
	data = append(data, text...)
	for _, part := range numbers {
		for _, x := range part {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
	}
	sum := sha256.Sum256(data)
	return append(data, sum[:]...), nil
}

func (h *header) read(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(h); err != nil {
		return fmt.Errorf("its header: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("something follows its header")
	}
	for _, limit := range []struct {
		name                  string
		is, least, most, step int
	}{
		{"layers", h.Layers, 1, 48, 1},
		{"heads", h.Heads, 1, 32, 1},
		{"inner", h.Inner, 16, 8192, 16},
		{"window", h.Window, 32, 512, 16},
		{"pieces", h.Pieces, 2, 1 << 16, 1},
		{"labels", len(h.Labels), 2, 256, 1},
		{"masked", len(h.Masked), len(h.Labels), len(h.Labels), 1},
	} {
		if limit.is < limit.least || limit.is > limit.most || limit.is%limit.step != 0 {
			return fmt.Errorf("%s in its header is %d: it is from %d to %d and a multiple of %d",
				limit.name, limit.is, limit.least, limit.most, limit.step)
		}
	}
	return nil
}

// size is how many bytes all tensors have.
func (h *header) size() int {
	w := h.width()
	return 4*(h.Pieces+h.Window+(shapes+speakers+2)*w) + (h.Pieces+h.Window)*w +
		h.Layers*(4*(2*3*w+2*w+2*h.Inner+2*w+4*w)+4*w*w+2*h.Inner*w) +
		h.headSize()
}

// read reads the tensors in the order in which they are in the file.
func (m *Model) read(r *reader) {
	h := &m.header
	w := h.width()
	table := func(rows int) quantized {
		return quantized{scales: r.floats(rows), values: r.take(rows * w)}
	}
	matrix := func(depth, columns int) linear {
		return linear{
			scales: r.floats(columns), bias: r.floats(columns), depth: depth,
			columns: kernel.Columns{Values: r.take(depth * columns), Stride: depth * kernel.Panel},
		}
	}
	m.words, m.positions = table(h.Pieces), table(h.Window)
	m.shape, m.speaker = r.floats(shapes*w), r.floats(speakers*w)
	m.gain, m.shift = r.floats(w), r.floats(w)
	m.layers = make([]layer, h.Layers)
	for i := range m.layers {
		l := &m.layers[i]
		l.in, l.out = matrix(w, 3*w), matrix(w, w)
		l.gain, l.shift = r.floats(w), r.floats(w)
		l.inner, l.outer = matrix(w, h.Inner), matrix(h.Inner, w)
		l.innerGain, l.innerShift = r.floats(w), r.floats(w)
	}
	m.head = h.readHead(r)
}

// reader takes parts of a file one after the other. Only block may be asked for more than is left.
type reader struct {
	rest []byte
	wild bool // a number was infinite, none, or larger than those of any model
}

func (r *reader) take(n int) []byte {
	part := r.rest[:n:n]
	r.rest = r.rest[n:]
	return part
}

// block takes a part that begins with its length, or nothing if it is longer than the limit or the rest.
func (r *reader) block(limit int) []byte {
	if len(r.rest) < 4 {
		return nil
	}
	n := int(binary.LittleEndian.Uint32(r.take(4)))
	if n > min(limit, len(r.rest)) {
		return nil
	}
	return r.take(n)
}

func (r *reader) floats(n int) []float32 {
	part := r.take(4 * n)
	x := make([]float32, n)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(part[4*i:]))
		if !(x[i] > -largest && x[i] < largest) {
			r.wild = true
		}
	}
	return x
}

// largest keeps all results far from infinity, whatever a file has.
const largest = 1e4
