package processor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/internal/testkit/brokertest"
)

// narrowRig has output topics that permit little.
func narrowRig(t *testing.T, c brokertest.Cluster, maxMessage int) *rig {
	t.Helper()
	topics := brokertest.Topics{
		Raw: c.Name("calls.raw"), Clean: c.Name("calls.clean"), Audit: c.Name("calls.risk-audit"),
		State: c.Name("calls.state"), DeadLetter: c.Name("calls.dead-letter"),
	}
	for _, name := range []string{topics.Raw, topics.Clean, topics.Audit, topics.State, topics.DeadLetter} {
		config := map[string]string{"max.message.bytes": fmt.Sprint(maxMessage)}
		if name == topics.Raw {
			config["max.message.bytes"] = fmt.Sprint(brokertest.MaxRecord)
		}
		if name == topics.State {
			config["cleanup.policy"] = "compact"
		}
		if err := brokertest.CreateTopic(t.Context(), c, name, 1, config); err != nil {
			t.Fatal(err)
		}
	}
	r := newRigWith(t, c, topics, c.Name("group"))
	r.Set.MaxTextBytes, r.Set.AuditRate = 1<<18, "1"
	return r
}

// feedSizes feeds texts of many sizes, some of each, and returns how many.
func feedSizes(r *rig) (n, each int) {
	if each = 2; testing.Short() {
		each = 1 // large texts take long under the race detector
	}
	var recs []*kgo.Record
	for _, size := range []int{10, 30_000, 50, 40_000, 10_000, 70_000, 90_000, 20} {
		for range each {
			e := utterance("c", int64(len(recs)+1), "x", strings.Repeat("okay then ", size/10)+"this is Rosa Lindqvist.")
			recs = append(recs, r.Raw(0, e))
		}
	}
	r.Feed(recs...)
	return len(recs), each
}

// Outputs that do not fit their topics become dead letters, and batches are as small as the topics
// permit: nothing aborts forever.
func TestOutputTopicsThatPermitLessThanUsual(t *testing.T) {
	t.Parallel()
	sizes := []int{64 << 10, 100_000, 200_000}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, maxMessage := range sizes {
		t.Run(fmt.Sprint(maxMessage), func(t *testing.T) {
			r := narrowRig(t, brokertest.Open(t), maxMessage)
			n, each := feedSizes(r)
			in := r.start("a")
			var dead int
			eventually(t, "all events", func() bool {
				dead = len(r.DeadLetters())
				return len(r.Read(r.Topics.Clean))+dead == n
			})
			if want := each * map[int]int{64 << 10: 2, 100_000: 1, 200_000: 0}[maxMessage]; dead != want {
				t.Errorf("%d dead letters, want %d", dead, want)
			}
			if m := scrape(t, in); strings.Contains(m, `sotto_transactions_aborted_total{reason="produce"}`) {
				t.Error("a topic refused a batch")
			}
			if err := in.Ready(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A topic that permits too little even for dead letters is refused at the start.
func TestOutputTopicsThatPermitTooLittleAreRefused(t *testing.T) {
	t.Parallel()
	r := narrowRig(t, brokertest.Open(t), 10_000)
	in := r.start("a")
	<-in.done
	if in.err == nil || !strings.Contains(in.err.Error(), "has max.message.bytes=10000: it must be at least 65536") {
		t.Errorf("error is %v", in.err)
	}
}

// A stream that may not read the topics' configurations finds the size by itself, in a few sessions.
func TestOutputTopicsThatHideWhatTheyPermit(t *testing.T) {
	brokertest.OnlyEmbedded(t)
	t.Parallel()
	k, err := brokertest.StartKfake()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	r := narrowRig(t, k, 100_000)
	k.ControlKey(int16(kmsg.DescribeConfigs), func(req kmsg.Request) (kmsg.Response, error, bool) {
		k.KeepControl()
		resp := req.ResponseKind().(*kmsg.DescribeConfigsResponse)
		for _, res := range req.(*kmsg.DescribeConfigsRequest).Resources {
			resp.Resources = append(resp.Resources, kmsg.DescribeConfigsResponseResource{
				ErrorCode: kerr.TopicAuthorizationFailed.Code, ResourceType: res.ResourceType, ResourceName: res.ResourceName,
			})
		}
		return resp, nil, true
	})
	n, _ := feedSizes(r)
	in := r.start("a")
	eventually(t, "all events", func() bool { return len(r.Read(r.Topics.Clean))+len(r.DeadLetters()) == n })
	eventually(t, "the stream to be ready", func() bool { return in.Ready() == nil })
}
