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

// thriftParts walks over a structure of Thrift's compact protocol and counts its parts. It fails if
// a length is more than what is left.
type thriftParts struct {
	data  []byte
	at    int
	count int
}

// maxThriftDepth is how deep structures may be nested.
const maxThriftDepth = 32

func (t *thriftParts) varint() (uint64, bool) {
	v, n := binary.Uvarint(t.data[t.at:])
	if n <= 0 {
		return 0, false
	}
	t.at += n
	return v, true
}

func (t *thriftParts) bytes(n uint64) bool {
	if n > uint64(len(t.data)-t.at) {
		return false
	}
	t.at += int(n)
	return true
}

func (t *thriftParts) skipStruct(depth int) bool {
	t.count++
	if depth > maxThriftDepth {
		return false
	}
	for t.at < len(t.data) {
		head := t.data[t.at]
		t.at++
		if head == 0 {
			return true
		}
		if head>>4 == 0 { // the ID of the field follows
			if _, ok := t.varint(); !ok {
				return false
			}
		}
		// A field that is a truth value has it in its type.
		if kind := head & 0xf; kind > 2 && !t.skip(kind, depth+1) {
			return false
		}
	}
	return false
}

func (t *thriftParts) skip(kind byte, depth int) bool {
	switch kind {
	case 1, 2, 3: // a truth value in a list, a byte
		return t.bytes(1)
	case 4, 5, 6:
		_, ok := t.varint()
		return ok
	case 7:
		return t.bytes(8)
	case 8:
		n, ok := t.varint()
		return ok && t.bytes(n)
	case 9, 10:
		return t.skipList(depth)
	case 12:
		return t.skipStruct(depth)
	}
	return false // Parquet has no maps
}

func (t *thriftParts) skipList(depth int) bool {
	if depth > maxThriftDepth || t.at >= len(t.data) {
		return false
	}
	head := t.data[t.at]
	t.at++
	n := uint64(head >> 4)
	if n == 0xf {
		var ok bool
		if n, ok = t.varint(); !ok {
			return false
		}
	}
	if n > uint64(len(t.data)-t.at) {
		return false
	}
	for range n {
		if !t.skip(head&0xf, depth+1) {
			return false
		}
	}
	return true
}
