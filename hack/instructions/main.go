// Command instructions counts the instructions that the engine executes per utterance of generated
// calls, and compares them with a baseline. Unlike times, they do not depend on what else the machine
// does:
//
//	go run ./hack/instructions            # by perf; does nothing where the processor hides its counters
//	go run ./hack/instructions -valgrind  # by Valgrind, which takes minutes and runs anywhere
//	go run ./hack/instructions -update    # keep what is measured as the baseline
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

const (
	baselineFile = "hack/instructions/baseline.json"
	// tolerance is by how much a count may exceed the baseline. Two runs differ by less than one per
	// cent, perf and Valgrind by about two.
	tolerance = 0.05
)

// benchmarks are those of the engine that are counted.
var benchmarks = []string{"Generated/tiers", "Generated/rules", "Plain"}

func main() {
	valgrind := flag.Bool("valgrind", false, "count with Valgrind instead of perf")
	update := flag.Bool("update", false, "write the counts as the baseline")
	flag.Parse()
	counter := byPerf
	if *valgrind {
		counter = byValgrind
	}
	err := run(context.Background(), counter, *update)
	if errors.Is(err, errNoCounter) {
		fmt.Println("instructions: skipped:", err)
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "instructions:", err)
		os.Exit(1)
	}
}

// errNoCounter means that this machine cannot count instructions.
var errNoCounter = errors.New("perf cannot count instructions here")

// A counter runs a command and returns how many instructions it executed in user mode.
type counter func(ctx context.Context, command ...string) (float64, []byte, error)

func run(ctx context.Context, count counter, update bool) error {
	dir, err := os.MkdirTemp("", "sotto-instructions-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "anonymize.test")
	if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, "./anonymize").CombinedOutput(); err != nil {
		return fmt.Errorf("building the benchmarks: %w\n%s", err, out)
	}
	all, err := readBaseline()
	if err != nil {
		return err
	}
	baseline := all[runtime.GOARCH]
	if baseline == nil {
		baseline = map[string]float64{}
		all[runtime.GOARCH] = baseline
	}
	var worse []string
	for _, b := range benchmarks {
		got, err := perOp(ctx, count, binary, b)
		if err != nil {
			return err
		}
		want := baseline[b]
		fmt.Printf("%s: %.0f instructions per run, baseline %.0f\n", b, got, want)
		if want > 0 && got > want*(1+tolerance) {
			worse = append(worse, fmt.Sprintf("%s needs %+.1f %% instructions", b, 100*(got/want-1)))
		}
		if update {
			baseline[b] = got
		}
	}
	if update {
		return writeBaseline(all)
	}
	if len(worse) > 0 {
		return errors.New(strings.Join(worse, "; ") + "; -update keeps that if it is worth it")
	}
	return nil
}

// perOp counts the instructions of one run of a benchmark: the difference of two processes that run
// it a different number of times, so that the start of the program does not count.
func perOp(ctx context.Context, count counter, binary, benchmark string) (float64, error) {
	const few, many = 1, 4
	var counted [2]float64
	for i, n := range []int{few, many} {
		times := n
		if benchmark == "Plain" { // a single turn
			times *= 20_000
		}
		got, printed, err := count(ctx, binary, "-test.run", "^$", "-test.bench", benchmark+"$", "-test.benchtime", strconv.Itoa(times)+"x", "-test.cpu", "1")
		if err != nil {
			return 0, err
		}
		if !bytes.Contains(printed, []byte("Benchmark"+benchmark)) {
			return 0, fmt.Errorf("the benchmark %s did not run:\n%s", benchmark, printed)
		}
		counted[i] = got
	}
	return (counted[1] - counted[0]) / (many - few), nil
}

func byPerf(ctx context.Context, command ...string) (float64, []byte, error) {
	if _, err := exec.LookPath("perf"); err != nil {
		return 0, nil, errNoCounter
	}
	cmd := quiet(exec.CommandContext(ctx, "perf", append([]string{"stat", "-x", ",", "-e", "instructions:u"}, command...)...))
	var printed, counts bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &counts
	if err := cmd.Run(); err != nil {
		return 0, nil, fmt.Errorf("%w\n%s", err, counts.Bytes())
	}
	for line := range strings.Lines(counts.String()) {
		if value, _, ok := strings.Cut(line, ",,instructions"); ok {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return 0, nil, errNoCounter // <not supported>
			}
			return n, printed.Bytes(), nil
		}
	}
	return 0, nil, errNoCounter
}

var collected = regexp.MustCompile(`Collected : (\d+)`)

func byValgrind(ctx context.Context, command ...string) (float64, []byte, error) {
	cmd := quiet(exec.CommandContext(ctx, "valgrind", append([]string{"--tool=callgrind", "--callgrind-out-file=/dev/null"}, command...)...))
	var printed, counts bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &counts
	if err := cmd.Run(); err != nil {
		return 0, nil, fmt.Errorf("%w\n%s", err, counts.Bytes())
	}
	found := collected.FindSubmatch(counts.Bytes())
	if found == nil {
		return 0, nil, fmt.Errorf("valgrind printed no count:\n%s", counts.Bytes())
	}
	n, err := strconv.ParseFloat(string(found[1]), 64)
	return n, printed.Bytes(), err
}

// quiet keeps the garbage collector from running at other times in each run. Valgrind loses track of
// the signals by which goroutines are preempted.
func quiet(cmd *exec.Cmd) *exec.Cmd {
	cmd.Env = append(os.Environ(), "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	return cmd
}

// readBaseline reads the counts by architecture and benchmark.
func readBaseline() (map[string]map[string]float64, error) {
	all := map[string]map[string]float64{}
	data, err := os.ReadFile(baselineFile)
	if errors.Is(err, os.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(data, &all)
}

func writeBaseline(all map[string]map[string]float64) error {
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(baselineFile, append(data, '\n'), 0o600)
}
