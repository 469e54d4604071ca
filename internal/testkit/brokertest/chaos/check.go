package chaos

import (
	"cmp"
	"fmt"
	"slices"
)

// Raw is a record of the raw topic.
type Raw struct {
	// Partition and Offset are its position in the raw topic.
	Partition int32
	Offset    int64
	CallID    string
	Seq       int64
	// Dropped says that the record has no outcome, as an interim hypothesis.
	Dropped bool
	// Bad says that the record cannot be decoded and must become a dead letter.
	Bad bool
	// Text and Label are personal information; no message shows them.
	Text, Label string
}

// Clean is a record of the clean topic.
type Clean struct {
	// Partition and Offset are its position in the clean topic.
	Partition int32
	Offset    int64
	CallID    string
	Seq       int64
	// Body is the whole event, in a form that is equal for equal events.
	Body string
	// Tags are the replaced spans, and the speaker's label if it is a tag.
	Tags []Tag
	// Extra says that the event answers no raw event, as the END of an idle call.
	Extra bool
}

// Tag is one numbered replacement.
type Tag struct {
	Type string
	// ID is the number, 0 for none.
	ID int
	// Label says that the tag stands for the speaker's label; RawStart and RawEnd are then not
	// used.
	Label bool
	// RawStart and RawEnd are the span in the raw text in code points, end exclusive; both are 0 if
	// they are unknown.
	RawStart, RawEnd int
}

// Dead is a dead letter, with the position of its raw record.
type Dead struct {
	Partition int32
	Offset    int64
}

// History is all input and all output, as a read_committed reader sees it. The order of its slices
// does not matter.
type History struct {
	Raw   []Raw
	Clean []Clean
	Dead  []Dead
	// Entity returns which entity a raw value names, so that all spellings of an entity are equal
	// and different entities are not. If it is nil, equal values must have equal numbers, but
	// different values need not have different numbers.
	Entity func(infoType, value string) string
	// Reference, unless nil, holds the bodies that each call must have, in order; see Reference.
	Reference map[string][]string
}

// Kind is the kind of a violation.
type Kind string

// The violations that a check finds. Every raw event must have one outcome, a clean event or a dead
// letter, unless it is dropped.
const (
	// Lost means that a raw event has no outcome.
	Lost Kind = "lost"
	// Doubled means that a raw event has more than one outcome.
	Doubled Kind = "doubled"
	// Unexpected means that an outcome belongs to no raw event.
	Unexpected Kind = "unexpected"
	// Reordered means that a call's clean events have another order than its raw events.
	Reordered Kind = "reordered"
	// Scattered means that a call's clean events are in several partitions.
	Scattered Kind = "scattered"
	// Renumbered means that one entity of a call has two numbers.
	Renumbered Kind = "renumbered"
	// Merged means that two entities of a call have one number.
	Merged Kind = "merged"
	// Misplaced means that a tag's raw span is not in the raw text.
	Misplaced Kind = "misplaced"
	// Different means that an event differs from the reference.
	Different Kind = "different"
)

// Violation is one fault of a history. It shows nothing of the texts.
type Violation struct {
	Kind   Kind
	CallID string
	Seq    int64
	// Detail is the position.
	Detail string
}

// String implements fmt.Stringer.
func (v Violation) String() string {
	return fmt.Sprintf("%s: call %q, seq %d: %s", v.Kind, v.CallID, v.Seq, v.Detail)
}

// Check returns all violations, ordered by call, or nil.
func (h History) Check() []Violation {
	c := checker{History: h, calls: make(map[string]*call)}
	c.outcomes()
	for _, id := range c.order() {
		c.call(id, c.calls[id])
	}
	return c.found
}

// Reference groups the clean events of a reference run as History.Reference needs them.
func Reference(clean []Clean) map[string][]string {
	bodies := make(map[string][]string)
	for _, c := range sorted(clean, func(c Clean) (int32, int64) { return c.Partition, c.Offset }) {
		bodies[c.CallID] = append(bodies[c.CallID], c.Body)
	}
	return bodies
}

// sorted returns a copy in the order of partition and offset.
func sorted[T any](all []T, at func(T) (int32, int64)) []T {
	return slices.SortedStableFunc(slices.Values(all), func(a, b T) int {
		ap, ao := at(a)
		bp, bo := at(b)
		return cmp.Or(cmp.Compare(ap, bp), cmp.Compare(ao, bo))
	})
}
