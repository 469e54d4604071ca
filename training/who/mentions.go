package main

import (
	"encoding/json"
	"io"
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
)

func writeMentions(out io.Writer, marked, files []string) error {
	all, err := gold.ReadPeopleFiles(marked...)
	if err != nil {
		return err
	}
	linking.TryModels(learning.SameWords, linking.NobodyIsOne, func() {
		e := json.NewEncoder(out)
		for _, name := range files {
			if err = findAll(e, name, all); err != nil {
				return
			}
		}
	})
	return err
}

func findAll(e *json.Encoder, name string, all map[string]*gold.People) error {
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
			c, err := find(&conversations[i], m)
			if err != nil {
				return err
			}
			if err := e.Encode(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// find runs the engine on a call.
func find(g *gold.Conversation, m *gold.People) (*learning.Example, error) {
	type finding struct {
		end int
		state.Mention
	}
	c := &learning.Example{ID: g.ID}
	found := map[int]finding{}
	engine, err := anonymize.New(anonymize.Options{Fast: true, Linked: func(_ int64, start, end int, m state.Mention) {
		m.Words = slices.Clone(m.Words)
		found[start] = finding{end, m}
	}})
	if err != nil {
		return nil, err
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
			c.Mentions = append(c.Mentions, learning.Mention{Mention: f.Mention, Speaking: s, Person: personAt(m, u, byteOf, start, f.end)})
		}
	}
	return c, nil
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
