package anonymize

import (
	"regexp"
	"testing"

	"sotto/state"
)

// conversations are the development sets of conversations, as written and as a
// recognizer would write them.
var conversations = []string{"callgen", "callgen_asr", "fakevcons", "fakevcons_asr", "ckm", "evi", "multidogo", "multidogo_asr", "sgd", "sgd_asr"}

// BenchmarkAllConversations is the figure to quote: the whole engine with the
// memory of each call, over all development conversations, on one core.
func BenchmarkAllConversations(b *testing.B) {
	benchmarkConversations(b, newEngine(b, Options{Fast: true}), conversations...)
}

// BenchmarkAllConversationsByRule is the same without the tagger.
func BenchmarkAllConversationsByRule(b *testing.B) {
	e := newEngine(b, Options{Fast: true})
	e.untagged = true
	benchmarkConversations(b, e, conversations...)
}

func benchmarkConversations(b *testing.B, e *Engine, sets ...string) {
	calls := corpus(b, sets...)
	for _, ev := range calls[0] { // loads the lists
		e.Prepare(ev)
	}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		for _, events := range calls {
			c := state.NewCall()
			for _, ev := range events {
				e.Apply(c, e.Prepare(ev))
				n++
			}
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "utterances/s")
}

// BenchmarkFortyRegexps is the comparison: one pass of forty patterns of the usual
// kind over the same texts. It only finds, and finds nothing that is spoken.
func BenchmarkFortyRegexps(b *testing.B) {
	calls := corpus(b, conversations...)
	patterns := make([]*regexp.Regexp, len(fortyPatterns))
	for i, p := range fortyPatterns {
		patterns[i] = regexp.MustCompile(p)
	}
	n, found := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		for _, events := range calls {
			for _, ev := range events {
				for _, p := range patterns {
					found += len(p.FindAllStringIndex(ev.Text, -1))
				}
				n++
			}
		}
	}
	if found == 0 {
		b.Fatal("the patterns find nothing: the comparison is void")
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "utterances/s")
}

var fortyPatterns = []string{
	`(?i)\b[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}\b`,
	`\b(?:\+?1[ .-]?)?\(?[2-9]\d{2}\)?[ .-]?[2-9]\d{2}[ .-]?\d{4}\b`,
	`\+\d{1,3}[ .-]?\d{2,4}(?:[ .-]?\d{2,4}){2,4}\b`,
	`\b4\d{3}(?:[ -]?\d{4}){3}\b`,
	`\b5[1-5]\d{2}(?:[ -]?\d{4}){3}\b`,
	`\b3[47]\d{2}[ -]?\d{6}[ -]?\d{5}\b`,
	`\b6(?:011|5\d{2})(?:[ -]?\d{4}){3}\b`,
	`\b\d{3}-\d{2}-\d{4}\b`,
	`\b\d{3} \d{3} \d{3}\b`,
	`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,4})?\b`,
	`\b[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?\b`,
	`\b(?:0[1-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}\b`,
	`\b(?:\d{1,3}\.){3}\d{1,3}\b`,
	`(?i)\b(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}\b`,
	`(?i)\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b`,
	`\b[A-HJ-NPR-Z0-9]{17}\b`,
	`\b\d{15}\b`,
	`\b89\d{17,18}\b`,
	`(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`,
	`(?i)\bhttps?://[^\s]+`,
	`(?i)\bwww\.[a-z0-9.-]+\.[a-z]{2,}\b`,
	`(?i)\b[a-z0-9-]+\.(?:com|net|org|io|ca|gov|edu)\b`,
	`\b\d{5}(?:-\d{4})?\b`,
	`(?i)\b[abceghj-nprstvxy]\d[abceghj-nprstv-z] ?\d[abceghj-nprstv-z]\d\b`,
	`(?i)\b[a-z]{1,2}\d[a-z0-9]? ?\d[a-z]{2}\b`,
	`(?i)\b\d{1,5} (?:[a-z]+ ){1,4}(?:street|st|avenue|ave|road|rd|drive|dr|lane|ln|court|ct|way|place|boulevard|blvd)\b`,
	`(?i)\bp\.? ?o\.? box \d+\b`,
	`(?i)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}(?:st|nd|rd|th)?,? \d{4}\b`,
	`\b\d{1,2}/\d{1,2}/(?:\d{2}|\d{4})\b`,
	`\b(?:19|20)\d{2}-\d{2}-\d{2}\b`,
	`(?i)\b\d{1,3} years? old\b`,
	`\b[A-TV-Z]\d[0-9AB](?:\.[0-9A-TV-Z]{1,4})?\b`,
	`\b[A-Z]{1,2}\d{6,8}\b`,
	`(?i)\bmrn[ :#]*\d{5,12}\b`,
	`(?i)\b(?:user ?name|login|user id)(?: is|:)? \S+`,
	`(?i)\b(?:my name is|this is|i am|i'm) [A-Z][a-z]+(?: [A-Z][a-z]+)?`,
	`\b(?:Mr|Mrs|Ms|Dr)\.? [A-Z][a-z]+`,
	`\b(?:[A-Z]-){2,}[A-Z]\b`,
	`\b\d{3,}\b`,
	`(?i)\b(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)(?: (?:zero|oh|one|two|three|four|five|six|seven|eight|nine)){2,}\b`,
}
