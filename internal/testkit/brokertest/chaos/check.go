package chaos

import (
	"cmp"
	"fmt"
	"slices"
)

// Raw is one record of the raw topic.
type Raw struct {
	// Partition and Offset are where it lies in the raw topic.
	Partition int32
	Offset    int64
	CallID    string
	Seq       int64
	// Dropped: the record has no outcome, as an interim hypothesis.
	Dropped bool
	// Poison: the record cannot be decoded and must become a dead letter.
	Poison bool
	// Text and Label are personal information; no message shows them.
	Text, Label string
}

// Clean is one record of the clean topic.
type Clean struct {
	// Partition and Offset are where it lies in the clean topic.
	Partition int32
	Offset    int64
	CallID    string
	Seq       int64
	// Body is all of the event, in a form that is equal for equal events.
	Body string
	// Tags are the replaced spans, and the speaker's label if it is a tag.
	Tags []Tag
	// Extra: the event answers no raw event, as the END of an idle call.
	Extra bool
}

// Tag is one numbered replacement.
type Tag struct {
	Type string
	// ID is the number, 0 for none.
	ID int
	// Label: the tag stands for the speaker's label; RawStart and RawEnd are
	// then not used.
	Label bool
	// RawStart and RawEnd are the span in the raw text in code points, end
	// exclusive; both 0 if they are not known.
	RawStart, RawEnd int
}

// Dead is one dead letter: where its raw record lies.
type Dead struct {
	Partition int32
	Offset    int64
}

// History is all that went in and all that came out under read_committed. The
// order of its slices does not matter.
type History struct {
	Raw   []Raw
	Clean []Clean
	Dead  []Dead
	// Entity tells which entity a raw value names, so that spellings of one are
	// equal and different ones are not. With nil, equal values must have equal
	// numbers but different values need not have different ones.
	Entity func(infoType, value string) string
	// Reference, if not nil, holds the bodies that each call must have, in
	// order; see Reference.
	Reference map[string][]string
}

// Kind says what is wrong.
type Kind string

// What a check finds. Every raw event must have one outcome: a clean event or
// a dead letter, unless it is dropped.
const (
	// Lost: a raw event has no outcome.
	Lost Kind = "lost"
	// Doubled: a raw event has more than one outcome.
	Doubled Kind = "doubled"
	// Unexpected: an outcome belongs to no raw event.
	Unexpected Kind = "unexpected"
	// Reordered: a call's clean events have another order than its raw ones.
	Reordered Kind = "reordered"
	// Scattered: a call's clean events lie in several partitions.
	Scattered Kind = "scattered"
	// Renumbered: one entity of a call has two numbers.
	Renumbered Kind = "renumbered"
	// Merged: two entities of a call have one number.
	Merged Kind = "merged"
	// Misplaced: a tag's raw span does not lie in the raw text.
	Misplaced Kind = "misplaced"
	// Different: an event is not that of the reference.
	Different Kind = "different"
)

// Violation is one thing that is wrong. It shows nothing of the texts.
type Violation struct {
	Kind   Kind
	CallID string
	Seq    int64
	// Detail says where.
	Detail string
}

// String implements fmt.Stringer.
func (v Violation) String() string {
	return fmt.Sprintf("%s: call %q, seq %d: %s", v.Kind, v.CallID, v.Seq, v.Detail)
}

// Check returns all that is wrong, ordered by call; nil if nothing is.
func (h History) Check() []Violation {
	c := checker{History: h, calls: make(map[string]*call)}
	c.outcomes()
	for _, id := range c.order() {
		c.call(id, c.calls[id])
	}
	return c.found
}

// Reference groups a reference run's clean events into what History.Reference
// wants.
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
