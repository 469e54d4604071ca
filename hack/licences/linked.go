package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// programs are what is shipped: the binary, and the certificates in the image.
var programs = []string{"./cmd/sotto", "golang.org/x/crypto/x509roots/fallback/bundle"}

// work is a module that is linked, or Go's own library.
type work struct {
	name, version string
	texts         []licenceText
}

type licenceText struct {
	file   string // relative to the module's root
	text   string
	notice bool // a NOTICE file, which the Apache License asks to pass on
}

func (w *work) licences() []string {
	var names []string
	for _, t := range w.texts {
		if name, ok := classify(t.text); ok && !t.notice {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// linked lists what the packages of the programs come from on any platform that releases have
// binaries for, sorted by name, with Go itself first.
func linked(root string) ([]work, error) {
	platforms, err := os.ReadFile(filepath.Join(root, "hack/platforms"))
	if err != nil {
		return nil, err
	}
	goroot, err := goCommand(root, "", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	std := work{name: "Go standard library"}
	if err := std.add(strings.TrimSpace(string(goroot)), "."); err != nil {
		return nil, err
	}
	modules := map[string]*work{}
	for _, platform := range strings.Fields(string(platforms)) {
		const format = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}"
		packages, err := goCommand(root, platform, append([]string{"list", "-deps", "-f", format}, programs...)...)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(packages)) {
			fields := strings.Split(strings.TrimSpace(line), "\t")
			if len(fields) < 4 {
				continue // of Go, or our own
			}
			name, dir, folder := fields[0], fields[2], fields[3]
			if modules[name] == nil {
				modules[name] = &work{name: name, version: fields[1]}
			}
			if err := modules[name].addUpwards(dir, folder); err != nil {
				return nil, err
			}
		}
	}
	list := []work{std}
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		list = append(list, *modules[name])
	}
	return list, nil
}

// goCommand runs the go command, for a platform such as linux/amd64 or, by default, for this one.
func goCommand(dir, platform string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if system, arch, ok := strings.Cut(platform, "/"); ok {
		cmd.Env = append(cmd.Env, "GOOS="+system, "GOARCH="+arch)
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out, nil
}

// addUpwards takes the licence files of a package's folder and of those above it, up to the module's
// root: code that a module has copied from elsewhere may have a licence of its own.
func (w *work) addUpwards(root, dir string) error {
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return err
	}
	for ; ; rel = filepath.Dir(rel) {
		if err := w.add(root, rel); err != nil {
			return err
		}
		if rel == "." {
			return nil
		}
	}
}

var (
	licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)([-.].*)?$`)
	noticeFile  = regexp.MustCompile(`(?i)^notice([-.].*)?$`)
)

// notLicences are files that are named like a licence, and why they are none of linked code.
var notLicences = map[string]string{
	"modernc.org/sqlite LICENSE-3RD-PARTY.md": "an inventory: the MPL in it belongs to a module of its tools that is not linked",
	"modernc.org/memory LICENSE-LOGO":         "the address of a picture in its README",
}

func (w *work) add(root, rel string) error {
	entries, err := os.ReadDir(filepath.Join(root, rel))
	if err != nil {
		return err
	}
	for _, e := range entries {
		notice := noticeFile.MatchString(e.Name())
		if e.IsDir() || !notice && !licenceFile.MatchString(e.Name()) {
			continue
		}
		file := filepath.ToSlash(filepath.Join(rel, e.Name()))
		if _, none := notLicences[w.name+" "+file]; none {
			continue
		}
		if slices.ContainsFunc(w.texts, func(t licenceText) bool { return t.file == file }) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return err
		}
		w.texts = append(w.texts, licenceText{file, tidy(string(text)), notice})
	}
	slices.SortFunc(w.texts, func(a, b licenceText) int { return cmp.Compare(a.file, b.file) })
	return nil
}

// tidy makes texts comparable that differ in line ends and blank lines at their ends only.
func tidy(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n") + "\n"
}
