package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal with a program on it.
type terminal struct {
	master *os.File
	cmd    *exec.Cmd

	mu     sync.Mutex
	output bytes.Buffer
	read   chan struct{} // closed when the program has closed the terminal
}

// onTerminal starts this program on a terminal of 80 columns.
func onTerminal(t *testing.T, environ []string, args ...string) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals:", err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &terminal{master: master, cmd: exec.Command(os.Args[0], args...), read: make(chan struct{})}
	p.cmd.Args[0] = "sotto"
	p.cmd.Env = append(append(os.Environ(), envMain+"=1", "TERM=xterm-256color", "NO_COLOR="), environ...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	// The terminal sends the signals of its keys to the program, as a shell's does.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	go func() {
		defer close(p.read)
		for buffer := make([]byte, 4096); ; {
			n, err := master.Read(buffer)
			p.mu.Lock()
			p.output.Write(buffer[:n])
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return p
}

func (p *terminal) seen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// press types a key, of which \x03 is Ctrl-C.
func (p *terminal) press(t *testing.T, key string) {
	t.Helper()
	if _, err := io.WriteString(p.master, key); err != nil {
		t.Fatal(err)
	}
}

// end waits for the program and returns its status and its output.
func (p *terminal) end(t *testing.T) (int, string) {
	t.Helper()
	err := p.cmd.Wait()
	<-p.read
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode(), p.seen()
}

// rows are the lines of a terminal's output that no later ones replace, without
// control sequences.
func rows(output string) []string {
	var kept []string
	for line := range strings.SplitSeq(strings.ReplaceAll(output, "\r\n", "\n"), "\n") {
		// Each frame of the demo begins by erasing the footer of the one before.
		if _, after, ok := strings.Cut(line, ansi.EraseScreenBelow); ok {
			kept, line = kept[:max(0, len(kept)-footerRows)], after
		}
		kept = append(kept, ansi.Strip(line))
	}
	return kept
}

// footerRows is the height of the demo's footer: a blank line, the bar, the counters.
const footerRows = 3

// colours are the control sequences that set one.
var colours = regexp.MustCompile("\x1b\\[([0-9;]*;)?(3[0-8]|9[0-7])[;m]")

func TestDemoOnATerminal(t *testing.T) {
	t.Parallel()
	p := onTerminal(t, nil, "demo", "--calls", "3")
	began := time.Now()
	code, output := p.end(t)
	if code != exitDone {
		t.Fatalf("status %d", code)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("three calls took %s", took)
	}
	all := rows(output)
	for _, row := range all {
		if n := ansi.StringWidth(row); n > 80 {
			t.Errorf("a row of %d columns: %q", n, row)
		}
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{"raw", "│", "What was masked: Sotto masked ", "What was missed: ", "What that means: ", "100 %"} {
		if !strings.Contains(text, want) {
			t.Errorf("the screen lacks %q", want)
		}
	}
	if strings.Contains(text, "Mean + STD") {
		t.Error("statistics although nobody asked for them")
	}
	if !colours.MatchString(output) {
		t.Error("no colours")
	}
}

func TestDemoWithoutColour(t *testing.T) {
	t.Parallel()
	p := onTerminal(t, []string{"NO_COLOR=1"}, "demo", "--calls", "1", "--speed", "1000")
	_, output := p.end(t)
	for _, want := range []string{ansi.HideCursor, "│", "━", "\x1b[1m", "\x1b[4m"} {
		if !strings.Contains(output, want) {
			t.Errorf("NO_COLOR removes %q", want)
		}
	}
	if colour := colours.FindString(output); colour != "" {
		t.Errorf("NO_COLOR leaves %q", colour)
	}
}

// A demo that is interrupted judges what it has played, and nothing else.
func TestDemoInterrupted(t *testing.T) {
	t.Parallel()
	p := onTerminal(t, nil, "demo", "--stats")
	deadline := time.Now().Add(30 * time.Second)
	for !strings.Contains(ansi.Strip(p.seen()), "calls 2/20") {
		if time.Now().After(deadline) {
			t.Fatal("two calls are not over after 30 seconds")
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.press(t, "\x03")
	code, output := p.end(t)
	if code != exitDone {
		t.Errorf("status %d", code)
	}
	if !strings.Contains(output, ansi.ShowCursor) {
		t.Error("the cursor stays hidden")
	}
	_, report, _ := strings.Cut(strings.Join(rows(output), "\n"), "\nCounts\n")
	words := strings.Join(strings.Fields(report), " ")
	for _, want := range []string{"before you stopped the demo, Sotto masked", " whole calls and in the beginning of "} {
		if !strings.Contains(words, want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
	if strings.Contains(words, "20 calls") || strings.Contains(words, "total 20 ") {
		t.Errorf("the report counts calls that were not played:\n%s", report)
	}
	ended := 0
	if _, err := fmt.Sscanf(words[strings.Index(words, "calls that ended "):], "calls that ended %d", &ended); err != nil || ended < 2 || ended > 10 {
		t.Errorf("%d calls ended: %v", ended, err)
	}
	if want := fmt.Sprintf("the residual risk of the %d calls that ended is ", ended); !strings.Contains(words, want) {
		t.Errorf("the report lacks %q:\n%s", want, report)
	}
}
