package anonymize_test

import (
	"testing"

	"sotto/anonymize"
	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
	"sotto/state/linking"
)

// chancesOf returns what the encoder says of the part in the talk of each name in the turns of two speakers.
func chancesOf(t *testing.T, fast bool, turns ...string) (all []linking.Chances) {
	t.Helper()
	engine, err := anonymize.New(anonymize.Options{Fast: fast, Linked: func(_ int64, _, _ int, m state.Mention) {
		if m.Kind == detectors.KindName {
			all = append(all, m.Talk.Chances)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	conversation := anonymize.NewConversation(engine)
	for i, text := range turns {
		conversation.Add(&schemas.RawEvent{CallID: "c", Seq: int64(i), Type: schemas.Utterance, Text: text,
			Speaker: &schemas.Speaker{ID: []string{"a", "b"}[i%2]}})
	}
	return all
}

// Every name in a turn that the encoder reads has chances that add up, also where the text is not read as it is written.
func TestTheEncoderSaysWhoseANameIs(t *testing.T) {
	turns := []string{"Thanks for calling, this is Oksana Brindlemere speaking.", "Hi Oksana, my name is Ｗalter Ｑuimby.",
		"Thank you Walter.", "And my wife Lenore Quimby is on the account, too."}
	names := chancesOf(t, false, turns...)
	if len(names) < 5 {
		t.Fatalf("%d names were linked", len(names))
	}
	for i, c := range names {
		if sum := int(c.Speaks) + int(c.Listens) + int(c.Third); sum < 98 || sum > 102 {
			t.Errorf("name %d: %+v", i, c)
		}
	}
	if names := chancesOf(t, true, turns...); len(names) < 5 || names[0] != (linking.Chances{}) {
		t.Errorf("without the encoder, the names have %+v", names)
	}
}
