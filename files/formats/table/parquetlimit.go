package table

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// MaxDecoded is how many bytes a Parquet file may decode to, unless the caller wants less. A file
// of some kilobytes can hold gigabytes: by its compression, and by its encodings, which repeat a
// value at no cost.
const MaxDecoded = 4 << 30

// What a value, and what a part of the metadata, take in memory besides their bytes.
const (
	valueCost = 256
	partCost  = 1024
)

// ErrTooLarge means that a file decodes to more bytes than the caller permits.
var ErrTooLarge = errors.New("it decodes to more than may be in memory at once; split it")

// decodedLimit is how many bytes may still be decoded.
type decodedLimit int64

func (l *decodedLimit) take(n int64) error {
	if n < 0 || n > int64(*l) {
		return ErrTooLarge
	}
	*l -= decodedLimit(n)
	return nil
}

// metadata checks the footer. The library believes the lengths that it finds in there, so they are
// compared with what is left first.
func (l *decodedLimit) metadata(data []byte) error {
	if len(data) < 12 {
		return errParquet
	}
	end := len(data) - 8
	size := int(binary.LittleEndian.Uint32(data[end:]))
	if size > end-4 {
		return errParquet
	}
	footer := data[end-size : end]
	parts := thriftParts{data: footer}
	if parts.skipStruct(0); parts.broken {
		return errParquet
	}
	if err := l.take(int64(parts.count) * partCost); err != nil {
		return err
	}
	m := &format.FileMetaData{}
	if thrift.Unmarshal(&thrift.CompactProtocol{}, footer, m) != nil {
		return errParquet
	}
	for i := range m.Schema {
		if n := m.Schema[i].NumChildren; n.Valid && (n.V < 0 || int(n.V) > len(m.Schema)) {
			return errParquet
		}
	}
	return nil
}

// pages takes what all pages of an open file decode to.
func (l *decodedLimit) pages(data []byte, f *parquet.File) error {
	columns := f.Schema().Columns()
	groups := f.Metadata().RowGroups
	for i := range groups {
		if len(groups[i].Columns) != len(columns) {
			return errParquet
		}
		for k := range groups[i].Columns {
			m := &groups[i].Columns[k].MetaData
			from := m.DataPageOffset
			if m.DictionaryPageOffset != 0 {
				from = m.DictionaryPageOffset
			}
			if from < 0 || from > int64(len(data)) || m.TotalCompressedSize < 0 {
				return errParquet
			}
			leaf, _ := f.Schema().Lookup(columns[k]...)
			c := pageColumn{leaf: leaf, codec: m.Codec}
			if err := c.check(l, data[from:min(int64(len(data)), from+m.TotalCompressedSize)]); err != nil {
				return err
			}
		}
	}
	return nil
}

// pageColumn is a column whose pages are checked.
type pageColumn struct {
	leaf  parquet.LeafColumn
	codec format.CompressionCodec
}

func (c *pageColumn) check(l *decodedLimit, data []byte) error {
	for len(data) > 0 {
		parts := thriftParts{data: data}
		if parts.skipStruct(0); parts.broken {
			return errParquet
		}
		h := &format.PageHeader{}
		if thrift.Unmarshal(&thrift.CompactProtocol{}, data[:parts.at], h) != nil {
			return errParquet
		}
		data = data[parts.at:]
		if h.CompressedPageSize < 0 || int(h.CompressedPageSize) > len(data) || h.UncompressedPageSize < 0 {
			return errParquet
		}
		if err := l.take(int64(h.UncompressedPageSize) + int64(parts.count)*partCost); err != nil {
			return err
		}
		if err := c.page(l, h, data[:h.CompressedPageSize]); err != nil {
			return err
		}
		data = data[h.CompressedPageSize:]
	}
	return nil
}

func (c *pageColumn) page(l *decodedLimit, h *format.PageHeader, data []byte) (err error) {
	switch {
	case h.DictionaryPageHeader.Valid:
		if err = l.take(int64(h.DictionaryPageHeader.V.NumValues) * valueCost); err != nil {
			return err
		}
		_, err = decompress(c.codec, data, int(h.UncompressedPageSize))
		return err
	case h.DataPageHeader.Valid:
		p := &h.DataPageHeader.V
		if err = l.take(int64(p.NumValues) * valueCost); err != nil {
			return err
		}
		if data, err = decompress(c.codec, data, int(h.UncompressedPageSize)); err != nil {
			return err
		}
		for _, levels := range []struct {
			max int
			enc format.Encoding
		}{{c.leaf.MaxRepetitionLevel, p.RepetitionLevelEncoding}, {c.leaf.MaxDefinitionLevel, p.DefinitionLevelEncoding}} {
			if levels.max == 0 {
				continue
			}
			if len(data) < 4 || int(binary.LittleEndian.Uint32(data)) > len(data)-4 {
				return errParquet
			}
			n := 4 + int(binary.LittleEndian.Uint32(data))
			if levels.enc == format.RLE && !runsWithin(data[4:n], levels.max, int(p.NumValues)) {
				return errParquet
			}
			data = data[n:]
		}
		return c.values(l, data, p.Encoding, int(p.NumValues))
	case h.DataPageHeaderV2.Valid:
		return c.pageV2(l, h, data)
	}
	return errParquet
}

// pageV2 checks a page whose levels are not compressed.
func (c *pageColumn) pageV2(l *decodedLimit, h *format.PageHeader, data []byte) error {
	p := &h.DataPageHeaderV2.V
	if err := l.take(int64(p.NumValues) * valueCost); err != nil {
		return err
	}
	for _, levels := range []struct {
		max  int
		size int32
	}{{c.leaf.MaxRepetitionLevel, p.RepetitionLevelsByteLength}, {c.leaf.MaxDefinitionLevel, p.DefinitionLevelsByteLength}} {
		if levels.size < 0 || int(levels.size) > len(data) {
			return errParquet
		}
		if levels.max > 0 && !runsWithin(data[:levels.size], levels.max, int(p.NumValues)) {
			return errParquet
		}
		data = data[levels.size:]
	}
	if !p.IsCompressed.Valid || p.IsCompressed.V {
		var err error
		if data, err = decompress(c.codec, data, int(h.UncompressedPageSize)); err != nil {
			return err
		}
	}
	return c.values(l, data, p.Encoding, int(p.NumValues))
}

// values checks the encodings that can say more with less bytes.
func (c *pageColumn) values(l *decodedLimit, data []byte, enc format.Encoding, most int) error {
	ok := true
	switch enc {
	case format.Plain, format.ByteStreamSplit, format.BitPacked:
	case format.PlainDictionary, format.RLEDictionary: //nolint:staticcheck // files have the deprecated one, too
		ok = len(data) == 0 || runsOfWidth(data[1:], int(data[0]), most)
	case format.RLE:
		ok = len(data) >= 4 && runsOfWidth(data[4:], 1, most)
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		_, ok = skipDeltas(data, most)
	case format.DeltaByteArray:
		suffixes, first := skipDeltas(data, most)
		_, second := skipDeltas(suffixes, most)
		if ok = first && second; ok {
			return l.take(int64(parquet.DeltaByteArray.EstimateDecodeByteArraySize(slices.Clone(data))))
		}
	default:
		ok = false
	}
	if !ok {
		return errParquet
	}
	return nil
}
