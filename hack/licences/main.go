// Command licences prints the licence of every module that is linked into
// cmd/sotto, and fails if one is not permissive or cannot be told.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Stdout, "./cmd/sotto"); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

func run(out io.Writer, pkg string) error {
	modules, err := linked(pkg)
	if err != nil {
		return err
	}
	var bad []string
	for _, m := range modules {
		found, err := licencesOf(m.Dir)
		if err != nil {
			found = []string{err.Error()}
			bad = append(bad, m.Path)
		}
		fmt.Fprintf(out, "%-52s %-44s %s\n", m.Path, m.Version, strings.Join(found, ", "))
	}
	if len(bad) > 0 {
		return fmt.Errorf("no permissive licence found for %s: replace the dependency, or teach this check its licence", strings.Join(bad, ", "))
	}
	fmt.Fprintf(out, "%d modules, all under permissive licences\n", len(modules))
	return nil
}

// linked lists the modules that packages of the program come from.
func linked(pkg string) ([]module, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Module", pkg)
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	byPath := map[string]module{}
	for dec := json.NewDecoder(strings.NewReader(string(data))); ; {
		var p struct{ Module *module }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if m := p.Module; m != nil && !m.Main {
			if m.Replace != nil {
				m = m.Replace
			}
			byPath[m.Path] = *m
		}
	}
	var list []module
	for _, m := range byPath {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)([-.].*)?$`)

// licencesOf reads the licence files in a module's folder. Each of them must
// be known and permissive.
func licencesOf(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		name, ok := classify(string(text))
		if !ok {
			return nil, fmt.Errorf("%s: %s", e.Name(), name)
		}
		found = append(found, name)
	}
	if len(found) == 0 {
		return nil, errors.New("no licence file")
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// Phrases that only the text of a licence has. A file may hold several
// licences: it is permissive if it has one that is and none that is not.
var (
	restrictive = []string{
		"gnu general public license", "gnu lesser general public license", "gnu affero general public license",
		"gnu library general public license", "mozilla public license", "eclipse public license",
		"server side public license", "business source license", "common development and distribution license",
		"creative commons attribution-sharealike", "creative commons attribution-noncommercial",
	}
	permissive = []struct {
		name    string
		phrases []string
	}{
		{"Apache-2.0", []string{"apache license", "version 2.0"}},
		{"MIT", []string{"permission is hereby granted, free of charge", "the above copyright notice and this permission notice"}},
		{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "endorse or promote products"}},
		{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}},
		{"ISC", []string{"permission to use, copy, modify, and", "distribute this software for any purpose with or without fee"}},
		{"Unlicense", []string{"this is free and unencumbered software released into the public domain"}},
	}
)

func classify(text string) (name string, ok bool) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	for _, phrase := range restrictive {
		if strings.Contains(text, phrase) {
			return phrase, false
		}
	}
	var names []string
	for _, l := range permissive {
		if !slices.ContainsFunc(l.phrases, func(p string) bool { return !strings.Contains(text, p) }) {
			if l.name == "BSD-2-Clause" && slices.Contains(names, "BSD-3-Clause") {
				continue
			}
			names = append(names, l.name)
		}
	}
	if len(names) == 0 {
		return "unknown licence", false
	}
	return strings.Join(names, " and "), true
}
