// Package pins checks that whatever a build or a release runs has a fixed version.
package pins

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

const root = "../../"

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(root + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestEverythingIsPinned looks at all files that git knows.
func TestEverythingIsPinned(t *testing.T) {
	out, err := exec.Command("git", "-C", root, "ls-files", ".ci", ".github", "hack", "deploy", "Makefile", "*/Makefile", "*requirements.txt", "*pyproject.toml").Output()
	if err != nil {
		t.Skip("not a checkout of git")
	}
	for _, name := range strings.Fields(string(out)) {
		if name == "hack/pins/pins_test.go" {
			continue
		}
		checks := []struct{ what, all, pinned string }{
			{"an action has no commit", `(?m)^\s*- uses: .*$`, `@[0-9a-f]{40} # v`},
			{"a module has no version", `go (?:install|run) \S+@\S+`, `@v[0-9]+\.`},
			{"a package of npm has no version", `npm (?:pack|install|ci)\b.*`, `@\$version|npm ci`},
			{"a package of pip has no version", `pip"? install .*`, `==|-r |-e `},
			{"the build of a wheel has no version", `(?m)^requires = .*$`, `==`},
		}
		if name != "hack/apt" {
			checks = append(checks, struct{ what, all, pinned string }{"hack/apt pins packages", `apt-get.* install .*`, `^$`})
		}
		if strings.HasSuffix(name, "requirements.txt") {
			checks = append(checks, struct{ what, all, pinned string }{"a package has no version", `(?m)^[a-z].*$`, `==`})
		}
		text := read(t, name)
		for _, c := range checks {
			for _, found := range regexp.MustCompile(c.all).FindAllString(text, -1) {
				if !regexp.MustCompile(c.pinned).MatchString(found) {
					t.Errorf("%s: %s: %s", name, c.what, strings.TrimSpace(found))
				}
			}
		}
	}
}

// TestAReleaseIsChecked: nothing is published before the searches for vulnerabilities, of the very images
// that were searched, and everything is signed; what runs tests cannot sign.
func TestAReleaseIsChecked(t *testing.T) {
	checks, release, ok := strings.Cut(read(t, ".github/workflows/release.yaml"), "\n  release:\n")
	if !ok || !strings.Contains(release, "needs: checks") || !strings.Contains(checks, "run: make vulnerabilities") || !strings.Contains(checks, "run: .ci/run") {
		t.Error("a release does not wait for its checks")
	}
	if !strings.Contains(checks, "make scan-images") || !strings.Contains(release, "SCANNED: ${{ needs.checks.outputs.sotto-stream }}") {
		t.Error("images are published that were not scanned")
	}
	for _, signed := range []string{`cosign sign --yes "$image"`, `cosign sign --yes "$chart"`, "cosign sign-blob"} {
		if !strings.Contains(release, signed) {
			t.Errorf("a release lacks %s", signed)
		}
	}
	if strings.Contains(checks, ": write") || strings.Contains(release, ".ci/run") {
		t.Error("the job that runs tests has rights that it does not need")
	}
}
