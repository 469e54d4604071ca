// Package adversary asks a language model what clean calls still say of the people in them, as somebody would who
// wants to know: age, sex, place, employer, occupation, relations and names, what stands behind tags, and which
// other call is of the same person. The answers are scored against what is known.
//
// What a call says is data. It is sent as JSON, answers are read by a fixed form, and what an answer
// quotes counts only if the call has it. Errors never have text of a call or of an answer.
package adversary

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sotto/detectors"
	"sotto/detectors/remote/llm"
	"sotto/internal/gold"
)

// Attributes are what the adversary says of a speaker.
var Attributes = []string{"age_group", "sex", "place", "employer", "occupation", "relations", "name"}

// What else the adversary says of a call.
const (
	Tags = "tags"        // what stands behind a tag
	Same = "same_person" // which other call is of the same person
)

// Profile has the values of the attributes that are known of a speaker.
type Profile map[string][]string

// Truth is what is known about a call. What it does not have is not known.
type Truth struct {
	ID string `json:"id"`
	// Speakers has what is known of each, as {"customer": {"place": ["Leeds"], "relations": ["a sister"]}}.
	Speakers map[string]Profile `json:"speakers"`
	// Tags has what stands behind tags, as {"[PERSON_NAME_1]": "Ines"}.
	Tags map[string]string `json:"tags"`
	// Same has the IDs of other calls of the same person.
	Same []string `json:"same_person"`
}

// ReadTruth reads what is known, one JSON object a line.
func ReadTruth(r io.Reader, name string) (map[string]*Truth, error) {
	all := map[string]*Truth{}
	err := gold.Lines(r, name, func(line int, data []byte) error {
		t := &Truth{}
		if json.Unmarshal(data, t) != nil || t.ID == "" || all[t.ID] != nil {
			return fmt.Errorf("%s:%d: not what is known of another call: {\"id\", \"speakers\", \"tags\", \"same_person\"}", name, line)
		}
		for _, p := range t.Speakers {
			for attribute := range p {
				if !slices.Contains(Attributes, attribute) {
					return fmt.Errorf("%s:%d: a speaker has an attribute that is none of %s", name, line, strings.Join(Attributes, ", "))
				}
			}
		}
		all[t.ID] = t
		return nil
	})
	return all, err
}

// Answer is what the adversary says of a call.
type Answer struct {
	Speakers map[string]Profile `json:"speakers,omitempty"`
	Tags     map[string]string  `json:"tags,omitempty"`
	Same     string             `json:"same_person,omitempty"`
	// Evidence is what the call says about it. Quotes that the call does not have are not here.
	Evidence []Hint `json:"evidence,omitempty"`
	// Misquoted is how many quotes the call did not have.
	Misquoted int `json:"misquoted,omitempty"`
	// asked says which questions about the call are answered, or refused by the model: about its people, and about the same person.
	asked [2]bool
}

