package processor

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// What the encoder has read of a call outlives the process that read it: another one goes on with the same bytes.
func TestTheEncoderReadsOnAfterACrash(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.Set.Reading = "encoder"
	var events []*kgo.Record
	for i, line := range []string{
		"agent: thank you for calling this is Pilar how can i help", "caller: hi my name is Tobias Renkema and my card was declined",
		"agent: i am sorry to hear that could i get your date of birth please", "caller: the third of march nineteen eighty two",
		"agent: and where do you live", "caller: in Harlow now we moved there on Tuesday",
		"agent: could you spell the last name for me", "caller: r e n k e m a", "agent: and the number of the card",
		"caller: four five three nine one four eight eight", "agent: thanks Tobias i see it", "caller: great so friday then",
	} {
		speaker, text, _ := strings.Cut(line, ": ")
		for p, call := range []string{"first", "second"} {
			events = append(events, r.Raw(int32(p), utterance(call, int64(i+1), speaker, text)))
		}
	}
	half := len(events)/2 + 1
	in := r.start("a")
	r.Feed(events[:half]...)
	r.Await(r.Topics.Clean, half)
	in.kill()
	r.start("b")
	r.Feed(events[half:]...)
	sameAsSerial(t, r)
}
