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

	"sotto/cmd/internal/cli"

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

// colours are the control sequences that set one.
var colours = regexp.MustCompile("\x1b\\[([0-9;]*;)?(3[0-8]|9[0-7])[;m]")

func TestDemoOnATerminal(t *testing.T) {
	t.Parallel()
	p := onTerminal(t, nil, "demo", "--calls", "3")
	code, output := p.end(t)
	if code != cli.Done {
		t.Fatalf("status %d", code)
	}
	for _, want := range []string{"  raw    ", "  clean  ", "What was masked: Sotto masked ", "What was missed: ", "What that means: "} {
		if !strings.Contains(output, want) {
			t.Errorf("the screen lacks %q", want)
		}
	}
	if !colours.MatchString(output) {
		t.Error("no colours")
	}
}

func TestDemoWithoutColour(t *testing.T) {
	t.Parallel()
	p := onTerminal(t, []string{"NO_COLOR=1"}, "demo", "--calls", "1", "--speed", "1000")
	if _, output := p.end(t); !strings.Contains(output, "  clean  ") || strings.Contains(output, "\x1b") {
		t.Error("NO_COLOR leaves control sequences, or there is no output")
	}
}

// A demo that is interrupted judges what it has played, and nothing else.
func TestDemoInterrupted(t *testing.T) {
	t.Parallel()
	p := onTerminal(t, nil, "demo", "--speed", "8") // which takes a minute, so that a slow machine is not at the end before the key is pressed
	deadline := time.Now().Add(2 * time.Minute)
	for strings.Count(p.seen(), "  clean  ") < 180 {
		if time.Now().After(deadline) {
			t.Fatal("180 utterances have not come out after two minutes")
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.press(t, "\x03")
	code, output := p.end(t)
	if code != cli.Done {
		t.Errorf("status %d", code)
	}
	_, report, _ := strings.Cut(output, "What was masked: ")
	words := strings.Join(strings.Fields(report), " ")
	for _, want := range []string{"before you stopped the demo, Sotto masked", " whole calls and in the beginning of "} {
		if !strings.Contains(words, want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
	ended := 0
	_, risk, _ := strings.Cut(words, "the residual risk of the ")
	if _, err := fmt.Sscanf(risk, "%d calls that ended is ", &ended); err != nil || ended < 2 || ended > 19 {
		t.Errorf("%d calls ended: %v", ended, err)
	}
}
