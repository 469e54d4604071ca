package layers

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mention is what a document says of the repository: a path in code, or the name of a test or benchmark.
var (
	mentionedPath = regexp.MustCompile("`(?:\\./)?([a-zA-Z.][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_.*{},-]+)*)/?`")
	mentionedTest = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]*\b`)
	declaredTest  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]*)\(`)
)

// Every path and every test that the documents name exists: a reader who follows one finds it.
func TestWhatDocumentsMentionExists(t *testing.T) {
	const root = "../.."
	files, tops := tracked(t, root)
	tests := declared(t, root, files)
	for _, page := range pages(t, root) {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mentionedPath.FindAllSubmatch(text, -1) {
			path := string(m[1])
			top, rest, _ := strings.Cut(path, "/")
			if rest == "" && filepath.Ext(path) == ".go" {
				if !slices.ContainsFunc(files, func(f string) bool { return filepath.Base(f) == path }) {
					t.Errorf("%s names %s, which does not exist", page, path)
				}
				continue
			}
			if rest == "" || !tops[top] {
				continue // a command, a setting, or a file of the reader
			}
			if !exists(files, path) && !exists(files, filepath.Join(filepath.Dir(page), path)) {
				t.Errorf("%s names %s, which does not exist", page, path)
			}
		}
		for _, name := range mentionedTest.FindAllString(string(text), -1) {
			if !slices.ContainsFunc(tests, func(n string) bool { return strings.HasPrefix(n, name) }) {
				t.Errorf("%s names %s, which no test is called", page, name)
			}
		}
	}
}

// exists reports whether a path is one of the files, or a folder of them. An identifier of a package may
// follow: 'processor/partition.Meta'.
func exists(files []string, path string) bool {
	path = strings.TrimSuffix(path, "/...")
	for _, p := range []string{path, strings.TrimSuffix(path, filepath.Ext(path))} {
		if slices.ContainsFunc(files, func(f string) bool {
			matched, _ := filepath.Match(p, f)
			return matched || f == p || strings.HasPrefix(f, p+"/")
		}) {
			return true
		}
	}
	return strings.Contains(path, "{") // several in one
}

func tracked(t *testing.T, root string) (files []string, tops map[string]bool) {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	tops = map[string]bool{}
	for f := range strings.Lines(string(out)) {
		f = strings.TrimSpace(f)
		files = append(files, f)
		if top, _, ok := strings.Cut(f, "/"); ok {
			tops[top] = true
		}
	}
	return files, tops
}

func declared(t *testing.T, root string, files []string) (tests []string) {
	t.Helper()
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, f))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declaredTest.FindAllSubmatch(text, -1) {
			tests = append(tests, string(m[1]))
		}
	}
	return tests
}

// pages are the documents about the repository as it is now.
func pages(t *testing.T, root string) (found []string) {
	t.Helper()
	found = []string{"CONTRIBUTING.md", "README.md", "SECURITY.md"}
	for _, folder := range []string{"docs", "training"} {
		if err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".md") {
				rel, _ := filepath.Rel(root, path)
				found = append(found, rel)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func TestMentionsAreRead(t *testing.T) {
	m := mentionedPath.FindAllSubmatch([]byte("see `hack/generate/none.go` and `./files`, `a b/c`"), -1)
	if len(m) != 2 || !bytes.Equal(m[0][1], []byte("hack/generate/none.go")) {
		t.Errorf("%q", m)
	}
	files := []string{"state/call.go"}
	if !exists(files, "state/call.go") || !exists(files, "state") || exists(files, "state/none.go") || exists(files, "stat") {
		t.Error("what exists is not told from what does not")
	}
}
