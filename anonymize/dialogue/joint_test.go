package dialogue

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/detectors"
	"sotto/detectors/spoken"
)

// The parts of a finding in a joint text say in each utterance what the finding says in its
// segment, in order, and the last part is marked.
func TestPartsSayWhatTheFindingSays(t *testing.T) {
	texts := []string{"my card is four five um", "okay", "and three two", "dot com", "...", "", "Zoë at", "five.", "so it is 4 4"}
	rapid.Check(t, func(t *rapid.T) {
		var utterances []*detectors.Document
		for range rapid.IntRange(1, 5).Draw(t, "utterances") {
			if rapid.IntRange(0, 4).Draw(t, "left out") == 0 {
				utterances = append(utterances, nil)
				continue
			}
			d := new(detectors.Document)
			d.Reset(rapid.SampledFrom(texts).Draw(t, "text"))
			spoken.Scan(d)
			utterances = append(utterances, d)
		}
		j := Join(utterances)
		if j.Text == "" {
			return
		}
		start := rapid.IntRange(0, len(j.Text)-1).Draw(t, "start")
		f := detectors.Finding{Start: start, End: rapid.IntRange(start+1, len(j.Text)).Draw(t, "end")}
		parts := j.Split(&f)
		if len(parts) == 1 {
			t.Fatal("a finding in one segment is split")
		}
		said, last := "", -1
		for i, p := range parts {
			if p.Utterance <= last || p.Last != (i == len(parts)-1) {
				t.Fatalf("part %d of utterance %d follows one of %d, last %v", i, p.Utterance, last, p.Last)
			}
			last = p.Utterance
			said += utterances[p.Utterance].Text[p.Finding.Start:p.Finding.End]
			if PartOf(parts[i:i+1], &parts[i].Finding) == nil {
				t.Fatal("a part is not found again")
			}
		}
		if len(parts) > 0 && solid(said) != solid(j.Text[f.Start:f.End]) {
			t.Fatalf("the parts say %q, the finding %q", said, j.Text[f.Start:f.End])
		}
		if len(parts) > 0 && !Unfinished(parts[:1]) || Unfinished(nil) {
			t.Fatal("a part is unfinished although no part follows, or the reverse")
		}
	})
}

// solid returns a text without spaces: the joint text has one more between its segments.
func solid(text string) string { return strings.ReplaceAll(text, " ", "") }
