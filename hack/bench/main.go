// Command bench runs the benchmarks of the engine and of the stream and prints their figures as one
// table, with their ratios and the machine:
//
//	go run ./hack/bench
//	go run ./hack/bench -kafka
//
// Every round runs all benchmarks once. A ratio is taken within a round, so that a machine that is
// slower for a while does not change it, and the table has the medians of all rounds.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

func main() {
	kafka := flag.Bool("kafka", false, "measure the stream on Apache Kafka instead of the embedded broker, with one broker and with three")
	rounds := flag.Int("rounds", 3, "how often to run each benchmark")
	flag.Parse()
	if err := run(context.Background(), *kafka, *rounds, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// suite is one call of a test binary.
type suite struct {
	pkg, bench, time string
	// cores is GOMAXPROCS; 0: all.
	cores int
}

var (
	embedded = []suite{
		{"./anonymize", "Generated|AllConversations|FortyRegexps|Plain", "1s", 1},
		{"./processor", "Stream$", "1x", 0},
		{"./processor", "Restore", "1x", 0}, // in a process of its own, since it measures memory
	}
	onKafka = []suite{{"./processor", "Stream$|StreamOnThreeBrokers|Latency", "1x", 0}}
)

func run(ctx context.Context, kafka bool, rounds int, out io.Writer) error {
	suites, rows := embedded, append(engineRows(), streamRows("Stream", "embedded broker")...)
	rows = append(rows, stateRows...)
	env := os.Environ()
	if kafka {
		suites = onKafka
		rows = append(streamRows("Stream", "one broker"), streamRows("StreamOnThreeBrokers", "three brokers")...)
		rows = append(rows, latencyRows...)
		// The flags of the tests make a broker start fast; a broker that runs for long compiles better.
		env = append(env, "SOTTO_TEST_BROKER=kafka", "SOTTO_TEST_KAFKA_JVM=-XX:TieredStopAtLevel=4")
	}
	dir, err := os.MkdirTemp("", "sotto-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintln(out, machine())
	all := make([]figures, rounds)
	for i := range all {
		all[i] = figures{}
		for _, s := range suites {
			fmt.Fprintf(os.Stderr, "round %d of %d: %s %s\n", i+1, rounds, s.pkg, s.bench)
			if err := s.measure(ctx, dir, env, all[i]); err != nil {
				return err
			}
		}
		all[i].derive(runtime.NumCPU())
	}
	return writeTable(out, rows, all)
}

// measure builds the test binary unless it is there, and runs it where `go test` would.
func (s suite) measure(ctx context.Context, dir string, env []string, into figures) error {
	binary := filepath.Join(dir, filepath.Base(s.pkg)+".test")
	if _, err := os.Stat(binary); err != nil {
		build := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, s.pkg)
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("building the benchmarks of %s: %w", s.pkg, err)
		}
	}
	args := []string{"-test.run", "^$", "-test.bench", s.bench, "-test.benchtime", s.time, "-test.benchmem", "-test.timeout", "60m"}
	if s.cores > 0 {
		args = append(args, "-test.cpu", strconv.Itoa(s.cores))
	}
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = s.pkg, env, os.Stderr
	var printed bytes.Buffer
	cmd.Stdout = &printed
	err := cmd.Run()
	parse(&printed, into)
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", s.pkg, err, strings.TrimSpace(printed.String()))
	}
	return nil
}
