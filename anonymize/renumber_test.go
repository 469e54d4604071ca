package anonymize

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"sotto/schemas"
	"sotto/state"
	"sotto/state/linking"
)

// heardTwice is a call in which a name is heard in two ways, the second of which has a number of its own while the call lasts.
var heardTwice = []*schemas.RawEvent{
	{CallID: "c", Seq: 1, Type: schemas.Utterance, Text: "my name is Katarzyna Wrobel", Speaker: &schemas.Speaker{ID: "a"}},
	{CallID: "c", Seq: 2, Type: schemas.Utterance, Text: "okay katarina, what can I do", Speaker: &schemas.Speaker{ID: "b", Label: "Delphine"}},
	{CallID: "c", Seq: 3, Type: schemas.Utterance, Text: "ask Thaddeus Quill", Speaker: &schemas.Speaker{ID: "a"}},
}

// alikeAreOne is a model of couples by which two persons are one if a word of the one's name is like one of the other's.
const alikeAreOne = "-10000,0\n4 60 1 2,0,20000"

// finished returns a call while it lasted and as it is at its end. The state goes through its encoding in between. Nobody is one while the
// call lasts, and those whose names are alike are in the end, whatever the models that are built in think of these names.
func finished(t *testing.T, e *Engine, events []*schemas.RawEvent) (c *state.Call, live, final []schemas.CleanEvent) {
	t.Helper()
	conversation := NewConversation(e)
	var all []*schemas.CleanEvent
	linking.TryModels(linking.NobodyIsOne, linking.NobodyIsOne, func() {
		for _, ev := range events {
			out := conversation.Add(ev)
			live = append(live, out.Clean)
			all = append(all, &out.Clean)
		}
	})
	sealed, err := conversation.Call().MarshalBinary()
	c = state.NewCall()
	if err == nil {
		err = c.UnmarshalBinary(sealed)
	}
	if err == nil {
		linking.TryModels("", alikeAreOne, func() { err = Resume(e, c).Finish(context.Background(), all) })
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, clean := range all {
		final = append(final, *clean)
	}
	return c, live, final
}

func TestPersonsWhoAreOneHaveOneNumberInTheEnd(t *testing.T) {
	e, err := New(Options{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	c, live, final := finished(t, e, heardTwice)
	if live[1].Text != "okay [PERSON_NAME_3], what can I do" || live[1].Entities[0].ID != 3 {
		t.Fatalf("the call says %q: nothing is left to be found", live[1].Text)
	}
	for i, want := range []string{"my name is [PERSON_NAME_1]", "okay [PERSON_NAME_1], what can I do", "ask [PERSON_NAME_4]"} {
		x := final[i].Entities[0]
		if final[i].Text != want || final[i].Text[x.Start:x.End] != "[PERSON_NAME_"+string(rune('0'+x.ID))+"]" {
			t.Errorf("the final version has %q with %+v, want %q", final[i].Text, x, want)
		}
	}
	if want := map[string]map[string]int64{"PERSON_NAME": {"3": 1}}; !reflect.DeepEqual(c.Renumbered(), want) {
		t.Errorf("renumbered is %v", c.Renumbered())
	}
	if n := c.Entities()["PERSON_NAME"]; n != 3 {
		t.Errorf("there are %d persons", n)
	}
	if label := final[1].Speaker.Label; label != "[PERSON_NAME_2]" {
		t.Errorf("the label is %q", label)
	}
}

// A speaker's label has the number of the person, too, and the surrogate.
func TestLabelsAreRenumbered(t *testing.T) {
	e, err := New(Options{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	c, _, _ := finished(t, e, heardTwice)
	labelled := func(label string) *schemas.CleanEvent {
		return &schemas.CleanEvent{CallID: "c", Seq: 4, Type: schemas.Utterance, Speaker: &schemas.Speaker{ID: "s2", Label: label}}
	}
	if got := e.Renumber(c, labelled("Desk 7 [PERSON_NAME_3]")).Speaker.Label; got != "Desk 7 [PERSON_NAME_1]" {
		t.Errorf("the label is %q", got)
	}
	e = planned(t, strategies["entity-coherent"])
	c, _, final := finished(t, e, heardTwice)
	c.SetLabel(c.Speaker("b"), "katarina", "somebody")
	given := strings.Trim(strings.Fields(final[1].Text)[1], ",")
	if got := e.Renumber(c, labelled("somebody")).Speaker.Label; got != given {
		t.Errorf("the label is %q, want %q", got, given)
	}
	if got := e.Renumber(c, labelled("nobody")).Speaker.Label; got != "nobody" {
		t.Errorf("an unknown label has become %q", got)
	}
}

// Two names that turn out to be one person's while the call goes on have one number and one surrogate from then on: the last name of
// either becomes the surrogate's last name.
func TestPersonsWhoTurnOutToBeOneHaveOneSurrogate(t *testing.T) {
	for _, strategy := range []string{"entity-coherent", "typed-numbered"} {
		conversation := NewConversation(planned(t, strategies[strategy]))
		say := func(seq int64, speaker, text string) string {
			out := conversation.Add(&schemas.RawEvent{CallID: "c", Seq: seq, Type: schemas.Utterance, Text: text, Speaker: &schemas.Speaker{ID: speaker}})
			return out.Clean.Text
		}
		given := strings.TrimPrefix(say(1, "a", "my name is Katarzyna"), "my name is ")
		var whole string
		linking.TryModels("", linking.AllAreOne, func() { whole = strings.TrimPrefix(say(2, "b", "ask Thaddeus Quill"), "ask ") })
		words := strings.Fields(whole)
		if words[0] != given || say(3, "b", "is Quill the name of the owner?") != "is "+words[len(words)-1]+" the name of the owner?" {
			t.Errorf("%s: %q, then %q and %q", strategy, given, whole, say(4, "b", "is Quill the name of the owner?"))
		}
	}
}

// The surrogates of one person are one, in the parts that were said.
func TestPersonsWhoAreOneHaveOneSurrogateInTheEnd(t *testing.T) {
	e := planned(t, strategies["entity-coherent"])
	_, live, final := finished(t, e, heardTwice)
	given := strings.ToLower(strings.Fields(final[0].Text)[3])
	if got, want := final[1].Text, "okay "+given+", what can I do"; got != want || live[1].Text == want {
		t.Errorf("%q, then %q and in the end %q", live[0].Text, live[1].Text, got)
	}
	if final[0].Text != live[0].Text || final[2].Text != live[2].Text {
		t.Errorf("others changed: %q, %q", final[0].Text, final[2].Text)
	}
	for _, x := range final {
		if strings.Contains(strings.ToLower(x.Text), "katarzyna") || strings.Contains(x.Text, "katarina") {
			t.Errorf("%q has the name", x.Text)
		}
	}
}
