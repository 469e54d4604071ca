package files

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"sotto/internal/boundedfile"
)

// OutputMode is the mode of an output, less the umask. PrivateMode is that of a file with raw text.
const (
	OutputMode  fs.FileMode = 0o666
	PrivateMode fs.FileMode = 0o600
)

// Replaceable returns an error if something is at a path that must not be replaced by an output: a
// link, a device, a pipe, a folder.
func Replaceable(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return boundedfile.ErrNotRegular
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// WriteAtomically writes a file so that it is either there as a whole or not at all. Who could not
// read a file that is replaced cannot read the new one.
func WriteAtomically(path string, data []byte, mode fs.FileMode) error {
	if err := Replaceable(path); err != nil {
		return err
	}
	if old, err := os.Lstat(path); err == nil {
		mode &= old.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	temporary := filepath.Join(filepath.Dir(path), ".sotto-"+rand.Text())
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer os.Remove(temporary)
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// SameFile reports whether two paths lead to one file.
func SameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
