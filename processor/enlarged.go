package processor

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/processor/partition"
	"sotto/processor/topic"
)

// When partitions are added to the raw topic, the events of an open call go to another partition
// from then on, which knows nothing of the call: it would number its entities from 1 again. So the
// stream stops until somebody says how to go on. Each committed offset says how many partitions
// there were.

// countRaw returns how many partitions the raw topic has.
func (p *Processor) countRaw(ctx context.Context, adm *kadm.Client) (int, error) {
	topics, err := topic.Checked(adm.ListTopics(ctx, p.settings.TopicRaw))
	if err != nil {
		return 0, fmt.Errorf("cannot count the partitions of %s: %w", p.settings.TopicRaw, err)
	}
	return len(topics[p.settings.TopicRaw].Partitions), nil
}

// checkEnlarged returns how many partitions the raw topic has, of which some are assigned. The
// error is errHalted if it had fewer when any offset of the group was committed.
func (p *Processor) checkEnlarged(ctx context.Context, cl *kgo.Client, assigned []int32) (int, error) {
	adm := kadm.NewClient(cl)
	now, err := p.countRaw(ctx, adm)
	if err != nil {
		return 0, err
	}
	for _, id := range assigned { // the broker that answered may not know all of them yet
		now = max(now, int(id)+1)
	}
	offsets, err := adm.FetchOffsets(ctx, p.settings.Group)
	if err != nil {
		return 0, fmt.Errorf("cannot read the offsets of group %s: %w", p.settings.Group, err)
	}
	for _, o := range offsets[p.settings.TopicRaw] {
		if at := partition.ParseCheckpoint(&o.Metadata); at.Partitions > 0 && at.Partitions < now {
			return now, fmt.Errorf("%w: topic %s has %d partitions and had %d when offsets were committed, so the events of open calls go to other partitions now; "+
				"see \"Partitions were added\" in docs/operating.md", errHalted, p.settings.TopicRaw, now, at.Partitions)
		}
	}
	p.rawPartitions.CompareAndSwap(0, int64(now))
	return now, nil
}

// watchPartitions stops the sessions when the raw topic gets more partitions, until ctx is done.
func (p *Processor) watchPartitions(ctx context.Context) {
	known := 0
	for sleep(ctx, p.ownerInterval) {
		sessions := p.running()
		if len(sessions) == 0 {
			continue
		}
		asked, cancel := context.WithTimeout(ctx, p.settings.SessionTimeout)
		now, err := p.countRaw(asked, kadm.NewClient(sessions[0].gts.Client()))
		cancel()
		if err != nil {
			continue // the sessions have the same trouble, and report it
		}
		if known == 0 { // they may have been added since the first session counted them
			known = int(p.rawPartitions.Load())
		}
		if known > 0 && now > known {
			err := fmt.Errorf("topic %s has %d partitions and had %d: the sessions stop, and begin again if topic %s has as many", p.settings.TopicRaw, now, known, p.settings.TopicState)
			p.log.Error("partitions were added while the stream ran", "err", err)
			for _, s := range p.running() {
				s.fail(err)
			}
		}
		known = max(known, now)
	}
}
