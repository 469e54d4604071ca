// Command measure runs the benchmarks behind 'sotto size' and writes what they print into
// processor/sizing/measured.json. The machine should have nothing else to do, except with -sizes, which
// keeps the speeds.
//
//	go run ./hack/measure
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"sotto/processor/sizing"
)

const file = "processor/sizing/measured.json"

func main() {
	sizes := flag.Bool("sizes", false, "measure sizes only")
	flag.Parse()
	if err := run(*sizes); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(sizes bool) error {
	m := sizing.Measurement{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine(), Figures: map[string]float64{}}
	if sizes {
		m.Date, m.Machine = sizing.Measured.Date, sizing.Measured.Machine
	}
	printed := map[string]map[string]float64{}
	for _, f := range sizing.Figures() {
		before := sizing.Measured.Figures[f.Key]
		if sizes && f.IsSpeed() {
			m.Figures[f.Key] = before
			continue
		}
		if printed[f.Command] == nil {
			var err error
			if printed[f.Command], err = bench(f.Command); err != nil {
				return err
			}
		}
		value := printed[f.Command][f.Metric]
		if value <= 0 {
			return fmt.Errorf("%s prints no %s", f.Command, f.Metric)
		}
		m.Figures[f.Key] = sizing.Round(value)
		fmt.Printf("%s: %g %s (%g before)\n", f.Name, m.Figures[f.Key], f.Unit, before)
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

func bench(command string) (map[string]float64, error) {
	fmt.Println(command)
	cmd := exec.Command("sh", "-c", command)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", command, err, out)
	}
	found, err := metrics(string(out))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	return found, nil
}

// metrics reads the metrics of the benchmarks in the output of 'go test -bench', by their units.
// The last one of a unit counts.
func metrics(output string) (map[string]float64, error) {
	found := map[string]float64{}
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		if len(fields) < 2 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%q is no number", fields[i])
			}
			found[fields[i+1]] = value
		}
	}
	return found, nil
}

// machine describes this machine: its cores and, where Linux tells it, their model.
func machine() string {
	cores := fmt.Sprintf("%d cores", runtime.NumCPU())
	info, _ := os.ReadFile("/proc/cpuinfo") // of Linux
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return cores + ", " + strings.TrimSpace(value)
		}
	}
	return cores + ", " + runtime.GOARCH
}
