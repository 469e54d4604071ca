package boundedfile

import (
	"crypto/sha256"
	"io"
	"io/fs"
	"path/filepath"
)

// maxWatched bounds what is read of a file. No dictionary may be larger.
const maxWatched = 64 << 20

// Fingerprint returns a hash of the contents of a file or folder, zero if there is
// nothing to read. It ignores times, because mounted secrets and config maps are
// replaced by swapping symbolic links.
func Fingerprint(path string) (sum [sha256.Size]byte) {
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
		if d.IsDir() {
			return nil
		}
		h.Write([]byte(name))
		f, err := Open(name)
		if err != nil {
			return nil // loading it will fail and report why
		}
		defer f.Close()
		one := sha256.New()
		_, _ = io.Copy(one, io.LimitReader(f, maxWatched))
		h.Write(one.Sum(nil))
		return nil
	})
	h.Sum(sum[:0])
	return sum
}
