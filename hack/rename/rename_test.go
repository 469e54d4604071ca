package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	newModule = "example.org/team/sotto"
	newImage  = "registry.example.org/team/sotto"
	newSource = "https://code.example.org/team/sotto"
)

// The renamed copy builds, reports panics under its new module path, and passes the tests that
// depend on the names.
func TestTheRenamedProjectBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a copy of the project")
	}
	root := t.TempDir()
	const project = "../.."
	err := eachFile(project, func(path string) error {
		rel, err := filepath.Rel(project, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		to := filepath.Join(root, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := run(root, names{newModule, newImage, newSource}); err != nil {
		t.Fatal(err)
	}
	// All packages compile, and the program and two tests are linked. With -trimpath, the next run
	// of this test can reuse the build cache.
	for _, args := range [][]string{
		{"list", "-trimpath", "-export", "-f", "{{.ImportPath}}", "./..."},
		{"build", "-trimpath", "-o", filepath.Join(root, "bin/sotto"), "./cmd/sotto"},
		{"test", "-trimpath", "-vet=off", "./internal/panics", "./hack/layers"},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	for file, want := range map[string]string{
		"helm/sotto/Chart.yaml":          "home: " + newSource + "\n",
		"deploy/Dockerfile":              "image.source=" + newSource + " ",
		"go.mod":                         "module " + newModule + "\n",
		"helm/sotto/values.yaml":         "  repository: " + newImage + "\n",
		"helm/sotto/README.md":           "`" + newImage + "`",
		".github/workflows/release.yaml": "IMAGE: " + newImage + " ",
	} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q (%v)", file, want, err)
		}
	}
}

func TestRenameInGo(t *testing.T) {
	const project = "../.."
	const before = `package x

import (
	"fmt"

	notices "sotto"
	"sotto/schemas"
	"sottovoce/schemas"
)

var (
	program = "sotto/cmd/sotto"
	method  = "sotto/schemas.(*Codec).DecodeRaw"
	clock   = "sotto/1 clock="
	none    = "sotto/no/such/package"
	group   = "sotto"
	_       = fmt.Sprint(notices.Licence, schemas.Start)
)
`
	const after = `package x

import (
	"fmt"

	notices "example.org/team/sotto"
	"example.org/team/sotto/schemas"
	"sottovoce/schemas"
)

var (
	program = "example.org/team/sotto/cmd/sotto"
	method  = "example.org/team/sotto/schemas.(*Codec).DecodeRaw"
	clock   = "sotto/1 clock="
	none    = "sotto/no/such/package"
	group   = "sotto"
	_       = fmt.Sprint(notices.Licence, schemas.Start)
)
`
	got, err := renameInGo(project, []byte(before), "sotto", newModule)
	if err != nil || string(got) != after {
		t.Fatalf("%v\n%s", err, got)
	}
	again, err := renameInGo(project, got, newModule, "sotto")
	if err != nil || string(again) != before {
		t.Errorf("back: %v\n%s", err, again)
	}
}

func TestWrongNamesAreRefused(t *testing.T) {
	for _, n := range []names{
		{}, {module: "/sotto"}, {module: "example.org/a b"}, {module: "example.org//sotto"},
		{image: "sotto"}, {image: "registry.example.org/Sotto"}, {image: "registry.example.org/sotto:v1"}, {module: newModule, image: "https://registry.example.org/sotto"},
		{source: "example.org/sotto"}, {source: "http://example.org/sotto"}, {source: "https://example.org"},
	} {
		if err := run(t.TempDir(), n); err == nil {
			t.Errorf("%+v: no error", n)
		}
	}
}
