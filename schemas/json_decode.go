package schemas

import "unicode/utf8"

// decodeRawJSON reads a raw event. Unknown fields are skipped; null is the same
// as absent.
func decodeRawJSON(data []byte, e *rawRecord) (presence, error) {
	var has presence
	// One pass over the whole is cheaper than a check for every string, and
	// skipped fields are covered too.
	if !utf8.Valid(data) {
		return has, bad(ReasonInvalidUTF8)
	}
	r := jsonReader{data: data}
	if r.peek() != '{' {
		return has, bad(ReasonUnknownFormat)
	}
	r.rawFields(e, &has)
	return has, r.end()
}

// fieldSet is the set of an object's fields that have been read.
type fieldSet uint64

func (r *jsonReader) once(seen *fieldSet, field int) {
	if *seen&(1<<field) != 0 {
		r.fail(ReasonDuplicateField)
	}
	*seen |= 1 << field
}
