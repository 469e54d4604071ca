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
	// SampledByDoubt: because the estimated risk of the call is high.
	SampledByDoubt = "doubt"
)
