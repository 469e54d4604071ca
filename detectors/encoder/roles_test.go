package encoder

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// smallRoles is a network of random weights for smallModel.
func smallRoles(m *Model) *Roles {
	r := rand.New(rand.NewPCG(5, 1))
	roles := &Roles{Layers: 1}
	for _, p := range roles.parts(m.Width()) {
		for range p.n {
			*p.numbers = append(*p.numbers, float32(r.Float32()-0.5)/2)
		}
	}
	return roles
}

func withRoles(t testing.TB, m *Model, r *Roles) *Model {
	t.Helper()
	data, err := m.EncodeRoles(r)
	if err != nil {
		t.Fatal(err)
	}
	other, err := m.WithRoles(data)
	if err != nil {
		t.Fatal(err)
	}
	return other
}

func TestRolesAddUp(t *testing.T) {
	plain := smallModel(t)
	m := withRoles(t, plain, smallRoles(plain))
	if m.Digest() != plain.Digest() {
		t.Error("roles change the digest, on which the heads of users depend")
	}
	call, differ := live{reader: m.NewReader()}, false
	for _, turn := range turnsOf(m, 1, 40) {
		var reading, without Reading
		call.read(&turn, &reading)
		plain.NewReader().Read(1, nil, &turn, &without)
		for i := range turn.Words {
			p := reading.Role(i)
			if sum := int(p[Speaks]) + int(p[Listens]) + int(p[Third]); sum < 98 || sum > 102 {
				t.Fatalf("roles %v", p)
			}
			differ = differ || p[Speaks] != p[Third]
			if p := without.Role(i); p != [NumRoles]uint8{} {
				t.Fatalf("a model without roles says %v", p)
			}
		}
	}
	if !differ {
		t.Error("all roles are equally probable")
	}
}

// Integers stand for the rows of words; otherwise the network computes what its weights say, from what the layers below it have made of the words.
func TestRolesAreWhatTheWeightsSay(t *testing.T) {
	m := smallModel(t)
	roles := smallRoles(m)
	m = withRoles(t, m, roles)
	turns, w := turnsOf(m, 3, 12), m.Width()
	states := map[[2]int][]float32{}
	err := m.NewReader().Vectors(t.Context(), turns, false, roles.Layers, func(turn, word int, x []float32) {
		states[[2]int{turn, word}] = slices.Clone(x)
	})
	if err != nil {
		t.Fatal(err)
	}
	dot := func(x, y []float32) (sum float64) {
		for i := range x {
			sum += float64(x[i]) * float64(y[i])
		}
		return sum
	}
	call := live{reader: m.NewReader()}
	for n := range turns {
		var reading Reading
		call.read(&turns[n], &reading)
		for i := range turns[n].Words {
			var hidden, around []float32
			for _, at := range RolesAround {
				for s := range RolesSums {
					v := 0.0
					if x := states[[2]int{n, i + at}]; x != nil {
						v = dot(x, roles.Word[(RolesHidden+s)*w:][:w])
					}
					around = append(around, float32(v))
				}
			}
			for j := range RolesHidden {
				v := dot(states[[2]int{n, i}], roles.Word[j*w:][:w]) + dot(around, roles.Around[j*len(around):][:len(around)]) + float64(roles.Bias[j])
				hidden = append(hidden, float32(max(v, 0)))
			}
			var e [NumRoles]float64
			sum := 0.0
			for y := range e {
				e[y] = math.Exp(dot(hidden, roles.Out[y*RolesHidden:][:RolesHidden]) + float64(roles.OutBias[y]))
				sum += e[y]
			}
			got := reading.Role(i)
			for y := range e {
				if want := 100 * e[y] / sum; math.Abs(float64(got[y])-want) > 6 {
					t.Fatalf("word %d of turn %d: role %d has %d hundredths, want %.1f", i, n, y, got[y], want)
				}
			}
		}
	}
}

// As for the labels, the bits are the same on every processor, and whatever the reader still has of the call.
func TestBitsOfRoles(t *testing.T) {
	m := smallModel(t)
	m = withRoles(t, m, smallRoles(m))
	h := sha256.New()
	call := live{reader: m.NewReader()}
	for _, turn := range turnsOf(m, 11, 40) {
		var reading, alone Reading
		m.NewReader().Read(2, call.window, &turn, &alone)
		call.read(&turn, &reading)
		for i, x := range reading.seen {
			if math.Float32bits(x) != math.Float32bits(alone.seen[i]) {
				t.Fatal("what roles read depends on what the reader still has of the call")
			}
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
		}
		for i := range turn.Words {
			p := reading.Role(i)
			h.Write(p[:])
		}
	}
	const want = "a957abb4e80ebf43"
	if got := hex.EncodeToString(h.Sum(nil)[:8]); got != want {
		t.Errorf("the bits have the digest %s, want %s", got, want)
	}
}

func TestDamagedRolesAreRefused(t *testing.T) {
	m := smallModel(t)
	good, err := m.EncodeRoles(smallRoles(m))
	if err != nil {
		t.Fatal(err)
	}
	body := good[:len(good)-sha256.Size]
	wild := bytes.Clone(body)
	binary.LittleEndian.PutUint32(wild[len(wild)-4:], math.Float32bits(float32(math.NaN())))
	deep := smallRoles(m)
	deep.Layers = m.Layers()
	tooDeep, err := m.EncodeRoles(deep)
	if err != nil {
		t.Fatal(err)
	}
	none := smallRoles(m)
	none.Layers = 0
	noLayer, err := m.EncodeRoles(none)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Load(fileOf(small, smallPieces, 2))
	if err != nil {
		t.Fatal(err)
	}
	ofOther, err := other.EncodeRoles(smallRoles(other))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"empty":         nil,
		"another file":  []byte(strings.Repeat("call ", 30)),
		"digest":        append(bytes.Clone(good[:len(good)-1]), good[len(good)-1]^1),
		"too short":     sealed(bytes.Clone(body[:len(body)-4])),
		"too long":      sealed(append(bytes.Clone(body), 0, 0, 0, 0)),
		"no number":     sealed(wild),
		"no header":     sealed([]byte(rolesMagic)),
		"last layer":    tooDeep,
		"no layer":      noLayer,
		"another model": ofOther,
	} {
		if _, err := m.WithRoles(data); err == nil {
			t.Errorf("%s: it was accepted", name)
		}
	}
	if _, err := m.EncodeRoles(&Roles{Layers: 1}); err == nil {
		t.Error("roles without numbers were written")
	}
}
