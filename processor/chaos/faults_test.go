package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
)

// faultsPerRound is about how many faults the actions of a long campaign cause when each is done as
// often as its Times say.
const faultsPerRound = 42

func (c *campaign) memberFaults() []chaosAction {
	return []chaosAction{
		{Name: "kill a member", Times: 1, Do: func(ctx context.Context, rng *rand.Rand) error {
			return c.kill(ctx, between(rng, 0, 2*chaosSession), c.anyMember(rng))
		}},
		{Name: "kill all members", Times: 1, Do: func(ctx context.Context, rng *rand.Rand) error {
			var all []int
			for i := range c.want {
				all = append(all, i)
			}
			return c.kill(ctx, between(rng, 0, chaosSession), all...)
		}},
		{Name: "stall a member", Times: 1, Do: func(ctx context.Context, rng *rand.Rand) error {
			c.fault("SIGSTOP of a member")
			return c.fleet.Freeze(ctx, c.anyMember(rng), between(rng, chaosSession/2, 2*chaosSession))
		}},
		{Name: "scale to one, four and two members", Times: 1, Do: c.scale},
	}
}

// scale changes the number of members. The last change begins with a kill.
func (c *campaign) scale(ctx context.Context, rng *rand.Rand) error {
	c.fault("scaling")
	if err := c.stopMembers(ctx, 1); err != nil {
		return err
	}
	if err := c.gain.await(ctx); err != nil {
		return err
	}
	c.fault("scaling")
	c.want = maxMembers
	if err := c.startMembers(); err != nil {
		return err
	}
	if err := wait(ctx, between(rng, 0, 2*time.Second)); err != nil {
		return err
	}
	if err := c.gain.await(ctx); err != nil {
		return err
	}
	c.fault("kill of a member")
	if err := c.fleet.Kill(maxMembers - 1); err != nil {
		return err
	}
	c.fault("scaling")
	return c.stopMembers(ctx, 2)
}

func (c *campaign) brokerFaults() []chaosAction {
	return []chaosAction{
		{Name: "kill a broker", Times: 1, Do: func(ctx context.Context, rng *rand.Rand) error {
			return c.killBroker(ctx, c.kafka.Nodes[rng.IntN(len(c.kafka.Nodes))])
		}},
		{Name: "kill the broker that coordinates the group", Times: 1, Do: func(ctx context.Context, _ *rand.Rand) error {
			var coordinator int32
			// Connections to a broker that was killed before may still be cut.
			err := brokertest.WaitFor(ctx, "the coordinator", func(ctx context.Context) (bool, error) {
				found, err := c.adm.DescribeGroups(ctx, c.r.Group)
				coordinator = found[c.r.Group].Coordinator.NodeID
				return err == nil && coordinator > 0, err
			})
			if err != nil {
				return err
			}
			return c.killBroker(ctx, c.kafka.Nodes[coordinator-1])
		}},
		{Name: "kill a broker and a member", Times: 1, Do: func(ctx context.Context, rng *rand.Rand) error {
			broker := c.kafka.Nodes[rng.IntN(len(c.kafka.Nodes))]
			if err := broker.Kill(); err != nil {
				return err
			}
			if err := c.kill(ctx, between(rng, 0, time.Second), c.anyMember(rng)); err != nil {
				return err
			}
			return c.killBroker(ctx, broker)
		}},
		{Name: "stop a broker in order", Times: 1, Do: func(ctx context.Context, rng *rand.Rand) error {
			c.fault("orderly stop of a broker")
			broker := c.kafka.Nodes[rng.IntN(len(c.kafka.Nodes))]
			if err := broker.Stop(); err != nil {
				return err
			}
			if err := broker.Restart(ctx); err != nil {
				return err
			}
			return c.awaitInSync(ctx)
		}},
		{Name: "stall a broker", Times: 1, Do: func(ctx context.Context, rng *rand.Rand) error {
			c.fault("SIGSTOP of a broker")
			broker := c.kafka.Nodes[rng.IntN(len(c.kafka.Nodes))]
			if err := broker.Pause(); err != nil {
				return err
			}
			if err := wait(ctx, between(rng, time.Second, 5*time.Second)); err != nil {
				return err
			}
			if err := broker.Resume(); err != nil {
				return err
			}
			return c.awaitInSync(ctx)
		}},
		{Name: "move all leaders and coordinators", Times: 1, Do: c.moveLeaders},
	}
}

