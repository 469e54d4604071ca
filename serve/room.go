package serve

import (
	"unicode/utf8"

	"sotto/anonymize"
)

// room is how many bytes a response may still grow. What is added to a response is taken from it
// first, so that a small request cannot build a response of gigabytes.
type room int

// The most that a response may take, as a multiple of the largest body, but at least minAnswer; and
// about what one more item takes besides its strings.
const (
	answerPerBody = 4
	minAnswer     = 1 << 20
	itemBytes     = 128
)

func (s *Server) answerRoom() room {
	return room(max(minAnswer, answerPerBody*s.settings.ServeMaxBody))
}

// take takes the room of an item with strings.
func (r *room) take(strings ...string) error {
	*r -= itemBytes
	for _, s := range strings {
		*r -= room(encodedLen(s))
	}
	if *r < 0 {
		return errAnswer
	}
	return nil
}

// takeOutput takes the room of an event.
func (r *room) takeOutput(out *anonymize.Output) error {
	*r -= room(len(out.Clean.Entities) * entityBytes)
	return r.take(out.Clean.Text)
}

// entityBytes is about what an entity of an event takes.
const entityBytes = 256

// encodedLen is how long a string is in JSON.
func encodedLen(s string) int {
	n := len(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f':
			n++
		case c < ' ':
			n += len(`\u0000`) - 1
		case c >= utf8.RuneSelf:
			// Line separators and bytes that are no text are escaped. Three bytes become six.
			n++
		}
	}
	return n
}
