package reread

import (
	"bytes"
	"compress/zlib"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"sotto/internal/ruledata"
)

//go:embed model.bin
var modelFile []byte

var packed = ruledata.Bytes("detectors/ner/reread/model.bin", modelFile)

// Builtin returns the model that is part of the program. If it does not load, the build is broken, and
// nothing may start.
var Builtin = sync.OnceValue(func() *Model {
	m, err := decode(packed)
	if err != nil {
		panic("embedded model: " + err.Error())
	}
	return m
})

// Bounds of a model, so that a broken file takes no memory.
const (
	maxWidth    = 512
	maxLayers   = 32
	maxDistance = 256
	maxWords    = 50_000
	maxBytes    = 64 << 20
)

var errModel = errors.New("not a model of the second reading")

// decode reads a model as research/reread/train.py writes it: compressed by zlib, all numbers little-endian.
func decode(data []byte) (*Model, error) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, errModel
	}
	raw, err := io.ReadAll(io.LimitReader(z, maxBytes))
	if err != nil {
		return nil, errModel
	}
	d := decoder{data: raw}
	width, layers, words := d.number(maxWidth), d.number(maxLayers), d.number(maxWords)
	if width == 0 || width%8 != 0 {
		return nil, errModel
	}
	m := &Model{width: width, layers: make([]layer, layers), words: make([]uint32, words)}
	for i := range m.layers {
		m.layers[i].distance = d.number(maxDistance)
	}
	word := uint32(0)
	for i := range m.words {
		word += d.uint32()
		m.words[i] = word
	}
	copy(m.shifts[:], d.bytes(NumFacts))
	rows := 0
	for k := range m.firstRow {
		m.firstRow[k] = rows
		rows += m.size(k)
	}
	if rows > math.MaxUint16 {
		return nil, fmt.Errorf("a model of the second reading with %d rows", rows)
	}
	m.vectors = make([]int8, rows*width)
	for i, b := range d.bytes(len(m.vectors)) {
		m.vectors[i] = int8(b)
	}
	m.bias = d.int16s(width)
	for i := range m.layers {
		m.layers[i].weights, m.layers[i].bias = d.int16s(width*3*width), d.int32s(width)
	}
	m.last = append(d.int16s(NumKinds*width), make([]int16, (paddedKinds-NumKinds)*width)...)
	copy(m.lastBias[:], d.int32s(NumKinds))
	if d.short || len(d.data) > 0 {
		return nil, errModel
	}
	return m, nil
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
