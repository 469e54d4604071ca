package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	exptrace "golang.org/x/exp/trace"
)

// A trace of two goroutines that work shows that they did.
func TestTimeline(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		t.Skip("another trace is running")
	}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for began := time.Now(); time.Since(began) < 50*time.Millisecond; {
				time.Sleep(time.Microsecond)
			}
		})
	}
	all.Wait()
	trace.Stop()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var image, shares bytes.Buffer
	if err := run(file, "two & more", 40*time.Millisecond, &image, &shares); err != nil {
		t.Fatal(err)
	}
	if svg := image.String(); !strings.Contains(svg, "two &amp; more") || strings.Count(svg, "#967662") < 10 || !strings.HasSuffix(svg, "</svg>\n") {
		t.Errorf("the image has %d bytes and lacks something", len(svg))
	}
	if !strings.Contains(shares.String(), "other ") || !strings.Contains(shares.String(), "is busy for") {
		t.Errorf("printed %q", shares.String())
	}
}

func TestATraceThatIsNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(file, []byte("no trace"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(file, "", time.Second, &bytes.Buffer{}, &bytes.Buffer{}); err == nil {
		t.Error("no error")
	}
}

// The busiest stretch is where most ran, and its shares are of its length.
func TestTheBusiestStretch(t *testing.T) {
	all := running{spans: []span{
		{proc: 0, goroutine: 1, from: 0, to: 10}, {proc: 0, goroutine: 1, from: 100, to: 150},
		{proc: 1, goroutine: 2, from: 100, to: 140}, {proc: 0, goroutine: 2, from: 150, to: 200}, {proc: 0, goroutine: 1, from: 400, to: 420},
	}, parts: map[exptrace.GoID]part{1: workers, 2: client}}
	s := busiest(all, 100)
	if s.from != 100 || s.to != 200 || len(s.spans) != 3 {
		t.Fatalf("from %d to %d with %d spans", s.from, s.to, len(s.spans))
	}
	if w, c := s.share(0, workers), s.share(0, client); w != 0.5 || c != 0.5 {
		t.Errorf("the shares are %f and %f", w, c)
	}
	if got := s.share(1, client); got != 0.4 {
		t.Errorf("the share is %f", got)
	}
}
