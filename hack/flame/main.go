// Command flame draws a flame graph of a profile, as an SVG image without scripts:
//
//	go tool pprof -traces cpu.prof | go run ./hack/flame -title 'the stream' -under processor > flame.svg
//
// The width of a box is the share of samples in the function or in what it calls. Callers are below
// what they call.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

func main() {
	title := flag.String("title", "", "title of the image")
	under := flag.String("under", "", "only samples with a function whose name has this in it")
	without := flag.String("without", "", "leave out samples with a function whose name has this in it")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *title, filter{*under, *without}); err != nil {
		fmt.Fprintln(os.Stderr, "flame:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, title string, f filter) error {
	root := &frame{}
	if err := readTraces(in, f, root); err != nil {
		return err
	}
	if root.total == 0 {
		return fmt.Errorf("no sample is left")
	}
	_, err := out.Write(draw(title, root))
	return err
}

// filter says which samples count.
type filter struct{ under, without string }

func (f filter) keeps(stack []string) bool {
	under := f.under == ""
	for _, name := range stack {
		under = under || strings.Contains(name, f.under)
		if f.without != "" && strings.Contains(name, f.without) {
			return false
		}
	}
	return under
}

// frame is a function under one path of callers.
type frame struct {
	name     string
	total    time.Duration
	children []*frame
}

func (f *frame) child(name string) *frame {
	for _, c := range f.children {
		if c.name == name {
			return c
		}
	}
	c := &frame{name: name}
	f.children = append(f.children, c)
	return c
}

// add counts a stack, innermost function first.
func (f *frame) add(stack []string, d time.Duration) {
	f.total += d
	for i := len(stack) - 1; i >= 0; i-- {
		f = f.child(stack[i])
		f.total += d
	}
}

// separator begins the line between two samples.
const separator = "-----------+"

// readTraces reads the output of `go tool pprof -traces`: samples of one stack each, the innermost
// function first, after its time.
func readTraces(in io.Reader, f filter, root *frame) error {
	var stack []string
	var d time.Duration
	flush := func() {
		if len(stack) > 0 && f.keeps(stack) {
			root.add(stack, d)
		}
		stack = stack[:0]
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	began := false
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, separator) {
			flush()
			began = true
			continue
		}
		if !began {
			continue
		}
		name := strings.TrimSpace(line)
		if len(stack) == 0 {
			value, function, ok := strings.Cut(name, " ")
			var err error
			if d, err = time.ParseDuration(value); err != nil || !ok {
				continue // a label of the sample
			}
			name = strings.TrimSpace(function)
		}
		stack = append(stack, short(name))
	}
	flush()
	return lines.Err()
}

// short removes what makes names long without telling more: whether a call was inlined, type
// parameters, and the path of a package.
func short(name string) string {
	name = strings.TrimSuffix(name, " (inline)")
	if i := strings.IndexByte(name, '['); i > 0 {
		if j := strings.LastIndexByte(name, ']'); j > i {
			name = name[:i] + name[j+1:]
		}
	}
	return name[strings.LastIndexByte(name, '/')+1:]
}