// Hint is a place in a call that gave something away. Positions count code points of the turn, which counts from 0.
type Hint struct {
	// Speaker is whom it is about, "" for a tag or the same person.
	Speaker string `json:"speaker,omitempty"`
	// About is an attribute, a tag, or Same.
	About string `json:"about"`
	Turn  int    `json:"turn"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// reply is the form of the answers. Unknown keys are dropped.
type reply struct {
	Speakers []struct {
		Speaker    string    `json:"speaker"`
		AgeGroup   string    `json:"age_group"`
		Sex        string    `json:"sex"`
		Place      string    `json:"place"`
		Employer   string    `json:"employer"`
		Occupation string    `json:"occupation"`
		Relations  []string  `json:"relations"`
		Name       string    `json:"name"`
		Evidence   []quoting `json:"evidence"`
	} `json:"speakers"`
	Tags []struct {
		Tag      string   `json:"tag"`
		Value    string   `json:"value"`
		Evidence []string `json:"evidence"`
	} `json:"tags"`
}

type quoting struct {
	About string `json:"about"`
	Quote string `json:"quote"`
}

// linking is the form of the answers about the same person.
type linking struct {
	Same     *string  `json:"same_person"`
	Evidence []string `json:"evidence"`
}

// maxValue bounds what an answer may say of one thing, and maxQuotes how often it may quote.
const (
	maxValue  = 200
	maxQuotes = 200
)

var errForm = errors.New("the answer is not JSON of the form that was asked for")

// reader checks an answer against its call.
type reader struct {
	call   *gold.Conversation
	answer Answer
	quotes int
}

// read reads an answer about the people of a call. Speakers and tags that the call does not have are dropped.
func read(c *gold.Conversation, content string) (*Answer, error) {
	var said reply
	if json.Unmarshal([]byte(llm.Unwrap(content)), &said) != nil || said.Speakers == nil {
		return nil, errForm
	}
	r := reader{call: c, answer: Answer{Speakers: map[string]Profile{}, Tags: map[string]string{}}}
	for _, s := range said.Speakers {
		if !slices.ContainsFunc(c.Utterances, func(u gold.Utterance) bool { return u.Speaker == s.Speaker }) || r.answer.Speakers[s.Speaker] != nil {
			continue
		}
		p := Profile{}
		for i, v := range []string{s.AgeGroup, s.Sex, s.Place, s.Employer, s.Occupation, "", s.Name} {
			p.add(Attributes[i], v)
		}
		for _, v := range s.Relations {
			p.add("relations", v)
		}
		r.answer.Speakers[s.Speaker] = p
		for _, q := range s.Evidence {
			if p[q.About] != nil {
				r.quote(s.Speaker, q.About, q.Quote)
			}
		}
	}
	known := tagsOf(c)
	for _, t := range said.Tags {
		if !slices.Contains(known, t.Tag) || !says(t.Value) || r.answer.Tags[t.Tag] != "" {
			continue
		}
		r.answer.Tags[t.Tag] = t.Value
		for _, q := range t.Evidence {
			r.quote("", t.Tag, q)
		}
	}
	return &r.answer, nil
}

// readLink reads an answer about the same person. candidates are the calls that it may name, by their words.
func readLink(c *gold.Conversation, candidates map[string]string, content string) (*Answer, error) {
	var said linking
	if json.Unmarshal([]byte(llm.Unwrap(content)), &said) != nil || said.Same == nil {
		return nil, errForm
	}
	r := reader{call: c, answer: Answer{Same: candidates[*said.Same]}}
	if r.answer.Same != "" {
		for _, q := range said.Evidence {
			r.quote("", Same, q)
		}
	}
	return &r.answer, nil
}

// says reports whether a value is an answer.
func says(value string) bool {
	return folded(value) != "" && folded(value) != "unknown" && len(value) <= maxValue
}

func (p Profile) add(attribute, value string) {
	if says(value) {
		p[attribute] = append(p[attribute], value)
	}
}

// quote adds the places of a quote in the turns of the call. Case, accents and what stands between words do not count.
func (r *reader) quote(speaker, about, quote string) {
	if r.quotes++; r.quotes > maxQuotes {
		return
	}
	found := false
	for i, u := range r.call.Utterances {
		var d detectors.Document
		d.Reset(u.Text)
		for _, at := range llm.Occurrences(&d, quote) {
			r.answer.Evidence, found = append(r.answer.Evidence, Hint{speaker, about, i, at[0], at[1]}), true
		}
	}
	if !found {
		r.answer.Misquoted++
	}
}

// tagsOf returns the tags of a call, each once, in the order of the text.
func tagsOf(c *gold.Conversation) (all []string) {
	for _, u := range c.Utterances {
		for _, t := range marker.FindAllString(u.Text, -1) {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all
}

// folded returns the words of a value without case, accents and punctuation.
func folded(value string) string {
	var d detectors.Document
	d.Reset(value)
	words := make([]string, 0, len(d.Said()))
	for _, i := range d.Said() {
		words = append(words, string(d.Word(i)))
	}
	return strings.Join(words, " ")
}
