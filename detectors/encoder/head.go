package encoder

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// HeadMagic begins every file of a head.
const HeadMagic = "SOTTOHED"

// Head is the last layer of a model: what it has learned of the labels, without what it has learned of the language.
type Head struct {
	// Weights has a row of Model.Width numbers for every label, and one for the beginning of a value.
	Weights []float32
	// Bias has a number for every row.
	Bias []float32
}

// headHeader says for which model a head was made.
type headHeader struct {
	Model  string   `json:"model"` // the digest
	Labels []string `json:"labels"`
}

// Width is how many numbers the last layer sees of a word.
func (m *Model) Width() int { return m.header.width() }

// Head returns a copy of the last layer.
func (m *Model) Head() Head {
	return Head{Weights: slices.Clone(m.head.Weights), Bias: slices.Clone(m.head.Bias)}
}

// EncodeHead returns the file of another head of the model, about 60 kB for the built-in one.
func (m *Model) EncodeHead(h Head) ([]byte, error) {
	if len(h.Weights) != len(m.head.Weights) || len(h.Bias) != len(m.head.Bias) {
		return nil, errors.New("encoder: the head has not as many numbers as that of the model")
	}
	return sealFile(HeadMagic, headHeader{Model: m.digest, Labels: m.header.Labels}, h.Weights, h.Bias)
}

// Adapt returns a model that has the head of a file and shares everything else with m.
func (m *Model) Adapt(data []byte) (*Model, error) {
	head, err := m.decodeHead(data)
	if err != nil {
		return nil, fmt.Errorf("last layer of the encoder: %w; make it again with 'sotto train'", err)
	}
	other := *m
	sum := sha256.Sum256(append([]byte(m.digest), data...))
	other.head, other.digest = head, hex.EncodeToString(sum[:])
	return &other, nil
}

func (m *Model) decodeHead(data []byte) (Head, error) {
	r, err := openFile(data, HeadMagic)
	if err != nil {
		return Head{}, err
	}
	var header headHeader
	if err := json.Unmarshal(r.block(64<<10), &header); err != nil {
		return Head{}, fmt.Errorf("its header: %w", err)
	}
	switch {
	case header.Model != m.digest, !slices.Equal(header.Labels, m.header.Labels):
		return Head{}, errors.New("it was made for another version of the encoder")
	case len(r.rest) != m.header.headSize():
		return Head{}, fmt.Errorf("the encoder asks for %d bytes of numbers, and it has %d", m.header.headSize(), len(r.rest))
	}
	head := m.header.readHead(r)
	if r.wild {
		return Head{}, errors.New("it has numbers that are infinite, or too large")
	}
	return head, nil
}

// headSize is how many bytes the numbers of a head have.
func (h *header) headSize() int { return 4 * (len(h.Labels) + 1) * (h.width() + 1) }

func (h *header) readHead(r *reader) Head {
	rows := len(h.Labels) + 1
	return Head{Weights: r.floats(rows * h.width()), Bias: r.floats(rows)}
}
