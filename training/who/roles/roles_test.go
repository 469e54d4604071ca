package roles

import (
	"reflect"
	"testing"

	"sotto/detectors/encoder"
	"sotto/internal/gold"
)

// calls are calls in which a name behind "this is" is the speaker's, one behind "hello" the listener's, and one behind "my brother" a third person's.
func calls() (c gold.Conversation, places []Place, roles []encoder.Role) {
	for i, name := range []string{"Ida", "Milan", "Walt", "Lenore", "Oksana", "Brindle"} {
		for role, before := range []string{"this is ", "hello ", "my brother "} {
			u := gold.Utterance{Speaker: []string{"agent", "customer"}[i%2], Text: before + name + []string{" and I", " so", "."}[i%3]}
			places = append(places, Place{len(c.Utterances), len(before), len(before) + len(name)})
			c.Utterances, roles = append(c.Utterances, u), append(roles, encoder.Role(role))
		}
	}
	return c, places, roles
}

func TestRolesAreLearned(t *testing.T) {
	m := encoder.Builtin()
	c, places, roles := calls()
	names, err := Read(t.Context(), m.NewReader(), &c, places)
	if err != nil {
		t.Fatal(err)
	}
	var examples []Example
	for range 30 {
		for i := range names {
			examples = append(examples, Example{names[i], roles[i]})
		}
	}
	network := Train(examples, m.Width())
	if !reflect.DeepEqual(network, Train(examples, m.Width())) {
		t.Error("two trainings differ")
	}
	data, err := m.EncodeRoles(network)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.WithRoles(data); err != nil {
		t.Fatal(err)
	}
	reader, window := m.NewReader(), []byte(nil)
	for i := range c.Utterances {
		var turn encoder.Turn
		var reading encoder.Reading
		m.Split(&turn, c.Utterances[i].Text, 1+i/3%2)
		window = reader.Read(1, window, &turn, &reading)
		word := firstWord(&turn, places[i])
		live := reading.Role(word)
		trained := Chances(network, &names[i], m.Width())
		for y := range live {
			if d := int(live[y]) - int(trained[y]); d < -5 || d > 5 {
				t.Errorf("%q: the program says %v, the training %v", c.Utterances[i].Text, live, trained)
			}
		}
		if trained[roles[i]] < 60 {
			t.Errorf("%q: role %d has %v", c.Utterances[i].Text, roles[i], trained)
		}
	}
}

// What the encoder does not read has no word.
func TestANameThatIsNoWord(t *testing.T) {
	m := encoder.Builtin()
	c := gold.Conversation{Utterances: []gold.Utterance{{Speaker: "agent", Text: "hello  you"}}}
	names, err := Read(t.Context(), m.NewReader(), &c, []Place{{0, 6, 6}})
	if err != nil {
		t.Fatal(err)
	}
	network := Train([]Example{}, m.Width())
	if p := Chances(network, &names[0], m.Width()); p != [encoder.NumRoles]uint8{} {
		t.Errorf("a place without a word has the roles %v", p)
	}
}
