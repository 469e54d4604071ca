package processor

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/anonymize"
	"sotto/anonymize/ending"
	"sotto/config"
	"sotto/detectors"
	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
	"sotto/schemas"
	"sotto/state"
	"sotto/training/corpus/callgen"
)

// TestAnyHistoryEqualsASerialRun is the central property: whatever interleaving of commits, aborts,
// kills, stops, rebalances, leader changes and broker errors the processors go through, the topics
// hold byte for byte what one thread without any failure writes.
//
// SOTTO_TEST_SEEDS sets the number of histories (default 3), and SOTTO_TEST_SEED repeats one.
func TestAnyHistoryEqualsASerialRun(t *testing.T) {
	first, n := uint64(1), uint64(3)
	if v, err := strconv.ParseUint(os.Getenv("SOTTO_TEST_SEEDS"), 10, 64); err == nil {
		n = v
	}
	if v, err := strconv.ParseUint(os.Getenv("SOTTO_TEST_SEED"), 10, 64); err == nil {
		first, n = v, 1
	}
	brokertest.NoLeaks(t)
	for seed := first; seed < first+n; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			if !testing.Short() { // With the race detector, they would slow each other down.
				t.Parallel()
			}
			playHistory(t, seed, nil, "")
		})
	}
}

func playHistory(t *testing.T, seed uint64, service *shakyService, tier string) {
	const partitions = 4
	rnd := rand.New(rand.NewPCG(seed, 7))
	r := newRig(t, partitions)
	r.Set.Strategy = []string{"typed-numbered", "entity", "word"}[seed%3]
	r.Set.AuditRate = "0.2"
	r.Set.AuditRiskRate = 1
	r.KeepFinals(partitions)
	r.Set.FinalMaxBytes = 9_000 // some calls are longer
	if service == nil {
		r.KeepGraph(partitions)
		r.Set.IndirectMinCalls = 2
		r.Set.Indirect = []string{config.MarkIndirect, config.MaskIndirect}[seed%2]
		r.Set.IndirectBy = []string{config.ByCall, config.BySpeaker}[seed/2%2]
		r.Set.IndirectK, r.Set.IndirectNGram = 2+int(seed%3), 1+rnd.IntN(2)
		r.Set.IndirectMaxWords = []int{150, 1_000_000}[seed/2%2]
	}
	reference := withPanics
	if service != nil {
		withRemote(r, tier)
		calm := tierOf(r, &shakyService{})
		reference = func(e engine) engine { return answered{withPanics(e), calm} }
	}
	r.Set.RiskGate, r.Set.RiskLimit = ending.GateEnforce, "0.2"
	r.Set.CallIdleTimeout = 2 * time.Minute
	r.Set.CallGrace = 30 * time.Second
	r.Set.StateRefresh = 40
	r.Set.TransactionTimeout = 2 * time.Second
	r.Set.RebalanceTimeout = 6 * time.Second
	r.Set.CommitRecords = 50
	fake, _ := r.Cluster.(*brokertest.Kfake)
	if fake != nil {
		r.Set.SessionTimeout = time.Second
	}
	apart := rnd.IntN(2) == 0
	batches := makeHistory(r, rnd, partitions, apart)

	names := []string{"a", "b", "c"}
	running := map[string]*instance{}
	start := func(name string) {
		running[name] = r.start(name, func(p *Processor) {
			p.wrap = withPanics
			if service != nil {
				p.remote = tierOf(r, service)
			}
			// The wall clock stands still: what it closes does not depend on the events alone.
			p.now = func() time.Time { return time.Unix(4e9, 0) }
			p.settings.InstanceID = r.Cluster.Name("member-" + name)
			p.ownerInterval = time.Second
			if name == "b" {
				p.settings.Sessions = 2
			}
		})
	}
	start("a")
	var acts []string
	for i, batch := range batches {
		r.Feed(batch...)
		name := names[rnd.IntN(len(names))]
		act := "nothing"
		switch in := running[name]; {
		case in == nil:
			act = "start " + name
			start(name)
		case rnd.IntN(3) == 0:
			act = "kill " + name
			in.kill()
			delete(running, name)
		case rnd.IntN(3) == 0:
			act = "stop " + name
			in.cancel()
			delete(running, name)
		case fake != nil:
			outputs := []string{r.Topics.Clean, r.Topics.Audit, r.Topics.State, r.Topics.DeadLetter}
			if r.Set.TopicIndirect != "" {
				outputs = append(outputs, r.Set.TopicIndirect)
			}
			act = injectFault(fake, rnd, outputs)
		}
		acts = append(acts, fmt.Sprintf("%d %s", i, act))
		time.Sleep(time.Duration(rnd.IntN(120)) * time.Millisecond)
	}
	// As in a deployment, every dead process comes back in the end. (The embedded broker may wait
	// forever for a static member that died between joining and syncing.)
	for _, name := range names {
		if running[name] == nil {
			start(name)
		}
	}
	want := newSerial(r, reference)
	deadline := time.Now().Add(90 * time.Second)
	for (len(r.Read(r.Topics.Clean)) < want.Records || len(r.Read(r.Topics.DeadLetter)) < want.Refused) && time.Now().Before(deadline) {
		time.Sleep(50 * time.Millisecond)
	}
	for _, in := range running {
		if err := in.stop(); err != nil {
			t.Errorf("a processor ended with %v", err)
		}
	}
	if want.RiskSampled == 0 || want.Gated == 0 {
		t.Errorf("the history has %d audit events because of the estimated risk and %d calls over the limit: it does not test them", want.RiskSampled, want.Gated)
	}
	if !apart && !strings.Contains(fmt.Sprint(want.Clean), `"closed_by":"idle"`) {
		t.Error("no call became idle: the history does not test that")
	}
	if want.Lacking == 0 || len(want.Final) <= want.Lacking {
		t.Errorf("of %d final versions %d lack utterances: the history does not test both", len(want.Final), want.Lacking)
	}
	if r.Set.TopicIndirect != "" && (want.Identifying == 0 || want.Unjudged == 0 || (want.Forgotten > 0) != (r.Set.IndirectMaxWords < 1000)) {
		t.Errorf("the history has %d indirect identifiers, %d calls before there were enough, and %d forgotten words: it does not test them",
			want.Identifying, want.Unjudged, want.Forgotten)
	}
	compare(t, "clean", byCall(r.Read(r.Topics.Clean)), want.Clean)
	compare(t, "audit", byCall(r.Read(r.Topics.Audit)), want.Audit)
	compare(t, "final", byCall(r.Read(r.Set.TopicFinal)), want.Final)
	compare(t, "dead letters", byCall(r.Read(r.Topics.DeadLetter)), want.Dead)
	r.CheckHeaders()
	streamtest.CheckStates(t, r.Read(r.Topics.State), want)
	if path := os.Getenv("SOTTO_TEST_LOG"); path != "" {
		os.WriteFile(path, []byte(r.log.String()), 0o600)
	}
	if t.Failed() {
		t.Logf("history: %s", strings.Join(acts, "; "))
		t.Errorf("repeat it with SOTTO_TEST_SEED=%d", seed)
	}
}

