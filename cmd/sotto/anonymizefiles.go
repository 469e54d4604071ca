package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"sotto/config"
	"sotto/internal/batch"
	"sotto/schemas"
)

// lineProcess is batch.Job.Events or Text.
type lineProcess func(ctx context.Context, in io.Reader, out io.Writer) (batch.Counts, error)

// several anonymizes files and folders.
func (f *anonymizeFlags) several(cmd *cobra.Command, job *batch.Job, paths []string) error {
	if f.out == "" {
		return usageError("several files need a folder for the output; name it with -o")
	}
	if info, err := os.Stat(f.out); err == nil && !info.IsDir() {
		return usageError("%s is a file; give a folder with -o", f.out)
	}
	inputs, err := batch.FindInputs(paths, f.out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usageError("one of the paths does not exist, or its pattern matches nothing")
	case err != nil:
		return usageError("%v", err)
	case len(inputs) == 0:
		return usageError("there are no files in %s", strings.Join(paths, ", "))
	}
	stderr := cmd.ErrOrStderr()
	p := newProgress(stderr, inputs)
	var results []batch.FileResult
	files := batch.Files{Job: job, Out: f.out, Options: f.options(), Force: f.force, Workers: f.workers, Done: func(r batch.FileResult) {
		p.clear()
		if r.Err != nil {
			fmt.Fprintf(stderr, "sotto: %s: %v\n", r.Input, r.Err)
		}
		writeNotes(stderr, r.Input+": ", r.Notes)
		p.done(r)
		if f.report == "" {
			r.Calls = summariesOnly(r.Calls)
		}
		results = append(results, r)
	}}
	err = files.Run(cmd.Context(), inputs)
	p.clear()
	if err != nil {
		return err
	}
	if err := f.summarize(cmd, results); err != nil {
		return err
	}
	return p.verdict()
}

// summariesOnly drops the texts of calls, so that they need no memory.
func summariesOnly(calls []batch.CallResult) []batch.CallResult {
	for i := range calls {
		calls[i].Turns = nil
	}
	return calls
}

// summarize writes the report and the summary that the flags ask for.
func (f *anonymizeFlags) summarize(cmd *cobra.Command, results []batch.FileResult) error {
	summary := batch.Summarize(results)
	if f.report != "" {
		if err := writeReport(f.report, results, summary); err != nil {
			return err
		}
	}
	if !f.json {
		return nil
	}
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetIndent("", "  ")
	return e.Encode(summary)
}

// writeReport writes the page, and the summary beside it. Only their owner can read the page.
func writeReport(path string, results []batch.FileResult, summary batch.Summary) error {
	page, err := batch.ReportHTML(results, summary)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(summary, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, page, 0o600); err != nil {
		return err
	}
	return batch.WriteAtomically(strings.TrimSuffix(path, filepath.Ext(path))+".json", append(data, '\n'))
}

// progress shows on a terminal how far a run is.
type progress struct {
	w                        io.Writer
	terminal                 bool
	began                    time.Time
	files                    int
	bytes, processed, passed int64
	finished, before, failed int
}

func newProgress(w io.Writer, inputs []batch.Input) *progress {
	p := &progress{w: w, began: time.Now(), files: len(inputs)}
	for _, in := range inputs {
		p.bytes += in.Size
	}
	if f, ok := w.(*os.File); ok {
		p.terminal = term.IsTerminal(f.Fd())
	}
	return p
}

func (p *progress) clear() {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// done counts a file and shows the rate and the remaining time.
func (p *progress) done(r batch.FileResult) {
	p.passed += r.Bytes
	switch {
	case r.Err != nil:
		p.failed++
	case r.Finished:
		p.before++
	default:
		p.finished++
		p.processed += r.Bytes
	}
	if p.terminal {
		fmt.Fprint(p.w, p.line(time.Since(p.began)))
	}
}

// line is how far the run is after a time.
func (p *progress) line(elapsed time.Duration) string {
	const width = 20
	n := p.finished + p.before + p.failed
	filled := width * n / max(p.files, 1)
	line := fmt.Sprintf("[%s%s] %d of %d files", strings.Repeat("#", filled), strings.Repeat(".", width-filled), n, p.files)
	if rate := float64(p.processed) / elapsed.Seconds(); rate > 0 {
		left := time.Duration(float64(p.bytes-p.passed) / rate * float64(time.Second))
		line += fmt.Sprintf(", %.1f MB/s, %v left", rate/1e6, left.Round(time.Second))
	}
	return line
}

// verdict says on standard error what became of the files. It is an error if one failed.
func (p *progress) verdict() error {
	line := fmt.Sprintf("%d files anonymized", p.finished)
	if p.before > 0 {
		line += fmt.Sprintf(", %d were finished before (--force processes them again)", p.before)
	}
	if p.failed > 0 {
		return fmt.Errorf("%s, %d could not be processed; they are named above and have no output", line, p.failed)
	}
	fmt.Fprintf(p.w, "sotto: %s\n", line)
	return nil
}

// switchTypes makes the settings switch infoTypes on and off as --types says. remove deletes what
// the engine no longer needs once it is built.
func (f *anonymizeFlags) switchTypes(s *config.Settings) (remove func(), err error) {
	remove = func() {}
	if f.types == "" {
		return remove, nil
	}
	if s.DictionaryDir != "" {
		return remove, usageError("--types and a policy folder contradict each other; set the infoTypes in its policy.yaml")
	}
	rules := "info_types:\n"
	for name := range strings.SplitSeq(f.types, ",") {
		name = strings.TrimSpace(name)
		off := strings.HasPrefix(name, "-")
		rules += fmt.Sprintf("  %q: {enabled: %t}\n", strings.TrimLeft(name, "+-"), !off)
	}
	dir, err := os.MkdirTemp("", "sotto-types-")
	if err != nil {
		return remove, err
	}
	s.DictionaryDir = dir
	return func() { os.RemoveAll(dir) }, os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(rules), 0o600)
}

// readParticipants reads the file of --participants: one participant with all its values. A value
// with @ is an e-mail address, one with five digits or more a number, and others are names.
func (f *anonymizeFlags) readParticipants() ([]schemas.Participant, error) {
	if f.participants == "" {
		return nil, nil
	}
	data, err := os.ReadFile(f.participants)
	if err != nil {
		return nil, usageError("%v; give a file that can be read", err)
	}
	var list []schemas.Participant
	for value := range strings.Lines(string(data)) {
		value = strings.TrimSpace(value)
		if value == "" || strings.HasPrefix(value, "#") {
			continue
		}
		var p schemas.Participant
		digits := 0
		for _, b := range []byte(value) {
			if '0' <= b && b <= '9' {
				digits++
			}
		}
		switch {
		case strings.Contains(value, "@"):
			p.Emails = []string{value}
		case digits >= 5:
			p.Phones = []string{value}
		default:
			p.Names = []string{value}
		}
		list = append(list, p)
	}
	return list, nil
}
