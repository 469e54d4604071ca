package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hostileRules are files of policy.yaml that exhausted memory or time when they were read.
func hostileRules() map[string]string {
	var keys, indented strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&keys, "key%d: 1\n", i)
	}
	for i := range 1000 {
		fmt.Fprintf(&indented, "%sa:\n", strings.Repeat(" ", i))
	}
	return map[string]string{
		"brackets": strings.Repeat("[", 100_000),
		"braces":   strings.Repeat("{a: ", 25_000),
		"entries":  strings.Repeat("- ", 50_000),
		"complex":  strings.Repeat("? ", 50_000),
		"keys":     keys.String(),
		"indented": indented.String(),
		"aliases":  "a: &a [1, 2]\nb: &b [*a, *a]\nc: [*b, *b]\n",
		"large":    strings.Repeat("# comment\n", 200_000),
	}
}

func TestHostileRulesAreRefused(t *testing.T) {
	for name, text := range hostileRules() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if _, err := Read(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), "policy.yaml") || len(err.Error()) > 300 {
				t.Errorf("got %v", err)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("refusing it took %v", took)
			}
		})
	}
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	for _, name := range []string{"policy.yaml", "PERSON_NAME.dictionary.txt"} {
		dir := t.TempDir()
		if err := os.Symlink("/dev/zero", filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links here")
		}
		if _, err := Read(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
