package processor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/internal/boundedfile"
	"sotto/processor/partition"
	"sotto/processor/topic"
	"sotto/state/sealing"
)

func (p *Processor) loadEngine() error {
	e, err := p.settings.NewEngine()
	if err != nil {
		return err
	}
	m, err := p.settings.RawMapping()
	if err != nil {
		return err
	}
	box := &engineBox{e, m}
	if p.wrap != nil {
		box.engine = p.wrap(e)
	}
	if old := p.engine.Swap(box); old != nil && old.Policy() != e.Policy() {
		p.log.Info("policy changed", "policy", e.Policy(), "before", old.Policy())
	}
	p.metrics.SetPolicy(e.Policy())
	return nil
}

func (p *Processor) loadKeys() error {
	k, err := p.settings.StateKeys()
	if err != nil {
		return err
	}
	p.keys.Store(k)
	return nil
}

// errKeysRead ends a session so that the next one restores its partitions with the keys that were read
// again.
var errKeysRead = errors.New("the state keys were read again")

// resumeStopped starts the sessions again that have stopped a partition because its key was missing.
func (p *Processor) resumeStopped() {
	for _, s := range p.running() {
		if s.health.StoppedBy(sealing.ErrUnknownKey, sealing.ErrNotAuthentic) {
			s.fail(errKeysRead)
		}
	}
}

// watched are the files that are loaded again when they change. If they cannot be loaded, the old ones stay in
// force.
func (p *Processor) watched() []boundedfile.Watched {
	return []boundedfile.Watched{
		{Name: "dictionaries", Paths: append([]string{p.settings.DictionaryDir}, p.settings.RawMappingFile()...), Load: p.loadEngine},
		{Name: "keys", Paths: []string{p.settings.StateKeyFile}, Load: p.loadKeys},
	}
}

func (p *Processor) reloaded(name string, err error) {
	p.metrics.Reloaded(name, err)
	switch {
	case err != nil:
		p.log.Error("cannot reload the "+name+"; the old ones stay in force", "err", err)
	case name == "keys":
		p.log.Info("state keys reloaded", "key_versions", p.keys.Load().Versions())
		p.resumeStopped()
	}
}

// A cooperative rebalance takes a partition from a member, which then joins again so that the group
// may give it to another. If that member dies in between and comes back under its static ID, the
// group hands it its old assignment without a rebalance. The partition has no owner then, and
// without a further rebalance nobody would ever read it.
const (
	// ownerInterval is the time between two looks for such partitions. One that has no owner
	// twice in a row makes the group rebalance.
	ownerInterval = 5 * time.Second
	// maxOwnerInterval is the most that it grows to if a rebalance did not help, or if the group
	// cannot be asked.
	maxOwnerInterval = 5 * time.Minute
)

func (p *Processor) watchOwners(ctx context.Context) {
	interval, before := p.ownerInterval, ""
	for sleep(ctx, interval) {
		now, err := p.unowned(ctx)
		if err != nil {
			if ctx.Err() == nil {
				p.log.Warn("cannot see which partitions the group has assigned", "group", p.settings.Group, "err", err)
			}
			interval, before = min(2*interval, maxOwnerInterval), ""
			continue
		}
		switch now {
		case "":
			interval = p.ownerInterval
		case before:
			p.log.Warn("partitions have no owner although the group is stable; it rebalances", "group", p.settings.Group, "members_and_partitions", now)
			p.metrics.ForcedRebalances.Inc()
			for _, s := range p.running() {
				s.gts.Client().ForceRebalance()
			}
			interval, now = min(2*interval, maxOwnerInterval), ""
		}
		before = now
	}
}

// unowned describes the raw partitions that no member of a stable group has, and the members; it
// is "" if there are none, or if the group is not stable.
func (p *Processor) unowned(ctx context.Context) (string, error) {
	sessions := p.running()
	if len(sessions) == 0 {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.settings.SessionTimeout)
	defer cancel()
	adm := kadm.NewClient(sessions[0].gts.Client())
	members, stable, err := p.members(ctx, adm)
	if err != nil || !stable {
		return "", err
	}
	topics, err := adm.ListTopics(ctx, p.settings.TopicRaw)
	if err != nil {
		return "", err
	}
	free := topics[p.settings.TopicRaw].Partitions.Numbers()
	for _, m := range members {
		free = slices.DeleteFunc(free, func(id int32) bool { return slices.Contains(m.partitions, id) })
	}
	if len(free) == 0 {
		return "", nil
	}
	slices.Sort(free)
	return fmt.Sprintf("%d %v", len(members), free), nil
}

func (p *Processor) running() []*session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.sessions[:]), func(s *session) bool { return s == nil })
}

// When partitions are added to the raw topic, the events of an open call go to another partition
// from then on, which knows nothing of the call: it would number its entities from 1 again. So the
// stream stops until somebody says how to go on. Each committed offset says how many partitions
// there were.

func (p *Processor) describeRaw(ctx context.Context, adm *kadm.Client) (partitions int, id [16]byte, err error) {
	topics, err := topic.Checked(adm.ListTopics(ctx, p.settings.TopicRaw))
	if err != nil {
		return 0, id, fmt.Errorf("cannot count the partitions of %s: %w", p.settings.TopicRaw, err)
	}
	raw := topics[p.settings.TopicRaw]
	return len(raw.Partitions), raw.ID, nil
}

// sighting is what the brokers say of the raw topic and of the group at an assignment.
type sighting struct {
	partitions int
	rawTopic   [16]byte
	offsets    kadm.OffsetResponses
}

// sight asks the brokers when partitions were assigned. The error is errHalted if the raw topic had
// fewer partitions when any offset of the group was committed.
func (p *Processor) sight(ctx context.Context, cl *kgo.Client, assigned []int32) (seen sighting, err error) {
	adm := kadm.NewClient(cl)
	seen.partitions, seen.rawTopic, err = p.describeRaw(ctx, adm)
	if err != nil {
		return seen, err
	}
	for _, id := range assigned { // the broker that answered may not know all of them yet
		seen.partitions = max(seen.partitions, int(id)+1)
	}
	now := seen.partitions
	if seen.offsets, err = adm.FetchOffsets(ctx, p.settings.Group); err != nil {
		return seen, fmt.Errorf("cannot read the offsets of group %s: %w", p.settings.Group, err)
	}
	p.positions.begin(seen.offsets[p.settings.TopicRaw], p.foreign.any())
	for _, o := range seen.offsets[p.settings.TopicRaw] {
		if at := partition.ParseCheckpoint(&o.Metadata); at.Partitions > 0 && at.Partitions < now {
			return seen, fmt.Errorf("%w: topic %s has %d partitions and had %d when offsets were committed, so the events of open calls go to other partitions now; "+
				"see \"Partitions were added\" in docs/operating.md", errHalted, p.settings.TopicRaw, now, at.Partitions)
		}
	}
	p.rawPartitions.CompareAndSwap(0, int64(now))
	return seen, nil
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
		now, _, err := p.describeRaw(asked, kadm.NewClient(sessions[0].gts.Client()))
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
