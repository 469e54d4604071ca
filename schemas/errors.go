package schemas

import "errors"

// Reasons why a record cannot be decoded: a closed set, fit for a metric label. See explanations.
const (
	ReasonEmpty          = "empty_record"
	ReasonUnknownFormat  = "unknown_format"
	ReasonNoRegistry     = "no_registry"
	ReasonUnknownSchema  = "unknown_schema" // neither the Registry nor the history in this program has it
	ReasonWrongSchema    = "wrong_schema"
	ReasonInvalidAvro    = "invalid_avro"
	ReasonInvalidJSON    = "invalid_json"
	ReasonTooDeep        = "too_deep"
	ReasonTrailingData   = "trailing_data"
	ReasonDuplicateField = "duplicate_field"
	ReasonWrongType      = "wrong_type"
	ReasonInvalidUTF8    = "invalid_utf8" // or half of a surrogate pair as a JSON escape
	ReasonMissingCallID  = "missing_call_id"
	ReasonMissingSeq     = "missing_seq"
	ReasonMissingType    = "missing_type"
	ReasonUnknownType    = "unknown_type"
	ReasonMissingText    = "missing_text"
	ReasonDecoderPanic   = "decoder_panic"
)

// explanations are what DecodeError says to people. They are constants: no
// part of a record can get into them.
var explanations = map[string]string{
	ReasonEmpty:          "the record has no value",
	ReasonUnknownFormat:  "the record is neither a JSON object nor Avro with a schema ID or fingerprint",
	ReasonNoRegistry:     "the record names its schema by ID and no Schema Registry is configured",
	ReasonUnknownSchema:  "the schema that the record names is not known",
	ReasonWrongSchema:    "the schema that the record names is not a usable Avro record schema",
	ReasonInvalidAvro:    "the bytes do not follow the schema that the record names",
	ReasonInvalidJSON:    "the record is not valid JSON",
	ReasonTooDeep:        "values are nested too deeply",
	ReasonTrailingData:   "something follows the event in the record",
	ReasonDuplicateField: "a field occurs twice in one object",
	ReasonWrongType:      "a field holds a value of the wrong type or out of range",
	ReasonInvalidUTF8:    "a text is not valid Unicode",
	ReasonMissingCallID:  "call_id is missing or empty",
	ReasonMissingSeq:     "seq is missing",
	ReasonMissingType:    "type is missing or empty",
	ReasonUnknownType:    "type is none of START, UTTERANCE and END",
	ReasonMissingText:    "an UTTERANCE has no text",
	ReasonDecoderPanic:   "the decoder failed on this record, which is a defect in it",
}

// DecodeError says that a record is bad and will stay so. It never holds
// anything of the record.
type DecodeError struct {
	// Reason is one of the Reason constants.
	Reason string
}

// Error explains the reason in words that do not depend on the record.
func (e *DecodeError) Error() string { return explanations[e.Reason] }

func bad(reason string) error { return &DecodeError{Reason: reason} }

// ErrUnavailable is matched by errors.Is when the Schema Registry could not be
// asked for a record's schema: the record may be good, and decoding it should be
// tried again later.
var ErrUnavailable = errors.New("the Schema Registry is not available")

// ErrNotFinite is returned for an event with a NaN or an infinite number, which
// JSON cannot express and Avro is not given either.
var ErrNotFinite = errors.New("schemas: a number of the event is not finite")