// makeHistory generates calls and assigns their events to partitions and batches. The clocks of
// producers may be hours apart. Time passes in which calls become idle, events
// come late, some texts have unknown words, and some records cannot be
// processed.
func makeHistory(r *rig, rnd *rand.Rand, partitions int, apart bool) [][]*kgo.Record {
	var batches [][]*kgo.Record
	var batch []*kgo.Record
	jump := int64(0)
	var said []*schemas.RawEvent
	wrong := []int64{0}
	if apart {
		wrong = []int64{0, 0, -2, 3}
	}
	put := func(e *schemas.RawEvent) {
		h := fnv.New32a()
		h.Write([]byte(e.CallID))
		told := *e
		told.TimestampMS += wrong[h.Sum32()/7%uint32(len(wrong))] * time.Hour.Milliseconds()
		batch = append(batch, r.Raw(int32(h.Sum32()%uint32(partitions)), &told))
	}
	for e := range callgen.New(callgen.Config{Seed: rnd.Uint64(), Interim: 0.1}).Events(0, 40, 12) {
		ev := e.RawEvent
		if ev.Type == schemas.End && rnd.IntN(4) == 0 {
			continue
		}
		switch rnd.IntN(40) {
		case 0, 6, 7, 8, 9, 10, 11, 12:
			jump += int64(rnd.IntN(8)) * 1000
		case 1: // once more, an old one
			if len(said) > 0 {
				again := *said[rnd.IntN(len(said))]
				again.TimestampMS = ev.TimestampMS + jump
				put(&again)
			}
		case 2:
			batch = append(batch, &kgo.Record{Topic: r.Topics.Raw, Partition: int32(rnd.IntN(partitions)), Key: []byte("?"), Value: []byte(`{"call_id": 7`)})
		case 3:
			bad := ev
			bad.Type, bad.Text = schemas.Utterance, panicMark
			bad.TimestampMS += jump
			put(&bad)
		case 4, 5: // something that nobody can tell what it is
			odd := ev
			odd.Type, odd.Participants = schemas.Utterance, nil
			odd.Text = oddMark + fmt.Sprintf(" then I saw Zorblatt%c and quimbolt%c with Wexlohr%c", 'a'+rnd.IntN(26), 'a'+rnd.IntN(26), 'a'+rnd.IntN(26))
			odd.TimestampMS += jump
			put(&odd)
		}
		ev.TimestampMS += jump
		put(&ev)
		said = append(said, &ev)
		if len(batch) > 10 && rnd.IntN(15) == 0 {
			batches = append(batches, batch)
			batch = nil
		}
	}
	return append(batches, batch)
}

