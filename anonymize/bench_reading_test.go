package anonymize

import (
	"math"
	"slices"
	"testing"
	"time"

	"sotto/internal/testkit/brokertest/proc"
	"sotto/schemas"
	"sotto/state"
)

// BenchmarkReading is the whole engine with the encoder, on one core: every fourth one of the dense calls of the development sets, and of
// ordinary ones. Of each turn the least processor time of all passes counts, so that a machine may do other things; -benchtime 8x makes
// eight passes.
func BenchmarkReading(b *testing.B) {
	e := newEngine(b, Options{})
	for name, sets := range map[string][]string{
		"dense": {"calls_everyday", "calls_customer", "calls_business"}, "abcd": {"abcd"}, "calls_real": {"calls_real"},
	} {
		var calls [][]*schemas.RawEvent
		for i, call := range corpus(b, sets...) {
			if i%4 == 0 {
				calls = append(calls, call)
			}
		}
		b.Run(name, func(b *testing.B) {
			var least []time.Duration
			for b.Loop() {
				turn := 0
				for _, events := range calls {
					c := state.NewCall()
					for _, ev := range events {
						start := proc.OwnCPU()
						e.Apply(c, e.Prepare(ev))
						took := proc.OwnCPU() - start
						if turn == len(least) {
							least = append(least, math.MaxInt64)
						}
						least[turn] = min(least[turn], took)
						turn++
					}
				}
			}
			total := time.Duration(0)
			for _, d := range least {
				total += d
			}
			slices.Sort(least)
			b.ReportMetric(float64(len(least))/total.Seconds(), "possible-utterances/s")
			b.ReportMetric(float64(least[len(least)/2].Microseconds()), "us-at-median")
		})
	}
}
