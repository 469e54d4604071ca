package sealing

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"sotto/internal/boundedfile"
)

// A key file that is a device, a pipe or a large file neither blocks nor fills the memory.
func TestAKeyFileIsASmallRegularFile(t *testing.T) {
	dir := t.TempDir()
	pipe, large := filepath.Join(dir, "pipe"), filepath.Join(dir, "large")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(large, bytes.Repeat([]byte("# no key\n"), 100_000), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]error{"/dev/zero": boundedfile.ErrNotRegular, pipe: boundedfile.ErrNotRegular, large: boundedfile.ErrTooLarge} {
		read := make(chan error, 1)
		go func() {
			_, err := LoadKeyring(file)
			read <- err
		}()
		select {
		case err := <-read:
			if !errors.Is(err, want) {
				t.Errorf("%s: %v", file, err)
			}
		case <-time.After(time.Second):
			t.Fatalf("%s is still being read", file)
		}
	}
}
