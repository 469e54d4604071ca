package processor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A replay writes what the live stream wrote about the records of that time, into its own
// topics, and ends.
func TestReplayOfASpanOfTime(t *testing.T) {
	r := newRig(t, 2)
	began := time.Now().Add(-time.Hour).Truncate(time.Millisecond)
	var recs []*kgo.Record
	for seq := int64(1); seq <= 30; seq++ {
		for c := range 2 {
			rec := r.caller(int32(c), fmt.Sprintf("c-%d", c), seq, "Rosa Lindqvist")
			rec.Timestamp = began.Add(time.Duration(seq) * time.Minute)
			recs = append(recs, rec)
		}
	}
	r.Feed(recs...)
	in := r.start("a", func(p *Processor) {
		WithReplay(began.Add(10*time.Minute), began.Add(20*time.Minute))(p)
	})
	select {
	case <-in.done:
	case <-time.After(60 * time.Second):
		t.Fatal("the replay does not end")
	}
	if in.err != nil {
		t.Fatal(in.err)
	}
	seqs := map[string][]int64{}
	for _, e := range r.Clean(r.Read(r.Topics.Clean)) {
		seqs[e.CallID] = append(seqs[e.CallID], e.Seq)
	}
	want := fmt.Sprint([]int64{10, 11, 12, 13, 14, 15, 16, 17, 18, 19})
	for c := range 2 {
		if got := fmt.Sprint(seqs[fmt.Sprintf("c-%d", c)]); got != want {
			t.Errorf("call %d: %s, want %s", c, got, want)
		}
	}
	offsets, err := r.admin().FetchOffsets(t.Context(), r.Group)
	if err != nil {
		t.Fatal(err)
	}
	for id := range int32(2) {
		if o, _ := offsets.Lookup(r.Topics.Raw, id); o.At != 19 {
			t.Errorf("partition %d: the committed offset is %d, want 19", id, o.At)
		}
	}
	// The group has offsets now, as that of a live release has.
	again := r.start("b", func(p *Processor) { WithReplay(began, time.Now())(p) })
	<-again.done
	if again.err == nil || !strings.Contains(again.err.Error(), "has offsets already") {
		t.Errorf("a second replay with the group: %v", again.err)
	}
}
