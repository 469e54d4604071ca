package chaos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
)

// neighbourFaults are what others do to the topics and the group, and what a cluster does that may
// lose records. Those that take a minute are for a long campaign.
func (c *campaign) neighbourFaults(long bool) []chaosAction {
	rare := 0
	if long {
		rare = 1
	}
	return []chaosAction{
		{Name: "another consumer in the group", Times: 1 + rare, Do: c.intrusion},
		{Name: "transactions upstream that commit, abort and hang", Times: 1, Do: c.transactions(false)},
		{Name: "a transaction upstream that hangs until a person looks", Times: rare, Do: c.transactions(true)},
		{Name: "add partitions to the topics of outputs", Times: 1, Do: c.addOutputPartitions},
		{Name: "an unclean election of the state topic", Times: rare, Do: c.uncleanElection},
	}
}

// checkNeighbours checks that the others did harm.
func (c *campaign) checkNeighbours(t *testing.T) {
	t.Helper()
	if c.intrusions > 0 && c.stopped == 0 {
		t.Errorf("%d other consumers in the group have stopped no partition", c.intrusions)
	}
	t.Logf("%d other consumers in the group stopped %d partitions; the topics of outputs have %d partitions", c.intrusions, c.stopped, c.outputs)
}

// addOutputPartitions adds a partition to each topic of outputs, and waits until a call uses it. A member
// that is killed meanwhile knows of it before the others.
func (c *campaign) addOutputPartitions(ctx context.Context, rng *rand.Rand) error {
	c.fault("added partitions of outputs")
	c.outputs++
	topics := []string{c.r.Topics.Clean, c.r.Topics.Audit, c.r.Set.TopicFinal, c.r.Topics.DeadLetter}
	updated, err := c.adm.UpdatePartitions(ctx, c.outputs, topics...)
	if err == nil {
		err = updated.Error()
	}
	if err != nil {
		return err
	}
	if err := c.kill(ctx, between(rng, 0, time.Second), c.anyMember(rng)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	return brokertest.WaitFor(ctx, "events in the partition that was added", func(ctx context.Context) (bool, error) {
		ends, err := c.adm.ListEndOffsets(ctx, c.r.Topics.Clean)
		end, ok := ends.Lookup(c.r.Topics.Clean, int32(c.outputs)-1)
		return ok && end.Offset > 0, errors.Join(err, end.Err)
	})
}

// uncleanElection lets a broker become the leader of a partition of the state topic without the latest
// records, while no member runs. The partition must be stopped. Then the broker that has the records
// comes back and becomes the leader, as docs/operating.md says, and nothing is lost.
func (c *campaign) uncleanElection(ctx context.Context, rng *rand.Rand) error {
	c.fault("unclean election")
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	id, state := int32(rng.IntN(campaignPartitions)), c.r.Topics.State
	if err := brokertest.Configure(ctx, c.r.Cluster, state, map[string]string{"unclean.leader.election.enable": "true", "min.insync.replicas": "1"}); err != nil {
		return err
	}
	before, err := c.statePartition(ctx, id)
	if err != nil {
		return err
	}
	with, without := before.Leader, before.Replicas[(slices.Index(before.Replicas, before.Leader)+1)%len(before.Replicas)]
	if err := c.placeStates(ctx, id, with, without); err != nil {
		return err
	}
	if err := c.diverge(ctx, id, with, without); err != nil {
		return err
	}
	want := c.want
	if err := errors.Join(c.stopAll(ctx), c.awaitNoTransaction(ctx, id)); err != nil {
		return err
	}
	if err := c.kafka.Nodes[with-1].Kill(); err != nil {
		return err
	}
	if err := c.elect(ctx, id, without); err != nil {
		return err
	}
	c.want = want
	c.markLog()
	if err := c.startMembers(); err != nil {
		return err
	}
	if err := c.awaitLog(ctx, fmt.Sprint(streamtest.LostStates, " at partition ", id)); err != nil {
		return err
	}
	if err := c.stopAll(ctx); err != nil {
		return err
	}
	if err := c.kafka.Nodes[without-1].Stop(); err != nil {
		return err
	}
	if err := c.elect(ctx, id, with); err != nil {
		return err
	}
	if err := c.kafka.Nodes[without-1].Restart(ctx); err != nil {
		return err
	}
	if err := c.placeStates(ctx, id, before.Replicas...); err != nil {
		return err
	}
	if err := brokertest.Configure(ctx, c.r.Cluster, state, map[string]string{"unclean.leader.election.enable": "", "min.insync.replicas": ""}); err != nil {
		return err
	}
	c.want = want
	return errors.Join(c.startMembers(), c.gain.again(ctx))
}

func (c *campaign) statePartition(ctx context.Context, id int32) (kadm.PartitionDetail, error) {
	topics, err := c.adm.ListTopics(ctx, c.r.Topics.State)
	if err == nil {
		err = topics.Error()
	}
	return topics[c.r.Topics.State].Partitions[id], err
}

// placeStates moves a partition of the state topic to these brokers, and waits until it is there.
func (c *campaign) placeStates(ctx context.Context, id int32, brokers ...int32) error {
	var move kadm.AlterPartitionAssignmentsReq
	move.Assign(c.r.Topics.State, id, brokers)
	altered, err := c.adm.AlterPartitionAssignments(ctx, move)
	if err == nil {
		err = altered.Error()
	}
	if err != nil {
		return err
	}
	err = brokertest.WaitFor(ctx, "the partition of states to be moved", func(ctx context.Context) (bool, error) {
		p, err := c.statePartition(ctx, id)
		return slices.Equal(p.Replicas, brokers), err
	})
	return errors.Join(err, c.awaitInSync(ctx))
}

// diverge kills a follower, and lets the stream write states that only the leader has.
func (c *campaign) diverge(ctx context.Context, id, leader, follower int32) error {
	if err := c.kafka.Nodes[follower-1].Kill(); err != nil {
		return err
	}
	var end int64
	return brokertest.WaitFor(ctx, "states that only the leader has", func(ctx context.Context) (bool, error) {
		p, err := c.statePartition(ctx, id)
		if err != nil || !slices.Equal(p.ISR, []int32{leader}) {
			return false, cmp.Or(err, fmt.Errorf("in sync are the brokers %v", p.ISR))
		}
		ends, err := c.adm.ListEndOffsets(ctx, c.r.Topics.State)
		now, _ := ends.Lookup(c.r.Topics.State, id)
		if end == 0 {
			end = now.Offset
		}
		return now.Offset >= end+20, errors.Join(err, now.Err)
	})
}

// awaitNoTransaction waits until the ends of all transactions are in a partition of the state topic. Those
// that come later are only in the log of the next leader.
func (c *campaign) awaitNoTransaction(ctx context.Context, id int32) error {
	state := c.r.Topics.State
	return brokertest.WaitFor(ctx, "the ends of transactions", func(ctx context.Context) (bool, error) {
		stables, err1 := c.adm.ListCommittedOffsets(ctx, state)
		ends, err2 := c.adm.ListEndOffsets(ctx, state)
		stable, _ := stables.Lookup(state, id)
		end, ok := ends.Lookup(state, id)
		return ok && stable.Offset == end.Offset, errors.Join(err1, err2, stable.Err, end.Err)
	})
}

// elect starts a broker, and waits until it leads a partition of the state topic.
func (c *campaign) elect(ctx context.Context, id, broker int32) error {
	if err := c.kafka.Nodes[broker-1].Restart(ctx); err != nil {
		return err
	}
	return brokertest.WaitFor(ctx, fmt.Sprintf("broker %d to lead the partition of states", broker), func(ctx context.Context) (bool, error) {
		p, err := c.statePartition(ctx, id)
		return p.Leader == broker, err
	})
}
