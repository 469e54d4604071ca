package schemas

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Reasons why a record cannot be decoded: a closed set, fit for a metric label, with what DecodeError says to
// people. No part of a record can get into either.
var (
	ReasonEmpty          = Reason("empty_record", "the record has no value")
	ReasonUnknownFormat  = Reason("unknown_format", "the record is neither a JSON object nor Avro with a schema ID or fingerprint")
	ReasonNoRegistry     = Reason("no_registry", "the record names its schema by ID and no Schema Registry is configured")
	ReasonUnknownSchema  = Reason("unknown_schema", "the schema that the record names is not known") // neither the Registry nor the history in this program has it
	ReasonWrongSchema    = Reason("wrong_schema", "the schema that the record names cannot be used: it is none of Avro, JSON Schema or Protobuf, is not valid, or is not that of an event")
	ReasonInvalidAvro    = Reason("invalid_avro", "the bytes do not follow the schema that the record names")
	ReasonInvalidProto   = Reason("invalid_protobuf", "the bytes do not follow the Protobuf schema that the record names")
	ReasonInvalidJSON    = Reason("invalid_json", "the record is not valid JSON")
	ReasonTooDeep        = Reason("too_deep", "values are nested too deeply")
	ReasonTrailingData   = Reason("trailing_data", "something follows the event in the record")
	ReasonDuplicateField = Reason("duplicate_field", "a field occurs twice in one object")
	ReasonWrongType      = Reason("wrong_type", "a field holds a value of the wrong type or out of range")
	ReasonInvalidUTF8    = Reason("invalid_utf8", "a text is not valid Unicode") // or half of a surrogate pair as a JSON escape
	ReasonMissingCallID  = Reason("missing_call_id", "call_id is missing or empty")
	ReasonMissingSeq     = Reason("missing_seq", "seq is missing")
	ReasonMissingType    = Reason("missing_type", "type is missing or empty")
	ReasonUnknownType    = Reason("unknown_type", "type is none of START, UTTERANCE and END")
	ReasonMissingText    = Reason("missing_text", "an UTTERANCE has no text")
	ReasonDecoderPanic   = Reason("decoder_panic", "the decoder failed on this record, which is a defect in it")
)

var explanations = map[string]string{}

// Reason returns a reason of dead letters, whose explanation, formatted with args, Explain returns from then on. It is
// for variables of packages: it must not run beside Explain, and the explanation must have nothing of a record.
func Reason(reason, explanation string, args ...any) string {
	if explanations[reason] != "" {
		panic("schemas: the reason " + reason + " has two explanations")
	}
	explanations[reason] = fmt.Sprintf(explanation, args...)
	return reason
}

// Explain says in words what a reason means, "" for one that Reason does not know.
func Explain(reason string) string { return explanations[reason] }

// Reasons are all reasons of dead letters that this program gives.
func Reasons() []string { return slices.Sorted(maps.Keys(explanations)) }

// ExplainField is Explain for a field, "" for none.
func ExplainField(reason, field string) string {
	if field == "" {
		return Explain(reason)
	}
	return Explain(reason) + " (" + field + ")"
}

// DecodeError says that a record is bad and will stay so. It never holds
// anything of the record.
type DecodeError struct {
	// Reason is one of the reasons above.
	Reason string
	// Field is the name of the field of the schema that is wrong, "" if that is not known.
	Field string
}

// Error explains the reason in words that do not depend on the record, but for the field.
func (e *DecodeError) Error() string { return ExplainField(e.Reason, e.Field) }

func bad(reason string) error { return &DecodeError{Reason: reason} }

// ErrUnavailable is matched by errors.Is when the Schema Registry could not be
// asked for a record's schema: the record may be good, and decoding it should be
// tried again later.
var ErrUnavailable = errors.New("the Schema Registry is not available")

// ErrNotFinite is returned for an event with a NaN or an infinite number, which
// JSON cannot express and Avro is not given either.
var ErrNotFinite = errors.New("schemas: a number of the event is not finite")
