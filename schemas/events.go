// Package schemas holds the events that Sotto reads and writes, their Avro
// schemas and the codecs between the two.
//
// The .avsc files are the contract. The Go types and the codecs are generated from them (see
// internal/gen), and the JSON names are the Avro field names. A field may be added; none may change
// its meaning or go away.
package schemas

// Namespace is the Avro namespace of every schema in this package.
const Namespace = "sotto.v1"

// EventType is the type of a raw or clean event.
type EventType string

const (
	// Start opens a call and may carry what is known of its participants. A
	// call may also begin without it.
	Start EventType = "START"
	// Utterance carries words that were said.
	Utterance EventType = "UTTERANCE"
	// End closes a call.
	End EventType = "END"
)

// Role is the part that a speaker has in a call.
type Role string

// The roles of DESIGN 1.2. Whatever else a producer writes is read as
// RoleUnknown.
const (
	RoleAgent    Role = "AGENT"
	RoleCustomer Role = "CUSTOMER"
	RoleUnknown  Role = "UNKNOWN"
)

// Interim reports whether the event is a hypothesis that a later event
// replaces.
func (e *RawEvent) Interim() bool { return e.Final != nil && !*e.Final }

// EventKey identifies a clean event. Of two events with one key, the later one counts: a reader
// that drops duplicates keeps that. The type is a part of it, because the END that the stream
// itself writes for an idle call has the number that the next event of the call may have, too.
type EventKey struct {
	CallID string
	Seq    int64
	Type   EventType
}

// Key returns what identifies the event.
func (e *CleanEvent) Key() EventKey { return EventKey{e.CallID, e.Seq, e.Type} }

// ClosedBy says what closed a call.
type ClosedBy string

const (
	// ClosedByEnd: the call's own END event.
	ClosedByEnd ClosedBy = "end"
	// ClosedByIdle: no event for the idle timeout.
	ClosedByIdle ClosedBy = "idle"
)

// Why a call is in the sample.
const (
	// SampledByContext: by the rate of its context alone.
	SampledByContext = "uniform"
	// SampledByRisk: because the estimated risk of the call is high.
	SampledByRisk = "doubt" // the word of the first release, which readers know
)
