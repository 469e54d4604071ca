package partition

import (
	"container/list"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"unique"

	"github.com/fxamacker/cbor/v2"
	"github.com/klauspost/compress/s2"

	"sotto/detectors"
	"sotto/state"
	"sotto/state/linking"
)

// A call without recent events is dormant: its state is kept encoded and sealed, as
// in the state topic, and is opened by its worker when the next event arrives or
// when the call ends. What the session needs of every call (counts, times, offsets)
// stays in Meta, so neither a timer nor a restore opens a state.

// Vault seals the states of the dormant calls of a partition. Its key exists only
// in the memory of this process and only as long as the partition is assigned. So a
// dormant call opens whatever happened to the deployment keys, and opening it takes
// no key derivation. It is safe for concurrent use.
type Vault struct {
	aead       cipher.AEAD
	dictionary *s2.Dict
}

func newVault() *Vault {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // cannot happen: the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // cannot happen: AES has the block size of GCM
	}
	return &Vault{aead, dormantDictionary()}
}

// dormantBody is the plaintext of the sealed state of a dormant call. Its first fields are those of
// stateBody, so that a restore takes them over as they are.
type dormantBody struct {
	Memory []byte     `cbor:"2,keyasint"` // state.Call, encoded
	Risk   sealedRisk `cbor:"3,keyasint,omitempty"`
	Chunks uint32     `cbor:"4,keyasint,omitempty"` // of the transcript, in the state topic
	Events [][]byte   `cbor:"5,keyasint,omitempty"`
}

// ErrDamaged says nothing about the content, which is personal.
var ErrDamaged = errors.New("the sealed state of a call is damaged in memory")

func (v *Vault) seal(dst []byte, id string, compressed []byte) []byte {
	return v.aead.Seal(dst, nil, compressed, []byte(id))
}

