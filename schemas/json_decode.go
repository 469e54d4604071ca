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
	var seen fieldSet
	r.object(func(name []byte) {
		switch string(name) {
		case "call_id":
			r.once(&seen, 0)
			e.CallID = string(r.text())
		case "seq":
			r.once(&seen, 1)
			if !r.null() {
				has.seq = true
				e.Seq = r.long()
			}
		case "type":
			r.once(&seen, 2)
			e.Type = typeOf(r.text())
		case "context":
			r.once(&seen, 3)
			e.Context = commonWord(r.text())
		case "tenant":
			r.once(&seen, 4)
			e.Tenant = string(r.text())
		case "speaker":
			r.once(&seen, 5)
			if !r.null() {
				e.Speaker = &e.speaker
				r.speaker(e.Speaker)
			}
		case "text":
			r.once(&seen, 6)
			if !r.null() {
				has.text = true
				e.Text = string(r.text())
			}
		case "lexical":
			r.once(&seen, 7)
			if !r.null() {
				s := string(r.text())
				e.Lexical = &s
			}
		case "final":
			r.once(&seen, 8)
			if !r.null() {
				e.final = r.bool()
				e.Final = &e.final
			}
		case "language":
			r.once(&seen, 9)
			e.Language = commonWord(r.text())
		case "start_ms":
			r.once(&seen, 10)
			if !r.null() {
				e.startMS = r.long()
				e.StartMS = &e.startMS
			}
		case "end_ms":
			r.once(&seen, 11)
			if !r.null() {
				e.endMS = r.long()
				e.EndMS = &e.endMS
			}
		case "timestamp_ms":
			r.once(&seen, 12)
			if !r.null() {
				e.TimestampMS = r.long()
			}
		case "participants":
			r.once(&seen, 13)
			if !r.null() {
				r.array(func() { e.Participants = append(e.Participants, r.participant()) })
			}
		default:
			r.skip()
		}
	})
	return has, r.end()
}

// fieldSet is the set of an object's fields that have been read.
type fieldSet uint16

func (r *jsonReader) once(seen *fieldSet, field int) {
	if *seen&(1<<field) != 0 {
		r.fail(ReasonDuplicateField)
	}
	*seen |= 1 << field
}

func (r *jsonReader) speaker(s *Speaker) {
	var seen fieldSet
	r.object(func(name []byte) {
		switch string(name) {
		case "id":
			r.once(&seen, 0)
			s.ID = string(r.text())
		case "label":
			r.once(&seen, 1)
			s.Label = string(r.text())
		case "role":
			r.once(&seen, 2)
			s.Role = roleOfBytes(r.text())
		default:
			r.skip()
		}
	})
}

func (r *jsonReader) participant() (p Participant) {
	if r.null() {
		return p
	}
	var seen fieldSet
	r.object(func(name []byte) {
		switch string(name) {
		case "speaker_id":
			r.once(&seen, 0)
			p.SpeakerID = string(r.text())
		case "names":
			r.once(&seen, 1)
			p.Names = r.strings()
		case "organization":
			r.once(&seen, 2)
			p.Organization = string(r.text())
		case "emails":
			r.once(&seen, 3)
			p.Emails = r.strings()
		case "phones":
			r.once(&seen, 4)
			p.Phones = r.strings()
		case "other":
			r.once(&seen, 5)
			p.Other = r.strings()
		default:
			r.skip()
		}
	})
	return p
}
