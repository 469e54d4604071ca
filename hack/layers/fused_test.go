package layers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestFusedProductsAreFound(t *testing.T) {
	script, err := filepath.Abs("../fused")
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{"x*y + z": "a.go:3", "float32(x*y) + z": ""} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"go.mod": "module a\n\ngo 1.26\n",
			"a.go":   "package a\n\nfunc F(x, y, z float32) float32 { return " + body + " }\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(script, ".")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if (err != nil) != (want != "") || err != nil && !strings.HasSuffix(string(out), "\n"+want+"\n") {
			t.Errorf("%s: %v, %s", body, err, out)
		}
	}
}
