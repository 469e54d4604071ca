package encoder

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// vocabulary finds the pieces of words.
type vocabulary struct {
	first, later        map[string]uint16 // pieces that begin a word, and pieces that go on
	longest             int               // bytes of the longest piece
	unknown, separation uint16
}

// longestWord is how many letters a word may have; longer ones are unknown.
const longestWord = 100

func (v *vocabulary) read(text []byte, n int) error {
	pieces := strings.Split(string(text), "\n")
	if len(pieces) != n {
		return fmt.Errorf("its vocabulary has %d pieces, and its header says %d", len(pieces), n)
	}
	v.first, v.later = make(map[string]uint16, n), make(map[string]uint16, n/4)
	for id, piece := range pieces {
		bare, goesOn := strings.CutPrefix(piece, "##")
		set := v.first
		if goesOn && bare != "" {
			set = v.later
		} else {
			bare = piece
		}
		if _, twice := set[bare]; twice || bare == "" {
			return errors.New("its vocabulary has a piece twice, or an empty one")
		}
		set[bare] = uint16(id)
		v.longest = max(v.longest, len(bare))
	}
	var unknown, separation bool
	v.unknown, unknown = v.first["[UNK]"]
	v.separation, separation = v.first["[SEP]"]
	if !unknown || !separation {
		return errors.New("its vocabulary lacks [UNK] or [SEP]")
	}
	return nil
}

// split appends the pieces of a word: always the longest one that comes next. A word that has a part without
// a piece is one unknown piece.
func (v *vocabulary) split(ids []uint16, word []byte) []uint16 {
	if utf8.RuneCount(word) > longestWord {
		return append(ids, v.unknown)
	}
	start, set := len(ids), v.first
	for len(word) > 0 {
		id, n := longestPiece(set, word, v.longest)
		if n == 0 {
			return append(ids[:start], v.unknown)
		}
		ids = append(ids, id)
		word, set = word[n:], v.later
	}
	return ids
}

// longestPiece returns the longest piece of a set that begins a word, and its length: 0 if there is none.
func longestPiece(set map[string]uint16, word []byte, longest int) (uint16, int) {
	n := min(len(word), longest)
	for n < len(word) && n > 0 && !utf8.RuneStart(word[n]) {
		n--
	}
	for n > 0 {
		if id, ok := set[string(word[:n])]; ok {
			return id, n
		}
		_, size := utf8.DecodeLastRune(word[:n])
		n -= size
	}
	return 0, 0
}
