// Package transcripts reads anonymized calls, event by event, and puts the events of each call
// together.
package transcripts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"sotto/internal/gold"
	"sotto/schemas"
	"sotto/training/corpus/calls"
)

// ReadFile calls fn with the events of a file: clean events as JSON lines, as the stream and `sotto
// anonymize` write them, or labelled conversations as JSON lines or marked-up text, whose labels
// become entities. Errors, also those of fn, name file and line, and never the text.
func ReadFile(path string, fn func(*schemas.CleanEvent) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return Read(f, path, fn)
}

// Read reads as ReadFile does. Marked-up text and JSON lines are told apart by the name.
func Read(r io.Reader, name string, fn func(*schemas.CleanEvent) error) error {
	if calls.IsMarkup(name) {
		conversations, err := calls.Parse(r, name)
		if err != nil {
			return err
		}
		for i := range conversations {
			if err := eventsOf(&conversations[i], fmt.Sprintf("%s:%d", name, conversations[i].Line), fn); err != nil {
				return err
			}
		}
		return nil
	}
	codec, err := schemas.NewCodec(context.Background(), schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		return err
	}
	ids := map[string]bool{}
	return gold.Lines(r, name, func(n int, line []byte) error {
		return readLine(codec, line, fmt.Sprintf("%s:%d", name, n), ids, fn)
	})
}

// readLine reads a line. ids are those of the labelled conversations before it.
func readLine(codec *schemas.Codec, line []byte, place string, ids map[string]bool, fn func(*schemas.CleanEvent) error) error {
	var form struct {
		Utterances json.RawMessage `json:"utterances"`
	}
	if json.Unmarshal(line, &form) != nil {
		return fmt.Errorf("%s: not a JSON object: the file is cut off, or has no events, which 'sotto anonymize --events' writes of other formats", place)
	}
	if form.Utterances == nil {
		e, err := codec.DecodeClean(bytes.TrimSpace(line))
		if err != nil {
			return fmt.Errorf("%s: neither a clean event nor a labelled conversation: %w", place, err)
		}
		return at(place, fn(e))
	}
	conversations, err := gold.Read(bytes.NewReader(line), place)
	if err != nil {
		return err
	}
	c := &conversations[0]
	if c.ID != "" && ids[c.ID] {
		return fmt.Errorf("%s: an earlier call has the same id; give each call its own", place)
	}
	ids[c.ID] = true
	return eventsOf(c, place, fn)
}

func at(place string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	return nil
}

// eventsOf makes events of a labelled conversation. They have no policy, and their END releases nothing: nobody has
// anonymized them.
func eventsOf(c *gold.Conversation, place string, fn func(*schemas.CleanEvent) error) error {
	id := cmp.Or(c.ID, place)
	for i, u := range c.Utterances {
		e := schemas.CleanEvent{
			CallID: id, Seq: int64(i + 1), Type: schemas.Utterance, Context: c.Context, Text: u.Text,
			Speaker: &schemas.Speaker{ID: u.Speaker, Role: schemas.Role(u.Role())},
		}
		for _, s := range u.Entities {
			e.Entities = append(e.Entities, schemas.Entity{Start: s.Start, End: s.End, Type: s.Type})
		}
		if err := fn(&e); err != nil {
			return at(place, err)
		}
	}
	return at(place, fn(&schemas.CleanEvent{CallID: id, Seq: int64(len(c.Utterances) + 1), Type: schemas.End, Context: c.Context}))
}
