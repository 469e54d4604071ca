package encoder

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// turnsOf returns the turns of a random call. Some are longer than a window.
func turnsOf(m *Model, seed uint64, n int) []Turn {
	r := rand.New(rand.NewPCG(seed, 3))
	words := strings.Fields("the caller is calling ana's A1 12 , . a_b é 電 zzz Ana")
	turns := make([]Turn, n)
	for i := range turns {
		var text []string
		length := r.IntN(9)
		if r.IntN(8) == 0 {
			length = r.IntN(60)
		}
		for range length {
			text = append(text, words[r.IntN(len(words))])
		}
		m.Split(&turns[i], strings.Join(text, " "), 1+i%2)
	}
	return turns
}

// same says whether two readings have the same bits.
func same(a, b *Reading) bool {
	equal := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	return slices.EqualFunc(a.words, b.words, equal) && slices.EqualFunc(a.begins, b.begins, equal)
}

// live is a call that goes on.
type live struct {
	reader *Reader
	window []byte
}

func (l *live) read(t *Turn, reading *Reading) { l.window = l.reader.Read(1, l.window, t, reading) }

// finished reads a finished call.
func finished(t *testing.T, m *Model, turns []Turn) []Reading {
	t.Helper()
	readings := make([]Reading, len(turns))
	if err := m.NewReader().ReadFull(t.Context(), turns, readings); err != nil {
		t.Fatal(err)
	}
	return readings
}

func TestProbabilitiesAddUp(t *testing.T) {
	m := smallModel(t)
	call := live{reader: m.NewReader()}
	for _, turn := range turnsOf(m, 1, 40) {
		var reading Reading
		call.read(&turn, &reading)
		if reading.Len() != len(turn.Words) {
			t.Fatalf("%d words have %d labels", len(turn.Words), reading.Len())
		}
		for i := range turn.Words {
			sum := float32(0)
			for _, p := range reading.Word(i) {
				sum += p
			}
			if math.Abs(float64(sum-1)) > 1e-5 || !(reading.Begins(i) > 0 && reading.Begins(i) < 1) {
				t.Fatalf("probabilities %v, begins %v", reading.Word(i), reading.Begins(i))
			}
		}
	}
}

func TestEarlierTurnsChangeALiveReading(t *testing.T) {
	m := smallModel(t)
	turns := make([]Turn, 2)
	m.Split(&turns[0], "a b c d", 2)
	m.Split(&turns[1], "the call is ana", 1)
	var alone, after Reading
	first, second := live{reader: m.NewReader()}, live{reader: m.NewReader()}
	first.read(&turns[1], &alone)
	second.read(&turns[0], &after)
	second.read(&turns[1], &after)
	if same(&alone, &after) {
		t.Error("an earlier turn changes nothing")
	}
}

func TestAFinishedReadingSeesLaterTurns(t *testing.T) {
	m := smallModel(t)
	turns := make([]Turn, 2)
	m.Split(&turns[0], "the call is ana", 1)
	m.Split(&turns[1], "a b 12", 2)
	readings, alone := finished(t, m, turns), finished(t, m, turns[:1])
	if same(&readings[0], &alone[0]) {
		t.Error("a later turn changes nothing")
	}
	var reading Reading
	call := live{reader: m.NewReader()}
	call.read(&turns[0], &reading)
	if !same(&reading, &alone[0]) {
		t.Error("the only turn of a call has different live and finished readings")
	}
	finished(t, m, nil)
}

// Every word has a label in a finished reading, in whatever windows its turn is.
func TestAFinishedReadingHasAllWords(t *testing.T) {
	m := smallModel(t)
	for seed := range uint64(10) {
		turns := turnsOf(m, seed, 30)
		readings := finished(t, m, turns)
		for i := range turns {
			for j := range turns[i].Words {
				if readings[i].Begins(j) == 0 || readings[i].Word(j)[0] == 0 {
					t.Fatalf("word %d of turn %d has no labels", j, i)
				}
			}
		}
	}
}

// Only the window is new.
func TestATurnIsReadWithoutAllocations(t *testing.T) {
	m := smallModel(t)
	call := live{reader: m.NewReader()}
	var turn Turn
	var reading Reading
	read := func() {
		m.Split(&turn, "the caller is calling ana", 1)
		call.read(&turn, &reading)
	}
	for range 30 {
		read()
	}
	if n := testing.AllocsPerRun(100, read); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

// The bits are the same on every processor: this digest was computed on amd64, and every other one has it.
func TestBitsOfAnyProcessor(t *testing.T) {
	m := smallModel(t)
	turns := turnsOf(m, 11, 40)
	readings := finished(t, m, turns)
	h := sha256.New()
	sum := func(r *Reading) {
		for _, x := range append(slices.Clone(r.words), r.begins...) {
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
		}
	}
	call := live{reader: m.NewReader()}
	for i := range turns {
		sum(&readings[i])
		call.read(&turns[i], &readings[i])
		sum(&readings[i])
	}
	const want = "d2d080f27fce81f9"
	if got := hex.EncodeToString(h.Sum(nil)[:8]); got != want {
		t.Errorf("the bits of the readings have the digest %s, want %s", got, want)
	}
}
