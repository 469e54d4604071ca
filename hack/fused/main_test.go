package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFusedProductsAreFound(t *testing.T) {
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
		var out strings.Builder
		err := run(dir, []string{"."}, &out)
		if (err != nil) != (want != "") || err != nil && !strings.HasSuffix(err.Error(), "\n"+want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}
