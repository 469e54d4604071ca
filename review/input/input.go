// Package input reads calls for sotto review from files.
package input

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"sotto/files/formats/plaintext"
	"sotto/review"
	"sotto/schemas"
	"sotto/training/corpus/words"
)

// event holds the fields of raw, clean and audit events that matter here.
type event struct {
	schemas.AuditEvent
	// ID and Utterances are those of a labelled conversation.
	ID         string      `json:"id"`
	Utterances []utterance `json:"utterances"`
}

type utterance struct {
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
}

const maxLine = 16 << 20

// Read reads the calls of a file. A .txt file is one call of "Speaker: words" lines; any other file
// has JSON lines: events of calls, or conversations with utterances. Errors name file and line and
// quote no text.
func Read(r io.Reader, name string, mode review.Mode) ([]review.Call, error) {
	if strings.EqualFold(filepath.Ext(name), ".txt") {
		return readText(r, name, mode)
	}
	var calls []*review.Call
	byID := map[string]*review.Call{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			return nil, fmt.Errorf("%s:%d: not an event or a conversation as JSON", name, n)
		}
		id := cmp.Or(e.CallID, e.ID)
		if id == "" {
			return nil, fmt.Errorf("%s:%d: neither call_id nor id", name, n)
		}
		c := byID[id]
		if c == nil {
			c = &review.Call{ID: id, Mode: mode, Reason: "file"}
			byID[id] = c
			calls = append(calls, c)
		}
		c.AddEvent(&e.AuditEvent)
		for i, u := range e.Utterances {
			c.Utterances = append(c.Utterances, review.Utterance{Seq: int64(i + 1), Speaker: u.Speaker, Text: u.Text})
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: a line of more than %d MiB", name, n+1, maxLine>>20)
	}
	out := make([]review.Call, len(calls))
	for i, c := range calls {
		slices.SortStableFunc(c.Utterances, func(a, b review.Utterance) int { return cmp.Compare(a.Seq, b.Seq) })
		out[i] = *c
	}
	return out, lines.Err()
}

func readText(r io.Reader, name string, mode review.Mode) ([]review.Call, error) {
	base := filepath.Base(name)
	c := review.Call{ID: strings.TrimSuffix(base, filepath.Ext(base)), Mode: mode, Reason: "file"}
	err := plaintext.Read(r, func(e *schemas.RawEvent) error {
		u := review.Utterance{Seq: e.Seq, Text: e.Text}
		if e.Speaker != nil {
			u.Speaker = e.Speaker.Label
		}
		if mode == review.Missed {
			u.Masks = tags(e.Text)
		}
		c.Utterances = append(c.Utterances, u)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return []review.Call{c}, nil
}

// tags finds the tags of an anonymized text without events.
func tags(text string) (out []review.Mask) {
	runes := []rune(text)
	for _, at := range words.Markers(text) {
		infoType := strings.TrimRight(string(runes[at[0]+1:at[1]-1]), "_0123456789")
		out = append(out, review.Mask{Start: at[0], End: at[1], Type: infoType})
	}
	return out
}

// Beside puts the text of raw calls beside that of clean ones, by call and utterance. It returns how
// many utterances got one.
func Beside(clean, raw []review.Call) (n int) {
	texts := map[schemas.EventKey]string{}
	for i := range raw {
		for _, u := range raw[i].Utterances {
			texts[schemas.EventKey{CallID: raw[i].ID, Seq: u.Seq}] = u.Text
		}
	}
	for i := range clean {
		for k := range clean[i].Utterances {
			u := &clean[i].Utterances[k]
			if t, ok := texts[schemas.EventKey{CallID: clean[i].ID, Seq: u.Seq}]; ok {
				u.Raw = t
				n++
			}
		}
	}
	return n
}
