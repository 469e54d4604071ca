package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sotto/cmd/internal/cli"
)

// envSmallDisk tells the test that it is in a mount namespace of its own.
const envSmallDisk = "SOTTO_TEST_SMALL_DISK"

// TestFullDisk runs the tools for training data on a disk of 256 KiB.
func TestFullDisk(t *testing.T) {
	if os.Getenv(envSmallDisk) == "" {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$", "-test.count=1")
		again.Env = append(os.Environ(), envSmallDisk+"=1")
		again.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		out, err := again.CombinedOutput()
		if errors.Is(err, syscall.EPERM) || strings.Contains(string(out), "cannot mount") {
			t.Skip("this system lets the test mount no disk")
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	disk := t.TempDir()
	mount := func(flags uintptr, size string) {
		t.Helper()
		if err := syscall.Mount("tmpfs", disk, "tmpfs", flags, "size="+size); err != nil {
			t.Fatalf("cannot mount: %v", err)
		}
	}
	mount(0, "256k")
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	few, many := conversationsFile(t, 0, 3), conversationsFile(t, 3, 900)
	list, data := filepath.Join(disk, "list.txt"), filepath.Join(disk, "data")
	works := func(args ...string) {
		t.Helper()
		if o := sotto(t, nil, "", args...); o.code != cli.Done {
			t.Fatalf("%q: status %d, %s", args, o.code, o.errors)
		}
	}
	fails := func(want string, args ...string) {
		t.Helper()
		o := sotto(t, nil, "", args...)
		if o.code != cli.Failed || !strings.Contains(o.errors, want) || !strings.Contains(o.errors, "no space left on device") || strings.Contains(o.errors, "zither") {
			t.Errorf("%q: status %d, %s", args, o.code, o.errors)
		}
	}

	works("corpus", "blacklist", few, "-o", list)
	works("corpus", "export", few, "-o", data)
	before, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	fails("cannot write the file", "corpus", "blacklist", many, "-o", list)
	fails("cannot write the file", "corpus", "mask", many, "--technique", "allowlist", "-o", list)
	fails("what was committed before is intact", "corpus", "export", many, "-o", data)
	if after, err := os.ReadFile(list); err != nil || string(after) != string(before) {
		t.Errorf("the list has changed: %v", err)
	}
	if left, err := os.ReadDir(disk); err != nil || len(left) != 2 {
		t.Errorf("%v %v are left", left, err)
	}
	works("corpus", "export", "-o", data, "--check")
	if got := exportedCalls(t, data); len(got) != 3 {
		t.Errorf("the export has %d calls, want those of the first run", len(got))
	}
	mount(syscall.MS_REMOUNT, "64m")
	works("corpus", "export", many, "-o", data)
	works("corpus", "export", "-o", data, "--check")
	if got := exportedCalls(t, data); len(got) != 903 || len(slices.Compact(got)) != 903 {
		t.Errorf("with room again, the export has %d calls", len(got))
	}
}

// conversationsFile writes so many anonymized calls, the first of which has the number from.
func conversationsFile(t *testing.T, from, n int) string {
	t.Helper()
	var b strings.Builder
	for i := from; i < from+n; i++ {
		text := fmt.Sprintf("zither%d", i)
		for word := range 60 {
			text += fmt.Sprintf(" w%dx%d", i, word)
		}
		fmt.Fprintf(&b, `{"call_id":"call%d","seq":1,"type":"UTTERANCE","speaker":{"id":"s1","role":"AGENT"},"text":%q,"entities":[],"policy":"01b469cc5ecd","strategy":"typed-numbered"}`+"\n", i, text)
		fmt.Fprintf(&b, `{"call_id":"call%d","seq":2,"type":"END","text":"","entities":[],"policy":"01b469cc5ecd","strategy":"typed-numbered","call":{"utterances":1,"entities":{},"release":true}}`+"\n", i)
	}
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
