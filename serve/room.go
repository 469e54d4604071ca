package serve

import "unicode/utf8"

// room is how many bytes a response may still grow. What is added to a response is taken from it
// first, so that a small request cannot build a response of gigabytes.
type room int

// The most that a response may take, as a multiple of the largest body, but at least minAnswer; and
// about what one more item takes besides its strings, and each entity of an event.
const (
	answerPerBody = 4
	minAnswer     = 1 << 20
	itemBytes     = 128
	entityBytes   = 256
)

func (s *Server) answerRoom() room {
	return room(max(minAnswer, answerPerBody*s.settings.ServeMaxBody))
}

// Take takes from the room what an item with some strings needs, or fails.
func (r *room) Take(strings ...string) error {
	*r -= itemBytes
	for _, s := range strings {
		*r -= room(encodedLen(s))
	}
	if *r < 0 {
		return errAnswer
	}
	return nil
}

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
