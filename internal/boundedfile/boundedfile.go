// Package boundedfile reads files that an operator names and that may change while the program runs.
// A running stream reloads them, so a bad one must not block it or exhaust its memory.
package boundedfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotRegular means that the path, symbolic links resolved, is a folder, a device, a pipe or a
// socket.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge means that the file has more bytes than allowed.
var ErrTooLarge = errors.New("too large")

// Open opens a regular file for reading. It follows symbolic links, as mounted ConfigMaps and
// Secrets need.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", path, ErrNotRegular)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Read returns the contents of a regular file of at most so many bytes.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, path, most)
}

func readAll(f io.Reader, path string, most int64) ([]byte, error) {
	// The size that Stat reports may change, and some file systems report none.
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("%s: %w: more than %d bytes", path, ErrTooLarge, most)
	}
	return data, nil
}

// Dir is a folder as a file system, in which opening a pipe does not block.
type Dir string

// Open opens a file or a folder, links followed.
func (d Dir) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := os.OpenFile(Where(d, name), os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Where is what people call a file of a file system.
func Where(in fs.FS, name string) string {
	if d, ok := in.(Dir); ok {
		return filepath.Join(string(d), filepath.FromSlash(name))
	}
	return name
}

// ReadIn returns the contents of a regular file of at most so many bytes in a file system.
func ReadIn(in fs.FS, name string, most int64) ([]byte, error) {
	f, err := in.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", Where(in, name), ErrNotRegular)
	}
	return readAll(f, Where(in, name), most)
}
