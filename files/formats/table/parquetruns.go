package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// decompress decompresses a page, which may not have more bytes than its header says.
func decompress(codec format.CompressionCodec, data []byte, most int) ([]byte, error) {
	switch codec {
	case format.Uncompressed:
		return data, nil
	case format.Snappy:
		if n, err := snappy.DecodedLen(data); err != nil || n > most {
			return nil, errParquet
		}
		return whole(snappy.Decode(nil, data))
	case format.Gzip:
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, errParquet
		}
		return readMost(r, most)
	case format.Brotli:
		return readMost(brotli.NewReader(bytes.NewReader(data)), most)
	case format.Zstd:
		r, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, errParquet
		}
		defer r.Close()
		return readMost(r, most)
	case format.Lz4Raw:
		// The library tries ever larger buffers if this one is too small.
		out := make([]byte, most)
		n, err := lz4.UncompressBlock(data, out)
		return whole(out[:max(0, n)], err)
	}
	return nil, errParquet
}

func whole(data []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, errParquet
	}
	return data, nil
}

func readMost(r io.Reader, most int) ([]byte, error) {
	data := make([]byte, most+1)
	n, err := io.ReadFull(r, data)
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) { // it is longer, or broken
		return nil, errParquet
	}
	return data[:n], nil
}

// maxWindow is the largest window that a page compressed with zstd may need. Writers use 8 MiB.
const maxWindow = 32 << 20

// runsWithin reports whether levels of at most max have not more than most values.
func runsWithin(data []byte, highest, most int) bool {
	return runsOfWidth(data, bits.Len(uint(highest)), most)
}

// runsOfWidth reports whether the hybrid of runs and packed bits, of width bits each, has not more
// than most values, but for those that fill the last group.
func runsOfWidth(data []byte, width, most int) bool {
	if width > 32 {
		return false
	}
	total := 0
	for len(data) > 0 {
		header, n := binary.Uvarint(data)
		if n <= 0 || header>>1 > uint64(most)+8 {
			return false
		}
		data = data[n:]
		count, size := int(header>>1), (width+7)/8
		if header&1 != 0 {
			count, size = 8*count, count*width
		}
		if total += count; total > most+8*maxGroups {
			return false
		}
		data = data[min(size, len(data)):]
	}
	return true
}

// maxGroups is how many groups of eight values a writer may fill up after the last value.
const maxGroups = 64

// skipDeltas returns what follows a sequence of packed differences, if it has not more than most
// values.
func skipDeltas(data []byte, most int) (rest []byte, ok bool) {
	var head [3]uint64 // the size of a block, the miniblocks in it, and the values
	for i := range head {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			return nil, false
		}
		head[i], data = v, data[n:]
	}
	block, minis, left := head[0], head[1], head[2]
	_, n := binary.Varint(data) // the first value
	if n <= 0 || left > uint64(most) || block > 1<<20 || minis == 0 || minis > block {
		return nil, false
	}
	data = data[n:]
	perMini := int(block / minis)
	for values := int(left) - 1; values > 0; {
		_, n := binary.Varint(data)
		if n <= 0 || n+int(minis) > len(data) {
			return nil, false
		}
		widths := data[n : n+int(minis)]
		data = data[n+int(minis):]
		for _, w := range widths {
			if values <= 0 {
				break
			}
			data = data[min(len(data), perMini*int(w)/8):]
			values -= perMini
		}
	}
	return data, true
}

// thriftParts walks over a structure of Thrift's compact protocol and counts its parts. It is broken if a
// length is more than what is left.
type thriftParts struct {
	data      []byte
	at, count int
	broken    bool
}

// maxThriftDepth is how deep structures may be nested.
const maxThriftDepth = 32

func (t *thriftParts) varint() uint64 {
	v, n := binary.Uvarint(t.data[t.at:])
	t.broken = t.broken || n <= 0
	t.at += max(n, 0)
	return v
}

func (t *thriftParts) bytes(n uint64) {
	if n > uint64(len(t.data)-t.at) {
		t.broken = true
		return
	}
	t.at += int(n)
}

func (t *thriftParts) byte() byte {
	if t.bytes(1); t.broken {
		return 0
	}
	return t.data[t.at-1]
}

func (t *thriftParts) skipStruct(depth int) {
	t.count++
	t.broken = t.broken || depth > maxThriftDepth
	for head := t.byte(); head != 0 && !t.broken; head = t.byte() {
		if head>>4 == 0 { // the ID of the field follows
			t.varint()
		}
		if kind := head & 0xf; kind > 2 { // a field that is a truth value has it in its type
			t.skip(kind, depth+1)
		}
	}
}

func (t *thriftParts) skip(kind byte, depth int) {
	switch kind {
	case 1, 2, 3: // a truth value in a list, a byte
		t.bytes(1)
	case 4, 5, 6:
		t.varint()
	case 7:
		t.bytes(8)
	case 8:
		t.bytes(t.varint())
	case 9, 10:
		t.skipList(depth)
	case 12:
		t.skipStruct(depth)
	default: // Parquet has no maps
		t.broken = true
	}
}

func (t *thriftParts) skipList(depth int) {
	head := t.byte()
	n := uint64(head >> 4)
	if n == 0xf {
		n = t.varint()
	}
	t.broken = t.broken || depth > maxThriftDepth || n > uint64(len(t.data)-t.at)
	for ; n > 0 && !t.broken; n-- {
		t.skip(head&0xf, depth+1)
	}
}
