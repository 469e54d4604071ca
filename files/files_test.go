package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sotto/files/formats"
	"sotto/state/linking"
)

// folder writes files into a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// runFiles anonymizes the paths and returns the results by the path below the output folder.
func runFiles(t *testing.T, f Files, paths ...string) map[string]FileResult {
	t.Helper()
	inputs, err := FindInputs(paths, f.Out)
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]FileResult{}
	f.Done = func(r FileResult) {
		relative, err := filepath.Rel(f.Out, r.Output)
		if err != nil {
			t.Error(err)
		}
		results[relative] = r
	}
	if err := f.Run(context.Background(), inputs); err != nil {
		t.Fatal(err)
	}
	return results
}

func TestFilesAreFinishedOnce(t *testing.T) {
	const text = "Agent: This is Ines Quimby.\n"
	in := folder(t, map[string]string{"a.txt": text, "sub/b.txt": text, "bad.json": `{"x":"Ines Quimby"}`, ".hidden": text})
	f := Files{Job: fileJob(t), Out: filepath.Join(in, "out")}
	states := func(results map[string]FileResult) string {
		var s []string
		for _, name := range []string{"a.txt", "sub/b.txt", "bad.json"} {
			switch r := results[name]; {
			case r.Err != nil:
				s = append(s, "failed")
			case r.Finished:
				s = append(s, "before")
			case r.Format != "":
				s = append(s, "done")
			}
		}
		return strings.Join(s, " ")
	}
	if got := states(runFiles(t, f, in)); got != "done done failed" {
		t.Errorf("first run: %s", got)
	}
	out, err := os.ReadFile(filepath.Join(f.Out, "sub/b.txt"))
	if err != nil || string(out) != "Agent: This is [PERSON_NAME_1].\n" {
		t.Errorf("the output is %q, %v", out, err)
	}
	if _, err := os.Stat(filepath.Join(f.Out, "bad.json")); err == nil {
		t.Error("a refused file has an output")
	}
	if got := states(runFiles(t, f, in)); got != "before before failed" {
		t.Errorf("second run: %s", got)
	}
	if err := os.Chtimes(filepath.Join(in, "a.txt"), time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(f.Out, "sub/b.txt")); err != nil {
		t.Fatal(err)
	}
	if got := states(runFiles(t, f, in)); got != "done done failed" {
		t.Errorf("a changed input and a lost output: %s", got)
	}
	f.Force = true
	if got := states(runFiles(t, f, in)); got != "done done failed" {
		t.Errorf("with force: %s", got)
	}
	f.Force = false
	live := *f.Job
	live.Live = true
	f.Job = &live
	if got := states(runFiles(t, f, in)); got != "done done failed" {
		t.Errorf("with other settings: %s", got)
	}
	live.Settings = "another key"
	if got := states(runFiles(t, f, in)); got != "done done failed" {
		t.Errorf("with other settings outside of the engine: %s", got)
	}
}

func TestAnInputIsNeverReplaced(t *testing.T) {
	in := folder(t, map[string]string{"a.txt": "Agent: This is Ines Quimby.\n"})
	r := runFiles(t, Files{Job: fileJob(t), Out: in}, filepath.Join(in, "*.txt"))
	for _, one := range r {
		if one.Err == nil {
			t.Error("the input was replaced")
		}
	}
	data, err := os.ReadFile(filepath.Join(in, "a.txt"))
	if err != nil || !strings.Contains(string(data), "Quimby") {
		t.Error("the input has changed")
	}
}

// What is learned late is known from the start, unless the job is live.
func TestACallIsReadTwice(t *testing.T) {
	const text = "A: the latch side is fine.\nB: My name is Rosa Latch.\n"
	j := fileJob(t)
	twice, _ := anonymized(t, j, "a.txt", text)
	j.Live = true
	once, _ := anonymized(t, j, "a.txt", text)
	if !strings.HasSuffix(twice, "My name is [PERSON_NAME_1].\n") || twice == once {
		t.Errorf("twice %q, once %q", twice, once)
	}
	for _, v := range []string{"atch", "_2]"} {
		if strings.Contains(twice, v) {
			t.Errorf("%q contains %q", twice, v)
		}
	}
}

// A person whose name was heard in two ways has one number, also in a live job, and the numbers after it have no gap.
func TestAPersonHasOneNumberInAFile(t *testing.T) {
	const text = "Ann: my name is Makoa Kealoha\nBen: okay mocha, what can I do\nAnn: ask Thaddeus Quill\n"
	const alikeAreOne = "0,0\n4 60 1 2,-1,1" // by the likeness of their words
	j := fileJob(t)
	var twice, once string
	var results []CallResult
	linking.TryModels(alikeAreOne, linking.NobodyIsOne, func() {
		twice, results = anonymized(t, j, "a.txt", text)
		j.Live = true
		once, _ = anonymized(t, j, "a.txt", text)
	})
	const want = "[PERSON_NAME_1]: my name is [PERSON_NAME_1]\n[PERSON_NAME_2]: okay [PERSON_NAME_1], what can I do\n[PERSON_NAME_1]: ask [PERSON_NAME_3]\n"
	for _, got := range []string{twice, once} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if s := results[0].Summary; s.Entities["PERSON_NAME"] != 3 || s.Renumbered != nil {
		t.Errorf("the summary is %+v", s)
	}
}

var (
	optionsText = formats.Options{Format: "text"}
	errNothing  = errors.New("nothing")
)

func TestReport(t *testing.T) {
	j := fileJob(t)
	var r FileResult
	out, err := j.Anonymize(context.Background(), []byte("A: This is Ines <bold>Quimby</bold> & co\n"), optionsText, &r)
	if err != nil || strings.Contains(string(out), "Ines") {
		t.Fatalf("%s, %v", out, err)
	}
	s := Summarize([]FileResult{r, {Input: "b", Err: errNothing}, {Input: "c", Finished: true}})
	page, err := ReportHTML([]FileResult{r}, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"This page contains raw text", "PERSON_NAME", "found by", "estimated risk 0", "Ines", "[PERSON_NAME_1]", "&lt;"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(string(page), "ZgotmplZ") || strings.Contains(string(page), "<bold>") {
		t.Error("the page is not escaped")
	}
	data, err := json.Marshal(s)
	if err != nil || strings.Contains(string(data), "Ines") || s.Failed != 1 || s.Finished != 1 || s.Calls != 1 {
		t.Errorf("the summary is %s", data)
	}
}

// Each file is a call of its own: the first person of two files has two surrogates, and another run gives
// the same ones.
func TestFilesShareNoSurrogates(t *testing.T) {
	in := folder(t, map[string]string{"a.txt": "Agent: This is Ines Quimby.\n", "b.txt": "Agent: Here is Tobias Wendover.\n"})
	key := filepath.Join(t.TempDir(), "state.key")
	if err := os.WriteFile(key, []byte(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		job, _ := policyJob(t, key, map[string]string{"STRATEGY": "entity"})
		f := Files{Job: job, Out: filepath.Join(t.TempDir(), "out")}
		runFiles(t, f, in)
		out, err := os.ReadFile(filepath.Join(f.Out, name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(string(out[strings.Index(string(out), " is ")+4:]), ".\n")
	}
	a, b := read("a.txt"), read("b.txt")
	if a == b || a == "" || strings.HasPrefix(a, "[") {
		t.Errorf("two files have the surrogates %q and %q", a, b)
	}
	if again := read("a.txt"); again != a {
		t.Errorf("another run gave %q instead of %q", again, a)
	}
}
