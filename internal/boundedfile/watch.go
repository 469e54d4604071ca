package boundedfile

import (
	"context"
	"crypto/sha256"
	"io"
	"io/fs"
	"path/filepath"
	"time"
)

// Watched are files that are loaded again when they change.
type Watched struct {
	Name  string   // what they are
	Paths []string // files or folders, "" for none
	Load  func() error
	seen  [sha256.Size]byte
}

// Watch notes the contents of files. The result loads those that have changed, at an interval, until
// ctx is done, and tells report the outcome. Call Watch before the files are loaded first, so that a change
// meanwhile is noticed.
func Watch(all ...Watched) func(ctx context.Context, every time.Duration, report func(name string, err error)) {
	for i := range all {
		all[i].seen = all[i].contents()
	}
	return func(ctx context.Context, every time.Duration, report func(name string, err error)) {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			for i := range all {
				w := &all[i]
				if now := w.contents(); now != w.seen {
					w.seen = now
					report(w.Name, w.Load())
				}
			}
		}
	}
}

// maxWatched bounds what is read of a file. No dictionary may be larger.
const maxWatched = 64 << 20

// contents returns a hash of the contents of the files. It ignores times, because mounted secrets and config
// maps are replaced by swapping symbolic links, and what cannot be read: loading it will fail and report why.
func (w *Watched) contents() (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, path := range w.Paths {
		folder, err := filepath.EvalSymlinks(path)
		if path == "" || err != nil {
			continue
		}
		_ = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil // a file may have been removed meanwhile; the next call notices
			}
			h.Write([]byte(name))
			f, err := Open(name)
			if err != nil {
				return nil
			}
			defer f.Close()
			one := sha256.New()
			_, _ = io.Copy(one, io.LimitReader(f, maxWatched))
			h.Write(one.Sum(nil))
			return nil
		})
	}
	h.Sum(sum[:0])
	return sum
}
