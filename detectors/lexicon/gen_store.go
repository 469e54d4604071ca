//go:build ignore

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"regexp"
)

// shape is that of a word.
var shape = regexp.MustCompile(`^[a-z][a-z'-]*$`)

// must is for whoever cannot go on after an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// readJSON reads a JSON file into v.
func readJSON(path string, v any) {
	if err := json.Unmarshal(must(os.ReadFile(path)), v); err != nil {
		log.Fatal(err)
	}
}

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
	z := must(gzip.NewWriterLevel(&out, gzip.BestCompression))
	must(z.Write(raw.Bytes()))
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
	log.Print(path, ": ", len(sorted), " entries, ", out.Len(), " bytes")
}
