package encoder

// piece is a piece of a word in a window.
type piece struct {
	id      uint16
	shape   uint8
	speaker uint8
	turn    int32
	word    int32 // of the turn, if this is its first piece; otherwise none
}

// none is the word of a piece whose label nobody asks for.
const none = -1

// appendTurn appends the pieces of a turn, which is the number-th one of its call.
func (m *Model) appendTurn(to []piece, t *Turn, number int32) []piece {
	to = append(to, piece{id: m.separation, speaker: t.speaker, turn: number, word: none})
	for i, word := range t.Words {
		end := len(t.ids)
		if i+1 < len(t.Words) {
			end = t.Words[i+1].piece
		}
		for j, id := range t.ids[word.piece:end] {
			p := piece{id: id, shape: t.shapes[i], speaker: t.speaker, turn: number, word: none}
			if j == 0 {
				p.word = int32(i)
			}
			to = append(to, p)
		}
	}
	return to
}

// lay puts the pieces of a turn behind those of a window, and returns the window. It calls closed with every
// window that ends before. Which windows a call has depends on the lengths of its turns alone.
func lay(window, turn []piece, size int, closed func(window []piece)) []piece {
	for len(turn) > size {
		if len(window) > 0 {
			closed(window)
		}
		closed(turn[:size])
		window, turn = window[:0], turn[size:]
	}
	if len(window)+len(turn) > size {
		closed(window)
		window = window[:copy(window, window[max(0, len(window)-size/3):])]
		if len(window)+len(turn) > size {
			window = window[:0]
		}
		for i := range window {
			window[i].word = none
		}
	}
	return append(window, turn...)
}
