package state

import (
	"bytes"
	"testing"

	"sotto/detectors"
)

func TestSeedIsRemembered(t *testing.T) {
	c := NewCall()
	if c.Seed() != nil {
		t.Error("a new call has a seed")
	}
	c.SetSeed([]byte("too short"))
	if c.Seed() != nil {
		t.Error("a short seed was accepted")
	}
	seed := bytes.Repeat([]byte{7}, SeedSize)
	c.SetSeed(seed)
	seed[0] = 0
	d := restored(t, c)
	if !bytes.Equal(d.Seed(), bytes.Repeat([]byte{7}, SeedSize)) {
		t.Error("another seed was restored")
	}
	c.seed = c.seed[:5]
	data, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if NewCall().UnmarshalBinary(data) == nil {
		t.Error("a state with a short seed was decoded")
	}
}

func TestLongestForm(t *testing.T) {
	c := NewCall()
	r := c.LinkOrCreate(Mention{Type: "PERSON_NAME", Kind: detectors.KindName, Words: []string{"mark"}}, 9)
	c.LinkOrCreate(Mention{Type: "PERSON_NAME", Kind: detectors.KindName, Words: []string{"mark", "kowalski"}}, 9)
	if got := c.LongestAlias(r); got != "mark kowalski" {
		t.Errorf("got %q", got)
	}
	if got := c.LongestAlias(Ref{Type: "PERSON_NAME"}); got != "" {
		t.Errorf("an entity without a number is %q", got)
	}
}
