// Package pins checks that whatever a build or a release runs has a fixed version.
package pins

import (
	"os"
	"os/exec"
	"path/filepath"
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
	out, err := exec.Command("git", "-C", root, "ls-files", ".ci", ".github", "hack", "helm/deploy", "Makefile", "*/Makefile", "*requirements.txt", "*pyproject.toml").Output()
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
	for job, text := range map[string]string{"checks": checks, "release": release} {
		if strings.Count(text, "actions/setup-go@") != strings.Count(text, "cache: false") || strings.Contains(text, "actions/cache") {
			t.Errorf("the job %s takes a cache that another job may have written", job)
		}
	}
	if tag := strings.Index(checks, "name: the tag is a version"); tag < 0 || tag > strings.Index(checks, "make ") {
		t.Error("the name of a tag reaches make before anybody has looked at it")
	}
	if strings.Contains(checks, ": write") || strings.Contains(release, ".ci/run") {
		t.Error("the job that runs tests has rights that it does not need")
	}
}

// TestAVersionIsNoCommand: the name of a tag becomes VERSION, and anybody who may push chooses it.
func TestAVersionIsNoCommand(t *testing.T) {
	made := filepath.Join(t.TempDir(), "made")
	for _, version := range []string{"v1$(shell touch " + made + ")", "v1`touch " + made + "`", "v1'; touch " + made + "; '", "v1\n$(shell touch " + made + ")", ""} {
		c := exec.Command("make", "-n", "image", "VERSION="+version)
		c.Dir = "../.."
		if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "VERSION may have") {
			t.Errorf("%q is a version: %v", version, err)
		}
		if _, err := os.Stat(made); err == nil {
			t.Fatalf("%q runs a command", version)
		}
	}
	c := exec.Command("make", "-n", "image", "VERSION=v1.2.3-rc.1")
	c.Dir = "../.."
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("v1.2.3-rc.1 is no version: %v: %.200s", err, out)
	}
}

// TestBoundariesHaveTests: each line of the table of trust boundaries names tests, and all that the document names exist.
func TestBoundariesHaveTests(t *testing.T) {
	document := read(t, "docs/security.md")
	_, rest, _ := strings.Cut(document, "## Threats and countermeasures")
	section, _, ok := strings.Cut(rest, "\n## ")
	if !ok {
		t.Fatal("the document has no table of boundaries")
	}
	exists := func(what string, args ...string) {
		if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output(); err != nil || len(out) == 0 {
			t.Errorf("docs/security.md names %s, which is nowhere", what)
		}
	}
	lines := 0
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) == 7 && !strings.HasPrefix(line, "| who") && !strings.HasPrefix(line, "|--") {
			lines++
			if !regexp.MustCompile("`(Test|Fuzz)[A-Za-z]+`|_test.yaml`").MatchString(cells[5]) {
				t.Errorf("this boundary has no test:%s", cells[1])
			}
		}
	}
	if lines < 10 {
		t.Errorf("%d boundaries", lines)
	}
	for _, found := range regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)`").FindAllStringSubmatch(document, -1) {
		exists(found[1], "grep", "-l", "func "+found[1]+"(", "--", "*_test.go")
	}
	for _, found := range regexp.MustCompile("`([a-z/]+_test.yaml)`").FindAllStringSubmatch(document, -1) {
		exists(found[1], "ls-files", found[1])
	}
}
