package reread

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"sotto/detectors"
	"sotto/detectors/ner/internal/network"
)

// made makes the file of a small model with random numbers.
func made(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	put := func(v any) { _ = binary.Write(&b, binary.LittleEndian, v) }
	const width = 16
	put([]uint32{width, 2, 3, 1, 3})
	put([]uint32{5, 100, 1 << 30})
	rows := 4
	for _, n := range tableSizes {
		rows += n
	}
	for range NumFacts {
		put(uint8(r.IntN(3)))
	}
	for range rows * width {
		put(int8(r.IntN(255) - 127))
	}
	numbers16 := func(n, most int) {
		for range n {
			put(int16(r.IntN(2*most) - most))
		}
	}
	numbers32 := func(n, most int) {
		for range n {
			put(int32(r.IntN(2*most) - most))
		}
	}
	numbers16(width, 200)
	for range 2 {
		numbers16(width*3*width, 300)
		numbers32(width, 1<<18)
	}
	numbers16(NumKinds*width, 300)
	numbers32(NumKinds, 1<<18)
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write(b.Bytes())
	_ = w.Close()
	return z.Bytes()
}

// call is a long call with masks.
func call(turns int) []Turn {
	out := make([]Turn, turns)
	for i := range out {
		text := strings.Repeat("so the neighbour, well, called again about the fence ", 1+i%3)
		out[i] = Turn{Text: text, Speaker: i % 2, Role: detectors.RoleAgent, Masks: []Mask{{7, 16, detectors.PersonName}}}
	}
	return out
}

// What is read in chunks is what is read as a whole, and a second reading finds the same.
func TestChunksChangeNothing(t *testing.T) {
	m, err := network.Decode(made(3), tableSizes[:])
	if err != nil {
		t.Fatal(err)
	}
	read := func(turns []Turn) (all []detectors.Finding) {
		NewReader(m).Find(turns, 0.1, func(turn int, f detectors.Finding) {
			f.Start += turn << 16
			all = append(all, f)
		})
		return all
	}
	long := call(1000)
	got := read(long)
	if len(got) == 0 {
		t.Fatal("nothing is found: the test is void")
	}
	if !slices.Equal(got, read(long)) {
		t.Error("a second reading finds something else")
	}
	r := NewReader(m)
	r.elements.read(long, m)
	n := len(r.elements.all)
	if n < 2*chunk {
		t.Fatalf("%d elements are no two chunks", n)
	}
	r.run(0, n, 0, n)
	var whole []detectors.Finding
	r.collect(0, n, 0.1, func(turn int, f detectors.Finding) {
		f.Start += turn << 16
		whole = append(whole, f)
	})
	// A value that crosses the end of a chunk is found in two pieces.
	if d := len(got) - len(whole); d < 0 || d > n/chunk {
		t.Errorf("%d findings in chunks, %d as a whole", len(got), len(whole))
	}
}

// Findings lie within the text, beside the masks, and are no part of a character.
func TestFindingsLieBesideMasks(t *testing.T) {
	m, err := network.Decode(made(4), tableSizes[:])
	if err != nil {
		t.Fatal(err)
	}
	reader := NewReader(m)
	rapid.Check(t, func(t *rapid.T) {
		var turns []Turn
		for range rapid.IntRange(0, 6).Draw(t, "turns") {
			x := Turn{Text: rapid.StringOfN(rapid.RuneFrom([]rune("ab é4,.\uFFFC名-")), 0, 30, -1).Draw(t, "text"), Speaker: rapid.IntRange(-1, 9).Draw(t, "speaker")}
			at := 0
			for i := range x.Text {
				if i >= at && rapid.IntRange(0, 5).Draw(t, "mask") == 0 && i > at {
					x.Masks = append(x.Masks, Mask{at, i, detectors.PersonName})
					at = i
				} else if rapid.Bool().Draw(t, "skip") {
					at = i
				}
			}
			turns = append(turns, x)
		}
		reader.Find(turns, 0.01, func(turn int, f detectors.Finding) {
			x := turns[turn]
			if f.Start < 0 || f.Start >= f.End || f.End > len(x.Text) || !utf8.ValidString(x.Text[f.Start:f.End]) {
				t.Fatalf("a finding from %d to %d in %d bytes", f.Start, f.End, len(x.Text))
			}
			for _, mask := range x.Masks {
				if f.Start < mask.End && mask.Start < f.End {
					t.Fatalf("a finding from %d to %d over a mask from %d to %d", f.Start, f.End, mask.Start, mask.End)
				}
			}
		})
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(made(1))
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := network.Decode(data, tableSizes[:])
		if err != nil {
			return
		}
		NewReader(m).Find(call(3), 0.5, func(int, detectors.Finding) {})
	})
}

func BenchmarkFind(b *testing.B) {
	turns := call(100)
	reader := NewReader(Builtin())
	reader.Find(turns, 0.5, func(int, detectors.Finding) {})
	n := len(reader.elements.all)
	b.ReportAllocs()
	for b.Loop() {
		reader.Find(turns, 0.5, func(int, detectors.Finding) {})
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "words/s")
}
