//go:build ignore

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"log"
	"os"
	"regexp"
)

// shape is that of a word.
var shape = regexp.MustCompile(`^[a-z][a-z'-]*$`)

// store writes the count, the sorted words front-coded (32 + bytes shared with
// the word before, rest, line feed) and the columns, compressed.
func store(path string, sorted []string, columns []byte) {
	var raw bytes.Buffer
	fmt.Fprintf(&raw, "%d\n", len(sorted))
	before := ""
	for _, w := range sorted {
		k := 0
		for k < min(len(before), len(w)) && before[k] == w[k] {
			k++
		}
		raw.WriteByte(byte(k) + 32) // no line feed
		raw.WriteString(w[k:])
		raw.WriteByte('\n')
		before = w
	}
	raw.Write(columns)
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if _, err := z.Write(raw.Bytes()); err != nil {
		log.Fatal(err)
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
	log.Print(path, ": ", len(sorted), " entries, ", out.Len(), " bytes")
}