func (c *campaign) killBroker(ctx context.Context, broker *brokertest.Kafka) error {
	c.fault("kill of a broker")
	if err := broker.Restart(ctx); err != nil {
		return err
	}
	return c.awaitInSync(ctx)
}

// awaitInSync waits until every replica of every partition is in sync: the next
// broker may be disturbed.
func (c *campaign) awaitInSync(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return brokertest.WaitFor(ctx, "all replicas to be in sync", func(ctx context.Context) (bool, error) {
		topics, err := c.adm.ListTopicsWithInternal(ctx)
		if err == nil {
			err = topics.Error()
		}
		if err != nil {
			return false, err
		}
		behind := 0
		topics.EachPartition(func(p kadm.PartitionDetail) {
			if len(p.ISR) < len(p.Replicas) || p.Leader < 0 {
				behind++
			}
		})
		if behind > 0 {
			return false, fmt.Errorf("%d partitions lack a replica", behind)
		}
		return true, nil
	})
}

// moveLeaders makes another replica the leader of each partition, also of the topics
// of the coordinators.
func (c *campaign) moveLeaders(ctx context.Context, _ *rand.Rand) error {
	c.fault("move of all leaders")
	topics, err := c.adm.ListTopicsWithInternal(ctx)
	if err != nil {
		return err
	}
	var assign kadm.AlterPartitionAssignmentsReq
	moved := kadm.TopicsSet{}
	topics.EachPartition(func(p kadm.PartitionDetail) {
		assign.Assign(p.Topic, p.Partition, append(p.Replicas[1:len(p.Replicas):len(p.Replicas)], p.Replicas[0]))
		moved.Add(p.Topic, p.Partition)
	})
	altered, err := c.adm.AlterPartitionAssignments(ctx, assign)
	if err == nil {
		err = altered.Error()
	}
	if err != nil {
		return err
	}
	if _, err := c.adm.ElectLeaders(ctx, kadm.ElectPreferredReplica, moved); err != nil {
		return err
	}
	return c.awaitInSync(ctx)
}

func (c *campaign) networkFaults() []chaosAction {
	some := func(rng *rand.Rand) []*proxy {
		if rng.IntN(2) == 0 {
			return c.kafka.proxies
		}
		return c.kafka.proxies[rng.IntN(len(c.kafka.proxies)):][:1]
	}
	return []chaosAction{
		{Name: "cut connections", Times: 1, Do: func(ctx context.Context, rng *rand.Rand) error {
			for range 1 + rng.IntN(3) {
				c.fault("cut of connections")
				for _, p := range some(rng) {
					p.cut()
				}
				if err := wait(ctx, between(rng, 0, 500*time.Millisecond)); err != nil {
					return err
				}
			}
			return nil
		}},
		{Name: "lose all packets", Times: 1, Do: func(ctx context.Context, rng *rand.Rand) error {
			c.fault("network without packets")
			lost := some(rng)
			for _, p := range lost {
				p.block()
			}
			err := wait(ctx, between(rng, 500*time.Millisecond, chaosSession+2*time.Second))
			for _, p := range lost {
				p.release()
			}
			return err
		}},
		{Name: "slow network", Times: 1, Do: func(ctx context.Context, rng *rand.Rand) error {
			c.fault("slow network")
			slow := some(rng)
			for _, p := range slow {
				p.setDelay(between(rng, 20*time.Millisecond, 300*time.Millisecond))
			}
			err := wait(ctx, between(rng, time.Second, 5*time.Second))
			for _, p := range slow {
				p.setDelay(0)
			}
			return err
		}},
	}
}

