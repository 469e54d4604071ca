package gold

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// People say who the mentions of persons and the speakers of a labelled conversation are.
type People struct {
	// ID is that of the conversation.
	ID string `json:"id"`
	// Persons has the name of each person by a word for the person, as p1.
	Persons map[string]string `json:"persons"`
	// Speakers has the person of each speaker who is known.
	Speakers map[string]string `json:"speakers"`
	Mentions []PersonMention   `json:"mentions"`
	// Line is where they stand in their file, from 1.
	Line int `json:"-"`
}

// PersonMention is where a person is mentioned. In JSON it is [utterance, start, end, person].
type PersonMention struct {
	// Utterance counts from 0, Start and End count Unicode code points, end exclusive.
	Utterance, Start, End int
	// Person is Unknown where nobody can know who is meant.
	Person string
}

// Unknown is the person of a mention if nobody can know who is meant.
const Unknown = "?"

// UnmarshalJSON reads [utterance, start, end, person].
func (m *PersonMention) UnmarshalJSON(data []byte) error {
	to := []any{&m.Utterance, &m.Start, &m.End, &m.Person}
	if json.Unmarshal(data, &to) != nil || len(to) != 4 || m.Person == "" {
		return errMention
	}
	return nil
}

var errMention = errors.New("a mention is not [utterance, start, end, person]")

// Speaker returns the person who a speaker is, "" if that is not known.
func (p *People) Speaker(id string) string {
	for s, person := range p.Speakers {
		if strings.EqualFold(s, id) {
			return person
		}
	}
	return ""
}

// Fit is an error if the mentions do not lie within the texts of the conversation.
func (p *People) Fit(c *Conversation) error {
	for i, m := range p.Mentions {
		if m.Utterance < 0 || m.Utterance >= len(c.Utterances) {
			return fmt.Errorf("mention %d of a person is in utterance %d of %d: the marks are those of another conversation", i+1, m.Utterance+1, len(c.Utterances))
		}
		if n := utf8.RuneCountInString(c.Utterances[m.Utterance].Text); m.Start < 0 || m.End <= m.Start || m.End > n {
			return fmt.Errorf("mention %d of a person is not within its text of %d code points: the marks are those of another conversation", i+1, n)
		}
	}
	return nil
}

// ReadPeopleFiles reads who is who in conversations, by their IDs.
func ReadPeopleFiles(names ...string) (map[string]*People, error) {
	all := map[string]*People{}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		people, err := ReadPeople(f, name)
		f.Close()
		if err != nil {
			return nil, err
		}
		for _, p := range people {
			if all[p.ID] != nil {
				return nil, fmt.Errorf("%s:%d: the persons of this conversation are marked twice; give one of the readings", name, p.Line)
			}
			all[p.ID] = p
		}
	}
	return all, nil
}

// ReadPeople reads who is who in conversations, one JSON object a line. Errors name file and line; they never repeat any
// text.
func ReadPeople(r io.Reader, name string) (out []*People, err error) {
	err = Lines(r, name, func(line int, data []byte) error {
		p := &People{}
		err := json.Unmarshal(data, p)
		switch {
		case errors.Is(err, errMention):
			return fmt.Errorf("%s:%d: %w", name, line, errMention)
		case err != nil || p.ID == "" || p.Mentions == nil:
			return fmt.Errorf("%s:%d: not the persons of a conversation: {\"id\", \"persons\", \"speakers\", \"mentions\"}", name, line)
		}
		p.Line = line
		out = append(out, p)
		return nil
	})
	return out, err
}
