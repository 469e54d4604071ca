package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"sotto/detectors"
	"sotto/detectors/encoder"
	"sotto/internal/gold"
	"sotto/state/linking"
	"sotto/training/who/learning"
	"sotto/training/who/roles"
)

// parts is in how many parts the calls are: what the encoder says of the names of one comes from a network that learned from the others.
const parts = 5

// rolesOfNames are the names of calls as the encoder reads them.
type rolesOfNames struct {
	model  *encoder.Model
	reader *encoder.Reader
	names  [parts][]namedMention
}

type namedMention struct {
	name    roles.Name
	of      *linking.Chances
	role    encoder.Role
	isKnown bool
}

// encoderFile is the encoder, which is not asked for as part of the program: that has roles which were made for the former encoder while
// new ones are learned.
const encoderFile = "detectors/encoder/encoder.model"

// newRolesOfNames reads the encoder of a repository.
func newRolesOfNames(repository string) (*rolesOfNames, error) {
	data, err := os.ReadFile(filepath.Join(repository, encoderFile))
	if err != nil {
		return nil, err
	}
	m, err := encoder.Load(data)
	if err != nil {
		return nil, err
	}
	return &rolesOfNames{model: m, reader: m.NewReader()}, nil
}

// read adds the names among the mentions of a call, which are at places.
func (r *rolesOfNames) read(g *gold.Conversation, m *gold.People, c *learning.Example, places []roles.Place) error {
	names, err := roles.Read(context.Background(), r.reader, g, places)
	if err != nil {
		return err
	}
	part := &r.names[learning.Part(c.ID, parts)]
	for i := range c.Mentions {
		x := &c.Mentions[i]
		if x.Kind != detectors.KindName && !x.Spelled {
			continue
		}
		n := namedMention{name: names[i], of: &x.Talk.Chances}
		n.role, n.isKnown = roleOf(g, m, x.Person, c.Speakers[x.Speaking])
		*part = append(*part, n)
	}
	return nil
}

// roleOf returns which part in the talk a person has whom a speaker names.
func roleOf(g *gold.Conversation, m *gold.People, person, speaker string) (encoder.Role, bool) {
	if person == "" || person == gold.Unknown {
		return 0, false
	}
	if m.Speaker(speaker) == person {
		return encoder.Speaks, true
	}
	for i := range g.Utterances {
		if m.Speaker(g.Utterances[i].Speaker) == person {
			return encoder.Listens, true
		}
	}
	return encoder.Third, true
}

// fill gives each mention what a network says of it that learned from the other parts.
func (r *rolesOfNames) fill() {
	var wg sync.WaitGroup
	slots := make(chan bool, runtime.GOMAXPROCS(0))
	for part := range parts {
		wg.Go(func() {
			slots <- true
			defer func() { <-slots }()
			network := roles.Train(r.examples(part), r.model.Width())
			for i := range r.names[part] {
				n := &r.names[part][i]
				p := roles.Chances(network, &n.name, r.model.Width())
				*n.of = linking.Chances{Speaks: p[encoder.Speaks], Listens: p[encoder.Listens], Third: p[encoder.Third]}
			}
		})
	}
	wg.Wait()
}

// file returns the file of a network that learned from all calls.
func (r *rolesOfNames) file() ([]byte, error) {
	return r.model.EncodeRoles(roles.Train(r.examples(parts), r.model.Width()))
}

// examples are the names that are marked, but for those of a part.
func (r *rolesOfNames) examples(but int) (all []roles.Example) {
	for part := range r.names {
		for i := range r.names[part] {
			if n := &r.names[part][i]; part != but && n.isKnown && n.name.IsRead() {
				all = append(all, roles.Example{Name: n.name, Role: n.role})
			}
		}
	}
	return all
}
