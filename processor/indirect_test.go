package processor

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
	"sotto/state/sealing"
	"sotto/training/corpus/indirect/live"
)

// said is a call of one utterance and its END.
func (r *rig) said(partition int32, call string, text string) {
	r.T.Helper()
	r.Feed(r.Raw(partition, utterance(call, 1, "x", text)), r.Raw(partition, ended(call, 2)))
}

// awaitCalls waits for n events and returns them in the order of the calls: the outputs of different
// calls in one transaction have no order.
func (r *rig) awaitCalls(topic string, n int, calls ...string) []*schemas.CleanEvent {
	r.T.Helper()
	events := r.Clean(r.Await(topic, n))
	slices.SortStableFunc(events, func(a, b *schemas.CleanEvent) int {
		return cmp.Compare(slices.Index(calls, a.CallID), slices.Index(calls, b.CallID))
	})
	return events
}

// newGraphRig is a rig with a graph that marks from the third call on.
func newGraphRig(t *testing.T, partitions int32) *rig {
	t.Helper()
	r := newRig(t, partitions)
	r.KeepFinals(partitions)
	r.KeepGraph(partitions)
	r.Set.IndirectMinCalls = 2
	return r
}

// marked returns the words at spans of a text.
func marked(text string, spans []schemas.Span) (words []string) {
	points := []rune(text)
	for _, s := range spans {
		words = append(words, string(points[s.Start:s.End]))
	}
	return words
}

func listed(end *schemas.CleanEvent) (spans []schemas.Span) {
	for _, w := range end.Call.Indirect.Words {
		spans = append(spans, schemas.Span{Start: w.Start, End: w.End})
	}
	return spans
}

// TestIndirectIdentifiersAreMarked has a failover between the calls: what was counted before still
// counts.
func TestIndirectIdentifiersAreMarked(t *testing.T) {
	t.Parallel()
	r := newGraphRig(t, 1)
	in := r.start("a")
	r.said(0, "one", "hello there, the ladder broke")
	r.said(0, "two", "hello there, thanks for the help")
	r.Await(r.Set.TopicFinal, 4)
	in.kill()
	r.start("b")
	text := "hello thére, Rosa Lindqvist likes the green ladder"
	r.said(0, "three", text)
	clean := r.awaitCalls(r.Topics.Clean, 6, "one", "two", "three")
	final := r.awaitCalls(r.Set.TopicFinal, 6, "one", "two", "three")
	for i, end := range []*schemas.CleanEvent{clean[1], final[1], clean[3], final[3]} {
		if in := end.Call.Indirect; in == nil || in.Judged || in.Count != 0 || in.Calls != int64(i/2) {
			t.Errorf("END %d, before there were enough calls: %+v", i, in)
		}
	}
	if len(final[0].Indirect) > 0 || len(clean[4].Indirect) > 0 {
		t.Error("an event is marked that should not be")
	}
	want := []string{"likes", "green"}
	if in := clean[5].Call.Indirect; in == nil || !in.Judged || in.Calls != 2 || in.Count != 2 || in.Words[0].Seq != 1 ||
		!slices.Equal(marked(clean[4].Text, listed(clean[5])), want) {
		t.Errorf("the END has %+v", in)
	}
	if got := marked(final[4].Text, final[4].Indirect); !slices.Equal(got, want) || final[4].Text != clean[4].Text {
		t.Errorf("%q are marked in %q", got, final[4].Text)
	}
	if in := final[5].Call.Indirect; in.Count != 2 || len(in.Words) != 0 || !final[5].Call.Release {
		t.Errorf("the END of the final version has %+v", final[5].Call)
	}
	for _, rec := range r.Read(r.Set.TopicIndirect) {
		for _, word := range []string{"ladder", "hello", "one", "Rosa"} {
			if bytes.Contains(rec.Key, []byte(word)) || bytes.Contains(rec.Value, []byte(word)) {
				t.Error("the graph has a word or a call in it")
			}
		}
		if n := len(rec.Key) + len(rec.Value); n > 60 {
			t.Errorf("a record of %d bytes", n)
		}
	}
}

