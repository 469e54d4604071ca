package processor

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/processor/partition"
)

// The events of a call go to one partition of each output topic, by the hash of its ID and by the
// number of partitions that there were when the call was opened. The call remembers that number, so
// partitions may be added at any time. Numbers that are too low do no harm: each process learns of
// added partitions when it looks at the topics.

// outputPartitions counts the partitions of the output topics.
func (f *topicFacts) outputPartitions(s *config.Settings) *partition.OutputPartitions {
	count := func(topic string) int32 { return int32(len(f.meta[topic].Partitions)) }
	return &partition.OutputPartitions{Clean: count(s.TopicClean), Audit: count(s.TopicAudit), Final: count(s.TopicFinal)}
}

// noteOutputPartitions makes new calls use partitions that were added once they were seen twice: the clients
// of the sessions learn of them in between.
func (p *Processor) noteOutputPartitions(now *partition.OutputPartitions) {
	if p.seenPartitions == *now {
		p.outputPartitions.Store(now)
		return
	}
	p.seenPartitions = *now
	for _, s := range p.running() {
		s.gts.Client().ForceMetadataRefresh()
	}
}

// reachable fails if open calls write to partitions that do not exist: another process knew more of
// them than this one, or somebody has created a topic again with fewer.
func (p *Processor) reachable(ctx context.Context, cl *kgo.Client, most partition.OutputPartitions) error {
	s := &p.settings
	lacks := func(now *partition.OutputPartitions) error {
		for _, t := range []struct {
			topic     string
			now, then int32
		}{{s.TopicClean, now.Clean, most.Clean}, {s.TopicAudit, now.Audit, most.Audit}, {s.TopicFinal, now.Final, most.Final}} {
			if t.topic != "" && t.now < t.then {
				return fmt.Errorf("topic %s has %d partitions and had %d when open calls began, whose events go to the same partitions until they end; "+
					"see \"An output topic has fewer partitions\" in docs/operating.md", t.topic, t.now, t.then)
			}
		}
		return nil
	}
	if lacks(p.outputPartitions.Load()) == nil {
		return nil
	}
	facts, err := readTopics(ctx, cl, s)
	if err != nil {
		return err
	}
	cl.ForceMetadataRefresh()
	return lacks(facts.outputPartitions(s))
}