func (c *campaign) operatorFaults() []chaosAction {
	return []chaosAction{
		{Name: "rotate the state key under kills", Times: 1, Do: c.rotateKey},
		{Name: "reload the dictionaries under a kill", Times: 1, Do: func(ctx context.Context, rng *rand.Rand) error {
			c.fault("reload of the dictionaries")
			word := fmt.Sprintf("zzq%xqzz\n", rng.Uint64())
			if err := replaceFile(filepath.Join(c.dict, "PRODUCT.dictionary.txt"), word); err != nil {
				return err
			}
			if err := wait(ctx, between(rng, 0, 400*time.Millisecond)); err != nil {
				return err
			}
			return c.kill(ctx, 0, c.anyMember(rng))
		}},
		{Name: "lose the offsets", Times: 1, Do: c.loseOffsets},
		{Name: "close idle calls by the wall clock under kills", Times: 1, Do: func(ctx context.Context, rng *rand.Rand) error {
			return c.idle.wave(ctx, rng, func() { c.fault("kill of a member that closes idle calls") })
		}},
	}
}

// rotateKey follows docs/operating.md: every member must know the new key before one
// seals with it. Members are killed at each step.
func (c *campaign) rotateKey(ctx context.Context, rng *rand.Rand) error {
	c.fault("rotation of the state key")
	c.keys++
	var known []string
	for version := c.keys; version > 0; version-- {
		known = append(known, fmt.Sprintf("%d %s", version, streamtest.Key(byte(version))))
	}
	// The key so far stays the first one, then the new one takes its place.
	known[0], known[1] = known[1], known[0]
	if err := replaceFile(c.r.KeyFile(), strings.Join(known, "\n")+"\n"); err != nil {
		return err
	}
	if err := c.kill(ctx, 0, c.anyMember(rng)); err != nil {
		return err
	}
	if err := wait(ctx, 2*time.Second); err != nil {
		return err
	}
	known[0], known[1] = known[1], known[0]
	if err := replaceFile(c.r.KeyFile(), strings.Join(known, "\n")+"\n"); err != nil {
		return err
	}
	if err := wait(ctx, between(rng, 0, 400*time.Millisecond)); err != nil {
		return err
	}
	return c.kill(ctx, between(rng, 0, chaosSession), c.anyMember(rng))
}

// loseOffsets deletes the offsets of the group. The stream must refuse to go on until
// somebody has set them again.
func (c *campaign) loseOffsets(ctx context.Context, _ *rand.Rand) error {
	c.fault("loss of the offsets")
	want := c.want
	if err := c.stopMembers(ctx, 0); err != nil {
		return err
	}
	if err := c.awaitGroup(ctx, 0); err != nil {
		return err
	}
	offsets, err := c.adm.FetchOffsets(ctx, c.r.Group)
	if err == nil {
		err = offsets.Error()
	}
	if err != nil {
		return err
	}
	if _, err := c.adm.DeleteGroup(ctx, c.r.Group); err != nil {
		return err
	}
	c.want = 1
	if err := c.startMembers(); err != nil {
		return err
	}
	refused, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := c.fleet.AwaitOutputOf(refused, 0, "but the group has no offset"); err != nil {
		return err
	}
	if err := c.stopMembers(ctx, 0); err != nil {
		return err
	}
	if err := c.awaitGroup(ctx, 0); err != nil {
		return err
	}
	if err := c.adm.CommitAllOffsets(ctx, c.r.Group, offsets.Offsets()); err != nil {
		return err
	}
	c.want = want
	return c.startMembers()
}

// addPartitions adds a partition to the raw topic and then to those of states. All members must stop and
// name the page that says how to go on, and so must one that is started afterwards.
func (c *campaign) addPartitions(ctx context.Context) error {
	c.fault("added partitions")
	for i := range c.want {
		if err := c.fleet.AwaitOutputOf(ctx, i, startedLine); err != nil {
			return err
		}
	}
	for _, topic := range []string{c.r.Topics.Raw, c.r.Topics.State, c.r.Set.TopicIndirect} {
		if _, err := c.adm.UpdatePartitions(ctx, campaignPartitions+1, topic); err != nil {
			return err
		}
	}
	for i := range c.want {
		if err := c.fleet.AwaitOutputOf(ctx, i, "Partitions were added"); err != nil {
			return err
		}
	}
	if err := c.kill(ctx, 0, 0); err != nil {
		return err
	}
	return c.fleet.AwaitOutputOf(ctx, 0, "Partitions were added")
}
