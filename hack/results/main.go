// Command results runs commands behind docs/papers.md again, and writes what they print into
// docs/results. It gets the names of files there, without .json:
//
//	go run ./hack/results dev who
//
// A test of this package compares the page with these files. Where figures of adversary.md, evaluation.md, residual-risk.md and
// tagger.md have no such source, it asks for the version of the rules.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"sotto/anonymize"
)

// folder has the results, from the root of the repository.
const folder = "docs/results"

// result is what commands printed, or which report of the repository has it.
type result struct {
	// Commands are what was run, in the root of the repository. The page has the first one.
	Commands []string `json:"commands"`
	// Keep is an expression for the lines of the output that are kept; all without one.
	Keep string `json:"keep,omitempty"`
	// Origin says how the figures came about; a figure can only be as good as that.
	Origin origin `json:"origin"`
	// Date is the day of the run, and RuleVersion the version of the rules in it, 0 where none took part or nobody noted it.
	Date        string `json:"date"`
	RuleVersion int    `json:"rule_version,omitempty"`
	// NoRules says that the rules have no part in the figures.
	NoRules bool `json:"no_rules,omitempty"`
	// Note says what else a reader must know of the run.
	Note string `json:"note,omitempty"`
	// Report is the document with the figures, from the root of the repository; Output has them without one.
	Report string   `json:"report,omitempty"`
	Output []string `json:"output,omitempty"`
	// Derived are sums like "5 + 2 = 7" that make figures of the page out of those of the run.
	Derived []string `json:"derived,omitempty"`
}

// origin is where figures are from.
type origin string

const (
	// run: this program wrote the file.
	ofRun origin = "run"
	// report: the command is here, but takes long; a person ran it and wrote the report.
	ofReport origin = "report"
	// history: as report, and the program is only in the history of the repository.
	ofHistory origin = "history"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(1)
	}
}

func write(names []string) error {
	if len(names) == 0 {
		return errors.New("name files of " + folder + " without .json")
	}
	for _, name := range names {
		path := filepath.Join(folder, name+".json")
		r, err := read(path)
		if err != nil {
			return err
		}
		if r.Origin != ofRun {
			return fmt.Errorf("%s: its figures are in %s", path, r.Report)
		}
		keep, err := regexp.Compile(r.Keep)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.Output = nil
		for _, command := range r.Commands {
			lines, err := output(command)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for _, line := range lines {
				if keep.MatchString(line) {
					r.Output = append(r.Output, line)
				}
			}
		}
		r.Date = time.Now().UTC().Format(time.DateOnly)
		if !r.NoRules {
			r.RuleVersion = anonymize.RuleVersion
		}
		if err := save(path, r); err != nil {
			return err
		}
	}
	return nil
}

// output runs a command with bin first in the path, and returns what it prints, without blank lines.
func output(command string) ([]string, error) {
	bin, err := filepath.Abs("bin")
	if err != nil {
		return nil, err
	}
	var printed bytes.Buffer
	cmd := exec.Command("bash", "-o", "pipefail", "-c", command)
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Stdout, cmd.Stderr = &printed, &printed
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", command, err, printed.String())
	}
	var lines []string
	for line := range strings.Lines(printed.String()) {
		if line = strings.TrimRight(line, " \n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

func read(path string) (result, error) {
	var r result
	text, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func save(path string, r result) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(r); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}
