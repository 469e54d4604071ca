package partition

import (
	"testing"

	"sotto/anonymize"
	"sotto/state"
	"sotto/training/corpus/callgen"
)

// In memory, the states of calls are about four fifths of their size in the state topic.
func TestTheDictionaryFitsTheStatesOfCalls(t *testing.T) {
	e, err := anonymize.New(anonymize.Options{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	calls := callgen.New(callgen.Config{Seed: 1})
	plain, compressed := 0, 0
	for i := range 100 {
		memory := state.NewCall()
		for _, event := range calls.Call(i).Events {
			e.Apply(memory, e.Prepare(&event.RawEvent))
		}
		data, err := memory.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		plain += len(data)
		compressed += len(dormantDictionary().Encode(nil, data))
	}
	t.Logf("%d bytes of %d", compressed/100, plain/100)
	if compressed*100 > plain*82 {
		t.Errorf("%d bytes of a state are %d with the dictionary", plain/100, compressed/100)
	}
}
