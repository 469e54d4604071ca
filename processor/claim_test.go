package processor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Of two groups on the same topics, one writes each event once, whenever the other one starts.
func TestASecondGroupIsRefused(t *testing.T) {
	t.Parallel()
	const partitions, calls = 4, 40
	for name, first := range map[string]time.Duration{"started together": 0, "started later": time.Second} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, partitions)
			one := r.start("one")
			time.Sleep(first)
			second := func(p *Processor) { p.settings.Group = r.Group + "-second" }
			two := r.start("two", second)
			var recs []*kgo.Record
			for n := range calls {
				for seq := range int64(5) {
					recs = append(recs, r.Raw(int32(n%partitions), utterance(fmt.Sprint("c", n), seq, "x", "this is Rosa Lindqvist speaking")))
				}
			}
			r.Feed(recs...)
			r.Await(r.Topics.Clean, len(recs))
			eventually(t, "one of them to be refused everywhere", func() bool {
				err := fmt.Sprint(one.Ready(), two.Ready())
				return strings.Contains(err, "Two groups on the same topics")
			})
			// Also after a restart, and if it begins anew at other offsets.
			two.mustStop(t)
			two = r.start("two", second)
			r.Feed(r.Raw(0, utterance("last", 1, "x", "bye")))
			r.Await(r.Topics.Clean, len(recs)+1)
			time.Sleep(500 * time.Millisecond)
			for _, in := range []*instance{one, two} {
				in.mustStop(t)
			}
			if n := len(r.Read(r.Topics.Clean)); n != len(recs)+1 {
				t.Errorf("%d clean events of %d raw ones", n, len(recs)+1)
			}
		})
	}
}

// A broker may have a claim and be gone before it answers. The client would send the record again without end.
func TestAClaimThatNobodyAnswersEnds(t *testing.T) {
	r, fake := fakeRig(t, 1)
	r.Set.RestoreTimeout = 500 * time.Millisecond
	in := r.start("a")
	eventually(t, "the partition to be assigned", func() bool { return strings.Contains(r.log.String(), "restored") })
	fake.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		in.wire.cut()
		return nil, nil, false
	})
	done := make(chan error, 1)
	go func() {
		_, err := in.writeClaim(t.Context(), 0)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil {
			t.Error("a claim that nobody has answered counts as written")
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the claim does not end")
	}
}
