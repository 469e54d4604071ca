package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	// The helper process of TestChildDiesWithItsParent.
	if dir := os.Getenv("PROC_TEST_PARENT"); dir != "" {
		p, err := Start(Command{Name: "child", Path: "sleep", Args: []string{"60"}, LogDir: dir})
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString(strconv.Itoa(p.PID()) + "\n")
		select {}
	}
	os.Exit(m.Run())
}

func shell(t *testing.T, script string) *Process {
	t.Helper()
	p, err := Start(Command{
		Name: "sh", Path: "sh", Args: []string{"-c", script},
		Env: []string{"GREETING=hello"}, LogDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestOutputAndStatus(t *testing.T) {
	p := shell(t, "echo $GREETING; echo one >&2; echo two >&2; exit 7")
	status, err := p.Wait(within(t, 10*time.Second))
	if err != nil || status != 7 {
		t.Fatalf("Wait = %d, %v; want 7", status, err)
	}
	out, err := os.ReadFile(p.Stdout)
	if err != nil || string(out) != "hello\n" {
		t.Errorf("standard output is %q, %v", out, err)
	}
	if got := p.Tail(1); got != "two" {
		t.Errorf("Tail(1) = %q", got)
	}
	if got := p.Tail(9); got != "one\ntwo" {
		t.Errorf("Tail(9) = %q", got)
	}
	if err := p.Terminate(); err != nil {
		t.Errorf("a signal after the end: %v", err)
	}
}

func TestKillReachesTheWholeGroup(t *testing.T) {
	p := shell(t, "sleep 60 & echo $!; wait")
	var child int
	for child == 0 {
		out, err := os.ReadFile(p.Stdout)
		if err != nil {
			t.Fatal(err)
		}
		child, _ = strconv.Atoi(strings.TrimSpace(string(out)))
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if status, err := p.Wait(within(t, time.Second)); err != nil || status != -1 {
		t.Errorf("Wait = %d, %v; want -1 for a signal", status, err)
	}
	waitGone(t, child)
}

func TestTerminateCanBeHandled(t *testing.T) {
	p := shell(t, "trap 'exit 3' TERM; echo ready; while :; do sleep 0.01; done")
	for {
		if out, _ := os.ReadFile(p.Stdout); len(out) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := p.Terminate(); err != nil {
		t.Fatal(err)
	}
	if status, err := p.Wait(within(t, 10*time.Second)); err != nil || status != 3 {
		t.Errorf("Wait = %d, %v; want 3", status, err)
	}
}

func TestPauseAndResume(t *testing.T) {
	p := shell(t, "sleep 0.2; exit 0")
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(within(t, 600*time.Millisecond)); err == nil {
		t.Fatal("the process ended while it was paused")
	}
	if err := p.Resume(); err != nil {
		t.Fatal(err)
	}
	if status, err := p.Wait(within(t, 10*time.Second)); err != nil || status != 0 {
		t.Errorf("Wait = %d, %v; want 0", status, err)
	}
}

func TestPausedProcessCanBeKilled(t *testing.T) {
	p := shell(t, "sleep 60")
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil || p.Running() {
		t.Errorf("Kill: %v, running: %v", err, p.Running())
	}
}

func TestAwaitOutputSeesThisProcessOnly(t *testing.T) {
	dir := t.TempDir()
	start := func(script string) *Process {
		t.Helper()
		p, err := Start(Command{Name: "sh", Path: "sh", Args: []string{"-c", script}, LogDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Kill() })
		return p
	}
	first := start("sleep 0.1; echo ready >&2; sleep 60")
	if err := first.AwaitOutput(within(t, 10*time.Second), "ready"); err != nil {
		t.Fatal(err)
	}
	if err := first.AwaitOutput(within(t, 50*time.Millisecond), "more"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	err := start("exit 4").AwaitOutput(within(t, 10*time.Second), "ready")
	if err == nil || !strings.Contains(err.Error(), "status 4") {
		t.Errorf("error is %v", err)
	}
	if err := start("echo ready").AwaitOutput(within(t, 10*time.Second), "ready"); err != nil {
		t.Error(err)
	}
}

func TestStartReportsWhatIsMissing(t *testing.T) {
	_, err := Start(Command{Name: "x", Path: "no-such-program", LogDir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "starting x") {
		t.Errorf("error is %v", err)
	}
	_, err = Start(Command{Name: "x", Path: "sh", LogDir: filepath.Join(t.TempDir(), "absent")})
	if err == nil {
		t.Error("no error for a log folder that does not exist")
	}
}

// TestChildDiesWithItsParent kills a test process that has started a program,
// as a crash or a kill -9 would.
func TestChildDiesWithItsParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux kills a program with its parent")
	}
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "PROC_TEST_PARENT="+t.TempDir())
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 32)
	n, err := out.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	waitGone(t, child)
}

// waitGone waits until no live process has the ID. A zombie that init has not reaped counts as
// gone.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if err := syscall.Kill(pid, 0); err != nil {
			return
		}
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Fatal("the child is still alive")
}
