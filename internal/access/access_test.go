package access

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets")
	for text, want := range map[string][]string{
		"":                                   nil,
		"# none\n\n":                         nil,
		"too-short-wombat\nwombatley\n":      nil,
		"  wombatley-wombatley \r\n# x":      {"wombatley-wombatley"},
		"0123456789abcdef\n0123456789abcdeg": {"0123456789abcdef", "0123456789abcdeg"},
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Secrets(path)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %d secrets, %v", text, len(got), err)
		}
		if err != nil && strings.Contains(err.Error(), "wombat") {
			t.Errorf("the error shows a secret: %v", err)
		}
	}
	if _, err := Secrets(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there has secrets")
	}
}
