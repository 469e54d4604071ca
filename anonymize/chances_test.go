package anonymize_test

import (
	"bytes"
	"strings"
	"testing"

	"sotto/anonymize"
	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
	"sotto/state/linking"
)

// engineOfChances returns an engine that appends what the encoder says of the part in the talk of each name to all.
func engineOfChances(t *testing.T, fast bool, all *[]linking.Chances) *anonymize.Engine {
	t.Helper()
	engine, err := anonymize.New(anonymize.Options{Fast: fast, Linked: func(_ int64, _, _ int, m state.Mention) {
		if m.Kind == detectors.KindName {
			*all = append(*all, m.Talk.Chances)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// talk gives the turns of two speakers to a new call, and returns its state.
func talk(t *testing.T, e *anonymize.Engine, turns ...string) *state.Call {
	t.Helper()
	c := state.NewCall()
	for i, text := range turns {
		text, lexical, _ := strings.Cut(text, "|")
		e.Apply(c, e.Prepare(&schemas.RawEvent{CallID: "c", Seq: int64(i), Type: schemas.Utterance, Text: text, Lexical: &lexical,
			Speaker: &schemas.Speaker{ID: []string{"a", "b"}[i%2]}}))
	}
	return c
}

// Plain words say whose a name is, also where the text is not read as it is written.
func TestTheEncoderSaysWhoseANameIs(t *testing.T) {
	turns := []string{"Thanks for calling, this is Oksana Brindlemere speaking.", "Hi Oksana, my name is Ｗalter Ｑuimby.",
		"Thank you Walter.", "And my wife Lenore Quimby is on the account, too."}
	var names []linking.Chances
	talk(t, engineOfChances(t, false, &names), turns...)
	speaks, listens, third := func(c linking.Chances) uint8 { return c.Speaks }, func(c linking.Chances) uint8 { return c.Listens }, func(c linking.Chances) uint8 { return c.Third }
	want := []func(linking.Chances) uint8{speaks, listens, speaks, listens, third}
	if len(names) != len(want) {
		t.Fatalf("%d names were linked", len(names))
	}
	for i, c := range names {
		if sum := int(c.Speaks) + int(c.Listens) + int(c.Third); want[i](c) < 60 || sum < 98 || sum > 102 {
			t.Errorf("name %d: %+v", i, c)
		}
	}
	names = nil
	talk(t, engineOfChances(t, true, &names), turns...)
	for i, c := range names {
		if c != (linking.Chances{}) || len(names) < len(want) {
			t.Errorf("without the encoder, name %d of %d has %+v", i, len(names), c)
		}
	}
}

// The bytes of a state do not depend on what the engine has read before, whether it reads a text, its unformatted form, or both.
func TestAReadingIsOfItsOwnText(t *testing.T) {
	var names []linking.Chances
	bytesOf := func(before string, turns ...string) []byte {
		e := engineOfChances(t, false, &names)
		if before != "" {
			talk(t, e, before, before, before)
		}
		data, err := talk(t, e, turns...).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, text := range []string{"The bill, please.|this is bill please", "Oksana Brindlemere.|okay", "Okay.|my name is walter quimby"} {
		want := bytesOf("", text)
		for _, before := range []string{"My name is Walter Quimby and I live here.", "Hi Walter Quimby, how are you?|hi walter quimby how are you"} {
			if !bytes.Equal(bytesOf(before, text), want) {
				t.Errorf("%q: the state depends on the call before", text)
			}
		}
	}
	names = nil
	talk(t, engineOfChances(t, false, &names), "Oksana Brindlemere.")
	talk(t, engineOfChances(t, false, &names), "Oksana Brindlemere.|okay")
	if len(names) != 2 || names[0] != names[1] || names[0] == (linking.Chances{}) {
		t.Errorf("with an unformatted form, the name has other chances: %+v", names)
	}
}

// A name of many letters that each sound like two does no harm.
func TestALongNameIsLinked(t *testing.T) {
	var names []linking.Chances
	for _, fast := range []bool{true, false} {
		long := "My name is X" + strings.Repeat("x", 60)
		talk(t, engineOfChances(t, fast, &names), long+" Ida.", "Hello.", long+" Ina.")
	}
	if len(names) < 2 {
		t.Errorf("%d names were linked", len(names))
	}
}