func TestIndirectIdentifiersAreMasked(t *testing.T) {
	t.Parallel()
	r := newGraphRig(t, 1)
	r.Set.Indirect = config.MaskIndirect
	in := r.start("a")
	r.said(0, "one", "hello there, the ladder broke")
	r.said(0, "two", "hello there, the ladder is here")
	r.said(0, "three", "hello, the window broke")
	late := utterance("three", 3, "y", "a garden, said Rosa Lindqvist")
	r.Feed(r.Raw(0, late), r.Raw(0, ended("three", 4)))
	clean := r.awaitCalls(r.Topics.Clean, 8, "one", "two", "three")
	final := r.awaitCalls(r.Set.TopicFinal, 8, "one", "two", "three")
	if got, want := final[4].Text, "hello, the [SPELLED_WORD] broke"; got != want || clean[4].Text != "hello, the window broke" {
		t.Errorf("the final version has %q, want %q", got, want)
	}
	if e := final[4].Entities; len(e) != 1 || e[0].Detector != "indirect" || len(final[4].Indirect) > 0 {
		t.Errorf("%+v", final[4])
	}
	if got := marked(clean[4].Text, listed(clean[5])); !slices.Equal(got, []string{"window"}) || !final[5].Call.Release {
		t.Errorf("the END says %q, %+v", got, final[5].Call)
	}
	if got, want := final[6].Text, "[SPELLED_WORD] [SPELLED_WORD], [SPELLED_WORD] [PERSON_NAME_1]"; got != want {
		t.Errorf("after the END, the final topic has %q, want %q", got, want)
	}
	if in := clean[7].Call.Indirect; in == nil || in.Calls != 3 || !in.Judged || in.Count != 0 {
		t.Errorf("the second END has %+v", in)
	}
	eventually(t, "the metrics", func() bool {
		m := scrape(t, in)
		return strings.Contains(m, `sotto_indirect_counted_calls{session="0"} 3`)
	})
}

// Each partition counts its own calls.
func TestEachPartitionHasItsGraph(t *testing.T) {
	t.Parallel()
	r := newGraphRig(t, 2)
	r.Set.IndirectMinCalls = 0
	r.start("a")
	r.said(0, "one", "hello")
	r.said(1, "two", "hello")
	r.said(0, "three", "hello")
	counts := map[string]int64{}
	for _, e := range r.Clean(r.Await(r.Topics.Clean, 6)) {
		if e.Call != nil {
			counts[e.CallID] = e.Call.Indirect.Count
		}
	}
	if fmt.Sprint(counts) != "map[one:1 three:0 two:1]" {
		t.Errorf("marked words: %v", counts)
	}
	for _, rec := range r.Read(r.Set.TopicIndirect) {
		if string(rec.Key) == "graph" && rec.Partition != 0 && rec.Partition != 1 {
			t.Errorf("a head in partition %d", rec.Partition)
		}
	}
}

// With a remote tier, the END is released from the state in the next transaction.
func TestTheGraphCountsStagedCalls(t *testing.T) {
	t.Parallel()
	r := newGraphRig(t, 1)
	withRemote(r, config.TierPresidio)
	r.Set.IndirectMinCalls = 0
	r.start("a", func(p *Processor) { p.remote = tierOf(r, &changingService{}) })
	r.said(0, "one", "hello garden")
	r.Await(r.Set.TopicFinal, 2)
	r.said(0, "two", "hello window")
	final := r.Clean(r.Await(r.Set.TopicFinal, 4))
	if got := marked(final[2].Text, final[2].Indirect); !slices.Equal(got, []string{"window"}) {
		t.Errorf("%q are marked", got)
	}
}

// The graph must not begin anew by itself: until there are enough calls, it marks nothing.
func TestALostGraphIsRefused(t *testing.T) {
	t.Parallel()
	r := newGraphRig(t, 1)
	in := r.start("a")
	r.said(0, "one", "hello")
	r.Await(r.Topics.Clean, 2)
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	r.Set.TopicIndirect = r.Cluster.Name("calls.indirect.2")
	if err := brokertest.CreateTopic(t.Context(), r.Cluster, r.Set.TopicIndirect, 1, map[string]string{"cleanup.policy": "compact"}); err != nil {
		t.Fatal(err)
	}
	halted := func(why string) {
		t.Helper()
		in := r.start("b")
		eventually(t, "the partition to be stopped", func() bool {
			err := in.Ready()
			return err != nil && strings.Contains(err.Error(), why) && strings.Contains(err.Error(), "docs/training/stream.md")
		})
		in.stop()
	}
	halted("0 of 1 calls are counted")
	lost := r.Set.TopicIndirect
	r.Set.TopicIndirect = ""
	in = r.start("c")
	r.said(0, "two", "hello")
	r.Await(r.Topics.Clean, 4)
	in.stop()
	r.Set.TopicIndirect = lost
	in = r.start("d")
	r.said(0, "three", "hello")
	if e := r.Clean(r.Await(r.Topics.Clean, 6))[5]; e.Call.Indirect == nil || e.Call.Indirect.Calls != 0 {
		t.Errorf("a graph that was given up has %+v", e.Call.Indirect)
	}
	in.stop()
	r.Set.IndirectK = 3
	halted("it has k=2 n=1 by=call, and the settings say k=3 n=1 by=call")
}

