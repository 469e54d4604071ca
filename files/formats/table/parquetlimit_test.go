package table

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
)

type wideRow struct {
	Speaker string  `parquet:"speaker"`
	Text    string  `parquet:"text"`
	Note    *string `parquet:"note,optional"`
}

// parquetFile writes rows with an encoding of the texts and a compression.
func parquetFile(t testing.TB, rows []wideRow, enc encoding.Encoding, codec compress.Codec) []byte {
	t.Helper()
	text := parquet.Encoded(parquet.String(), enc)
	schema := parquet.NewSchema("calls", parquet.Group{"speaker": parquet.String(), "text": text, "note": parquet.Optional(parquet.String())})
	var file bytes.Buffer
	w := parquet.NewGenericWriter[wideRow](&file, schema, parquet.Compression(codec))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

var encodings = map[string]encoding.Encoding{"plain": &parquet.Plain, "dictionary": &parquet.RLEDictionary,
	"delta": &parquet.DeltaByteArray, "lengths": &parquet.DeltaLengthByteArray}

var codecs = map[string]compress.Codec{"none": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "brotli": &parquet.Brotli,
	"zstd": &parquet.Zstd, "lz4": &parquet.Lz4Raw}

// A file that decodes to far more than its size is refused, whatever makes it small, and before it
// is decoded. A file that decodes to what is permitted is read.
func TestParquetDecodedBytesAreBounded(t *testing.T) {
	const most = 16 << 20
	bomb := make([]wideRow, 400)
	for i := range bomb {
		bomb[i].Text = strings.Repeat("a", 100_000)
	}
	note := "said by Ines"
	usual := make([]wideRow, 1000)
	for i := range usual {
		usual[i] = wideRow{"agent", strings.Repeat("This is Ines. ", i%50), nil}
		if i%7 == 0 {
			usual[i].Note = &note
		}
	}
	for e, enc := range encodings {
		for c, codec := range codecs {
			t.Run(e+"/"+c, func(t *testing.T) {
				if d, err := ReadParquet(parquetFile(t, usual, enc, codec), Columns{}, most); err != nil || len(d.Calls[0].Turns) != len(usual) {
					t.Errorf("an ordinary file: %v", err)
				}
				file := parquetFile(t, bomb, enc, codec)
				if len(file) > most {
					return
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := ReadParquet(file, Columns{}, most)
				runtime.ReadMemStats(&after)
				if !errors.Is(err, ErrTooLarge) {
					t.Errorf("%d bytes: %v", len(file), err)
				}
				if took := after.TotalAlloc - before.TotalAlloc; took > 6*most {
					t.Errorf("%d bytes allocated %d MiB", len(file), took>>20)
				}
			})
		}
	}
}

// Lengths and counts that a file only claims to have allocate nothing.
func TestParquetClaimsAreNotBelieved(t *testing.T) {
	isStruct := func(data ...byte) bool {
		parts := thriftParts{data: data}
		parts.skipStruct(0)
		return !parts.broken
	}
	for name, c := range map[string]struct {
		ok bool
	}{
		"a list of 2^31 parts":   {isStruct(0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00)},
		"a string of 2^31 bytes": {isStruct(0x18, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00)},
		"a run of 2^30 values":   {runsOfWidth([]byte{0x80, 0x80, 0x80, 0x80, 0x08, 0x00}, 1, 1000)},
		"2^30 packed differences": {func() bool {
			_, ok := skipDeltas([]byte{0x80, 0x01, 0x04, 0x80, 0x80, 0x80, 0x80, 0x04, 0x00}, 1000)
			return ok
		}()},
	} {
		if c.ok {
			t.Errorf("%s pass", name)
		}
	}
	// A page that decompresses to more than its header says.
	zeros := make([]byte, 16<<20)
	for name, codec := range codecs {
		if name == "none" {
			continue
		}
		packed, err := codec.Encode(nil, zeros)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decompress(codec.CompressionCodec(), packed, 1<<20); err == nil {
			t.Errorf("%s: the header of a page is not believed, but its bytes are", name)
		}
		if got, err := decompress(codec.CompressionCodec(), packed, len(zeros)); err != nil || len(got) != len(zeros) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

// A broken file is refused or read, and never decodes to more than is permitted.
func FuzzParquet(f *testing.F) {
	for _, enc := range encodings {
		f.Add(parquetFile(f, []wideRow{{"agent", "This is Ines.", nil}}, enc, &parquet.Snappy))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = ReadParquet(data, Columns{}, 1<<20)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
			t.Errorf("%d bytes allocated %d MiB", len(data), took>>20)
		}
	})
}
