// Package gold reads and writes labelled conversations and makes variants of them (lower case,
// without punctuation). It imports nothing else of the project.
package gold

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Conversation is one labelled call.
type Conversation struct {
	ID      string `json:"id"`
	Source  string `json:"source"`
	Context string `json:"context"`
	// Vertical is the line of business or the setting, as in auto_insurance.
	Vertical string `json:"vertical,omitempty"`
	// Utterances are in the order in which they were said.
	Utterances []Utterance `json:"utterances"`
	// Line is where the conversation stands in its file, from 1.
	Line int `json:"-"`
}

// Utterance is one turn of a labelled call.
type Utterance struct {
	// Speaker is a word for the part in the call: agent, customer or user, or
	// any other for an unknown one.
	Speaker  string `json:"speaker"`
	Text     string `json:"text"`
	Entities []Span `json:"entities"`
}

// Role returns the role of the speaker as events name it: AGENT, CUSTOMER or UNKNOWN.
func (u *Utterance) Role() string {
	switch strings.ToLower(u.Speaker) {
	case "agent":
		return "AGENT"
	case "customer", "user":
		return "CUSTOMER"
	}
	return "UNKNOWN"
}

// Span is a labelled piece of personal information. Start and End count
// Unicode code points, end exclusive.
type Span struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Type  string `json:"type"`
	// OfSpeaker says that an organization or a product belongs to a speaker of the
	// call. The residual risk depends on it.
	OfSpeaker bool `json:"of_speaker,omitempty"`
	// Number is that of the tag, where the span is a mask of an anonymizer; 0 for none.
	Number int `json:"number,omitempty"`
}

// Write writes labelled conversations, one JSON object a line.
func Write(w io.Writer, conversations []Conversation) error {
	out := bufio.NewWriter(w)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for _, c := range rewrite(conversations, withoutNull) {
		if err := e.Encode(c); err != nil {
			return err
		}
	}
	return out.Flush()
}

// withoutNull makes a list of no spans an empty one, which JSON writes as [].
func withoutNull(u Utterance) Utterance {
	if u.Entities == nil {
		u.Entities = []Span{}
	}
	return u
}

// Read reads labelled conversations, one JSON object a line. Fields that it
// does not know and empty lines are passed over. Errors name file and line;
// they never repeat any text.
func Read(r io.Reader, name string) (out []Conversation, err error) {
	err = Lines(r, name, func(line int, data []byte) error {
		c, problem := decode(data)
		if problem != "" {
			return fmt.Errorf("%s:%d: %s", name, line, problem)
		}
		c.Line = line
		out = append(out, c)
		return nil
	})
	return out, err
}

// Lines calls f with each line that is not empty, of any length, and its number. An error of the reader
// names file and line.
func Lines(r io.Reader, name string, f func(line int, data []byte) error) error {
	br := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		data, err := br.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
		if len(bytes.TrimSpace(data)) > 0 {
			if err := f(line, data); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

// decode reads one conversation; problem is empty when it is well formed.
func decode(data []byte) (c Conversation, problem string) {
	if !utf8.Valid(data) {
		return c, "the line is not valid UTF-8"
	}
	if err := json.Unmarshal(data, &c); err != nil {
		// The messages of encoding/json quote the input.
		var syntax *json.SyntaxError
		var wrong *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			return c, fmt.Sprintf("not a JSON object (byte %d)", syntax.Offset)
		case errors.As(err, &wrong) && wrong.Field != "":
			return c, fmt.Sprintf("field %s has the wrong type (byte %d)", wrong.Field, wrong.Offset)
		}
		return c, "not a labelled conversation"
	}
	if c.Utterances == nil {
		return c, "no utterances: not a labelled conversation"
	}
	for i, u := range c.Utterances {
		n := utf8.RuneCountInString(u.Text)
		for k, s := range u.Entities {
			switch {
			case s.Start < 0 || s.End <= s.Start || s.End > n:
				return c, fmt.Sprintf("utterance %d, entity %d: positions %d to %d are not within a text of %d code points", i+1, k+1, s.Start, s.End, n)
			case s.Type == "":
				return c, fmt.Sprintf("utterance %d, entity %d has no type", i+1, k+1)
			}
		}
	}
	return c, ""
}
