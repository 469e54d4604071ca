package cli

import (
	"bufio"
	"os"
	"strings"
	"testing"
	"time"
)

// Nothing reads the log for a while. The process does not wait for it, and says afterwards how many
// lines are missing.
func TestALogThatNobodyReadsDoesNotBlock(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	log := NewLogger(w, "info")
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		for i := range 5 * logQueue {
			log.Info("a line", "n", i, "fill", strings.Repeat("x", 200))
		}
	}()
	select {
	case <-logged:
	case <-time.After(30 * time.Second):
		t.Fatal("the log blocks")
	}
	first, dropped := false, false
	lines := bufio.NewScanner(r)
	for !dropped && lines.Scan() {
		first = first || strings.Contains(lines.Text(), `"n":0,`)
		dropped = strings.Contains(lines.Text(), "lines of the log were dropped")
	}
	if !first || !dropped {
		t.Errorf("first line %v, report of dropped lines %v", first, dropped)
	}
}

// A line is written before Info returns, as long as somebody reads.
func TestALineOfTheLogIsWrittenAtOnce(t *testing.T) {
	name := t.TempDir() + "/log"
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	NewLogger(f, "info").Info("the last line")
	if text, err := os.ReadFile(name); err != nil || !strings.Contains(string(text), "the last line") {
		t.Errorf("%q, %v", text, err)
	}
}
