package main

import (
	"maps"
	"testing"
)

func TestMetrics(t *testing.T) {
	got, err := metrics(`goos: linux
BenchmarkRestore-2   	       3	         0 ns/op	       712.4 bytes/call	      4903 heap-bytes/call	     31207 calls/s
PASS
ok  	sotto/processor	12.3s
`)
	want := map[string]float64{"ns/op": 0, "bytes/call": 712.4, "heap-bytes/call": 4903, "calls/s": 31207}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := metrics("BenchmarkX-2 3 many bytes"); err == nil {
		t.Error("a word is taken for a number")
	}
}
