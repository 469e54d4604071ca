package schemas

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
)

// coder reads or writes one event, in JSON or as an Avro body of our current schema. The fields method
// of a record names its fields, and the coder does with each what its mode says.
//
// When it reads, the first failure stays, and after it every field is absent.
type coder struct {
	mode mode

	out []byte // what is written
	err error  // why it must not be written

	avro   avroReader
	json   jsonReader
	member member
	at     string     // the field that was begun last
	room   *rawRecord // for a raw event that is read
	given  given
}

type mode uint8

const (
	writeAvro mode = iota
	writeJSON
	readAvro
	readJSON
)

// given says which of the fields that may be zero were there.
type given struct{ seq, text bool }

// member is where a reader of JSON stands within an object.
type member struct {
	more bool   // a member's name was read, and its value comes next
	name []byte // valid until the next string is read
	next int    // index of the field that the record names next
	seen uint64 // indices of the fields that were read
}

// presence says how a field is written when it is empty.
type presence uint8

const (
	always   presence = iota // in both encodings
	optional                 // null in Avro, left out of JSON
	omitted                  // in Avro, and left out of JSON
)

var coders = sync.Pool{New: func() any { return new(coder) }}

// release gives the coder to the next event, without anything of this one.
func (c *coder) release() {
	*c = coder{}
	coders.Put(c)
}

func (c *coder) reading() bool { return c.mode >= readAvro }

func (c *coder) fail(reason string) {
	if c.mode == readAvro {
		c.avro.fail(reason)
	} else {
		c.json.fail(reason)
	}
}

func (c *coder) end() error {
	end := c.json.end
	if c.mode == readAvro {
		end = c.avro.end
	}
	failed := c.reason()
	err := end()
	if bad, ok := errors.AsType[*DecodeError](err); ok && (failed == ReasonWrongType || failed == ReasonDuplicateField) {
		bad.Field = c.at
	}
	return err
}

// reason is why reading has failed, "" if it has not.
func (c *coder) reason() string {
	if c.mode == readAvro {
		return c.avro.reason
	}
	return c.json.reason
}

// begin begins a field; present says whether a field that is written has something in it. It reports
// whether the value comes next, which the caller reads or writes before it calls done.
func (c *coder) begin(name string, p presence, present bool) bool {
	switch c.mode {
	case writeAvro:
		if p == optional && !present {
			c.out = append(c.out, 0)
			return false
		}
		if p == optional {
			c.out = appendLong(c.out, 1)
		}
		return true
	case readAvro:
		if c.avro.reason == "" {
			c.at = name
		}
		return p != optional || c.avro.some()
	case writeJSON:
		if p != always && !present {
			return false
		}
		c.out = appendName(c.out, name)
		return true
	}
	m := &c.member
	bit := uint64(1) << m.next
	m.next++
	if !m.more || string(m.name) != name {
		return false
	}
	c.at = name
	if m.seen&bit != 0 {
		c.json.fail(ReasonDuplicateField)
	}
	m.seen |= bit
	if c.json.null() {
		c.done()
		return false
	}
	return true
}

func appendName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(append(append(b, '"'), name...), `":`...)
}

func (c *coder) done() {
	if c.mode != readJSON {
		return
	}
	if c.member.more = !c.json.accept('}'); c.member.more {
		c.json.expect(',')
		c.nextName()
	}
}

func (c *coder) nextName() {
	c.json.space()
	c.member.name = c.json.string()
	c.json.expect(':')
	c.member.more = c.json.reason == ""
}

// record reads or writes a record whose fields are named by fields.
func record[T any](c *coder, x *T, fields func(*T, *coder)) {
	switch c.mode {
	case writeJSON:
		c.out = append(c.out, '{')
		fields(x, c)
		c.out = append(c.out, '}')
	case readJSON:
		recordJSON(c, x, fields)
	default:
		fields(x, c)
	}
}

// recordJSON reads an object. One pass over the fields reads the members that stand in their order;
// others take a pass each.
func recordJSON[T any](c *coder, x *T, fields func(*T, *coder)) {
	if !c.json.enter('{') {
		return
	}
	outer := c.member
	c.member = member{}
	if !c.json.accept('}') {
		c.nextName()
	}
	for c.member.more {
		seen := c.member.seen
		c.member.next = 0
		fields(x, c)
		if c.member.more && c.member.seen == seen { // no field has this name
			c.json.skip()
			c.done()
		}
	}
	c.member = outer
	c.json.depth--
}

func (c *coder) text(s *string) {
	switch c.mode {
	case writeAvro:
		c.out = appendString(c.out, *s)
	case writeJSON:
		c.out = appendQuoted(c.out, *s)
	case readAvro:
		*s = word(c.avro.text())
	case readJSON:
		*s = word(c.json.text())
	}
}

func (c *coder) boolean(v *bool) {
	switch c.mode {
	case writeAvro:
		c.out = appendBool(c.out, *v)
	case writeJSON:
		c.out = strconv.AppendBool(c.out, *v)
	case readAvro:
		*v = c.avro.bool()
	case readJSON:
		*v = c.json.bool()
	}
}

