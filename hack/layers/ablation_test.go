package layers

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The list of the ablation names functions, which somebody may rename or delete.
func TestAblationNamesFunctions(t *testing.T) {
	list, err := os.Open("../ablation/modules.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	for lines := bufio.NewScanner(list); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		folder, function, _ := strings.Cut(lines.Text(), ".")
		if !declares(t, folder, function) {
			t.Errorf("there is no %s", lines.Text())
		}
	}
}

// declares reports whether a function or method is declared in a package.
func declares(t *testing.T, folder, function string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found, declared := false, regexp.MustCompile(`(?m)^func (\([^)]*\) )?`+function+`\(`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found = found || declared.Match(text)
	}
	return found
}

// docs/detection.md names the functions that find and correct, in order.
func TestThePageOfDetectionNamesFunctions(t *testing.T) {
	page, err := os.ReadFile("../../docs/detection.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("(?m)^\\| `([a-z/]+)\\.(\\w+)` \\|").FindAllStringSubmatch(string(page), -1)
	if len(named) < 30 {
		t.Fatalf("only %d functions are read", len(named))
	}
	for _, n := range named {
		if !declares(t, n[1], n[2]) {
			t.Errorf("docs/detection.md names %s.%s, which does not exist", n[1], n[2])
		}
	}
}
