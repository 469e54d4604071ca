package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryResultOfThePapersHasAFigureOrAReason is about docs/papers.md: 'go test -run' of a name that no
// test has passes.
func TestEveryResultOfThePapersHasAFigureOrAReason(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "papers.md"))
	if err != nil {
		t.Fatal(err)
	}
	source := regexp.MustCompile("`|\\*\\*|\\]\\(|^missing$")
	command := regexp.MustCompile(`go test (\S+) -run (\w+)`)
	results := 0
	for i, line := range strings.Split(string(page), "\n") {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, ""), "|")
		if len(cells) != 6 || strings.HasPrefix(cells[1], "---") || cells[3] == " ours " {
			continue
		}
		results++
		for k := range cells[1:5] {
			cells[k+1] = strings.TrimSpace(cells[k+1])
			if cells[k+1] == "" {
				t.Errorf("line %d: cell %d is empty", i+1, k+1)
			}
		}
		if !source.MatchString(cells[3]) {
			t.Errorf("line %d: %q names no command, and is not missing", i+1, cells[3])
		}
		for _, c := range command.FindAllStringSubmatch(line, -1) {
			files, _ := filepath.Glob(filepath.Join(root, strings.TrimSuffix(c[1], "/..."), "*_test.go"))
			found := false
			for _, name := range files {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				found = found || strings.Contains(string(text), "func "+c[2])
			}
			if !found {
				t.Errorf("line %d: package %s has no test %s", i+1, c[1], c[2])
			}
		}
	}
	if results < 100 {
		t.Errorf("the page has %d results", results)
	}
}