func (c *coder) double(v *float64) {
	switch {
	case c.mode == readAvro:
		*v = c.avro.double()
	case c.mode == readJSON:
		*v = c.json.double()
	case !isFinite(*v):
		c.err = ErrNotFinite
	case c.mode == writeAvro:
		c.out = appendDouble(c.out, *v)
	default:
		c.out = appendFloat(c.out, *v)
	}
}

func (c *coder) whole(v *int64) {
	switch c.mode {
	case writeAvro:
		c.out = appendLong(c.out, *v)
	case writeJSON:
		c.out = strconv.AppendInt(c.out, *v, 10)
	case readAvro:
		*v = c.avro.long()
	case readJSON:
		*v = c.json.long()
	}
}

func (c *coder) int(v *int) {
	n := int64(*v)
	c.whole(&n)
	if *v = int(n); int64(*v) != n {
		*v = 0
		c.fail(ReasonWrongType)
	}
}

// field, number, long, flag and double are fields of plain values. long reports whether it was there.

func (c *coder) field(name string, p presence, s *string) {
	if c.begin(name, p, *s != "") {
		c.text(s)
		c.done()
	}
}

func (c *coder) long(name string, p presence, v *int64) bool {
	if !c.begin(name, p, *v != 0) {
		return false
	}
	c.whole(v)
	c.done()
	return true
}

func number[T int | int32](c *coder, name string, p presence, v *T) {
	n := int64(*v)
	c.long(name, p, &n)
	if *v = T(n); int64(*v) != n {
		*v = 0
		c.fail(ReasonWrongType)
	}
}

func flag(c *coder, name string, p presence, v *bool) {
	if c.begin(name, p, *v) {
		c.boolean(v)
		c.done()
	}
}

func double(c *coder, name string, v *float64) {
	if c.begin(name, always, true) {
		c.double(v)
		c.done()
	}
}

// pointer is an optional field whose nil is Avro's null. What is read comes into room, or into new
// memory if there is none.
func pointer[T any](c *coder, name string, p **T, room *T, value func(*coder, *T)) {
	if !c.begin(name, optional, *p != nil) {
		return
	}
	if c.reading() {
		if room == nil {
			room = new(T)
		}
		*p = room
	}
	value(c, *p)
	c.done()
}

func recordPointer[T any](c *coder, name string, p **T, room *T, fields func(*T, *coder)) {
	pointer(c, name, p, room, func(c *coder, x *T) { record(c, x, fields) })
}

// list is an array. A null in it reads as an empty item.
func list[T any](c *coder, name string, p presence, l *[]T, value func(*coder, *T)) {
	if !c.begin(name, p, len(*l) > 0) {
		return
	}
	add := func() {
		*l = append(*l, *new(T))
		value(c, &(*l)[len(*l)-1])
	}
	switch c.mode {
	case readAvro:
		c.avro.items(c.avro.block, add)
	case readJSON:
		c.json.array(add)
	default:
		c.items("[]", len(*l), func(i int) { value(c, &(*l)[i]) })
	}
	c.done()
}

// items writes n items in one block of Avro, or between brackets.
func (c *coder) items(brackets string, n int, item func(int)) {
	if c.mode == writeJSON {
		c.out = append(c.out, brackets[0])
	} else if n > 0 {
		c.out = appendLong(c.out, int64(n))
	}
	for i := range n {
		if c.mode == writeJSON && i > 0 {
			c.out = append(c.out, ',')
		}
		item(i)
	}
	if c.mode == writeJSON {
		c.out = append(c.out, brackets[1])
	} else {
		c.out = appendLong(c.out, 0)
	}
}

func records[T any](c *coder, name string, p presence, l *[]T, fields func(*T, *coder)) {
	list(c, name, p, l, func(c *coder, x *T) {
		if c.mode != readJSON || !c.json.null() {
			record(c, x, fields)
		}
	})
}

// mapping is a map, which is written in the order of its keys. A null in it reads as an empty value.
func mapping[V any](c *coder, name string, p presence, m *map[string]V, value func(*coder, *V)) {
	if c.begin(name, p, len(*m) > 0) {
		entries(c, m, value)
		c.done()
	}
}

func entries[V any](c *coder, m *map[string]V, value func(*coder, *V)) {
	set := func(key []byte) {
		if *m == nil {
			*m = map[string]V{}
		}
		k, v := string(key), *new(V)
		if c.mode != readJSON || !c.json.null() {
			value(c, &v)
		}
		(*m)[k] = v
	}
	switch c.mode {
	case readAvro:
		c.avro.items(c.avro.block, func() { set(c.avro.text()) })
	case readJSON:
		c.json.object(set)
	default:
		keys := slices.Sorted(maps.Keys(*m))
		c.items("{}", len(keys), func(i int) {
			key, v := keys[i], (*m)[keys[i]]
			c.text(&key)
			if c.mode == writeJSON {
				c.out = append(c.out, ':')
			}
			value(c, &v)
		})
	}
}

var words = map[string]string{}

func init() {
	for _, w := range []string{string(Utterance), string(RoleAgent), string(RoleCustomer), "customer_support", "sales",
		"meeting", "one_to_one", "voicemail", "en", "en-US", "en-GB"} {
		words[w] = w
	}
}

// word spares the memory of words.
func word(b []byte) string {
	if len(b) <= len("customer_support") {
		if w, ok := words[string(b)]; ok {
			return w
		}
	}
	return string(b)
}
