package schemas

import "errors"

// Reasons why a record cannot be decoded: a closed set, fit for a metric label.
const (
	// ReasonEmpty: the record has no value.
	ReasonEmpty = "empty_record"
	// ReasonUnknownFormat: the first bytes are those of no known encoding.
	ReasonUnknownFormat = "unknown_format"
	// ReasonNoRegistry: the record names a schema by its registry ID, and no
	// Schema Registry is configured.
	ReasonNoRegistry = "no_registry"
	// ReasonUnknownSchema: the Schema Registry, or the history in this
	// program, has no schema with the record's ID or fingerprint.
	ReasonUnknownSchema = "unknown_schema"
	// ReasonWrongSchema: the writer's schema is none of a record in Avro, or
	// one that this program cannot use.
	ReasonWrongSchema = "wrong_schema"
	// ReasonInvalidAvro: the bytes do not follow the writer's schema.
	ReasonInvalidAvro = "invalid_avro"
	// ReasonInvalidJSON: the bytes do not follow the grammar of JSON.
	ReasonInvalidJSON = "invalid_json"
	// ReasonTooDeep: values are nested too deeply.
	ReasonTooDeep = "too_deep"
	// ReasonTrailingData: something follows the event.
	ReasonTrailingData = "trailing_data"
	// ReasonDuplicateField: a JSON object has a known field twice.
	ReasonDuplicateField = "duplicate_field"
	// ReasonWrongType: a field holds a value of another type, or a number out
	// of range.
	ReasonWrongType = "wrong_type"
	// ReasonInvalidUTF8: a text is not Unicode: bytes that are not UTF-8, or
	// half of a surrogate pair as a JSON escape.
	ReasonInvalidUTF8 = "invalid_utf8"
	// ReasonMissingCallID: call_id is absent or empty.
	ReasonMissingCallID = "missing_call_id"
	// ReasonMissingSeq: seq is absent.
	ReasonMissingSeq = "missing_seq"
	// ReasonMissingType: type is absent or empty.
	ReasonMissingType = "missing_type"
	// ReasonUnknownType: type is neither START, UTTERANCE nor END.
	ReasonUnknownType = "unknown_type"
	// ReasonMissingText: an UTTERANCE without text.
	ReasonMissingText = "missing_text"
	// ReasonDecoderPanic: a defect of this program; the record did not stop it.
	ReasonDecoderPanic = "decoder_panic"
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
