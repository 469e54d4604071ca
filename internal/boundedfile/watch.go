package boundedfile

import (
	"context"
	"time"
)

// Watched are files that are loaded again when they change.
type Watched struct {
	Name  string   // what they are
	Paths []string // files or folders, "" for none
	Load  func() error
	seen  string
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

func (w *Watched) contents() (sum string) {
	for _, path := range w.Paths {
		one := Fingerprint(path)
		sum += string(one[:])
	}
	return sum
}
