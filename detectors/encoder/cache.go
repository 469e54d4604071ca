package encoder

import "sotto/detectors/encoder/kernel"

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
		key := keys[head*headWidth:][:headWidth]
		to := k.Values[k.Place(0, position):]
		for i := 0; i < headWidth; i += kernel.Group {
			group := to[i*kernel.Panel:][:kernel.Group]
			group[0], group[1], group[2], group[3] = byte(key[i]), byte(key[i+1]), byte(key[i+2]), byte(key[i+3])
		}
		value := values[head*headWidth:][:headWidth]
		for i := 0; i < headWidth; i += kernel.Panel {
			to := v.Values[v.Place(position, i):][:(kernel.Panel-1)*kernel.Group+1]
			for j, x := range value[i : i+kernel.Panel] {
				to[j*kernel.Group] = byte(x)
			}
		}
	}
}
