package processor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

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

// watchOwners makes the group rebalance when a raw partition has no owner, until ctx is done.
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
	groups, err := adm.DescribeGroups(ctx, p.settings.Group)
	if err != nil {
		return "", err
	}
	group := groups[p.settings.Group]
	if group.Err != nil || group.State != "Stable" {
		return "", group.Err
	}
	topics, err := adm.ListTopics(ctx, p.settings.TopicRaw)
	if err != nil {
		return "", err
	}
	assigned := group.AssignedPartitions()
	var free []int32
	for _, id := range topics[p.settings.TopicRaw].Partitions.Numbers() {
		if !assigned.Lookup(p.settings.TopicRaw, id) {
			free = append(free, id)
		}
	}
	if len(free) == 0 {
		return "", nil
	}
	slices.Sort(free)
	return fmt.Sprintf("%d %v", len(group.Members), free), nil
}

// running returns the running sessions.
func (p *Processor) running() []*session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.sessions[:]), func(s *session) bool { return s == nil })
}
