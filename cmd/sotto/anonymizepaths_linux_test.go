package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sotto/cmd/internal/cli"
)

const aCall = "A: my name is Ines Quimby\n"

// put writes a file with a call into a folder.
func put(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(aCall), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func unchanged(t *testing.T, path string) {
	t.Helper()
	if data, err := os.ReadFile(path); err != nil || string(data) != aCall {
		t.Errorf("%s has changed: %v", filepath.Base(path), err)
	}
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// The page with raw text is its owner's, whatever was in its place.
func TestReportIsItsOwners(t *testing.T) {
	dir := t.TempDir()
	in, page, other := put(t, dir, "in.txt"), put(t, dir, "page.html"), put(t, dir, "other")
	if o := sotto(t, nil, "", "anonymize", in, "--report", page); o.code != cli.Done {
		t.Errorf("status %d: %s", o.code, o.errors)
	}
	if m := mode(t, page); m != 0o600 {
		t.Errorf("a page over a file that everybody can read has mode %v", m)
	}
	link := filepath.Join(dir, "link.html")
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	if o := sotto(t, nil, "", "anonymize", in, "--report", link); o.code != cli.Usage || o.out != "" {
		t.Errorf("a report through a link: status %d: %s", o.code, o.errors)
	}
	unchanged(t, other)
}

func TestOutputsFollowTheUmask(t *testing.T) {
	dir := t.TempDir()
	in, old := put(t, dir, "in.txt"), put(t, dir, "old.txt")
	if err := os.Chmod(old, 0o600); err != nil {
		t.Fatal(err)
	}
	defer syscall.Umask(syscall.Umask(0o027))
	for _, out := range []string{"out.txt", "folder/", "old.txt"} {
		if o := sotto(t, nil, "", "anonymize", in, "-o", filepath.Join(dir, out)+strings.Repeat("/", strings.Count(out, "/"))); o.code != cli.Done {
			t.Errorf("status %d: %s", o.code, o.errors)
		}
	}
	for name, want := range map[string]os.FileMode{"out.txt": 0o640, "folder/in.txt": 0o640, "old.txt": 0o600} {
		if m := mode(t, filepath.Join(dir, name)); m != want {
			t.Errorf("%s has mode %v, want %v", name, m, want)
		}
	}
}

// Neither an input nor a device, a pipe or a link is ever replaced.
func TestAnonymizeReplacesRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "call.txt")
	same, pipe, link := filepath.Join(dir, "same.txt"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	folder := filepath.Join(dir, "out")
	for _, err := range []error{
		os.Link(in, same), syscall.Mkfifo(pipe, 0o600), os.Symlink("/dev/null", link), os.Mkdir(folder, 0o755),
		os.Symlink(put(t, t.TempDir(), "other"), filepath.Join(folder, "call.txt")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{in, "-o", in}, {in, "-o", same}, {in, "-o", pipe}, {in, "-o", link}, {in, "--report", in}, {in, "--report", pipe},
		{in, "-o", filepath.Join(dir, "x"), "--report", filepath.Join(dir, "x")},
	} {
		if o := sotto(t, nil, "", append([]string{"anonymize"}, args...)...); o.code != cli.Usage || strings.Count(o.errors, "\n") != 1 || o.out != "" {
			t.Errorf("%v: status %d, %s", args[1:], o.code, o.errors)
		}
	}
	if o := sotto(t, nil, "", "anonymize", in, "-o", folder); o.code != cli.Failed || !strings.Contains(o.errors, "not a regular file") {
		t.Errorf("a link in the output folder: status %d, %s", o.code, o.errors)
	}
	unchanged(t, in)
	if mode(t, pipe).Type() != os.ModeNamedPipe || mode(t, link).Type() != os.ModeSymlink {
		t.Error("a pipe or a link was replaced")
	}
}

// An output folder that is reached by a link hides no input.
func TestAnOutputFolderByALinkReplacesNoInput(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "a.txt")
	inner := put(t, dir, "sub/a.txt")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(dir, "sub"), link); err != nil {
		t.Fatal(err)
	}
	sotto(t, nil, "", "anonymize", dir, inner, "-o", link)
	unchanged(t, inner)
}

// within fails if a command takes long, as it does if it waits for a pipe.
func within(t *testing.T, args ...string) outcome {
	t.Helper()
	done := make(chan outcome, 1)
	go func() { done <- sottoContext(t.Context(), nil, "", args...) }()
	select {
	case o := <-done:
		return o
	case <-time.After(20 * time.Second):
		t.Fatalf("%v still runs", args)
		return outcome{}
	}
}

func TestAnonymizeReadsRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	in, pipe := put(t, dir, "in.txt"), filepath.Join(dir, "pipe.txt")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, "/dev/zero"} {
		if o := within(t, "anonymize", path); o.code != cli.Usage || !strings.Contains(o.errors, "standard input") {
			t.Errorf("status %d: %s", o.code, o.errors)
		}
		if o := within(t, "anonymize", in, path, "-o", t.TempDir()); o.code != cli.Failed || !strings.Contains(o.errors, path+": not a regular file") {
			t.Errorf("status %d: %s", o.code, o.errors)
		}
	}
}

// What is not read in a folder is named, and the exit status says it.
func TestAnonymizeNamesLinksInFolders(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "in.txt")
	if err := os.Symlink(in, filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	o := sotto(t, nil, "", "anonymize", dir, "-o", out)
	if o.code != cli.Failed || !strings.Contains(o.errors, "link.txt: a link") || !strings.Contains(o.errors, "1 files anonymized, 1 could not") {
		t.Errorf("status %d: %s", o.code, o.errors)
	}
	if _, err := os.Lstat(filepath.Join(out, "link.txt")); err == nil {
		t.Error("the link has an output")
	}
}

// The name of a file cannot write on the terminal.
func TestNamesOfFilesAreEscaped(t *testing.T) {
	const evil = "a\x1b]0;t\x07\u009b2J\u202etxt\xff.json"
	dir := t.TempDir()
	in := put(t, dir, evil)
	page := filepath.Join(t.TempDir(), "page.html")
	for _, args := range [][]string{
		{in}, {in + "none"}, {dir, "-o", t.TempDir()}, {dir, "-o", t.TempDir(), "--json", "--report", page}, {in, in, "-o", in}, {in, "-o", in}, {in, "--format", evil},
		{"--participants", in + "none", "-"},
	} {
		o := sotto(t, nil, "", append([]string{"anonymize"}, args...)...)
		if o.code == cli.Done || o.errors == "" {
			t.Errorf("status %d: %q", o.code, o.errors)
		}
		if all := o.errors + o.out; strings.ContainsAny(all, "\x1b\x07\u009b\u202e") || strings.Contains(all, "\xff") {
			t.Errorf("%q", all)
		}
	}
}
