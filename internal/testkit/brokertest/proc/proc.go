// Package proc runs other programs for tests: it starts, kills and freezes them, and keeps their
// output in files. On Linux a program dies with the test that started it, however the test ends.
package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// Command describes a program to run.
type Command struct {
	// Name names the process in messages and its output files.
	Name string
	// Path is the program; it is looked up as exec.Command does.
	Path string
	Args []string
	// Env is added to the environment of the test.
	Env []string
	// Dir is the working folder, "" for that of the test.
	Dir string
	// LogDir is the folder where standard output and standard error are appended to Name.out and
	// Name.err.
	LogDir string
	// As is the user to run as, nil for that of the test.
	As *syscall.Credential
}

// Process is a program that was started. It is safe for concurrent use, also after the program has
// ended.
type Process struct {
	// Name is that with which it was started, and Stdout and Stderr are the files with its output.
	Name, Stdout, Stderr string
	// before is the size of the files when this process was started.
	before struct{ stdout, stderr int64 }
	cmd    *exec.Cmd
	done   chan struct{}
}

// Start starts the program in its own process group.
func Start(c Command) (*Process, error) {
	p := &Process{
		Name:   c.Name,
		Stdout: filepath.Join(c.LogDir, c.Name+".out"),
		Stderr: filepath.Join(c.LogDir, c.Name+".err"),
		done:   make(chan struct{}),
	}
	stdout, before, err := appendTo(p.Stdout)
	if err != nil {
		return nil, err
	}
	defer stdout.Close()
	p.before.stdout = before
	stderr, before, err := appendTo(p.Stderr)
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	p.before.stderr = before
	p.cmd = exec.Command(c.Path, c.Args...)
	p.cmd.Env = append(os.Environ(), c.Env...)
	p.cmd.Dir = c.Dir
	p.cmd.Stdout = stdout
	p.cmd.Stderr = stderr
	p.cmd.SysProcAttr = attributes()
	p.cmd.SysProcAttr.Credential = c.As

	started := make(chan error, 1)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Name, err)
	}
	return p, nil
}

// Build builds a package of this module, for example "sotto/cmd/sotto-stream", into dir and returns
// the path of the program.
func Build(ctx context.Context, pkg, dir string) (string, error) {
	out := filepath.Join(dir, filepath.Base(pkg))
	msg, err := exec.CommandContext(ctx, "go", "build", "-o", out, pkg).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", pkg, err, msg)
	}
	return out, nil
}

// Run runs a program to its end, which must be a good one.
func Run(ctx context.Context, c Command) error {
	p, err := Start(c)
	if err != nil {
		return err
	}
	status, err := p.Wait(ctx)
	if err != nil {
		return errors.Join(err, p.Kill())
	}
	if status != 0 {
		return fmt.Errorf("%s: exit status %d:\n%s", c.Name, status, p.Tail(20))
	}
	return nil
}

// run keeps its thread from start to end: the kernel sends the parent-death signal when the thread
// that started the program ends, not the process.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	// The outcome is read from ProcessState.
	_ = p.cmd.Wait()
	close(p.done)
}

func appendTo(name string) (f *os.File, size int64, err error) {
	if f, err = os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
		size, err = f.Seek(0, io.SeekEnd)
	}
	return f, size, err
}

// PID returns the process ID, which is also the ID of its group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done returns a channel that is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Running reports whether the program is still running.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Wait waits for the end of the program and returns its exit status, or -1 if a signal ended it.
func (p *Process) Wait(ctx context.Context) (status int, err error) {
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		return 0, fmt.Errorf("waiting for %s to end: %w", p.Name, ctx.Err())
	}
}

const outputInterval = 10 * time.Millisecond

// AwaitOutput waits until this process, not an earlier one of the same name, has written the text
// to standard output or standard error. It returns an error if the process ends first.
func (p *Process) AwaitOutput(ctx context.Context, text string) error {
	for {
		// Output from before the end counts even if the process ends in between.
		running := p.Running()
		for file, before := range map[string]int64{p.Stdout: p.before.stdout, p.Stderr: p.before.stderr} {
			all, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if bytes.Contains(all[before:], []byte(text)) {
				return nil
			}
		}
		if !running {
			return fmt.Errorf("%s ended with status %d and never wrote %q", p.Name, p.cmd.ProcessState.ExitCode(), text)
		}
		select {
		case <-time.After(outputInterval):
		case <-p.done:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s to write %q: %w", p.Name, text, ctx.Err())
		}
	}
}

// Kill ends the process and its group with SIGKILL and waits until it is gone. It does nothing if
// the process has ended.
func (p *Process) Kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	return nil
}

// Terminate sends SIGTERM and returns immediately.
func (p *Process) Terminate() error { return p.signal(syscall.SIGTERM) }

// Pause freezes the process with SIGSTOP. On Linux it returns when all threads are stopped: some go on
// for a moment after the signal, and a broker might answer once more.
func (p *Process) Pause() error {
	if err := p.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for until := time.Now().Add(5 * time.Second); !p.stopped() && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
	return nil
}

// stopped reports whether no thread of the process runs, also where /proc does not say so.
func (p *Process) stopped() bool {
	threads, _ := procfs.AllThreads(p.PID())
	return !slices.ContainsFunc(threads, func(thread procfs.Proc) bool {
		stat, err := thread.Stat() // none of a thread that has ended
		return err == nil && stat.State != "T"
	})
}

// CPU is the processor time, user and system, of the process so far, 0 if that is not known.
func (p *Process) CPU() time.Duration {
	own, err := procfs.NewProc(p.PID())
	if err != nil {
		return 0
	}
	stat, err := own.Stat()
	if err != nil {
		return 0
	}
	return time.Duration(stat.CPUTime() * float64(time.Second))
}

// OwnCPU is the processor time, user and system, of this process so far.
func OwnCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Resume continues a paused process.
func (p *Process) Resume() error { return p.signal(syscall.SIGCONT) }

func (p *Process) signal(s syscall.Signal) error {
	if !p.Running() {
		return nil
	}
	// A negative ID addresses the group.
	err := syscall.Kill(-p.PID(), s)
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("sending %v to %s: %w", s, p.Name, err)
	}
	return nil
}

// Tail returns the last lines of standard error.
func (p *Process) Tail(lines int) string {
	text, err := os.ReadFile(p.Stderr)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
