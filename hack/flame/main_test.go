package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

const traces = `File: x.test
Type: cpu
Duration: 1s, Total samples = 60ms (6%)
-----------+-------------------------------------------------------
     bytes:  16
      10ms   runtime.memmove
             sotto/processor.(*worker).run
             main.main
-----------+-------------------------------------------------------
      20ms   slices.SortFunc[go.shape.[]int,go.shape.int] (inline)
             sotto/processor.(*worker).run
             main.main
-----------+-------------------------------------------------------
      30ms   example.com/kfake.(*Cluster).run<loop>
             main.main
`

func TestTracesBecomeFrames(t *testing.T) {
	root := &frame{}
	if err := readTraces(strings.NewReader(traces), filter{}, root); err != nil {
		t.Fatal(err)
	}
	worker := root.child("main.main").child("processor.(*worker).run")
	for _, c := range []struct {
		f    *frame
		want time.Duration
	}{
		{root, 60 * time.Millisecond}, {worker, 30 * time.Millisecond},
		{worker.child("slices.SortFunc"), 20 * time.Millisecond}, {worker.child("runtime.memmove"), 10 * time.Millisecond},
	} {
		if c.f.total != c.want {
			t.Errorf("%q has %v, want %v", c.f.name, c.f.total, c.want)
		}
	}
}

func TestFilterLeavesOut(t *testing.T) {
	for f, want := range map[filter]time.Duration{
		{under: "processor"}: 30 * time.Millisecond, {without: "kfake"}: 30 * time.Millisecond,
		{under: "main", without: "memmove"}: 50 * time.Millisecond,
	} {
		root := &frame{}
		if err := readTraces(strings.NewReader(traces), f, root); err != nil {
			t.Fatal(err)
		}
		if root.total != want {
			t.Errorf("%+v keeps %v, want %v", f, root.total, want)
		}
	}
	if err := run(strings.NewReader(traces), io.Discard, "", filter{under: "nothing"}); err == nil {
		t.Error("an empty graph is drawn")
	}
}

func TestGraphIsWellFormed(t *testing.T) {
	var out bytes.Buffer
	if err := run(strings.NewReader(traces), &out, "a <title>", filter{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "processor.(*worker).run: 50.00 %") {
		t.Error("the worker's share is missing")
	}
	for d := xml.NewDecoder(&out); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
