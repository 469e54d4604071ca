package encoder

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// small is a model of random weights.
var small = header{Layers: 2, Heads: 2, Inner: 96, Window: 48, Labels: []string{"O", "NAME", "CODE"}, Masked: []bool{false, true, true}}

// smallPieces is its vocabulary.
var smallPieces = strings.Fields("[PAD] [UNK] [SEP] the call ##er ##ing is ana ##n ##a a b c d e 1 2 ##1 ##2 ##b ##c , . ' - _ é 電 ß ς")

// fileOf writes a model of random weights. The same seed gives the same file.
func fileOf(h header, pieces []string, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 7))
	var b bytes.Buffer
	b.WriteString(Magic)
	block := func(text []byte) {
		b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
		b.Write(text)
	}
	h.Pieces = len(pieces)
	text, _ := json.Marshal(h)
	block(text)
	block([]byte(strings.Join(pieces, "\n")))
	floats := func(n int, mean, spread float32) {
		for range n {
			v := mean + float32((r.Float32()*2-1)*spread)
			b.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
		}
	}
	steps := func(n int) {
		for range n {
			b.WriteByte(byte(int8(r.IntN(255) - 127)))
		}
	}
	w := h.width()
	table := func(rows int) { floats(rows, 0.008, 0.002); steps(rows * w) }
	matrix := func(depth, columns int) {
		floats(columns, 0.0015, 0.0005)
		floats(columns, 0, 0.1)
		steps(depth * columns)
	}
	norm := func() { floats(w, 1, 0.3); floats(w, 0, 0.3) }
	table(h.Pieces)
	table(h.Window)
	floats(shapes*w, 0, 0.2)
	floats(speakers*w, 0, 0.2)
	norm()
	for range h.Layers {
		matrix(w, 3*w)
		matrix(w, w)
		norm()
		matrix(w, h.Inner)
		matrix(h.Inner, w)
		norm()
	}
	floats((len(h.Labels)+1)*w, 0, 0.3)
	floats(len(h.Labels)+1, 0, 0.3)
	return sealed(b.Bytes())
}

// sealed returns a file with its digest.
func sealed(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append(body, sum[:]...)
}

func smallModel(t testing.TB) *Model {
	t.Helper()
	m, err := Load(fileOf(small, smallPieces, 1))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestLoad(t *testing.T) {
	m := smallModel(t)
	if m.Window() != 48 || len(m.Labels()) != 3 || len(m.Digest()) != 64 {
		t.Errorf("window %d, labels %v, digest %s", m.Window(), m.Labels(), m.Digest())
	}
	if other, err := Load(fileOf(small, smallPieces, 2)); err != nil || other.Digest() == m.Digest() {
		t.Errorf("another file has the same digest, or %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	good := fileOf(small, smallPieces, 1)
	body := good[:len(good)-sha256.Size]
	spoilt := func(change func(h *header)) []byte {
		h := small
		change(&h)
		text, _ := json.Marshal(h)
		rest := body[len(Magic):]
		rest = rest[4+binary.LittleEndian.Uint32(rest):]
		file := append([]byte(Magic), binary.LittleEndian.AppendUint32(nil, uint32(len(text)))...)
		return sealed(append(append(file, text...), rest...))
	}
	withFloat := func(v float32) []byte {
		file := bytes.Clone(body)
		binary.LittleEndian.PutUint32(file[len(file)-4:], math.Float32bits(v))
		return sealed(file)
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":         {nil, "does not begin with"},
		"something else":  {bytes.Repeat([]byte("x"), 100), "does not begin with"},
		"changed":         {append(bytes.Clone(good[:len(good)-1]), good[len(good)-1]^1), "digest"},
		"too short":       {sealed(bytes.Clone(body[:len(body)-1])), "bytes of tensors"},
		"too long":        {sealed(append(bytes.Clone(body), 0)), "bytes of tensors"},
		"no header":       {sealed([]byte(Magic + "\xff\xff\xff\xff")), "header"},
		"many layers":     {spoilt(func(h *header) { h.Layers = 1 << 40 }), "layers"},
		"no heads":        {spoilt(func(h *header) { h.Heads = 0 }), "heads"},
		"odd inner":       {spoilt(func(h *header) { h.Inner = 17 }), "inner"},
		"large window":    {spoilt(func(h *header) { h.Window = 1024 }), "window"},
		"no pieces":       {spoilt(func(h *header) { h.Pieces = 0 }), "pieces"},
		"other pieces":    {spoilt(func(h *header) { h.Pieces = 7 }), "vocabulary"},
		"unmasked labels": {spoilt(func(h *header) { h.Pieces = 7; h.Masked = nil }), "masked"},
		"twice":           {fileOf(small, append([]string{"the"}, smallPieces...), 1), "twice"},
		"no separation":   {fileOf(small, []string{"[UNK]", "a"}, 1), "[SEP]"},
		"infinite":        {withFloat(float32(math.Inf(1))), "infinite"},
		"not a number":    {withFloat(float32(math.NaN())), "infinite"},
		"huge":            {withFloat(1e5), "too large"},
	} {
		if _, err := Load(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
}

// A hostile file is refused or works: it does not panic, whatever its header says.
func FuzzLoad(f *testing.F) {
	tiny := small
	tiny.Layers, tiny.Heads, tiny.Inner, tiny.Window = 1, 1, 16, 32
	good := fileOf(tiny, smallPieces[:8], 1)
	f.Add(good[:len(good)-sha256.Size])
	f.Add([]byte(Magic + "\x02\x00\x00\x00{}\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := Load(sealed(body))
		if err != nil || m.header.Layers*m.header.width()*m.header.Inner > 1<<16 {
			return
		}
		var turn Turn
		var reading Reading
		m.Split(&turn, "the call, is 電", 1)
		m.NewReader().Read(1, nil, &turn, &reading)
		if reading.Len() != len(turn.Words) {
			t.Errorf("%d words have %d labels", len(turn.Words), reading.Len())
		}
	})
}
