package encoder

import (
	"encoding/binary"

	"sotto/detectors/encoder/kernel"
)

// cache has the keys and values of a window: what later pieces need of earlier ones. They are integers,
// with a scale for every position and head.
type cache struct {
	window int
	layers []layerCache
}

// layerCache has, head after head, the keys as columns of a matrix, where a column is a position, and the
// values as columns where a row is a position.
type layerCache struct {
	keys, values           []byte
	keyScales, valueScales []float32
}

func newCache(h *header) *cache {
	c := &cache{window: h.Window, layers: make([]layerCache, h.Layers)}
	for i := range c.layers {
		c.layers[i] = layerCache{
			keys: make([]byte, h.Window*h.width()), values: make([]byte, h.Window*h.width()),
			keyScales: make([]float32, h.Window*h.Heads), valueScales: make([]float32, h.Window*h.Heads),
		}
	}
	return c
}

// of returns the keys of a head, its values, and their scales.
func (c *cache) of(layer, head int) (keys, values kernel.Columns, keyScales, valueScales []float32) {
	l, n := &c.layers[layer], c.window*headWidth
	keys = kernel.Columns{Values: l.keys[head*n:][:n], Stride: headWidth * kernel.Panel}
	values = kernel.Columns{Values: l.values[head*n:][:n], Stride: c.window * kernel.Panel}
	return keys, values, l.keyScales[head*c.window:][:c.window], l.valueScales[head*c.window:][:c.window]
}

// put stores the keys and values of a position: integers of all heads, and their scales.
func (c *cache) put(layer, position int, keys, values []int16, keyScales, valueScales []float32) {
	for head := range keyScales {
		k, v, ks, vs := c.of(layer, head)
		ks[position], vs[position] = keyScales[head], valueScales[head]
		putKey(k.Values[k.Place(0, position):], (*[headWidth]int16)(keys[head*headWidth:]))
		value := values[head*headWidth:]
		for i := 0; i < headWidth; i += kernel.Panel {
			putValue((*[kernel.Group * kernel.Panel]byte)(v.Values[v.Place(position&^(kernel.Group-1), i):]), position%kernel.Group,
				(*[kernel.Panel]int16)(value[i:]))
		}
	}
}

// putKey stores a column, group by group.
func putKey(to []byte, key *[headWidth]int16) {
	const step = kernel.Group * kernel.Panel
	to = to[:(headWidth/kernel.Group-1)*step+kernel.Group]
	for i := 0; i < headWidth; i += kernel.Group {
		group := uint32(uint8(key[i])) | uint32(uint8(key[i+1]))<<8 | uint32(uint8(key[i+2]))<<16 | uint32(uint8(key[i+3]))<<24
		binary.LittleEndian.PutUint32(to[i/kernel.Group*step:], group)
	}
}

// putValue stores a row of a group of a panel.
func putValue(group *[kernel.Group * kernel.Panel]byte, row int, value *[kernel.Panel]int16) {
	for i, x := range value {
		group[(i*kernel.Group+row)%len(group)] = byte(x) // the remainder is for the compiler, which then checks nothing
	}
}
