package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A name that only one platform has is an error on the others, in an imported package, too.
func TestANameThatAPlatformLacksIsAnError(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module example.org/m\n\ngo 1.26\n",
		"m.go":             "package m\n\nimport \"example.org/m/lib\"\n\nfunc F() int { return lib.F() }\n",
		"lib/lib.go":       "package lib\n\nfunc F() int { return g() }\n",
		"lib/lib_linux.go": "package lib\n\nfunc g() int { return 1 }\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := check(dir, "linux/arm64", []string{"."}); err != nil || n != 3 {
		t.Errorf("linux: %d packages, %v", n, err)
	}
	if _, err := check(dir, "windows/amd64", []string{"."}); err == nil || !strings.Contains(err.Error(), "undefined: g") {
		t.Errorf("windows: %v", err)
	}
	for _, platform := range []string{"linux", "linux/pdp11"} {
		if _, err := check(dir, platform, []string{"."}); err == nil {
			t.Errorf("%s is a platform", platform)
		}
	}
}
