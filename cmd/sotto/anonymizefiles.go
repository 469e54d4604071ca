package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/config"
	"sotto/files"
	"sotto/files/formats/jsondoc"
	"sotto/schemas"
)

func (f *anonymizeFlags) several(cmd *cobra.Command, job *files.Job, paths []string) error {
	if f.out == "" {
		return cli.UsageError("several files need a folder for the output; name it with -o")
	}
	if info, err := os.Stat(f.out); err == nil && !info.IsDir() {
		return cli.UsageError("%s is a file; give a folder with -o", f.out)
	}
	inputs, err := files.FindInputs(paths, f.out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cli.UsageError("one of the paths does not exist, or its pattern matches nothing")
	case err != nil:
		return cli.UsageError("%v", err)
	case len(inputs) == 0:
		return cli.UsageError("there are no files in %s", strings.Join(paths, ", "))
	}
	for _, in := range inputs {
		if err := f.checkTargets(in.Path, filepath.Join(f.out, in.Relative)); err != nil {
			return err
		}
	}
	stderr := cmd.ErrOrStderr()
	p := newProgress(stderr, inputs)
	var results []files.FileResult
	workers, _ := memoryPerFile()
	files := files.Files{Job: job, Workers: workers, Out: f.out, Options: f.options(), Force: f.force, Redactions: f.redactions, Done: func(r files.FileResult) {
		p.clear()
		if r.Err != nil {
			writeNotes(stderr, r.Input+": ", []string{r.Err.Error()})
		}
		writeNotes(stderr, r.Input+": ", r.Notes)
		p.done(r)
		if f.report == "" { // the summary needs no texts
			for i := range r.Calls {
				r.Calls[i].Turns = nil
			}
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

// summarize writes the report and the summary that the flags ask for.
func (f *anonymizeFlags) summarize(cmd *cobra.Command, results []files.FileResult) error {
	summary := files.Summarize(results)
	if f.report != "" {
		page, err := files.ReportHTML(results, summary)
		if err == nil {
			err = files.WriteAtomically(f.report, page, files.PrivateMode) // only their owner can read it
		}
		if err != nil {
			return err
		}
	}
	if !f.json {
		return nil
	}
	data, err := json.MarshalIndent(summary, "", "  ")
	if err != nil {
		return err
	}
	_, err = cmd.OutOrStdout().Write(append(escapedJSON(data), '\n'))
	return err
}

// escapedJSON escapes in JSON what is not printable: names of files may contain what a terminal
// obeys.
func escapedJSON(data []byte) []byte {
	var b []byte
	for _, r := range string(data) {
		if r == '\n' || unicode.IsPrint(r) {
			b = utf8.AppendRune(b, r)
			continue
		}
		for _, u := range utf16.AppendRune(nil, r) {
			b = fmt.Appendf(b, `\u%04x`, u)
		}
	}
	return b
}

// checkTargets refuses a report that would replace an input, the output of it, or anything but a regular
// file. output is "" if there is none.
func (f *anonymizeFlags) checkTargets(input, output string) error {
	if f.report == "" {
		return nil
	}
	if output != "" && filepath.Clean(output) == filepath.Clean(f.report) {
		return cli.UsageError("%s would be written twice; give another file with --report", f.report)
	}
	return checkTarget(input, f.report)
}

// checkTarget refuses a file for a result that is the input, or anything but a regular file.
func checkTarget(input, path string) error {
	if err := files.Replaceable(path); err != nil {
		return cli.UsageError("%s: %v; give another file", path, err)
	}
	if files.SameFile(input, path) {
		return cli.UsageError("%s is the input, which would be replaced; give another file", path)
	}
	return nil
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

func newProgress(w io.Writer, inputs []files.Input) *progress {
	p := &progress{w: w, terminal: cli.IsTerminal(w), began: time.Now(), files: len(inputs)}
	for _, in := range inputs {
		p.bytes += in.Size
	}
	return p
}

func (p *progress) clear() {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// done counts a file and shows the rate and the remaining time.
func (p *progress) done(r files.FileResult) {
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
		return remove, cli.UsageError("--types and a policy folder contradict each other; set the infoTypes in its policy.yaml")
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

// readMapping replaces the path of --mapping by the text of the file.
func (f *anonymizeFlags) readMapping() error {
	if f.Mapping == "" {
		return nil
	}
	data, err := os.ReadFile(f.Mapping)
	if err != nil {
		return cli.UsageError("%v; give a file that can be read", err)
	}
	if err := jsondoc.CheckMapping(string(data)); err != nil {
		return cli.UsageError("%s: %v; docs/files.md has an example", f.Mapping, err)
	}
	f.Mapping = string(data)
	return nil
}

var fiveDigits = regexp.MustCompile(`(?:[0-9][^0-9]*){5}`)

// readParticipants reads the file of --participants: one participant with all its values. A value
// with @ is an e-mail address, one with five digits or more a number, and others are names.
func (f *anonymizeFlags) readParticipants() ([]schemas.Participant, error) {
	if f.participants == "" {
		return nil, nil
	}
	data, err := os.ReadFile(f.participants)
	if err != nil {
		return nil, cli.UsageError("%v; give a file that can be read", err)
	}
	var list []schemas.Participant
	for value := range strings.Lines(string(data)) {
		value = strings.TrimSpace(value)
		if value == "" || strings.HasPrefix(value, "#") {
			continue
		}
		var p schemas.Participant
		switch {
		case strings.Contains(value, "@"):
			p.Emails = []string{value}
		case fiveDigits.MatchString(value):
			p.Phones = []string{value}
		default:
			p.Names = []string{value}
		}
		list = append(list, p)
	}
	return list, nil
}
