package partition

import (
	"bytes"
	"errors"

	"github.com/fxamacker/cbor/v2"

	"sotto/state"
	"sotto/state/sealing"
)

type stateBody struct {
	Meta   Meta       `cbor:"1,keyasint"`
	Memory []byte     `cbor:"2,keyasint"`
	Risk   sealedRisk `cbor:"3,keyasint,omitempty"`
}

// stateEncoding writes equal states as equal bytes.
var stateEncoding = func() cbor.UserBufferEncMode {
	m, err := cbor.CoreDetEncOptions().UserBufferEncMode()
	if err != nil {
		panic(err)
	}
	return m
}()

// EncodeState appends an encoded stateBody to buf.
func EncodeState(buf *bytes.Buffer, m Meta, mem *state.Call, d Risk) error {
	memory, err := mem.MarshalBinary()
	if err != nil {
		return err
	}
	return stateEncoding.MarshalToBuffer(stateBody{m, memory, d.wire()}, buf)
}

// sealRoom is more than sealing adds to the length of a state.
const sealRoom = 64

// Seal returns the call's record for the state topic, with what the open transaction changed. It
// encodes in body and takes the memory of the record from room. The error is errDamaged if a
// dormant call does not open.
func (c *Call) Seal(v *Vault, keys *sealing.Keyring, m Meta, body *bytes.Buffer, room func(int) []byte) ([]byte, error) {
	a := c.awake
	if a == nil { // only written again
		var err error
		if a, err = v.open(c); err != nil {
			return nil, err
		}
	}
	memory, risk := a.Pending, a.PendingRisk
	if memory == nil {
		memory, risk = a.memory, a.risk
	}
	if a.sealer == nil || a.sealer.Ring() != keys {
		var err error
		if a.sealer, err = keys.Sealer(c.ID); err != nil {
			return nil, err
		}
	}
	body.Reset()
	if err := EncodeState(body, m, memory, risk); err != nil {
		return nil, err
	}
	seal := a.sealer.Seal
	if len(memory.Staged()) > 0 {
		seal = a.sealer.SealStaged
	}
	sealed := seal(room(body.Len()+sealRoom), body.Bytes())
	c.sealedDigest = digest(sealed)
	return sealed, nil
}

// errNoState says nothing about the content, which is personal.
var errNoState = errors.New("the sealed record does not contain a call state")

// splitState separates a call's counts and times from the rest of an encoded stateBody, which it
// returns as an encoded dormantBody in the memory of body. It does not decode the memory of the
// engine.
func splitState(body []byte) (m Meta, rest []byte, err error) {
	// A map with few keys begins with one byte; the key of the counts and times comes first.
	const emptyMap, mostPairs = 0xa0, 23
	if len(body) < 2 || body[0] <= emptyMap || body[0] > emptyMap+mostPairs || body[1] != 1 {
		return m, nil, errNoState
	}
	pairs := body[0] - emptyMap
	after, err := cbor.UnmarshalFirst(body[2:], &m)
	if err != nil {
		return m, nil, errNoState
	}
	rest = body[len(body)-len(after)-1:]
	rest[0] = emptyMap + pairs - 1
	var b struct {
		Risk sealedRisk `cbor:"3,keyasint"`
	}
	if err := cbor.Unmarshal(rest, &b); err != nil {
		return m, nil, errNoState
	}
	_, err = b.Risk.callRisk()
	return m, rest, err
}
