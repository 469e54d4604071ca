package schemas

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Formats that a Codec can write.
const (
	FormatAvro = "avro"
	FormatJSON = "json"
)

// Topics are the names of the topics, from which the subjects of the Schema
// Registry follow: "<topic>-value". An event whose topic is empty is not
// registered and cannot be written with a registry. The raw topic belongs to its
// producers: its subject is only registered if there is none, and if they have
// another schema there, raw events cannot be written; they can be read.
// Final is another topic of clean events.
type Topics struct {
	Raw, Clean, Audit, DeadLetter, Final string
}

// Registry is a Schema Registry, as package schemas/registry asks one. Its methods are safe for concurrent use.
type Registry interface {
	// Schema returns the schema with an ID of the Registry. The error is a *DecodeError if the Registry has no such
	// schema that a record can be read with, and ErrUnavailable if it cannot say so now.
	Schema(id uint32) (*Schema, error)
	// Register makes sure that a subject has a schema, and returns its ID. With onlyNew it adds no version to a
	// subject that exists. The ID is 0 if the schema was not registered and nothing is wrong with that.
	Register(ctx context.Context, subject, text string, onlyNew bool) (int, error)
}

// Options configure a Codec.
type Options struct {
	// Format is what is written: FormatAvro or FormatJSON. Empty is
	// FormatAvro.
	Format string
	// Registry is the Schema Registry, nil for none. With one, Avro is
	// written with the Confluent wire header, without one in single-object
	// encoding.
	Registry Registry
	// Topics name the subjects; used with a Registry and FormatAvro only.
	Topics Topics
}

// Codec reads and writes the events. Its Options choose the encoding that it writes. It reads JSON,
// Avro with the Confluent wire header and Avro single-object encoding in any case, and
// distinguishes them by their first bytes, so that a topic can change its encoding.
//
// A Decode method returns a *DecodeError for a record that is bad for good, and
// an error that is ErrUnavailable when the record's schema could not be fetched
// now; it may block for as long as the Registry does. No error holds anything of
// the record, no input makes it panic, and the event shares no memory with the
// record. Memory and time are linear in the length of the record.
//
// An Append method appends the record's value to dst. The same event always
// gives the same bytes. Invalid UTF-8 is written as U+FFFD.
//
// All methods are safe for concurrent use.
type Codec struct {
	json     bool
	headers  [numKinds][]byte // what Avro bodies are preceded by; nil: cannot be written
	registry Registry         // nil for none
	families [numKinds]*family
}

// NewCodec returns a Codec. With a Registry and FormatAvro it makes sure that
// the schemas are registered (of Topics.Raw see there), and fails if one is not
// and cannot be; the error is ErrUnavailable if the Registry cannot be reached.
func NewCodec(ctx context.Context, o Options) (*Codec, error) {
	c := &Codec{families: families(), registry: o.Registry}
	switch o.Format {
	case FormatAvro, "":
	case FormatJSON:
		c.json = true
	default:
		return nil, fmt.Errorf("the format must be %s or %s", FormatAvro, FormatJSON)
	}
	var bad []error
	topics := [numKinds]string{o.Topics.Raw, o.Topics.Clean, o.Topics.Audit, o.Topics.DeadLetter}
	for k, f := range c.families {
		switch {
		case c.json:
		case c.registry == nil:
			c.headers[k] = binary.LittleEndian.AppendUint64([]byte{magicSingleObject, singleObjectVersion}, f.current.fingerprint)
		case topics[k] != "":
			id, err := c.registry.Register(ctx, topics[k]+"-value", f.text, eventKind(k) == rawEvent)
			if errors.Is(err, ErrUnavailable) {
				return nil, err
			}
			bad = append(bad, err)
			if id == 0 {
				continue // the subject is left to its owners, or not registered
			}
			c.headers[k] = binary.BigEndian.AppendUint32([]byte{magicConfluent}, uint32(id))
		}
	}
	if c.registry != nil && !c.json && o.Topics.Final != "" {
		// The registry knows a schema by its content: the ID is that of Clean.
		_, err := c.registry.Register(ctx, o.Topics.Final+"-value", c.families[cleanEvent].text, false)
		bad = append(bad, err)
	}
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	return c, nil
}

// The first bytes of a record. Confluent: "Wire format" in the documentation of
// Schema Registry. Single object: Avro 1.12 specification, "Single-object
// encoding". No JSON text begins with any of them.
const (
	magicConfluent      = 0x00
	magicSingleObject   = 0xC3
	singleObjectVersion = 0x01

	confluentHeader    = 5
	singleObjectHeader = 10
)

// open recognizes the encoding of data. It returns the writer's schema and the body, or no schema
// for JSON.
func (c *Codec) open(k eventKind, data []byte) (*Schema, []byte, error) {
	if len(data) == 0 {
		return nil, nil, bad(ReasonEmpty)
	}
	switch data[0] {
	case '{', ' ', '\t', '\n', '\r':
		return nil, data, nil
	case magicConfluent:
		if len(data) < confluentHeader {
			return nil, nil, bad(ReasonInvalidAvro)
		}
		if c.registry == nil {
			return nil, nil, bad(ReasonNoRegistry)
		}
		w, err := c.registry.Schema(binary.BigEndian.Uint32(data[1:]))
		if err == nil && w.json {
			w = nil
		}
		return w, data[confluentHeader:], err
	case magicSingleObject:
		if len(data) >= 2 && data[1] != singleObjectVersion {
			break
		}
		if len(data) < singleObjectHeader {
			return nil, nil, bad(ReasonInvalidAvro)
		}
		w := c.families[k].known[binary.LittleEndian.Uint64(data[2:])]
		if w == nil {
			return nil, nil, bad(ReasonUnknownSchema)
		}
		return w, data[singleObjectHeader:], nil
	}
	return nil, nil, bad(ReasonUnknownFormat)
}

