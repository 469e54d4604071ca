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
		if !found {
			t.Errorf("there is no %s", lines.Text())
		}
	}
}
