package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/streamtest"
	"sotto/processor/partition"
)

// intrusion lets a consumer of another team run in the group under load, by one protocol after the
// other, and then does what docs/operating.md says.
func (c *campaign) intrusion(ctx context.Context, rng *rand.Rand) error {
	if err := c.awaitCheckpoints(ctx); err != nil {
		return err
	}
	protocol := c.nextProtocol()
	c.fault("foreign member, " + protocol)
	// By these assignors it cannot join a group of the stream, only be there before it.
	alone := protocol == "range"
	want := c.want
	if alone {
		if err := c.stopAll(ctx); err != nil {
			return err
		}
	}
	other := streamtest.Intrude(c.r.T, c.r.Cluster, c.r.Group, c.r.Topics.Raw, protocol)
	if err := c.awaitReading(ctx, other); err != nil {
		return err
	}
	if alone {
		c.want = want
		if err := c.startMembers(); err != nil {
			return err
		}
	} else if rng.IntN(2) == 0 {
		if err := c.kill(ctx, between(rng, 0, time.Second), c.anyMember(rng)); err != nil {
			return err
		}
	}
	if err := wait(ctx, between(rng, 0, 2*time.Second)); err != nil {
		return err
	}
	other.Leave()
	return c.goOnAfterIntrusion(ctx)
}

// awaitCheckpoints waits until the stream has committed an offset of each partition. Otherwise it cannot say
// up to where it was when somebody else has committed one.
func (c *campaign) awaitCheckpoints(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return brokertest.WaitFor(ctx, "offsets of all partitions", func(ctx context.Context) (bool, error) {
		offsets, err := c.adm.FetchOffsets(ctx, c.r.Group)
		if err != nil {
			return false, err
		}
		for id := range int32(campaignPartitions) {
			if at, ok := offsets.Lookup(c.r.Topics.Raw, id); !ok || !partition.ParseCheckpoint(&at.Metadata).Known {
				return false, fmt.Errorf("partition %d has none", id)
			}
		}
		return true, nil
	})
}

// nextProtocol returns the protocols in turn, beginning with one that the seed decides.
func (c *campaign) nextProtocol() string {
	names := slices.Sorted(maps.Keys(streamtest.Protocols))
	c.intrusions++
	return names[(c.first+c.intrusions)%len(names)]
}

func (c *campaign) awaitReading(ctx context.Context, other *streamtest.Intruder) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return brokertest.WaitFor(ctx, "the other consumer to read events", func(context.Context) (bool, error) { return other.Read() >= 20, nil })
}

// goOnAfterIntrusion waits until each partition goes on or is stopped by a message, and sets those that
// are stopped to where the message says that the stream was.
func (c *campaign) goOnAfterIntrusion(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	set := kadm.Offsets{}
	err := brokertest.WaitFor(ctx, "all partitions to go on or to be stopped", func(ctx context.Context) (bool, error) {
		set = kadm.Offsets{}
		offsets, err := c.adm.FetchOffsets(ctx, c.r.Group)
		if err != nil {
			return false, err
		}
		stops := streamtest.StopsIn(c.logged())
		for id := range int32(campaignPartitions) {
			at, ok := offsets.Lookup(c.r.Topics.Raw, id)
			switch found, stopped := stops[id]; {
			case ok && partition.ParseCheckpoint(&at.Metadata).Known:
			case stopped && found.Foreign == at.At:
				set.AddOffset(c.r.Topics.Raw, id, found.Next, -1)
			default:
				return false, fmt.Errorf("partition %d has offset %d of somebody else", id, at.At)
			}
		}
		return true, nil
	})
	if err != nil || len(set) == 0 {
		return errors.Join(err, c.gain.again(ctx))
	}
	c.stopped += len(set[c.r.Topics.Raw])
	want := c.want
	if err := c.stopAll(ctx); err != nil {
		return err
	}
	if err := c.setOffsets(ctx, set); err != nil {
		return err
	}
	c.want = want
	return errors.Join(c.startMembers(), c.gain.again(ctx))
}

// stopAll stops all members, and waits until the group knows.
func (c *campaign) stopAll(ctx context.Context) error {
	return errors.Join(c.stopMembers(ctx, 0), c.awaitGroup(ctx, 0))
}

// setOffsets does what kafka-consumer-groups --reset-offsets does. A member that was killed, or has left
// by another protocol, may still count for a while.
func (c *campaign) setOffsets(ctx context.Context, set kadm.Offsets) error {
	return brokertest.WaitFor(ctx, "the group to accept offsets", func(ctx context.Context) (bool, error) {
		err := c.adm.CommitAllOffsets(ctx, c.r.Group, set)
		return err == nil, err
	})
}

// markLog makes logged and awaitLog begin here.
func (c *campaign) markLog() {
	c.logs = make([]int64, c.fleet.Size())
	for i := range c.logs {
		if p := c.fleet.member(i); p != nil {
			if info, err := os.Stat(p.Stderr); err == nil {
				c.logs[i] = info.Size()
			}
		}
	}
}

// logged returns what the members have logged since markLog, in the order of time.
func (c *campaign) logged() string {
	var lines []string
	for i, from := range c.logs {
		if p := c.fleet.member(i); p != nil {
			if log, err := os.ReadFile(p.Stderr); err == nil {
				lines = append(lines, strings.Split(string(log[min(from, int64(len(log))):]), "\n")...)
			}
		}
	}
	slices.Sort(lines) // each begins with its time
	return strings.Join(lines, "\n")
}

// awaitLog waits until a member has logged a text.
func (c *campaign) awaitLog(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	return brokertest.WaitFor(ctx, fmt.Sprintf("a member to log %q", text), func(context.Context) (bool, error) {
		return strings.Contains(c.logged(), text), nil
	})
}
