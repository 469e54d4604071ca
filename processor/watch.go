package processor

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
)

// fingerprint returns a hash of the contents of a file or folder, zero if there is
// nothing to read. It ignores times, because mounted secrets and config maps are
// replaced by swapping symbolic links.
func fingerprint(path string) (sum [sha256.Size]byte) {
	if path == "" {
		return sum
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return sum
	}
	h := sha256.New()
	_ = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // a file was removed meanwhile; the next call notices
		}
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil
		}
		h.Write([]byte(name))
		one := sha256.Sum256(data)
		h.Write(one[:])
		return nil
	})
	h.Sum(sum[:0])
	return sum
}
