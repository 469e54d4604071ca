package encoder

import (
	"context"
	"slices"
	"sync"
)

// Reader reads calls that go on. It keeps the keys and values of the calls that it read last, up to a limit, and computes those
// of others again from their windows: with the same bits, so that nothing depends on what it still has. It is safe for concurrent use.
type Reader struct {
	model *Model
	desks sync.Pool // *desk

	mu sync.Mutex
	// kept has the memory of calls, the one that was read longest ago first. What a goroutine reads with is not in it.
	kept  []*memory
	spare int // how many more may be made
	// remembered has readings by window and turn, nil if none are kept.
	remembered map[string]remembered
}

type remembered struct {
	reading Reading
	next    []byte
}

// Remember makes the reader keep every reading of a turn, for tools that read the same calls again and again.
func (r *Reader) Remember() { r.remembered = map[string]remembered{} }

// desk is what a goroutine reads with.
type desk struct {
	worker
	before []piece // memory for a window
}

// memory is what has been computed of the window of a call.
type memory struct {
	key    uint64
	window []piece
	cache  *cache
}

// memoryOfCalls bounds the bytes of keys and values that a Reader keeps.
const memoryOfCalls = 64 << 20

// NewReader returns a reader.
func (m *Model) NewReader() *Reader {
	r := &Reader{model: m, spare: memoryOfCalls / m.callBytes()}
	r.desks.New = func() any { return &desk{worker: m.newWorker()} }
	return r
}

// Model is that of the reader.
func (r *Reader) Model() *Model { return r.model }

// pieceBytes is the length of a piece in the encoded form of a window: its number, its shape and its speaker.
const pieceBytes = 3

// Read sets a reading to the labels of the words of a turn that comes after those of a window, and returns the window with the turn,
// which is nil at the beginning of a call. A window must not be changed. The key is a hash of the call's ID: it
// only says where what has been computed may be found.
func (r *Reader) Read(key uint64, window []byte, t *Turn, reading *Reading) (next []byte) {
	if r.remembered != nil {
		return r.recall(key, window, t, reading)
	}
	return r.read(key, window, t, reading)
}

// recall is read for what was not read before.
func (r *Reader) recall(key uint64, window []byte, t *Turn, reading *Reading) []byte {
	turn := encodeWindow(r.model.appendTurn(nil, t, 0))
	id := string(window) + "|" + string(turn)
	r.mu.Lock()
	known, ok := r.remembered[id]
	r.mu.Unlock()
	if !ok {
		known.next = r.read(key, window, t, &known.reading)
		r.mu.Lock()
		r.remembered[id] = known
		r.mu.Unlock()
	}
	*reading = known.reading
	return known.next
}

func (r *Reader) read(key uint64, window []byte, t *Turn, reading *Reading) (next []byte) {
	k := r.desks.Get().(*desk)
	m := r.take(key)
	k.before = decodeWindow(k.before[:0], window, r.model)
	number := int32(0)
	if n := len(k.before); n > 0 {
		number = k.before[n-1].turn + 1
	}
	k.pieces = r.model.appendTurn(k.pieces[:0], t, number)
	reading.reset(r.model, len(t.Words), r.model.roles)
	done := computed(m.window, k.before, r.model.separation)
	k.before = lay(k.before, k.pieces, r.model.header.Window, func(closed []piece) {
		done = 0
		if closed[0].turn == number { // a part of a long turn, which stands alone
			k.compute(m.cache, closed, 0, 0, false, r.model.Layers())
			k.label(closed, 0, number, reading)
		}
	})
	k.compute(m.cache, k.before, done, turnStart(k.before, len(k.before)-1), false, r.model.Layers())
	k.label(k.before, done, number, reading)
	m.window = append(m.window[:0], k.before...)
	next = encodeWindow(k.before)
	r.put(m)
	r.desks.Put(k)
	return next
}

// ReadFull sets a reading for each turn of a finished call, in which a word sees all words of its window.
// The error is that of ctx.
func (r *Reader) ReadFull(ctx context.Context, turns []Turn, readings []Reading) error {
	k := r.desks.Get().(*desk)
	defer r.desks.Put(k)
	return k.full(ctx, turns, readings)
}

// Vectors calls each with what so many layers have made of every word of a call: Model.Width numbers, which are valid during the call.
// finished says in which of the two readings. The error is that of ctx.
func (r *Reader) Vectors(ctx context.Context, turns []Turn, finished bool, layers int, each func(turn, word int, x []float32)) error {
	k := r.desks.Get().(*desk)
	defer r.desks.Put(k)
	w := r.model.Width()
	return k.windows(ctx, turns, finished, layers, func(window []piece) {
		for i, p := range window {
			if p.word != none {
				each(int(p.turn), int(p.word), k.x[i*w:(i+1)*w])
			}
		}
	})
}

// take returns memory for a call: its own, new one, or that of the call that was read longest ago.
func (r *Reader) take(key uint64) *memory {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.kept, func(m *memory) bool { return m.key == key })
	switch {
	case i >= 0:
	case r.spare > 0 || len(r.kept) == 0: // all of it is in use at once, which is rare
		r.spare--
		return &memory{key: key, cache: newCache(&r.model.header)}
	default:
		i = 0
	}
	m := r.kept[i]
	r.kept = slices.Delete(r.kept, i, i+1)
	if m.key != key {
		m.key, m.window = key, m.window[:0]
	}
	return m
}

func (r *Reader) put(m *memory) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.spare < 0 {
		r.spare++
		return
	}
	r.kept = append(r.kept, m)
}

// computed returns how many of the pieces of a window are computed if those of another one are: whole turns that both have.
func computed(of, window []piece, separation uint16) int {
	n := 0
	for n < min(len(of), len(window)) && of[n].id == window[n].id && of[n].shape == window[n].shape && of[n].speaker == window[n].speaker {
		n++
	}
	ends := func(x []piece) bool { return n == len(x) || x[n].id == separation }
	for n > 0 && !(ends(of) && ends(window)) {
		n--
	}
	return n
}

func encodeWindow(window []piece) []byte {
	to := make([]byte, 0, pieceBytes*len(window))
	for _, p := range window {
		to = append(to, byte(p.id), byte(p.id>>8), p.shape|p.speaker<<3)
	}
	return to
}

// decodeWindow appends the pieces of an encoded window. What no window of the model can be has none.
func decodeWindow(to []piece, window []byte, m *Model) []piece {
	if len(window) > pieceBytes*m.header.Window {
		return to
	}
	turn := int32(0)
	for ; len(window) >= pieceBytes; window = window[pieceBytes:] {
		p := piece{id: uint16(window[0]) | uint16(window[1])<<8, shape: window[2] & 7, speaker: window[2] >> 3, word: none}
		if int(p.id) >= m.header.Pieces || p.shape >= shapes || p.speaker >= speakers {
			return to[:0]
		}
		if p.id == m.separation && len(to) > 0 {
			turn++
		}
		p.turn = turn
		to = append(to, p)
	}
	return to
}
