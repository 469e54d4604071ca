package main

import (
	"bytes"
	"strings"
	"testing"
)

const printed = `goos: linux
cpu: some processor
BenchmarkStream/generated/engine-2  	 1	41 ns/op	 50000 records/s	 20 cpu-us/record
BenchmarkStream/generated/sotto-2-sessions-2  	 1	70 ns/op	 60000 records/s	 25 cpu-us/record	 5 broker-us/record
BenchmarkPlain  	 123	 9000 ns/op	 1200000 tokens/s	 0 B/op	 0 allocs/op
PASS
`

func TestFiguresOfTheBenchmarks(t *testing.T) {
	f := figures{}
	parse(strings.NewReader(printed), f)
	f.derive(2)
	for name, want := range map[string]float64{
		"Stream/generated/engine records/s":                    50000,
		"Stream/generated/sotto-2-sessions records/s":          60000,
		"Stream/generated/engine possible-records/s":           50000,
		"Stream/generated/sotto-2-sessions possible-records/s": 2e6 / 30,
		"Plain tokens/s": 1200000, "Plain allocs/op": 0,
	} {
		if got, ok := f[name]; !ok || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// A ratio is the median of the ratios of the rounds, not the ratio of the medians.
func TestTableTakesRatiosWithinARound(t *testing.T) {
	rounds := []figures{{"a x": 10, "b x": 5}, {"a x": 300, "b x": 100}, {"a x": 4, "b x": 1}}
	var out bytes.Buffer
	rows := []row{{what: "first", figure: "a x", unit: "records/s", over: "b x", of: "second"}, {what: "absent", figure: "c x"}}
	if err := writeTable(&out, rows, rounds); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "10 records/s") || !strings.Contains(got, "3.00 x second") || strings.Contains(got, "absent") {
		t.Errorf("the table is\n%s", got)
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 3.14159: "3.14", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := number(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