// panicMark makes the test's engine panic after it has changed the state.
const panicMark = "please fall over"

// oddMark makes the engine find nothing in a text, so that there is a risk to estimate.
const oddMark = "by the way"

type panicking struct{ engine }

func withPanics(e engine) engine { return panicking{e} }

func (p panicking) Apply(c *state.Call, prep *anonymize.Prepared) (schemas.CleanEvent, bool) {
	clean, changed := p.engine.Apply(c, prep)
	if prep.Event.Text == panicMark {
		panic("with secret text of the call")
	}
	if strings.HasPrefix(prep.Event.Text, oddMark) {
		clean.Text, clean.Entities, prep.Subthreshold = prep.Event.Text, []schemas.Entity{}, nil
		for _, w := range strings.Fields(clean.Text) {
			if len(w) > 6 {
				prep.Subthreshold = append(prep.Subthreshold, detectors.SubthresholdFinding{Text: w, Score: 0.5})
			}
		}
	}
	return clean, changed
}

// injectFault makes the broker refuse some requests of the processors.
func injectFault(c *brokertest.Kfake, rnd *rand.Rand, outputs []string) string {
	faults := []struct {
		name string
		key  kmsg.Key
		errs []*kerr.Error
	}{
		{"Produce", kmsg.Produce, []*kerr.Error{kerr.NotLeaderForPartition, kerr.CorruptMessage, kerr.InvalidTxnState, kerr.PolicyViolation}},
		{"EndTxn", kmsg.EndTxn, []*kerr.Error{kerr.InvalidProducerEpoch, kerr.UnknownServerError, kerr.CoordinatorNotAvailable, kerr.TransactionAbortable}},
		{"TxnOffsetCommit", kmsg.TxnOffsetCommit, []*kerr.Error{kerr.IllegalGeneration, kerr.RebalanceInProgress, kerr.UnknownMemberID}},
		{"InitProducerID", kmsg.InitProducerID, []*kerr.Error{kerr.ConcurrentTransactions, kerr.NotCoordinator}},
		{"Heartbeat", kmsg.Heartbeat, []*kerr.Error{kerr.RebalanceInProgress, kerr.IllegalGeneration, kerr.UnknownMemberID}},
		{"Fetch", kmsg.Fetch, []*kerr.Error{kerr.NotLeaderForPartition}},
		{"ListOffsets", kmsg.ListOffsets, []*kerr.Error{kerr.LeaderNotAvailable}},
	}
	switch rnd.IntN(4) {
	case 0:
		c.ShufflePartitionLeaders()
		return "new leaders"
	case 1:
		c.RehashCoordinators()
		return "new coordinators"
	}
	f := faults[rnd.IntN(len(faults))]
	err := f.errs[rnd.IntN(len(f.errs))]
	n := 1 + rnd.IntN(3)
	fault := kfake.Fault{Keys: []kmsg.Key{f.key}, Err: err, Count: n}
	if f.key == kmsg.Produce { // not what the test itself feeds
		fault.Topic = outputs[rnd.IntN(len(outputs))]
	}
	c.Fault(fault)
	return fmt.Sprintf("%s fails %d times with %s", f.name, n, err.Message)
}
