package pattern

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	d "sotto/detectors"
	"sotto/detectors/spoken"
)

// devTexts returns the utterances of the development conversations, nil if they are missing.
func devTexts(tb testing.TB) []string {
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpora", "dev", "*.jsonl"))
	var texts []string
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			tb.Fatal(err)
		}
		for s := bufio.NewReaderSize(f, 1<<20); ; {
			line, err := s.ReadBytes('\n')
			var c struct{ Utterances []struct{ Text string } }
			if len(line) > 0 && json.Unmarshal(line, &c) == nil {
				for _, u := range c.Utterances {
					texts = append(texts, u.Text)
				}
			}
			if err != nil {
				break
			}
		}
		f.Close()
	}
	return texts
}

// BenchmarkDetect measures everything from the raw text to resolved findings, on one core, in
// utterances of the development conversations.
func BenchmarkDetect(b *testing.B) {
	texts := devTexts(b)
	if len(texts) == 0 {
		b.Skip("no corpora beside the repository")
	}
	var doc d.Document
	var r d.Resolver
	size := 0
	for _, t := range texts {
		size += len(t)
	}
	b.SetBytes(int64(size / len(texts)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		doc.Reset(texts[n%len(texts)])
		spoken.Scan(&doc)
		Find(&doc)
		r.Resolve(&doc)
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "utterances/s")
}

// A text without findings costs no allocation.
func TestNoFindingsNoAllocation(t *testing.T) {
	texts := []string{
		"Thank you for calling, how may I help you with your account today?", "I see, and what is the email address on that order?",
		"It will take about 20 minutes and cost 450 dollars.", "Okay, one moment please, I'll check that for you on Monday.", "Main street? No, I meant the other one.",
	}
	var doc d.Document
	var r d.Resolver
	if n := testing.AllocsPerRun(200, func() {
		for _, text := range texts {
			doc.Reset(text)
			spoken.Scan(&doc)
			Find(&doc)
			if len(r.Resolve(&doc)) != 0 {
				t.Fatal("something was found")
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// On real conversations every finding is well formed.
func TestFindingsOnConversations(t *testing.T) {
	texts := devTexts(t)
	if len(texts) == 0 {
		t.Skip("no corpora beside the repository")
	}
	var doc d.Document
	var r d.Resolver
	for _, text := range texts {
		doc.Reset(text)
		spoken.Scan(&doc)
		Find(&doc)
		checkFindings(t, &doc, &r)
	}
}
