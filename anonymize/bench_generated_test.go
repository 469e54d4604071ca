package anonymize

import (
	"regexp"
	"testing"

	"sotto/schemas"
	"sotto/state"
	"sotto/training/corpus/callgen"
)

// generatedCalls are calls in which almost every turn has something personal, a heavier load than
// the development conversations.
func generatedCalls() [][]*schemas.RawEvent {
	gen := callgen.New(callgen.Config{Seed: 1})
	calls := make([][]*schemas.RawEvent, 300)
	for n := range calls {
		for i := range gen.Call(n).Events {
			if e := &gen.Call(n).Events[i].RawEvent; e.Type == schemas.Utterance {
				calls[n] = append(calls[n], e)
			}
		}
	}
	return calls
}

// BenchmarkGenerated runs the engine over generated calls on one core, all of it and the rules
// alone, and for comparison one pass of forty regular expressions over the same texts.
func BenchmarkGenerated(b *testing.B) {
	calls := generatedCalls()
	run := func(name string, call func(events []*schemas.RawEvent)) {
		b.Run(name, func(b *testing.B) {
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				for _, events := range calls {
					call(events)
					n += len(events)
				}
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "utterances/s")
		})
	}
	whole, rules := newEngine(b, Options{Fast: true}), newEngine(b, Options{Fast: true})
	rules.untagged = true
	with := func(e *Engine) func([]*schemas.RawEvent) {
		return func(events []*schemas.RawEvent) {
			c := state.NewCall()
			for _, ev := range events {
				e.Apply(c, e.Prepare(ev))
			}
		}
	}
	run("whole", with(whole))
	run("rules", with(rules))
	patterns := make([]*regexp.Regexp, len(fortyPatterns))
	for i, p := range fortyPatterns {
		patterns[i] = regexp.MustCompile(p)
	}
	run("regexps", func(events []*schemas.RawEvent) {
		for _, ev := range events {
			for _, p := range patterns {
				p.FindAllStringIndex(ev.Text, -1)
			}
		}
	})
}
