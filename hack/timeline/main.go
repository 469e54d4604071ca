// Command timeline draws which part of the stream each processor of a Go execution trace runs, as an
// SVG image without scripts, and prints the shares:
//
//	go test ./processor -run '^$' -bench 'Stream$/corpus/sotto$' -benchtime 1x -trace stream.trace
//	go run ./hack/timeline -title 'the stream' stream.trace > timeline.svg
//
// It takes the busiest stretch of the trace that is as long as -window. Before it, the program may
// prepare something, and after it, it may read results.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/exp/trace"
)

func main() {
	title := flag.String("title", "", "title of the image")
	window := flag.Duration("window", time.Second, "how much of the trace to draw")
	flag.Parse()
	if err := run(flag.Arg(0), *title, *window, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "timeline:", err)
		os.Exit(1)
	}
}

func run(file, title string, window time.Duration, image, shares io.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	all, err := read(bufio.NewReader(f))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	shown := busiest(all, window)
	if len(shown.spans) == 0 {
		return fmt.Errorf("%s: no goroutine ran", file)
	}
	shown.print(shares)
	_, err = image.Write(shown.draw(title))
	return err
}

// part is a part of the program.
type part int

const (
	workers part = iota
	sessions
	client
	collector
	other
	parts
)

// named says how a part is called and which functions its goroutines have in their stacks.
var named = [parts]struct{ name, function, colour string }{
	workers:   {"workers: engine, risk, encoding, sealing", "processor.(*worker)", "#4878a8"},
	sessions:  {"session: polls, decoding, routing, commits", "processor.(*session)", "#e49444"},
	client:    {"Kafka client", "/kgo.", "#6a9f58"},
	collector: {"garbage collector", "runtime.gcBgMarkWorker", "#a87c9f"},
	other:     {"other", "", "#967662"},
}

// span is a time in which a processor ran one goroutine.
type span struct {
	proc      trace.ProcID
	goroutine trace.GoID
	from, to  trace.Time
}

// running says what ran in a trace, and the part that each goroutine belongs to.
type running struct {
	spans []span
	parts map[trace.GoID]part
}

// read reads an execution trace.
func read(in io.Reader) (running, error) {
	r, err := trace.NewReader(in)
	if err != nil {
		return running{}, err
	}
	all := running{parts: map[trace.GoID]part{}}
	began := map[trace.GoID]span{}
	for {
		e, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return running{}, err
		}
		if e.Goroutine() != trace.NoGoroutine {
			all.recognize(e.Goroutine(), e.Stack())
		}
		if e.Kind() != trace.EventStateTransition {
			continue
		}
		t := e.StateTransition()
		if t.Resource.Kind != trace.ResourceGoroutine {
			continue
		}
		g := t.Resource.Goroutine()
		all.recognize(g, t.Stack)
		switch from, to := t.Goroutine(); {
		case to == trace.GoRunning:
			began[g] = span{proc: e.Proc(), goroutine: g, from: e.Time()}
		case from == trace.GoRunning || from == trace.GoSyscall:
			if s, ok := began[g]; ok {
				s.to = e.Time()
				all.spans = append(all.spans, s)
				delete(began, g)
			}
		}
	}
}

// recognize notes the part of a goroutine by the outermost function in a stack that is known. A session
// also runs functions of the client before it begins, so the parts in front of others win.
func (r *running) recognize(g trace.GoID, stack trace.Stack) {
	found := other
	for f := range stack.Frames() { // the outermost comes last
		for p := range other {
			if strings.Contains(f.Func, named[p].function) {
				found = p
			}
		}
	}
	if p, known := r.parts[g]; !known || p > found {
		r.parts[g] = found
	}
}
