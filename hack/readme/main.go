// Command readme runs the commands that documents show, README.md if none is
// named, so that nothing in them is untrue. A line before a block of sh says how:
//
//	<!-- run -->                bash runs it to its end; it must succeed
//	<!-- serve -->              an embedded broker with the topics stands at
//	                            localhost:9092; when the block's process is ready
//	                            it gets a SIGTERM, upon which it must end well
//	<!-- with sotto serve -->   the HTTP service stands at 127.0.0.1:8080 while
//	                            bash runs it
//	<!-- not run: WHY -->       it needs what a machine of CI lacks, or another
//	                            check runs it
//
// A block of sh without such a line is an error. Blocks find bin/sotto as sotto.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	files := os.Args[1:]
	if len(files) == 0 {
		files = []string{"README.md"}
	}
	for _, file := range files {
		if err := run(ctx, file); err != nil {
			fmt.Fprintln(os.Stderr, "readme:", err)
			os.Exit(1)
		}
	}
}

// The marks of blocks.
const (
	runMark         = "run"
	serveMark       = "serve"
	withServiceMark = "with sotto serve"
	notRunMark      = "not run: "
)

// block is a block of sh. how is its mark.
type block struct {
	line        int
	how, script string
}

func markOf(line string) string {
	how, ok1 := strings.CutPrefix(line, "<!-- ")
	how, ok2 := strings.CutSuffix(how, " -->")
	why, notRun := strings.CutPrefix(how, notRunMark)
	if ok1 && ok2 && (notRun && why != "" || slices.Contains([]string{runMark, serveMark, withServiceMark}, how)) {
		return how
	}
	return ""
}

func run(ctx context.Context, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	blocks, err := parse(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, b := range blocks {
		if why, notRun := strings.CutPrefix(b.how, notRunMark); notRun {
			fmt.Printf("=== %s line %d is not run: %s\n", file, b.line, why)
			continue
		}
		fmt.Printf("=== %s line %d\n%s", file, b.line, b.script)
		start := time.Now()
		switch b.how {
		case serveMark:
			err = serve(ctx, b.script)
		case withServiceMark:
			err = whileReady(ctx, "exec bin/sotto serve", "http://127.0.0.1:8080/v1/policy", bash(ctx, b.script).Run)
		default:
			err = bash(ctx, b.script).Run()
		}
		if err != nil {
			return fmt.Errorf("%s line %d: %w", file, b.line, err)
		}
		fmt.Printf("=== done in %.1f s\n", time.Since(start).Seconds())
	}
	fmt.Printf("=== all %d blocks of %s hold\n", len(blocks), file)
	return nil
}

func parse(text string) ([]block, error) {
	var blocks []block
	var open *block
	how, fenced := "", false
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case fenced && trimmed == "```":
			fenced, open = false, nil
		case open != nil:
			open.script += line + "\n"
		case fenced:
		case trimmed == "```sh":
			if how == "" {
				return nil, fmt.Errorf("line %d: a block of sh that does not say how it is checked", i+1)
			}
			blocks = append(blocks, block{line: i + 1, how: how})
			fenced, open = true, &blocks[len(blocks)-1]
		case strings.HasPrefix(trimmed, "```"):
			fenced = true
		}
		if trimmed != "" {
			how = markOf(trimmed)
		}
	}
	return blocks, nil
}

func bash(ctx context.Context, script string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if bin, err := filepath.Abs("bin"); err == nil {
		cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	// A group of its own, to signal all that the block started.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

const readyTimeout = time.Minute

func serve(ctx context.Context, script string) error {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(9092))
	if err != nil {
		return err
	}
	defer cluster.Close()
	if err := bash(ctx, "bin/sotto topics ensure").Run(); err != nil {
		return err
	}
	// bash gets the signal as well; with a trap it waits for its child and
	// ends as the child does.
	return whileReady(ctx, "trap : TERM\n"+script, "http://localhost:9100/readyz", func() error { return nil })
}

// whileReady starts a process, waits until it answers at an address, calls do and sends a SIGTERM, upon which the
// process must end well.
func whileReady(ctx context.Context, script, url string, do func() error) error {
	cmd := bash(ctx, script)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if err := untilReady(cmd, ended, url); err != nil {
		return err
	}
	err := do()
	if killErr := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); killErr != nil {
		return errors.Join(err, killErr)
	}
	return errors.Join(err, <-ended)
}

func untilReady(cmd *exec.Cmd, ended <-chan error, url string) error {
	deadline := time.After(readyTimeout)
	for !ready(url) {
		select {
		case err := <-ended:
			return errors.Join(errors.New("it ended before it was ready"), err)
		case <-deadline:
			return errors.Join(errors.New("it was not ready in time"), cmd.Cancel())
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

func ready(url string) bool {
	resp, err := http.Get(url)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