func TestTheGraphFollowsARotationOfTheKeys(t *testing.T) {
	t.Parallel()
	r := newGraphRig(t, 1)
	r.Set.IndirectMinCalls = 1
	r.Set.Reload = 100 * time.Millisecond
	in := r.start("a")
	r.said(0, "one", "hello there")
	r.Await(r.Topics.Clean, 2)
	r.WriteKeys("2 " + testKey(2) + "\n1 " + testKey(1))
	eventually(t, "the keys to be read", func() bool { return in.keys.Load().Versions()[0] == 2 })
	r.said(0, "two", "hello again")
	if e := r.Clean(r.Await(r.Topics.Clean, 4)); !slices.Equal(marked(e[2].Text, listed(e[3])), []string{"again"}) {
		t.Errorf("after the rotation, %+v are marked", e[3].Call.Indirect)
	}
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	r.WriteKeys("2 " + testKey(2))
	g := live.New(live.Options{K: 2, MaxGrams: 1000, Scheme: "k=2 n=1 by=call"}, mustKeys(t, r))
	for _, rec := range r.Read(r.Set.TopicIndirect) {
		if err := g.Restore(rec.Key, rec.Value); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Restored(2); err != nil {
		t.Fatal(err)
	}
	if n, safe := g.Size(); n != 2 || safe != 1 {
		t.Errorf("%d words are left, %d of them safe: want hello and again", n, safe)
	}
}

func mustKeys(t *testing.T, r *rig) *sealing.Keyring {
	t.Helper()
	keys, err := sealing.LoadKeyring(r.KeyFile())
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// An END that lists many words still fits a record.
func TestAnENDWithManyMarkedWordsFits(t *testing.T) {
	t.Parallel()
	r := newGraphRig(t, 1)
	r.Set.IndirectMinCalls, r.Set.Sensitivity = 0, "balanced"
	r.start("a", func(p *Processor) { p.maxRecord.Store(48 << 10) })
	var text strings.Builder
	for _, a := range strings.Fields("red green blue yellow black white gray brown pink orange light dark") {
		for _, b := range strings.Fields("door window table chair floor wall roof garden kitchen ladder box bag cup plate bowl spoon") {
			for _, c := range strings.Fields("is was looks seems stays feels") {
				fmt.Fprintf(&text, "the %s %s %s, ", a, b, c)
			}
		}
	}
	r.said(0, "one", text.String())
	clean := r.Clean(r.Await(r.Topics.Clean, 2))
	if in := clean[1].Call.Indirect; in.Count < 3000 || len(in.Words) > maxMarkedWords {
		t.Errorf("%d words, %d of them listed", in.Count, len(in.Words))
	}
}

func TestTopicsOfTheGraphMustFit(t *testing.T) {
	t.Parallel()
	for policy, partitions := range map[string]int32{"compact": 3, "delete": 2} {
		r := newRig(t, 2)
		r.KeepFinals(2)
		r.Set.TopicIndirect = r.Cluster.Name("calls.indirect")
		if err := brokertest.CreateTopic(t.Context(), r.Cluster, r.Set.TopicIndirect, partitions, map[string]string{"cleanup.policy": policy}); err != nil {
			t.Fatal(err)
		}
		in := r.start("a")
		<-in.done
		if in.err == nil || !strings.Contains(in.err.Error(), r.Set.TopicIndirect) {
			t.Errorf("%s with %d partitions: %v", policy, partitions, in.err)
		}
	}
	c := brokertest.Open(t)
	s := topicSettings(t, c)
	s.TopicIndirect = c.Name("calls.indirect")
	if err := brokertest.CreateTopic(t.Context(), c, s.TopicRaw, 2, nil); err != nil {
		t.Fatal(err)
	}
	if report, err := ensure(t, s, TopicPlan{Partitions: 6, Replication: 1}, CreateTopics); err != nil || !strings.Contains(report, s.TopicIndirect+" created with 2 partitions") {
		t.Errorf("%v\n%s", err, report)
	}
}

// Surrogates are not words of the call, and no n-gram goes across them.
func TestReadingLeavesOutWhatWasReplaced(t *testing.T) {
	r := reader{hasher: live.NewHasher(mustKeys(t, newRig(t, 1))), digests: map[string]live.Gram{}, longest: 2}
	text := "hé Ann Lee is [LOCATION_1] bound, no 7"
	w := r.read(&schemas.CleanEvent{Type: schemas.Utterance, Text: text, Entities: []schemas.Entity{{Start: 3, End: 10}, {Start: 14, End: 26}}})
	if got := marked(text, w.words); !slices.Equal(got, []string{"hé", "is", "bound", "no", "7"}) {
		t.Errorf("words %q", got)
	}
	var grams []string
	for _, g := range w.grams {
		grams = append(grams, g.text)
	}
	if want := []string{"he", "is", "bound", "bound no", "no", "no 7", "7"}; !slices.Equal(grams, want) {
		t.Errorf("n-grams %q, want %q", grams, want)
	}
}
