package boundedfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("five", "12345")
	write("six", "123456")
	// The way in which a ConfigMap is mounted.
	for link, to := range map[string]string{"..data": ".", "mapped": "..data/five", "zero": "/dev/zero", "folder": dir} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	for name, want := range map[string]error{"five": nil, "mapped": nil, "six": ErrTooLarge, "zero": ErrNotRegular, "folder": ErrNotRegular, "none": os.ErrNotExist} {
		if name == "zero" && runtime.GOOS == "windows" {
			continue
		}
		data, err := Read(filepath.Join(dir, name), 5)
		if !errors.Is(err, want) || want == nil && string(data) != "12345" {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
	}
}
