package sequence

// Index numbers features by their 32-bit hash, in an open-addressing table.
type Index struct {
	keys []uint32
	ids  []int32
	Len  int
}

// NewIndex makes an empty index for up to n features.
func NewIndex(n int) *Index {
	size := 1
	for size*2 < n*3 {
		size *= 2
	}
	return &Index{keys: make([]uint32, size), ids: make([]int32, size)}
}

// Add returns the number of a feature, a new one if it was not there.
func (x *Index) Add(h uint32) int32 {
	mask := uint32(len(x.keys) - 1)
	for i := mix(h) & mask; ; i = (i + 1) & mask {
		switch {
		case x.ids[i] == 0:
			x.Len++
			x.keys[i], x.ids[i] = h, int32(x.Len)
			return int32(x.Len - 1)
		case x.keys[i] == h:
			return x.ids[i] - 1
		}
	}
}

// Get returns the number of a feature, -1 if it is not there.
func (x *Index) Get(h uint32) int32 {
	mask := uint32(len(x.keys) - 1)
	for i := mix(h) & mask; x.ids[i] != 0; i = (i + 1) & mask {
		if x.keys[i] == h {
			return x.ids[i] - 1
		}
	}
	return -1
}

func mix(h uint32) uint32 { return h * 0x9e3779b1 >> 3 }
