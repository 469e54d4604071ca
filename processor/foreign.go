package processor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/processor/partition"
	"sotto/processor/topic"
)

// Any consumer with the name of the group becomes a member of it. Kafka gives it partitions of the
// raw topic, and it commits the offsets of what it has read, often by itself. The stream would go on
// after them, and nobody would ever process what is in between.
//
// Such offsets look like those that a person has set: neither has a checkpoint. They are told apart
// by three things:
//
//   - With each offset of the raw topic, the stream commits one of the same partition of the state
//     topic, with the same checkpoint (annotate). A consumer commits offsets of the topics that it
//     reads, so it leaves this mark alone, and it says where the stream was. An offset behind it, with
//     records in between, would skip them. Nobody needs that: a person who means to skip them says so
//     by deleting the mark.
//   - Kafka takes offsets of a person only while the group has no members. So one that changes while
//     this process runs is that of another member, whatever it is.
//   - Other consumers of Kafka's clients know the leader epoch of what they have read.

// clientID is the client ID of all members that are sessions of the stream.
const clientID = "sotto"

// position is what is known of the committed offset of a partition. ours is set if it had a
// checkpoint.
type position struct {
	next int64
	ours bool
}

const (
	// noOffset is the position of a partition without a committed offset.
	noOffset = -1
	// noPosition is that of one whose offset other members may have committed already.
	noPosition = -2
)

// positions are the committed offsets that this process has seen last. They outlive the sessions.
type positions struct {
	mu   sync.Mutex
	last map[int32]position // nil before the first sight
}

func (p *positions) note(id int32, next int64, ours bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last = map[int32]position{}
	}
	p.last[id] = position{next, ours}
}

func (p *positions) of(id int32) position {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at, ok := p.last[id]; ok {
		return at
	}
	return position{next: noOffset}
}

// firstSight notes the members and the offsets of the group when the process starts. If they cannot
// be read then, the first assignment notes the offsets.
func (p *Processor) firstSight(ctx context.Context, cl *kgo.Client) {
	adm := kadm.NewClient(cl)
	members, _, err := p.members(ctx, adm)
	var offsets kadm.OffsetResponses
	if err == nil {
		p.foreign.set(p, members)
		offsets, err = adm.FetchOffsets(ctx, p.settings.Group)
	}
	switch {
	case errors.Is(err, kerr.GroupIDNotFound):
	case err != nil:
		p.log.Warn("cannot see the members and offsets of the group yet", "group", p.settings.Group, "err", err)
		return
	}
	p.positions.begin(offsets[p.settings.TopicRaw], p.foreign.any())
}

// begin notes the offsets at the first sight. foreign is set if others may have committed them.
func (p *positions) begin(offsets map[int32]kadm.OffsetResponse, foreign bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil {
		return
	}
	p.last = map[int32]position{}
	for id, o := range offsets {
		at := position{o.At, partition.ParseCheckpoint(&o.Metadata).Known}
		if !at.ours && at.next >= 0 && foreign {
			at.next = noPosition
		}
		p.last[id] = at
	}
}

// checkpointOf returns the checkpoint of an offset of an assigned partition. The error is errHalted
// if another consumer has committed the offset and records may have been skipped.
func (p *Processor) checkpointOf(ctx context.Context, cl *kgo.Client, seen *sighting, o *kmsg.OffsetFetchResponseGroupTopicPartition) (partition.Checkpoint, error) {
	at := partition.ParseCheckpoint(o.Metadata)
	if at.Known || o.Offset < 0 {
		p.positions.note(o.Partition, o.Offset, at.Known)
		return at, nil
	}
	last := p.positions.of(o.Partition)
	changed := last.next != o.Offset // while this process ran
	foreign := changed || last.ours || o.LeaderEpoch >= 0
	entry, _ := seen.offsets.Lookup(p.settings.TopicState, o.Partition)
	mark := partition.ParseCheckpoint(&entry.Metadata)
	if !mark.Known || mark.Next < 0 || mark.RawTopic != seen.rawTopic {
		if changed {
			return at, p.skipped(last.next, o)
		}
		return at, nil
	}
	skipped, err := p.skips(ctx, cl, o.Partition, mark.Next, o.Offset)
	switch {
	case err != nil:
		return at, err
	case skipped, changed && o.Offset < mark.Next:
		return at, p.skipped(mark.Next, o)
	case o.Offset < mark.Next: // a person wants the records to be read again
		p.positions.note(o.Partition, o.Offset, false)
		return at, nil
	}
	p.positions.note(o.Partition, o.Offset, foreign)
	if foreign { // nothing is lost but the checkpoint
		p.log.Warn("another member of the group has committed an offset without skipping a record", "partition", o.Partition, "offset", o.Offset, "members", p.foreign.names())
		return mark, nil
	}
	return mark.Timed(), nil
}

// skips reports whether there is a record of the raw topic from an offset on and before another one.
func (p *Processor) skips(ctx context.Context, cl *kgo.Client, id int32, from, to int64) (bool, error) {
	if from >= to {
		return false, nil
	}
	stable, err := topic.Checked(kadm.NewClient(cl).ListCommittedOffsets(ctx, p.settings.TopicRaw))
	if err != nil {
		return false, fmt.Errorf("cannot read the end of %s: %w", p.settings.TopicRaw, err)
	}
	if end, _ := stable.Lookup(p.settings.TopicRaw, id); end.Offset < to { // of a transaction that is open
		return true, nil
	}
	r := &topic.Reader{Client: cl, Stall: p.settings.RestoreTimeout, Log: p.log.Warn}
	first, err := r.First(ctx, p.settings.TopicRaw, id, from, to)
	return first != nil, err
}

