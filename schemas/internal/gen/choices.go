package main

// choice is what the Go side decides about a field. The zero value is the default: an optional
// string is a string whose empty value is null, every other optional value is a pointer, JSON leaves
// out optional fields and empty lists, and it writes everything else.
type choice struct {
	// goType replaces the Go type of a value: another integer, or a named string.
	goType string
	// pointer makes an optional string a pointer, because an empty one differs from none.
	pointer bool
	// zeroIsNull makes an optional number a plain one, whose 0 is written as null.
	zeroIsNull bool
	// omitZero leaves a field that is not optional out of JSON if it is 0 or false.
	omitZero bool
	// always writes an empty list or map into JSON.
	always bool
	// writtenIf is a condition under which even an empty value is written, as a Go expression.
	writtenIf string
	// presence lets the validation know whether a value was given, which its zero value does not show.
	presence bool
	// common marks texts that are often one of a few words, which then take no memory.
	common bool
	// doc is the comment of the Go field if it says more than that of the schema.
	doc string
}

var choices = map[string]choice{
	"RawEvent.seq":          {presence: true},
	"RawEvent.type":         {goType: "EventType"},
	"RawEvent.context":      {common: true},
	"RawEvent.text":         {presence: true, writtenIf: "e.Type == Utterance"},
	"RawEvent.lexical":      {pointer: true, doc: "The recognizer's unformatted form, nil where it gives none."},
	"RawEvent.language":     {common: true},
	"RawEvent.timestamp_ms": {zeroIsNull: true},
	"RawEvent.final":        {doc: "false for an interim hypothesis; nil means final."},

	"Speaker.role": {goType: "Role"},

	"CleanEvent.type":         {goType: "EventType"},
	"CleanEvent.entities":     {always: true},
	"CleanEvent.late":         {omitZero: true},
	"CleanEvent.timestamp_ms": {zeroIsNull: true},
	"CleanEvent.call":         {doc: "Set on END only."},

	"Entity.start":     {goType: "int"},
	"Entity.end":       {goType: "int"},
	"Entity.id":        {goType: "int", zeroIsNull: true, doc: "The number within the infoType and the call; 0 where there is none."},
	"Entity.raw_start": {goType: "int", doc: "Position in the raw text; nil unless requested, because it reveals how long a name was."},
	"Entity.raw_end":   {goType: "int"},

	"Span.start":       {goType: "int"},
	"Span.end":         {goType: "int"},
	"MarkedWord.start": {goType: "int"},
	"MarkedWord.end":   {goType: "int"},

	"CallSummary.indirect":       {doc: "nil if the stream keeps no graph of indirect identifiers."},
	"CallSummary.entities":       {always: true},
	"CallSummary.estimated_risk": {doc: "Expected residual risk; nil when not estimated."},
	"CallSummary.closed_by":      {goType: "ClosedBy"},

	"Sampling.reason":         {doc: "One of the SampledBy words."},
	"Sampling.estimated_risk": {doc: "Expected residual risk of the call so far; nil when not estimated."},
	"Sampling.missing":        {omitZero: true},

	"DeadLetter.call_id": {doc: "Empty when it could not be read."},
	"DeadLetter.reason":  {doc: "One of a closed set of words, fit for a metric label."},
}

// typeDocs are the comments of Go types that say more than the schema.
var typeDocs = map[string]string{
	"Speaker": "Speaker is who said an utterance. In a RawEvent, ID and Label are personal " +
		"information; in a CleanEvent, ID is s1, s2, ... in order of appearance and Label is " +
		"anonymized.",
	"Participant": "Participant holds values that are known to be personal in a call before anybody says " +
		"them. All of it is personal information.",
	"RawEvent": "RawEvent is one record of the raw topic, as the recognizer wrote it. Apart from the " +
		"times, the type and the sequence number, all of it may be personal: no field of it " +
		"may be logged or put into an error.",
	"Entity": "Entity is one replaced span. Positions count Unicode code points, end exclusive.",
	"Span":   "Span is a part of a text. Positions count Unicode code points, end exclusive.",
	"IndirectSummary": "IndirectSummary is what the END event says about the indirect identifiers of the call: " +
		"words that too few calls use.",
	"MarkedWord":  "MarkedWord is a word of the clean event with this Seq. Positions count Unicode code points, end exclusive.",
	"CallSummary": "CallSummary is what the END event says about the whole call.",
	"CleanEvent":  "CleanEvent is one record of the clean topic.",
	"Sampling":    "Sampling says why a call is in the audit sample.",
	"AuditEvent": "AuditEvent is one record of the audit topic: the clean event as it went to the clean " +
		"topic, and how the call was sampled.",
	"DeadLetter": "DeadLetter takes the place of a raw record that could not be processed. It says " +
		"where and why, and never holds anything of the record's content.",
}
