package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/anonymize"
	"sotto/internal/gold"
	"sotto/schemas"
	"sotto/state"
	"sotto/state/linking"
	"sotto/training/corpus/calls"
	"sotto/training/who/learning"
	"sotto/training/who/roles"
)

// readExamples returns the marked ones of the calls of files as the engine reads them. What the encoder says of each name comes from a
// network that did not learn from the call.
func readExamples(repository string, marked, files []string) ([]*learning.Example, *rolesOfNames, error) {
	all, err := gold.ReadPeopleFiles(marked...)
	if err != nil {
		return nil, nil, err
	}
	r, err := newRolesOfNames(repository)
	if err != nil {
		return nil, nil, err
	}
	var examples []*learning.Example
	linking.TryModels(learning.SameWords, linking.NobodyIsOne, func() {
		for _, name := range files {
			if err = findAll(&examples, r, name, all); err != nil {
				return
			}
		}
	})
	if err == nil {
		r.fill()
	}
	return examples, r, err
}

func findAll(examples *[]*learning.Example, r *rolesOfNames, name string, all map[string]*gold.People) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	read := gold.Read
	if filepath.Ext(name) == ".txt" {
		read = calls.Parse
	}
	conversations, err := read(f, name)
	if err != nil {
		return err
	}
	for i := range conversations {
		if m := all[conversations[i].ID]; m != nil {
			c, places, err := find(&conversations[i], m)
			if err == nil {
				err = r.read(&conversations[i], m, c, places)
			}
			if err != nil {
				return err
			}
			*examples = append(*examples, c)
		}
	}
	return nil
}

// find runs the engine on a call, and returns where the mentions are, too.
func find(g *gold.Conversation, m *gold.People) (*learning.Example, []roles.Place, error) {
	type finding struct {
		end int
		state.Mention
	}
	c := &learning.Example{ID: g.ID}
	var places []roles.Place
	found := map[int]finding{}
	engine, err := anonymize.New(anonymize.Options{Fast: true, Linked: func(_ int64, start, end int, m state.Mention) {
		m.Words = slices.Clone(m.Words)
		found[start] = finding{end, m}
	}})
	if err != nil {
		return nil, nil, err
	}
	conversation := anonymize.NewConversation(engine)
	for u := range g.Utterances {
		x := &g.Utterances[u]
		s := addSpeaker(c, m, x.Speaker, int64(u))
		clear(found)
		conversation.Add(&schemas.RawEvent{CallID: "c", Seq: int64(u), Type: schemas.Utterance, Context: g.Context, Text: x.Text,
			Speaker: &schemas.Speaker{ID: x.Speaker, Role: schemas.Role(x.Role())}})
		var starts []int
		for start := range found {
			starts = append(starts, start)
		}
		slices.Sort(starts)
		byteOf := offsets(x.Text)
		for _, start := range starts {
			f := found[start]
			places = append(places, roles.Place{Turn: u, Start: start, End: f.end})
			c.Mentions = append(c.Mentions, learning.Mention{Mention: f.Mention, Speaking: s, Person: personAt(m, u, byteOf, start, f.end)})
		}
	}
	return c, places, nil
}

// personAt returns who a finding between two byte offsets is.
func personAt(m *gold.People, utterance int, byteOf []int, start, end int) string {
	for _, x := range m.Mentions {
		if x.Utterance == utterance && byteOf[x.Start] < end && byteOf[x.End] > start {
			return x.Person
		}
	}
	return ""
}

// addSpeaker returns the position of a speaker in a call, to which it is added if it is new and talks with event seq.
func addSpeaker(c *learning.Example, m *gold.People, id string, seq int64) int {
	if s := slices.Index(c.Speakers, id); s >= 0 {
		return s
	}
	label, person := "", m.Speaker(id)
	if p := m.Persons[person]; p != "" {
		label = strings.Fields(p)[0]
	}
	c.Speakers, c.Labels, c.People = append(c.Speakers, id), append(c.Labels, label), append(c.People, person)
	c.Began = append(c.Began, seq)
	return len(c.Speakers) - 1
}

// offsets returns the byte offset of each code point, and of the end.
func offsets(s string) []int {
	var at []int
	for i := range s {
		at = append(at, i)
	}
	return append(at, len(s))
}
