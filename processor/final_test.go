package processor

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"sotto/detectors"
	"sotto/processor/partition"
	"sotto/schemas"
	"sotto/state"
)

// TestTheFinalVersionKnowsWhatWasLearntLater overlooks a name that only a later utterance
// introduces, with a failover between the two.
func TestTheFinalVersionKnowsWhatWasLearntLater(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.KeepFinals(1)
	careless := func(p *Processor) { p.wrap = withPanics }
	in := r.start("a", careless)
	early := oddMark + " quimbolt called me"
	r.Feed(
		r.Raw(0, &schemas.RawEvent{CallID: "c", Seq: 1, Type: schemas.Start, TimestampMS: 1_700_000_000_000}),
		r.Raw(0, utterance("c", 2, "x", early)))
	r.Await(r.Topics.Clean, 2)
	in.kill()
	r.start("a", careless)
	r.Feed(r.Raw(0, utterance("c", 3, "y", "My name is Rosa Quimbolt.")), r.Raw(0, ended("c", 4)))
	clean := r.Clean(r.Await(r.Topics.Clean, 4))
	final := r.Clean(r.Await(r.Set.TopicFinal, 4))
	if clean[1].Text != early {
		t.Fatalf("the clean topic has %q: nothing is left to be found", clean[1].Text)
	}
	if got, want := final[1].Text, strings.Replace(early, "quimbolt", "[PERSON_NAME_1]", 1); got != want {
		t.Errorf("the final version has %q, want %q", got, want)
	}
	if final[2].Text != clean[2].Text || final[2].Entities[0].ID != 1 {
		t.Errorf("the final version has %q where the clean topic has %q", final[2].Text, clean[2].Text)
	}
	before, after := clean[3].Call, final[3].Call
	if *before.EstimatedRisk < *after.EstimatedRisk+3 {
		t.Errorf("the estimate is %v for the clean events and %v for the final version: the missed name does not count", *before.EstimatedRisk, *after.EstimatedRisk)
	}
	if !after.Release || after.Utterances != 2 {
		t.Errorf("the final version ends with %+v", after)
	}
	kept := map[string]bool{}
	for _, rec := range r.Read(r.Topics.State) {
		if _, _, ok := partition.ParseChunkKey(string(rec.Key)); ok {
			kept[string(rec.Key)] = rec.Value != nil
			if bytes.Contains(rec.Value, []byte("name")) {
				t.Error("a transcript is not sealed")
			}
		}
	}
	if len(kept) == 0 {
		t.Error("nothing was kept in the state topic")
	}
	for key, there := range kept {
		if there {
			t.Errorf("the chunk %q still exists after the end of the call", key)
		}
	}
	// Within the grace period.
	r.Feed(r.Raw(0, utterance("c", 5, "y", "goodbye from Rosa Quimbolt")))
	if e := r.Clean(r.Await(r.Set.TopicFinal, 5))[4]; e.Seq != 5 || e.Entities[0].ID != 1 {
		t.Errorf("within the grace period the final topic got %+v", e)
	}
}

func TestAnIncompleteFinalVersionIsNotReleased(t *testing.T) {
	r := newRig(t, 1)
	r.KeepFinals(1)
	r.Set.FinalMaxBytes = 1000
	r.start("a")
	for i := range int64(20) {
		r.Feed(r.Raw(0, utterance("c", i+1, "x", "well, let me see what I can do about that")))
	}
	r.Feed(r.Raw(0, ended("c", 30)))
	clean := r.Clean(r.Await(r.Topics.Clean, 21))
	var final []*schemas.CleanEvent
	eventually(t, "the final version", func() bool {
		final = r.Clean(r.Read(r.Set.TopicFinal))
		return len(final) > 0
	})
	end := final[len(final)-1]
	if n := len(final) - 1; n == 0 || n == 20 || end.Call.Release || end.Call.Reason != fmt.Sprintf("the final version lacks %d utterances", 20-n) {
		t.Errorf("with %d of 20 utterances the final version ends with %+v", len(final)-1, end.Call)
	}
	if !clean[20].Call.Release {
		t.Error("the call itself was not released")
	}
}

type panicsInClosingPass struct{ engine }

func (panicsInClosingPass) ClosingPass(*state.Call, *schemas.CleanEvent, []detectors.Finding) (schemas.CleanEvent, []schemas.Entity, bool) {
	panic("with secret text of the call")
}

