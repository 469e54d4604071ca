package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"

	"sotto/detectors/encoder/kernel"
)

// rolesMagic begins every file of roles.
const rolesMagic = "SOTTOROL"

// Role is the part that somebody has whose name is said.
type Role int

// The roles.
const (
	Speaks  Role = iota // who says the name
	Listens             // another speaker of the call
	Third               // nobody who talks

	// NumRoles is how many there are.
	NumRoles = iota
)

// Roles is a small network that tells from what the lower layers have made of the words of a turn which role a name has. Its first layer
// reads all numbers of the first word of the name, and a few weighted sums of the numbers of each word around it.
type Roles struct {
	// Layers is how many layers have read the words.
	Layers int
	// Word has a row of Model.Width numbers for each of RolesHidden numbers of the name's first word, and behind them for each of RolesSums
	// sums of every word.
	Word []float32
	// Around has, for each of the hidden numbers, a row with a weight for each sum of the words at RolesAround, and Bias what it begins with.
	Around, Bias []float32
	// Out has a row of weights of the hidden numbers for each role, and OutBias what it begins with.
	Out, OutBias []float32
}

// The sizes of Roles.
const (
	RolesHidden = 64
	RolesSums   = 16
	rolesRows   = RolesHidden + RolesSums
	rolesAround = len(RolesAround) * RolesSums
)

// RolesAround are the places of the words around a name's first word from which the network reads sums. Those beyond the turn are zeros.
var RolesAround = [...]int{-1, -2, -3, -4, -5, -6, -7, -8, 1, 2, 3, 4, 5}

// rolesHeader says for which model a file of roles was made, and what its layers are.
type rolesHeader struct {
	Model  string `json:"model"` // the digest
	Layers int    `json:"layers"`
}

// parts are the numbers of the network in the order in which they are in a file, with how many each has.
func (r *Roles) parts(width int) []struct {
	numbers *[]float32
	n       int
} {
	return []struct {
		numbers *[]float32
		n       int
	}{
		{&r.Word, rolesRows * width}, {&r.Around, RolesHidden * rolesAround}, {&r.Bias, RolesHidden},
		{&r.Out, NumRoles * RolesHidden}, {&r.OutBias, NumRoles},
	}
}

// EncodeRoles returns the file of a network for the model, about 180 kB for the built-in one.
func (m *Model) EncodeRoles(r *Roles) ([]byte, error) {
	var numbers [][]float32
	for _, p := range r.parts(m.Width()) {
		if len(*p.numbers) != p.n {
			return nil, errors.New("encoder: the roles do not have as many numbers as the model needs")
		}
		numbers = append(numbers, *p.numbers)
	}
	return sealFile(rolesMagic, rolesHeader{Model: m.digest, Layers: r.Layers}, numbers...)
}

// WithRoles returns a model that tells roles by the network of a file and shares everything else with m, its digest, too.
func (m *Model) WithRoles(data []byte) (*Model, error) {
	r, err := m.decodeRoles(data)
	if err != nil {
		return nil, fmt.Errorf("roles of the encoder: %w; make them again with training/who", err)
	}
	other := *m
	other.roles = newRoleReader(r, m.Width())
	return &other, nil
}

func (m *Model) decodeRoles(data []byte) (*Roles, error) {
	r, err := openFile(data, rolesMagic)
	if err != nil {
		return nil, err
	}
	var header rolesHeader
	if err := json.Unmarshal(r.block(64<<10), &header); err != nil {
		return nil, fmt.Errorf("its header: %w", err)
	}
	roles := &Roles{Layers: header.Layers}
	parts, want := roles.parts(m.Width()), 0
	for _, p := range parts {
		want += 4 * p.n
	}
	switch {
	case header.Model != m.digest:
		return nil, errors.New("they were made for another version of the encoder")
	case header.Layers < 1 || header.Layers >= m.header.Layers:
		return nil, errors.New("they read a layer that the encoder does not have")
	case len(r.rest) != want:
		return nil, fmt.Errorf("the encoder asks for %d bytes of numbers, and they have %d", want, len(r.rest))
	}
	for _, p := range parts {
		*p.numbers = r.floats(p.n)
	}
	if r.wild {
		return nil, errors.New("they have numbers that are infinite, or too large")
	}
	return roles, nil
}

// roleReader is Roles as they are computed: the rows for words are integers, as the matrices of the model are.
type roleReader struct {
	*Roles
	word linear
}

func newRoleReader(r *Roles, width int) *roleReader {
	l := linear{depth: width, scales: make([]float32, rolesRows), bias: make([]float32, rolesRows),
		columns: kernel.Columns{Values: make([]byte, width*rolesRows), Stride: width * kernel.Panel}}
	for c := range rolesRows {
		row, most := r.Word[c*width:(c+1)*width], float32(tiny)
		for _, v := range row {
			most = max(most, v, -v)
		}
		l.scales[c] = most / 127
		for k, v := range row {
			l.columns.Values[l.columns.Place(k, c)] = byte(int8(math.RoundToEven(float64(v / l.scales[c]))))
		}
	}
	return &roleReader{r, l}
}

// tiny is less than any number that counts.
const tiny = 1e-30

// readWords computes what the network reads of rows of x, which k.a has as integers.
func (k *worker) readWords(row, end int) {
	l := &k.model.roles.word
	k.multiply(l, end-row)
	for i := row; i < end; i++ {
		kernel.Scale(k.words[i*rolesRows:(i+1)*rolesRows], k.sums[(i-row)*rolesRows:], l.scales, k.scales[i-row], l.bias)
	}
}

// Role returns how probable each role is of the name that begins with a word, in hundredths. All are 0 in a finished reading, and if the model
// does not tell roles.
func (r *Reading) Role(word int) (p [NumRoles]uint8) {
	if r.roles == nil {
		return p
	}
	s := sums.Get().(*roleSums)
	defer sums.Put(s)
	clear(s.around[:])
	for i, at := range RolesAround {
		if at += word; at >= 0 && at < r.Len() {
			copy(s.around[i*RolesSums:], r.seen[at*rolesRows+RolesHidden:(at+1)*rolesRows])
		}
	}
	return s.of(r.roles, r.seen[word*rolesRows:][:RolesHidden])
}

// sums has memory for computations, which cannot be on the stack, because the product's form is called by address.
var sums = sync.Pool{New: func() any { return &roleSums{} }}

// roleSums are the sums around a word and what follows from them.
type roleSums struct {
	around [rolesAround]float32
	hidden [RolesHidden]float32
	out    [NumRoles]float32
}

// of computes the roles of a name from the hidden numbers of its first word and the sums around it.
func (s *roleSums) of(r *Roles, own []float32) (p [NumRoles]uint8) {
	for j := range s.hidden {
		s.hidden[j] = max(0, own[j]+kernel.Dot(s.around[:], r.Around[j*rolesAround:(j+1)*rolesAround])+r.Bias[j])
	}
	for y := range s.out {
		s.out[y] = kernel.Dot(s.hidden[:], r.Out[y*RolesHidden:(y+1)*RolesHidden]) + r.OutBias[y]
	}
	softmax(s.out[:])
	for y, v := range s.out {
		p[y] = uint8(math.RoundToEven(float64(v * 100)))
	}
	return p
}
