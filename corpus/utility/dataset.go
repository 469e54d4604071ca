// Package utility measures what replacing costs those who train on the output:
// a classifier is trained on what each strategy makes of a labelled set, and
// tested on untouched text, as in Table 2 of Adelani et al., "Privacy guarantees
// for de-identifying text transformations" (Interspeech 2020).
package utility

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Example is one utterance with what it means.
type Example struct {
	ID, Text string
	// Spans are the slots, in order and disjoint.
	Spans []Span
	// Labels are the intents.
	Labels []string
}

// Span is a slot. Start and End count Unicode code points, end exclusive.
type Span struct {
	Start, End int
	// Class is the name of the slot in the form of an infoType, and Type the
	// infoType itself.
	Class, Type string
}

// Read reads labelled conversations whose utterances have an intent or intents,
// one JSON object a line. Utterances that have neither are passed over. Errors
// name file and line and never repeat any text.
func Read(r io.Reader, name string) ([]Example, error) {
	var out []Example
	br := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		data, err := br.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		if len(strings.TrimSpace(string(data))) > 0 {
			examples, ok := decode(data)
			if !ok {
				return nil, fmt.Errorf("%s:%d: not a labelled conversation whose slots are within the text", name, line)
			}
			out = append(out, examples...)
		}
		if err == io.EOF {
			return out, nil
		}
	}
}

func decode(data []byte) ([]Example, bool) {
	var c struct {
		ID         string `json:"id"`
		Utterances []struct {
			Text     string `json:"text"`
			Entities []struct {
				Start int    `json:"start"`
				End   int    `json:"end"`
				Type  string `json:"type"`
				Label string `json:"label"`
			} `json:"entities"`
			Intent  string    `json:"intent"`
			Intents *[]string `json:"intents"`
		} `json:"utterances"`
	}
	if json.Unmarshal(data, &c) != nil || c.Utterances == nil {
		return nil, false
	}
	var out []Example
	for i, u := range c.Utterances {
		e := Example{ID: fmt.Sprint(c.ID, "/", i), Text: u.Text}
		switch {
		case u.Intents != nil:
			e.Labels = *u.Intents
		case u.Intent != "":
			e.Labels = []string{u.Intent}
		default:
			continue
		}
		n := len([]rune(u.Text))
		for _, s := range u.Entities {
			if s.Start < 0 || s.End <= s.Start || s.End > n || s.Type == "" {
				return nil, false
			}
			class := s.Label
			if class == "" {
				class = s.Type
			}
			e.Spans = append(e.Spans, Span{s.Start, s.End, className(class), s.Type})
		}
		slices.SortStableFunc(e.Spans, func(a, b Span) int { return a.Start - b.Start })
		e.Spans = slices.CompactFunc(e.Spans, func(a, b Span) bool { return b.Start < a.End })
		out = append(out, e)
	}
	return out, true
}

// className writes the name of a slot as an infoType: SLOT_TOLOC_CITY_NAME. The
// prefix keeps it apart from the infoTypes of Sotto.
func className(label string) string {
	return "SLOT_" + strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, label)
}
