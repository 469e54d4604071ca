package chaos

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"sotto/internal/testkit/brokertest/proc"
)

// chaosFleet is a number of processes of a program, each with its own settings. It is safe for
// concurrent use.
type chaosFleet struct {
	path   string
	args   []string
	logDir string
	env    func(member int) []string

	mu      sync.Mutex
	members []*proc.Process
}

// newChaosFleet returns a fleet of n members, none of which runs yet. At the end of the test it kills
// those that run. env returns the settings of a member as "NAME=value", the same at each start. The
// output of the members is appended to member-N.out and member-N.err in logDir.
func newChaosFleet(t testing.TB, n int, logDir string, env func(member int) []string, path string, args ...string) *chaosFleet {
	t.Helper()
	f := &chaosFleet{path: path, args: args, logDir: logDir, env: env, members: make([]*proc.Process, n)}
	t.Cleanup(func() {
		if err := f.KillAll(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			for i := range n {
				t.Logf("end of the log of member %d:\n%s", i, f.Tail(i, 20))
			}
		}
	})
	return f
}

// Size returns the number of members, whether they run or not.
func (f *chaosFleet) Size() int { return len(f.members) }

// Use makes members run another program from their next start on, and returns the one so far.
func (f *chaosFleet) Use(path string) (before string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before, f.path = f.path, path
	return before
}

// Start starts a member that is not running.
func (f *chaosFleet) Start(member int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.members[member]; p != nil && p.Running() {
		return fmt.Errorf("%s is already running", p.Name)
	}
	p, err := proc.Start(proc.Command{
		Name:   fmt.Sprintf("member-%d", member),
		Path:   f.path,
		Args:   f.args,
		Env:    f.env(member),
		LogDir: f.logDir,
	})
	if err != nil {
		return err
	}
	f.members[member] = p
	return nil
}

// StartAll starts all members that are not running.
func (f *chaosFleet) StartAll() error {
	for i := range f.members {
		if f.Running(i) {
			continue
		}
		if err := f.Start(i); err != nil {
			return err
		}
	}
	return nil
}

// AwaitOutput waits until each member that was started has written the text since its latest start,
// as a program does once it handles signals.
func (f *chaosFleet) AwaitOutput(ctx context.Context, text string) error {
	for i := range f.members {
		if f.member(i) == nil {
			continue
		}
		if err := f.AwaitOutputOf(ctx, i, text); err != nil {
			return err
		}
	}
	return nil
}

// AwaitOutputOf is AwaitOutput for one member, which was started.
func (f *chaosFleet) AwaitOutputOf(ctx context.Context, member int, text string) error {
	p := f.member(member)
	if err := p.AwaitOutput(ctx, text); err != nil {
		return fmt.Errorf("%w:\n%s", err, p.Tail(20))
	}
	return nil
}

func (f *chaosFleet) member(i int) *proc.Process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.members[i]
}

// Running reports whether a member is running.
func (f *chaosFleet) Running(member int) bool {
	p := f.member(member)
	return p != nil && p.Running()
}

// Kill ends a member with SIGKILL and waits until it is gone. It returns an error if the member is
// not running, so that a crash is not mistaken for our kill.
func (f *chaosFleet) Kill(member int) error {
	if !f.Running(member) {
		return f.ended(member)
	}
	return f.member(member).Kill()
}

// Terminate sends SIGTERM to a member and waits for its end, which must have exit status 0.
func (f *chaosFleet) Terminate(ctx context.Context, member int) error {
	if !f.Running(member) {
		return f.ended(member)
	}
	p := f.member(member)
	if err := p.Terminate(); err != nil {
		return err
	}
	status, err := p.Wait(ctx)
	if err != nil {
		return err
	}
	if status != 0 {
		return fmt.Errorf("%s ended with status %d after SIGTERM:\n%s", p.Name, status, p.Tail(20))
	}
	return nil
}

// Freeze pauses a member for a time, as a stalled machine would.
func (f *chaosFleet) Freeze(ctx context.Context, member int, d time.Duration) error {
	if !f.Running(member) {
		return f.ended(member)
	}
	p := f.member(member)
	if err := p.Pause(); err != nil {
		return err
	}
	return errors.Join(wait(ctx, d), p.Resume())
}

// KillAll kills every running member.
func (f *chaosFleet) KillAll() error {
	var errs []error
	for i := range f.members {
		if p := f.member(i); p != nil {
			errs = append(errs, p.Kill())
		}
	}
	return errors.Join(errs...)
}

func (f *chaosFleet) ended(member int) error {
	p := f.member(member)
	if p == nil {
		return fmt.Errorf("member-%d was not started", member)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	status, err := p.Wait(ctx)
	return errors.Join(fmt.Errorf("%s has ended with status %d:\n%s", p.Name, status, p.Tail(20)), err)
}

// Tail returns the last lines that a member wrote to standard error.
func (f *chaosFleet) Tail(member, lines int) string {
	if p := f.member(member); p != nil {
		return p.Tail(lines)
	}
	return ""
}

// Outputs returns the files with all output of the members.
func (f *chaosFleet) Outputs() []string {
	var files []string
	for i := range f.members {
		if p := f.member(i); p != nil {
			files = append(files, p.Stdout, p.Stderr)
		}
	}
	return files
}
