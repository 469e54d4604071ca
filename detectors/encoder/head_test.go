package encoder

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

func TestAHeadIsReadAsItWasWritten(t *testing.T) {
	m := smallModel(t)
	h := m.Head()
	h.Bias[1] += 3
	data, err := m.EncodeHead(h)
	if err != nil {
		t.Fatal(err)
	}
	other, err := m.Adapt(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := other.Head(); got.Bias[1] != h.Bias[1] || m.Head().Bias[1] == h.Bias[1] {
		t.Error("the head of the file is not that of the new model alone")
	}
	if other.Digest() == m.Digest() || len(other.Digest()) != len(m.Digest()) {
		t.Error("the digest is that of the model")
	}
	if _, err := other.Adapt(data); err == nil {
		t.Error("a head fits a model for which it was not made")
	}
	if _, err := m.EncodeHead(Head{}); err == nil {
		t.Error("an empty head was written")
	}
}

func TestADamagedHeadIsRefused(t *testing.T) {
	m := smallModel(t)
	good, err := m.EncodeHead(m.Head())
	if err != nil {
		t.Fatal(err)
	}
	signed := func(data []byte) []byte {
		sum := sha256.Sum256(data)
		return append(bytes.Clone(data), sum[:]...)
	}
	body := good[:len(good)-sha256.Size]
	wild := bytes.Clone(body)
	binary.LittleEndian.PutUint32(wild[len(wild)-4:], math.Float32bits(float32(math.Inf(1))))
	for name, data := range map[string][]byte{
		"empty":          nil,
		"another file":   []byte(strings.Repeat("call ", 30)),
		"cut":            good[:len(good)-5],
		"digest":         append(bytes.Clone(good[:len(good)-1]), good[len(good)-1]^1),
		"too short":      signed(body[:len(body)-4]),
		"too long":       signed(append(bytes.Clone(body), 0, 0, 0, 0)),
		"infinite":       signed(wild),
		"no header":      signed([]byte(HeadMagic)),
		"header's limit": signed(append([]byte(HeadMagic), 0xff, 0xff, 0xff, 0xff)),
		"no JSON":        signed(append([]byte(HeadMagic), 1, 0, 0, 0, '{')),
	} {
		if _, err := m.Adapt(data); err == nil || !strings.Contains(err.Error(), "sotto train") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzAdapt(f *testing.F) {
	m := smallModel(f)
	good, err := m.EncodeHead(m.Head())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(HeadMagic)+8])
	f.Fuzz(func(t *testing.T, data []byte) {
		body := data
		if n := len(data) - sha256.Size; n > 0 { // most changes only break the digest
			body = data[:n]
		}
		sum := sha256.Sum256(body)
		if other, err := m.Adapt(append(bytes.Clone(body), sum[:]...)); err == nil && len(other.Head().Bias) != len(m.Head().Bias) {
			t.Error("a head of another size was read")
		}
	})
}
