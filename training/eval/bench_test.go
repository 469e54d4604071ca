package eval_test

import (
	"testing"

	"sotto/internal/gold"
	"sotto/training/eval"
)

// BenchmarkMeasure measures the cost of measuring, without the anonymizer.
func BenchmarkMeasure(b *testing.B) {
	var calls []gold.Conversation
	utterances := 0
	for range 50 {
		c := marked(
			"This is <PERSON_NAME|Pam> calling from <ORGANIZATION_NAME|Dunder Mifflin>, may I speak to <PERSON_NAME|Jim>?",
			"Sure, what is it about?",
			"The order <GENERIC_ID|B. 231 C. for A. two>, on <DATE|May 4>. Call <PHONE_NUMBER|five five five oh one three four>.",
			"Thank you for your patience while I look that up in the system, it should not take long at all.",
		)
		utterances += len(c.Utterances)
		calls = append(calls, c)
	}
	sets := []eval.Set{{Conversations: calls}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := eval.Run(sets, perfect, eval.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(utterances*b.N)/b.Elapsed().Seconds(), "utterances/s")
}