func (p *Processor) skipped(next int64, o *kmsg.OffsetFetchResponseGroupTopicPartition) error {
	from := fmt.Sprintf("up to offset %d", next)
	switch next {
	case noOffset:
		from = "none of its records"
	case noPosition:
		from = "an unknown part of its records"
	}
	return fmt.Errorf("%w: offset %d of topic %s partition %d was not committed by the stream, which has processed it %s: another consumer in group %s (%s) skips events; "+
		"see \"Another consumer in the group\" in docs/operating.md", errHalted, o.Offset, p.settings.TopicRaw, o.Partition, from, p.settings.Group, p.foreign.names())
}

// member is a member of the group with its partitions of the raw topic.
type member struct {
	id, client, host string
	partitions       []int32
}

// maxName bounds the names that other members have given themselves, in logs and errors.
const maxName = 100

func (m *member) String() string {
	short := func(s string) string { return s[:min(len(s), maxName)] }
	return fmt.Sprintf("member %q, client ID %q, host %s", short(m.id), short(m.client), short(m.host))
}

// members returns the members of the group, and whether none of them waits for others.
func (p *Processor) members(ctx context.Context, adm *kadm.Client) (all []member, stable bool, err error) {
	name, raw := p.settings.Group, p.settings.TopicRaw
	groups, err := adm.DescribeGroups(ctx, name)
	if err != nil {
		return nil, false, err
	}
	group := groups[name]
	if errors.Is(group.Err, kerr.GroupIDNotFound) || group.State == "Dead" {
		return p.nextMembers(ctx, adm)
	}
	for _, m := range group.Members {
		one := member{id: m.MemberID, client: m.ClientID, host: m.ClientHost}
		if c, ok := m.Assigned.AsConsumer(); ok {
			for _, t := range c.Topics {
				if t.Topic == raw {
					one.partitions = t.Partitions
				}
			}
		}
		all = append(all, one)
	}
	return all, group.State == "Stable", group.Err
}

// nextMembers is members for a group of the protocol of KIP-848. A group becomes one as long as it
// has a member of that protocol.
func (p *Processor) nextMembers(ctx context.Context, adm *kadm.Client) (all []member, stable bool, err error) {
	groups, err := adm.DescribeConsumerGroups(ctx, p.settings.Group)
	group := groups[p.settings.Group]
	if err = cmp.Or(err, group.Err); err != nil {
		if errors.Is(err, kerr.GroupIDNotFound) || errors.Is(err, kerr.UnsupportedVersion) {
			return nil, false, nil // the group has no members
		}
		return nil, false, err
	}
	for _, m := range group.Members {
		parts := slices.Sorted(maps.Keys(m.Assignment[p.settings.TopicRaw]))
		all = append(all, member{id: m.MemberID, client: m.ClientID, host: m.ClientHost, partitions: parts})
	}
	return all, group.State == "Stable", nil
}

// foreigners are the members of the group that are no sessions of the stream.
type foreigners struct {
	wake chan struct{}
	mu   sync.Mutex
	now  []member
	// last are those that were there when there were any.
	last []member
	seen time.Time
}

func newForeigners() foreigners { return foreigners{wake: make(chan struct{}, 1)} }

// look asks for the members soon.
func (f *foreigners) look() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *foreigners) set(p *Processor, members []member) {
	others := slices.DeleteFunc(members, func(m member) bool { return m.client == clientID })
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range others {
		if !slices.ContainsFunc(f.now, func(known member) bool { return known.id == m.id }) {
			p.log.Error("another consumer is in the group of the stream and takes events from it", "group", p.settings.Group, "member", m.id, "client_id", m.client, "host", m.host, "partitions", m.partitions)
		}
	}
	if f.now = others; len(others) > 0 {
		f.last, f.seen = others, time.Now()
	}
}

func (f *foreigners) any() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.now) > 0
}

// names describes the foreign members that were seen last.
func (f *foreigners) names() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.last) == 0 {
		return "which is gone"
	}
	var names []string
	for i := range f.last {
		names = append(names, f.last[i].String())
	}
	return fmt.Sprintf("%s; seen at %s", strings.Join(names, "; "), f.seen.UTC().Format(time.RFC3339))
}

// reading is the error of a stream that is not ready because others read its events.
func (f *foreigners) reading() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.now {
		if m := &f.now[i]; len(m.partitions) > 0 {
			return fmt.Errorf("another consumer in the group takes the events of partitions %v: %s; see \"Another consumer in the group\" in docs/operating.md", m.partitions, m)
		}
	}
	return nil
}

// watchMembers looks for foreign members until ctx is done.
func (p *Processor) watchMembers(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.foreign.wake:
		case <-time.After(p.ownerInterval):
		}
		sessions := p.running()
		if len(sessions) == 0 {
			continue
		}
		asked, cancel := context.WithTimeout(ctx, p.settings.SessionTimeout)
		members, _, err := p.members(asked, kadm.NewClient(sessions[0].gts.Client()))
		cancel()
		if err == nil { // otherwise the sessions have the same trouble, and report it
			p.foreign.set(p, members)
		}
	}
}