// contain turns a panic of a decoder into an error. The panic's value may quote
// the record and is dropped.
func contain(err *error) {
	if recover() != nil {
		*err = bad(ReasonDecoderPanic)
	}
}

// decode reads an event whose fields are named by fields into e; room is that of a raw event.
func decode[T any](c *Codec, k eventKind, data []byte, room *rawRecord, e *T, fields func(*T, *coder)) (has given, err error) {
	defer contain(&err)
	w, body, err := c.open(k, data)
	if err != nil {
		return has, err
	}
	d := coders.Get().(*coder)
	d.room = room
	seqAbsent := false
	switch current := c.families[k].current; {
	case w != nil && w.tree != nil:
		err = bad(ReasonWrongSchema)
	case w == nil:
		d.mode = readJSON
		d.json, err = newJSONReader(body)
	case w.fingerprint == current.fingerprint:
		d.mode, d.avro.rest = readAvro, body
	default:
		d.mode = readAvro
		d.avro.rest, seqAbsent, err = recode(w.root, current.root, body)
	}
	if err == nil {
		record(d, e, fields)
		has, err = d.given, d.end()
		has.seq = has.seq && !seqAbsent
	}
	d.release()
	return has, err
}

// DecodeRaw reads a record of the raw topic. The event has a call ID, a known
// type, and if it is an utterance its text was given, if only as an empty one;
// all its texts are valid UTF-8. A role that is not known is RoleUnknown.
func (c *Codec) DecodeRaw(data []byte) (*RawEvent, error) {
	e := &rawRecord{}
	has, err := decode(c, rawEvent, data, e, &e.RawEvent, (*RawEvent).fields)
	if err == nil {
		err = validateRaw(&e.RawEvent, has)
	}
	if err != nil {
		return nil, err
	}
	return &e.RawEvent, nil
}

func validateRaw(e *RawEvent, has given) error {
	if e.CallID == "" {
		return bad(ReasonMissingCallID)
	}
	if err := e.Type.Check(); err != nil {
		return err
	}
	switch {
	case !has.seq:
		return bad(ReasonMissingSeq)
	case e.Type == Utterance && !has.text:
		return bad(ReasonMissingText)
	}
	return nil
}

// DecodeClean reads a record of the clean topic.
func (c *Codec) DecodeClean(data []byte) (*CleanEvent, error) {
	return decodeValid(c, cleanEvent, data, (*CleanEvent).fields, validateClean)
}

// DecodeAudit reads a record of the audit topic.
func (c *Codec) DecodeAudit(data []byte) (*AuditEvent, error) {
	return decodeValid(c, auditEvent, data, (*AuditEvent).fields, func(e *AuditEvent) error { return validateClean(&e.CleanEvent) })
}

// DecodeDeadLetter reads a record of the dead-letter topic.
func (c *Codec) DecodeDeadLetter(data []byte) (*DeadLetter, error) {
	return decodeValid(c, deadLetter, data, (*DeadLetter).fields, func(*DeadLetter) error { return nil })
}

func decodeValid[T any](c *Codec, k eventKind, data []byte, fields func(*T, *coder), validate func(*T) error) (*T, error) {
	e := new(T)
	_, err := decode(c, k, data, nil, e, fields)
	if err == nil {
		err = validate(e)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

func validateClean(e *CleanEvent) error {
	if e.CallID == "" {
		return bad(ReasonMissingCallID)
	}
	if e.Type == "" {
		return bad(ReasonMissingType)
	}
	return nil
}

// roleOf reads a role, in whatever case it is written; none stays none, and any other word is RoleUnknown.
func roleOf(r Role) Role {
	switch {
	case r == "" || r == RoleAgent || r == RoleCustomer || r == RoleUnknown:
		return r
	case strings.EqualFold(string(r), string(RoleAgent)):
		return RoleAgent
	case strings.EqualFold(string(r), string(RoleCustomer)):
		return RoleCustomer
	}
	return RoleUnknown
}

var errNotRegistered = errors.New("schemas: the schema of this event is not registered: " +
	"its topic was not given, or others have registered another schema for it")

func encode[T any](c *Codec, k eventKind, dst []byte, e *T, fields func(*T, *coder)) ([]byte, error) {
	w := coders.Get().(*coder)
	defer w.release()
	w.mode, w.out = writeJSON, dst
	if !c.json {
		if c.headers[k] == nil {
			return dst, errNotRegistered
		}
		w.mode, w.out = writeAvro, append(dst, c.headers[k]...)
	}
	record(w, e, fields)
	if w.err != nil {
		return dst, w.err
	}
	return w.out, nil
}

// AppendRaw appends the record of a raw event. It does not validate the event.
func (c *Codec) AppendRaw(dst []byte, e *RawEvent) ([]byte, error) {
	return encode(c, rawEvent, dst, e, (*RawEvent).fields)
}

// AppendClean appends the record of a clean event.
func (c *Codec) AppendClean(dst []byte, e *CleanEvent) ([]byte, error) {
	return encode(c, cleanEvent, dst, e, (*CleanEvent).fields)
}

// AppendAudit appends the record of an audit event.
func (c *Codec) AppendAudit(dst []byte, e *AuditEvent) ([]byte, error) {
	return encode(c, auditEvent, dst, e, (*AuditEvent).fields)
}

// AppendDeadLetter appends the record of a dead letter.
func (c *Codec) AppendDeadLetter(dst []byte, e *DeadLetter) ([]byte, error) {
	return encode(c, deadLetter, dst, e, (*DeadLetter).fields)
}
