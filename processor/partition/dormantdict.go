package partition

import (
	"sync"

	"github.com/klauspost/compress/s2"

	"sotto/detectors"
	"sotto/state"
)

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
					Type: name, Kind: []state.Kind{state.KindName, state.KindOrg, state.KindCode, state.KindCode}[i],
					Code: "604555010" + string(rune('0'+n)), Words: []string{string(rune('a' + n)), "x"},
					Speaker: state.SpeakerID(n % 3), Self: n == 1, OfSpeaker: i == 1, Source: state.Source(n % 3),
				}, 99)
			}
			c.SetQuestions([]state.Question{{Type: name, Asker: 1, Seq: 9, TimeMS: 1 << 15, Answered: true}, {Type: name, Asker: 2, Seq: 30, TimeMS: 1 << 17}})
		}
		for n := range int64(16) {
			c.AddTurn(state.Turn{Speaker: state.SpeakerID(1 + n%2), Seq: 8 + n, TimeMS: 1<<15 + n<<12, Asked: 1 << (n * 2), Kinds: 1 << (n % 16), End: uint8(n)})
		}
		add(c)
	}
	return s2.MakeDict(sample, nil)
})
