package cli

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

const (
	// logPatience is how long a line of the log may take to be written before nobody waits for it.
	logPatience = 100 * time.Millisecond
	// logQueue is how many lines wait then. Further ones are dropped and counted.
	logQueue = 1000
)

// logWriter writes lines in a goroutine of its own, and waits for each, but not for long: if nothing
// reads the log (a full pipe, a stopped collector), the process goes on without it.
type logWriter struct {
	lines   chan logLine
	stuck   atomic.Bool
	dropped atomic.Int64
}

type logLine struct {
	text []byte
	done chan struct{}
}

func newLogWriter(w io.Writer) *logWriter {
	l := &logWriter{lines: make(chan logLine, logQueue)}
	go l.run(w)
	return l
}

func (l *logWriter) run(w io.Writer) {
	for line := range l.lines {
		_, _ = w.Write(line.text) // there is nowhere to report it
		close(line.done)
		l.stuck.Store(false)
		if n := l.dropped.Swap(0); n > 0 {
			_, _ = fmt.Fprintf(w, "{\"level\":\"WARN\",\"msg\":\"lines of the log were dropped because nothing read it\",\"count\":%d}\n", n)
		}
	}
}

// Write implements io.Writer.
func (l *logWriter) Write(p []byte) (int, error) {
	line := logLine{bytes.Clone(p), make(chan struct{})}
	select {
	case l.lines <- line:
	default:
		l.dropped.Add(1)
		return len(p), nil
	}
	if l.stuck.Load() {
		return len(p), nil
	}
	select {
	case <-line.done:
	case <-time.After(logPatience):
		l.stuck.Store(true)
	}
	return len(p), nil
}
