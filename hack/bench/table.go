package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// figures are the metrics of one round, by benchmark and unit: "Stream/generated/sotto records/s".
type figures map[string]float64

// parse reads what `go test -bench` prints.
func parse(printed io.Reader, into figures) {
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(fields[0], "Benchmark")
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			if _, err := strconv.Atoi(name[i+1:]); err == nil {
				name = name[:i] // GOMAXPROCS
			}
		}
		for i := 2; i+1 < len(fields); i += 2 {
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
				into[name+" "+fields[i+1]] = v
			}
		}
	}
}

// derive adds the records per second that the processor time of a record permits: for the engine on
// one core, for a stream on all cores, which it shares with the brokers. Times of processors, other
// than those of clocks, depend little on what else the machine does.
func (f figures) derive(cores int) {
	for name, own := range maps.Clone(f) {
		at, ok := strings.CutSuffix(name, cpuPerRecord)
		if !ok {
			continue
		}
		n, all := 1, own
		if !strings.HasSuffix(at, "/engine") {
			n, all = cores, own+f[at+brokerPerRecord]
		}
		f[at+possible] = float64(n) * 1e6 / all
	}
}

// Units of the stream's benchmarks and of the rows that derive adds.
const (
	cpuPerRecord    = " cpu-us/record"
	brokerPerRecord = " broker-us/record"
	possible        = " possible-records/s"
)

// row is a line of the table.
type row struct {
	what, figure, unit string
	// over is the figure that the ratio divides by, "" for none, and of says what it is.
	over, of string
}

func engineRows() []row {
	var rows []row
	for _, set := range []struct{ name, tiers, rules, regexps string }{
		{"generated", "Generated/tiers", "Generated/rules", "Generated/regexps"},
		{"corpus", "AllConversations", "AllConversationsByRule", "FortyRegexps"},
	} {
		const speed = " utterances/s"
		rows = append(rows,
			row{what: "engine, one core, all tiers, " + set.name, figure: set.tiers + speed, unit: "utterances/s", over: set.regexps + speed, of: "regexps"},
			row{what: "engine, one core, rules, " + set.name, figure: set.rules + speed, unit: "utterances/s", over: set.regexps + speed, of: "regexps"},
			row{what: "forty regular expressions, " + set.name, figure: set.regexps + speed, unit: "utterances/s"},
		)
	}
	return append(rows,
		row{what: "text without findings, one core", figure: "Plain tokens/s", unit: "tokens/s"},
		row{what: "allocations of a turn without findings", figure: "Plain allocs/op", unit: "allocations"},
	)
}

func streamRows(bench, broker string) []row {
	var rows []row
	for _, load := range []string{"generated", "corpus"} {
		at := func(what, unit string) string { return bench + "/" + load + "/" + what + " " + unit }
		engine := at("engine", "records/s")
		name := func(what string) string { return what + ", " + load + ", " + broker }
		rows = append(rows, row{what: name("engine alone, one core"), figure: engine, unit: "records/s"})
		for _, r := range []struct{ what, bench string }{
			{"engine alone, all cores", "engine-all-cores"}, {"pass-through", "plain"}, {"exactly-once pass-through", "exactly-once"},
			{"Sotto, one session", "sotto"}, {"Sotto, two sessions", "sotto-2-sessions"},
		} {
			rows = append(rows,
				row{what: name(r.what), figure: at(r.bench, "records/s"), unit: "records/s", over: engine, of: "engine"},
				row{what: name(r.what + ", by processor time"), figure: bench + "/" + load + "/" + r.bench + possible, unit: "records/s",
					over: bench + "/" + load + "/engine" + possible, of: "engine"},
			)
		}
		rows = append(rows,
			row{what: name("processor time of Sotto"), figure: at("sotto", "cpu-us/record"), unit: "us/record"},
			row{what: name("processor time of the brokers"), figure: at("sotto", "broker-us/record"), unit: "us/record"},
			row{what: name("allocations of Sotto"), figure: at("sotto", "allocs/record"), unit: "per record"},
			row{what: name("state"), figure: at("sotto", "state-B/record"), unit: "bytes/record"},
		)
	}
	return rows
}

var stateRows = []row{
	{what: "dormant call, memory", figure: "Restore heap-bytes/call", unit: "bytes"},
	{what: "awake call, memory", figure: "Restore awake-heap-bytes/call", unit: "bytes"},
	{what: "open call, sealed", figure: "Restore bytes/call", unit: "bytes"},
	{what: "restore", figure: "Restore calls/s", unit: "calls/s"},
}

var latencyRows = []row{
	{what: "throughput with producer and reader, three brokers", figure: "LatencyOnThreeBrokers records/s", unit: "records/s"},
	{what: "append to visible at half of that, median", figure: "LatencyOnThreeBrokers p50-ms", unit: "ms"},
	{what: "append to visible at half of that, 99th percentile", figure: "LatencyOnThreeBrokers p99-ms", unit: "ms"},
}

// writeTable prints the rows that were measured.
func writeTable(out io.Writer, rows []row, rounds []figures) error {
	cells := [][3]string{{"what", "figure", "ratio"}}
	for _, r := range rows {
		values, ratios := r.values(rounds)
		if len(values) == 0 {
			continue
		}
		line := [3]string{r.what, number(median(values)) + " " + r.unit, ""}
		if len(ratios) > 0 {
			line[2] = fmt.Sprintf("%.2f x %s", median(ratios), r.of)
		}
		cells = append(cells, line)
	}
	var width [3]int
	for _, line := range cells {
		for i, c := range line {
			width[i] = max(width[i], len(c))
		}
	}
	for n, line := range cells {
		if _, err := fmt.Fprintf(out, "| %-*s | %*s | %*s |\n", width[0], line[0], width[1], line[1], width[2], line[2]); err != nil {
			return err
		}
		if n == 0 {
			fmt.Fprintf(out, "|%s|%s:|%s:|\n", strings.Repeat("-", width[0]+2), strings.Repeat("-", width[1]+1), strings.Repeat("-", width[2]+1))
		}
	}
	return nil
}

// values are the figures of a row and its ratios, one of each round that has them.
func (r row) values(rounds []figures) (values, ratios []float64) {
	for _, f := range rounds {
		v, ok := f[r.figure]
		if !ok {
			continue
		}
		values = append(values, v)
		if base := f[r.over]; base > 0 {
			ratios = append(ratios, v/base)
		}
	}
	return values, ratios
}

func median(values []float64) float64 {
	sorted := slices.SortedFunc(slices.Values(values), cmp.Compare)
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// number prints three significant digits, and thousands with a comma.
func number(v float64) string {
	if v < 1000 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// machine says what the figures were measured on.
func machine() string {
	processor := "unknown processor"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if name, ok := strings.CutPrefix(line, "model name"); ok {
				processor = strings.Trim(name, "\t :\n")
				break
			}
		}
	}
	busy := ""
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		busy, _, _ = strings.Cut(string(load), " ")
		busy = ", load average " + busy
	}
	return fmt.Sprintf("%s, %d cores, %s/%s, %s%s\n", processor, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), busy)
}
