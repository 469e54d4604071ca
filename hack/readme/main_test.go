package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	got, err := parse("# x\n\n<!-- run -->\n```sh\nmake a\nmake b\n```\n\n```text\n<!-- run -->\n```\n<!-- serve -->\n\n```sh\nserve\n```\n" +
		"<!-- not run: it needs a cluster -->\n```sh\nkubectl\n```\n- x\n\n  <!-- with sotto serve -->\n  ```sh\n  curl\n  ```\n")
	want := []block{{4, "run", "make a\nmake b\n"}, {14, "serve", "serve\n"}, {18, "not run: it needs a cluster", "kubectl\n"}, {24, "with sotto serve", "  curl\n"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, text := range []string{
		"```sh\nmake\n```\n", "<!-- run -->\n```text\nx\n```\n```sh\nmake\n```\n", "<!-- run -->\nprose\n```sh\nmake\n```\n",
		"<!-- not run -->\n```sh\nmake\n```\n", "<!-- not run:  -->\n```sh\nmake\n```\n", "<!-- runs -->\n```sh\nmake\n```\n",
	} {
		if _, err := parse(text); err == nil {
			t.Errorf("%q: a block that is not checked passes", text)
		}
	}
}

// documents are the Markdown files of the repository.
func documents(t *testing.T) []string {
	t.Helper()
	if err := os.Chdir("../.."); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Chdir("hack/readme"); err != nil {
			t.Error(err)
		}
	})
	out, err := exec.Command("git", "ls-files", "*.md").Output()
	if err != nil {
		t.Skip("this is not a checkout:", err)
	}
	return strings.Fields(string(out))
}

// commands are what the lines begin with that a reader copies into a shell.
var commands = []string{"sotto", "bin/sotto", "make", "curl", "go", "git", "kubectl", "helm", "docker", "pip", "python", "python3", "export", "echo"}

// Every block of commands is run, or says why it is not. A block of text cannot hide one.
func TestEveryBlockIsRunOrMarked(t *testing.T) {
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parse(string(text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		fence, first := "", false
		for i, line := range strings.Split(string(text), "\n") {
			trimmed := strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(trimmed, "```") && fence == "":
				fence, first = trimmed, true
				continue
			case trimmed == "```":
				fence = ""
			}
			word, _, more := strings.Cut(trimmed, " ")
			if first && more && (fence == "```text" || fence == "```") && slices.Contains(commands, word) {
				t.Errorf("%s line %d: a block of commands must be sh, with a line before it that says how it is run", file, i+1)
			}
			first = false
		}
	}
}

// A document with blocks to run is of no use if nothing runs it.
func TestEveryDocumentIsInTheMakefile(t *testing.T) {
	all := documents(t)
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	run, err := exec.Command("make", "-s", "list-documents").Output()
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Fields(string(run))
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := parse(string(text))
		if err != nil {
			continue // see above
		}
		runs := slices.ContainsFunc(blocks, func(b block) bool { return !strings.HasPrefix(b.how, notRunMark) })
		if runs && !slices.Contains(listed, file) && !strings.Contains(string(makefile), "./hack/readme "+file) {
			t.Errorf("%s: no target runs its blocks", file)
		}
	}
}

// What a document leaves to .ci/run is a step there.
func TestStepsOfCIAreThere(t *testing.T) {
	const mark = notRunMark + "each is a step of .ci/run"
	files := documents(t)
	steps, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		blocks, _ := parse(string(text)) // for its error see above
		for _, b := range blocks {
			for command := range strings.Lines(b.script) {
				command = strings.TrimSpace(command)
				if b.how != mark {
					continue
				}
				if n++; !strings.Contains(string(steps), "\nstep "+command+"\n") && !strings.Contains(string(steps), " '"+command+"'") {
					t.Errorf("%s line %d: %q is no step of .ci/run", file, b.line, command)
				}
			}
		}
	}
	if n == 0 {
		t.Errorf("no document has the mark %q", mark)
	}
}

// Programs in Go that a document shows compile. A part of one says so in the line before it.
func TestGoInDocumentsCompiles(t *testing.T) {
	var folders []string
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for i := 0; i < len(lines); i++ {
			if strings.TrimSpace(lines[i]) != "```go" || i > 0 && strings.HasPrefix(strings.TrimSpace(lines[i-1]), "<!-- a part: ") {
				continue
			}
			n := slices.Index(lines[i+1:], "```")
			if n < 0 || !strings.HasPrefix(lines[i+1], "package ") {
				t.Errorf("%s line %d: it is no whole program; if it is a part of one, say of what: <!-- a part: of the catalog -->", file, i+1)
				continue
			}
			folder, err := os.MkdirTemp("hack/readme", "block")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(folder) })
			if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(strings.Join(lines[i+1:i+1+n], "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			folders = append(folders, "./"+folder)
		}
	}
	if len(folders) == 0 {
		t.Fatal("no document has a program")
	}
	if out, err := exec.Command("go", append([]string{"vet"}, folders...)...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
