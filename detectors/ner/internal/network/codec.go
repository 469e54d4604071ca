package network

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"sotto/detectors/ner/internal/sequence"
)

// Bounds of a network, so that a broken file takes no memory.
const (
	maxWidth    = 512
	maxLayers   = 32
	maxDistance = 256
	maxWords    = 50_000
	maxBytes    = 64 << 20
)

var errNetwork = errors.New("not a network")

// Decode reads a network as research/network.py writes it: compressed by zlib, all numbers little-endian.
// tables are the numbers of rows of its tables; that of the first, the table of words, is in the file.
func Decode(data []byte, tables []int) (*Network, error) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, errNetwork
	}
	raw, err := io.ReadAll(io.LimitReader(z, maxBytes))
	if err != nil {
		return nil, errNetwork
	}
	d := decoder{data: raw}
	width, layers, words := d.number(maxWidth), d.number(maxLayers), d.number(maxWords)
	if width == 0 || width%16 != 0 {
		return nil, errNetwork
	}
	n := &Network{width: width, layers: make([]layer, layers), words: make([]uint32, words)}
	for i := range n.layers {
		n.layers[i].distance = d.number(maxDistance)
	}
	word := uint32(0)
	for i := range n.words {
		word += d.uint32()
		n.words[i] = word
	}
	shifts := d.bytes(len(tables)) // by how much the bytes of a table's vectors are shifted to be activations
	rows := 0
	for k, size := range tables {
		if k == 0 {
			size = words + 1
		}
		n.tables, n.firstRow = append(n.tables, size), append(n.firstRow, rows)
		rows += size
	}
	if rows > math.MaxUint16 {
		return nil, fmt.Errorf("a network with %d rows", rows)
	}
	n.vectors = make([]uint64, rows*width/4)
	for k, size := range n.tables {
		first := n.firstRow[k] * width
		for i, b := range d.bytes(size * width) {
			v := int(int8(b)) << (shifts[k] & 31)
			if v <= -laneZero || v >= laneZero {
				return nil, errNetwork
			}
			n.vectors[(first+i)/4] |= uint64(v+laneZero) << ((first + i) % 4 * 16)
		}
	}
	n.bias = d.int16s(width)
	for i := range n.layers {
		n.layers[i].weights, n.layers[i].bias = d.int16s(width*3*width), d.int32s(width)
	}
	n.last = append(d.int16s(sequence.NumKinds*width), make([]int16, (paddedKinds-sequence.NumKinds)*width)...)
	copy(n.lastBias[:], d.int32s(sequence.NumKinds))
	if d.short || len(d.data) > 0 {
		return nil, errNetwork
	}
	return n, nil
}

// decoder takes numbers from data; short reports that there were too few.
type decoder struct {
	data  []byte
	short bool
}

// bytes takes n bytes; they are 0 if there are fewer.
func (d *decoder) bytes(n int) []byte {
	if d.short || n > len(d.data) {
		d.short = true
		return make([]byte, n)
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

func (d *decoder) uint32() uint32 { return binary.LittleEndian.Uint32(d.bytes(4)) }

// number takes a number of at most most; a larger one is no model.
func (d *decoder) number(most uint32) int {
	n := d.uint32()
	if n > most {
		d.short, n = true, 0
	}
	return int(n)
}

func (d *decoder) int16s(n int) []int16 {
	out := make([]int16, n)
	for i, b := 0, d.bytes(2*n); i < n; i++ {
		out[i] = int16(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return out
}

func (d *decoder) int32s(n int) []int32 {
	out := make([]int32, n)
	for i, b := 0, d.bytes(4*n); i < n; i++ {
		out[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}
