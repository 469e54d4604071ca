package state

import (
	"fmt"
	"strings"
	"testing"

	"sotto/detectors"
	"sotto/state/linking"
)

// However much is said in a call, its state fits a Kafka message.
func TestTheLargestStateFitsAMessage(t *testing.T) {
	const limit = 3000
	c := NewCall()
	for i := range limit + 100 {
		long := strings.Repeat("x", 2*linking.MaxAlias) + fmt.Sprint(i)
		c.LinkOrCreate(Mention{Type: fmt.Sprint("T", i%50), Kind: detectors.KindText, Words: []string{fmt.Sprint(i), long}}, limit)
		for f := range maxAliases + 2 {
			c.AddKnownAlias(Mention{Type: fmt.Sprint("T", i%50), Kind: detectors.KindText, Words: []string{fmt.Sprint(i), long}},
				Mention{Kind: detectors.KindText, Words: []string{fmt.Sprint(i, " ", f), long}})
		}
	}
	data, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 900_000 {
		t.Errorf("the state has %d bytes", len(data))
	}
	if n := len(c.entities); n < limit/2 {
		t.Fatalf("only %d entities were remembered: the test tests nothing", n)
	}
}