func TestAPanicOfTheClosingPassChangesNothing(t *testing.T) {
	r := newRig(t, 1)
	r.KeepFinals(1)
	r.start("a", func(p *Processor) { p.wrap = func(e engine) engine { return panicsInClosingPass{e} } })
	r.Feed(r.Raw(0, utterance("c", 1, "x", "this is Rosa Lindqvist speaking")), r.Raw(0, ended("c", 2)))
	final := r.Clean(r.Await(r.Set.TopicFinal, 2))
	clean := r.Clean(r.Await(r.Topics.Clean, 2))
	if final[0].Text != clean[0].Text || !final[1].Call.Release {
		t.Errorf("after a panic the final version is %q and %+v", final[0].Text, final[1].Call)
	}
	if strings.Contains(r.log.String(), "secret") || len(r.DeadLetters()) > 0 {
		t.Error("the panic is in the log, or there is a dead letter")
	}
}

// TestTheFinalVersionRenumbersPersons has one person with two numbers in the clean topic, with a failover before the end. The final
// version has one, and the END says so; what comes later follows it.
func TestTheFinalVersionRenumbersPersons(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.KeepFinals(1)
	in := r.start("a")
	r.Feed(r.Raw(0, utterance("c", 1, "x", "my name is Makoa Kealoha")), r.Raw(0, utterance("c", 2, "y", "okay mocha, what can I do")))
	r.Await(r.Topics.Clean, 2)
	in.kill()
	r.start("a")
	r.Feed(r.Raw(0, utterance("c", 3, "x", "ask Thaddeus Quill")), r.Raw(0, ended("c", 4)))
	clean := r.Clean(r.Await(r.Topics.Clean, 4))
	final := r.Clean(r.Await(r.Set.TopicFinal, 4))
	r.Feed(r.Raw(0, utterance("c", 5, "y", "goodbye mocha")))
	late, lateFinal := r.Clean(r.Await(r.Topics.Clean, 5))[4], r.Clean(r.Await(r.Set.TopicFinal, 5))[4]
	for _, e := range []struct{ got, want string }{
		{clean[1].Text, "okay [PERSON_NAME_2], what can I do"}, {final[1].Text, "okay [PERSON_NAME_1], what can I do"},
		{clean[2].Text, "ask [PERSON_NAME_3]"}, {final[2].Text, "ask [PERSON_NAME_3]"},
		{late.Text, "goodbye [PERSON_NAME_1]"}, {lateFinal.Text, "goodbye [PERSON_NAME_1]"},
	} {
		if e.got != e.want {
			t.Errorf("got %q, want %q", e.got, e.want)
		}
	}
	for _, end := range []*schemas.CallSummary{clean[3].Call, final[3].Call} {
		if want := map[string]map[string]int64{"PERSON_NAME": {"2": 1}}; !reflect.DeepEqual(end.Renumbered, want) {
			t.Errorf("renumbered is %v, want %v", end.Renumbered, want)
		}
	}
	if before, after := clean[3].Call.Entities["PERSON_NAME"], final[3].Call.Entities["PERSON_NAME"]; before != 3 || after != 2 {
		t.Errorf("there are %d persons and in the end %d", before, after)
	}
}

type panicsInRenumber struct{ engine }

func (panicsInRenumber) Renumber(*state.Call, *schemas.CleanEvent) schemas.CleanEvent {
	panic("with secret text of the call")
}

// If persons cannot be renumbered, the final version has the numbers that were published, and does not say otherwise.
func TestAPanicOfRenumberKeepsTheNumbers(t *testing.T) {
	r := newRig(t, 1)
	r.KeepFinals(1)
	r.start("a", func(p *Processor) { p.wrap = func(e engine) engine { return panicsInRenumber{e} } })
	r.Feed(r.Raw(0, utterance("c", 1, "x", "my name is Makoa Kealoha")), r.Raw(0, utterance("c", 2, "y", "okay mocha, what can I do")), r.Raw(0, ended("c", 3)))
	final := r.Clean(r.Await(r.Set.TopicFinal, 3))
	if final[1].Text != "okay [PERSON_NAME_2], what can I do" || final[2].Call.Renumbered != nil || !final[2].Call.Release {
		t.Errorf("after a panic the final version is %q and %+v", final[1].Text, final[2].Call)
	}
	if strings.Contains(r.log.String(), "secret") || len(r.DeadLetters()) > 0 {
		t.Error("the panic is in the log, or there is a dead letter")
	}
}
