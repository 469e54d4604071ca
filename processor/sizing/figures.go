package sizing

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Figure is something that a benchmark measures.
type Figure struct {
	Key     string // in measured.json
	Name    string
	Unit    string
	Command string // the benchmark
	Metric  string // its unit in the benchmark's output
}

const (
	streamBench  = "go test ./processor -run '^$' -bench 'Stream$/generated/sotto$' -benchtime 3x -cpu 2"
	restoreBench = "go test ./processor -run '^$' -bench Restore -benchtime 3x -cpu 2"
	engineBench  = "go test ./processor/sizing -run '^$' -bench . -cpu 1"
)

var (
	streamRate  = Figure{"stream_rate", "records per second from the raw topic to the commit, two cores, with `SOTTO_READING=fast`", "records/s", streamBench, "records/s"}
	detectRate  = Figure{"detect_rate", "utterances of generated calls per second on one core, with the codec and the encoder", "utterances/s", engineBench, "utterances/s"}
	fastRate    = Figure{"fast_rate", "the same with `SOTTO_READING=fast`", "utterances/s", engineBench, "fast-utterances/s"}
	restoreRate = Figure{"restore_rate", "calls restored per second", "calls/s", restoreBench, "calls/s"}
	stateBytes  = Figure{"state_bytes", "size of a call's sealed state", "bytes", restoreBench, "bytes/call"}
	callBytes   = Figure{"call_bytes", "memory of an open call without recent events", "bytes", restoreBench, "heap-bytes/call"}
	awakeBytes  = Figure{"awake_bytes", "memory of the state of a call with recent events, in addition", "bytes", engineBench, "heap-bytes/awake-call"}
	rawBytes    = Figure{"raw_bytes", "raw event of twelve words, Avro", "bytes", engineBench, "raw-bytes"}
	cleanBytes  = Figure{"clean_bytes", "clean event of twelve words, Avro", "bytes", engineBench, "clean-bytes"}
	stateShare  = Figure{"state_share", "utterances that write the state of their call", "share", engineBench, "states/utterance"}

	// packed are the sizes by SOTTO_KAFKA_COMPRESSION.
	packed = map[string]Figure{"none": packedShare("none"), "gzip": packedShare("gzip"), "snappy": packedShare("snappy"), "lz4": packedShare("lz4"), "zstd": packedShare("zstd")}
)

func packedShare(compression string) Figure {
	return Figure{"packed_" + compression, "size of a batch of 100 events of as many calls, with their keys and headers, to that of the events alone, with " + compression, "share", engineBench, "packed-" + compression}
}

// Figures lists everything that is measured.
func Figures() []Figure {
	return []Figure{streamRate, detectRate, fastRate, restoreRate, stateBytes, callBytes, awakeBytes, rawBytes, cleanBytes, stateShare,
		packed["none"], packed["gzip"], packed["snappy"], packed["lz4"], packed["zstd"]}
}

// Measurement is the content of measured.json: the value of each figure by its key, and where and
// when it was measured.
type Measurement struct {
	Date    string             `json:"date"`
	Machine string             `json:"machine"`
	Figures map[string]float64 `json:"figures"`
}

//go:embed measured.json
var measuredFile []byte

// Measured is what 'make measure' has written.
var Measured = mustRead(measuredFile)

// mustRead panics on a file that lacks a figure: it is part of the program.
func mustRead(file []byte) Measurement {
	var m Measurement
	if err := json.Unmarshal(file, &m); err != nil {
		panic(fmt.Sprintf("processor/sizing/measured.json: %v", err))
	}
	for _, f := range Figures() {
		if m.Figures[f.Key] <= 0 {
			panic(fmt.Sprintf("processor/sizing/measured.json has no %s: run make measure", f.Key))
		}
	}
	return m
}

// IsSpeed reports whether the figure depends on the machine and on what else it does.
func (f Figure) IsSpeed() bool { return strings.HasSuffix(f.Unit, "/s") }

func (f Figure) value() float64 { return Measured.Figures[f.Key] }

// String is the value with its unit.
func (f Figure) String() string {
	return strconv.FormatFloat(f.value(), 'f', -1, 64) + " " + f.Unit
}

// Round keeps two digits of a value: a second measurement differs in the rest.
func Round(value float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(value))-1)
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(math.Round(value/unit)*unit, 'g', 2, 64), 64)
	return rounded
}