// open returns what a dormant call needs when it wakes. The call stays as it is.
func (v *Vault) open(c *Call) (*awake, error) {
	body, err := v.aead.Open(nil, nil, c.sealed, []byte(c.ID))
	if err != nil {
		return nil, ErrDamaged
	}
	if body, err = v.dictionary.Decode(nil, body); err != nil {
		return nil, ErrDamaged
	}
	var b dormantBody
	if err := cbor.Unmarshal(body, &b); err != nil {
		return nil, ErrDamaged
	}
	a := &awake{memory: state.NewCall(), Text: newTranscript(b.Chunks, b.Events)}
	if a.risk, err = b.Risk.callRisk(); err == nil {
		err = a.memory.UnmarshalBinary(b.Memory)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return a, nil
}

// rest makes a call dormant. The open transaction must not have touched it, and
// no event of it may be staged.
func (v *Vault) rest(c *Call) error {
	memory, err := c.memory.MarshalBinary()
	if err != nil {
		return err
	}
	body, err := stateEncoding.Marshal(&dormantBody{Memory: memory, Risk: c.risk.wire(), Chunks: c.Text.chunks, Events: c.Text.events})
	if err != nil {
		return err
	}
	body = v.dictionary.Encode(nil, body)
	c.sealed, c.awake = v.seal(make([]byte, 0, len(body)+v.aead.Overhead()), c.ID, body), nil
	c.Meta.shareNames()
	return nil
}

// shareNames makes calls with equal contexts, tenants and clocks share their memory.
func (m *Meta) shareNames() {
	m.Context, m.Tenant, m.Clocks = unique.Make(m.Context).Value(), unique.Make(m.Tenant).Value(), unique.Make(m.Clocks).Value()
}

// awakeCalls are the awake calls of a partition, the least recently used first.
type awakeCalls struct{ list.List }

// used notes that a transaction that has ended has used a call.
func (l *awakeCalls) used(c *Call, clock int64) {
	switch {
	case c.awake == nil:
	case c.Gone():
		l.remove(c)
	case c.place == nil:
		c.place = l.PushBack(c)
	default:
		l.MoveToBack(c.place)
	}
	if c.awake != nil {
		c.awake.used = clock
	}
}

func (l *awakeCalls) remove(c *Call) {
	if c.awake != nil && c.place != nil {
		l.Remove(c.place)
		c.place = nil
	}
}

// RestCalls makes calls dormant that were not used for some time, and the least
// recently used if more are awake than permitted. It looks at most at n calls. No
// transaction may be open.
func (p *Partition) RestCalls(n int) error {
	for ; n > 0 && p.awake.Len() > 0; n-- {
		c := p.awake.Front().Value.(*Call)
		if p.awake.Len() <= p.lim.Awake && p.calls.Clock-c.awake.used < p.lim.Dormant {
			return nil
		}
		if c.hasStaged() { // they are released soon, and must be found
			p.awake.used(c, p.calls.Clock)
			continue
		}
		p.awake.remove(c)
		if err := p.Vault.rest(c); err != nil {
			return err
		}
	}
	return nil
}

// dormantDictionary is what the states of calls have in common: the names of the
// infoTypes, and how entities, speakers, questions and turns are encoded. A state
// is compressed with it before it is sealed. It contains nothing of any call.
var dormantDictionary = sync.OnceValue(func() *s2.Dict {
	var sample []byte
	add := func(c *state.Call) {
		memory, err := c.MarshalBinary()
		if err != nil {
			panic(err) // cannot happen: the states are ours
		}
		sample = append(sample, memory...)
	}
	for _, row := range detectors.Rows() {
		c := state.NewCall()
		for n := range 3 {
			c.LinkOrCreate(state.Mention{Type: string(row.Type), Kind: row.Compare.Kind(), Code: string(rune('1' + n)), Words: []string{string(rune('a' + n))}}, 9)
		}
		c.SetQuestions([]state.Question{{Type: string(row.Type), Asker: 0, Seq: 20, TimeMS: 1 << 15, Answered: true}})
		add(c)
	}
	// What is most frequent comes last, where references to it are shortest.
	for _, types := range [][]string{
		{"LOCATION", "AGE", "GENERIC_ID"}, {"STREET_ADDRESS", "DATE_OF_BIRTH", "CREDIT_CARD_NUMBER"},
		{"PERSON_NAME", "ORGANIZATION_NAME", "PHONE_NUMBER", "EMAIL_ADDRESS"},
	} {
		c := state.NewCall()
		for i, id := range []string{"agent-", "customer-"} {
			s := c.Speaker(id)
			c.NumberSpeaker(s)
			c.SetLabel(s, []string{"Agent", "Customer"}[i], "[PERSON_NAME_1]")
		}
		for i, name := range types {
			for n := range uint8(4) {
				c.LinkOrCreate(state.Mention{
					Type: name, Kind: []detectors.Kind{detectors.KindName, detectors.KindOrg, detectors.KindCode, detectors.KindCode}[i],
					Code: "604555010" + string(rune('0'+n)), Words: []string{string(rune('a' + n)), "x"},
					Speaker: linking.SpeakerID(n % 3), Seq: int64(n) + 2, EndMS: 1 << 15, Self: n == 1, OfSpeaker: i == 1, Source: linking.Source(n % 3),
				}, 99)
			}
			c.SetQuestions([]state.Question{{Type: name, Asker: 1, Seq: 9, TimeMS: 1 << 15, Answered: true}, {Type: name, Asker: 2, Seq: 30, TimeMS: 1 << 17}})
		}
		for n := range int64(16) {
			c.AddTurn(state.Turn{Speaker: linking.SpeakerID(1 + n%2), Seq: 8 + n, TimeMS: 1<<15 + n<<12, Asked: 1 << (n * 2), Kinds: 1 << (n % 16), End: uint8(n)})
		}
		add(c)
	}
	return s2.MakeDict(sample, nil)
})
