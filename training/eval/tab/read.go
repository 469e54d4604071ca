package tab

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sotto/internal/gold"
)

// file is a document in the benchmark's own form. Other fields are passed over.
type file struct {
	ID          string `json:"doc_id"`
	Text        *string
	Annotations map[string]struct {
		Mentions []mention `json:"entity_mentions"`
	}
}

type mention struct {
	Entity     string `json:"entity_id"`
	Start      *int   `json:"start_offset"`
	End        *int   `json:"end_offset"`
	Text       string `json:"span_text"`
	Identifier string `json:"identifier_type"`
}

// What an annotator says of a mention.
const (
	direct = "DIRECT"
	quasi  = "QUASI"
	noMask = "NO_MASK"
)

// Read reads documents in the benchmark's form: a JSON array of objects with doc_id, text and annotations, which
// has the mentions of each annotator. An entity of which any mention is DIRECT is direct.
func Read(r io.Reader, name string) (documents []Document, err error) {
	d := json.NewDecoder(r)
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return nil, fmt.Errorf("%s: not an array of documents in the form of the Text Anonymization Benchmark", name)
	}
	for n := 1; d.More(); n++ {
		var f file
		// The messages of encoding/json quote the input.
		if d.Decode(&f) != nil || f.Text == nil || len(f.Annotations) == 0 {
			return nil, fmt.Errorf("%s: document %d: not an object with text and annotations", name, n)
		}
		document, err := f.document()
		if err != nil {
			return nil, fmt.Errorf("%s: document %d, %w", name, n, err)
		}
		document.conversation.Line = n
		documents = append(documents, document)
	}
	if _, err := d.Token(); err != nil || len(documents) == 0 {
		return nil, fmt.Errorf("%s: the array of documents is empty, or ends early", name)
	}
	return documents, nil
}

func (f *file) document() (d Document, err error) {
	d.conversation = gold.Conversation{ID: f.ID}
	for line := range strings.SplitSeq(*f.Text, "\n") {
		d.conversation.Utterances = append(d.conversation.Utterances, gold.Utterance{Text: line})
	}
	text := []rune(*f.Text)
	for i, by := range slices.Sorted(maps.Keys(f.Annotations)) {
		var a annotation
		known := map[string]int{}
		for k, m := range f.Annotations[by].Mentions {
			if err := m.check(text); err != nil {
				return d, fmt.Errorf("annotator %d, mention %d: %w", i+1, k+1, err)
			}
			if m.Identifier == noMask {
				continue
			}
			at, ok := known[m.Entity]
			if !ok {
				at = len(a.entities)
				known[m.Entity] = at
				a.entities = append(a.entities, entity{})
			}
			e := &a.entities[at]
			e.direct = e.direct || m.Identifier == direct
			e.mentions = append(e.mentions, span{*m.Start, *m.End})
		}
		d.annotations = append(d.annotations, a)
	}
	return d, nil
}

func (m *mention) check(text []rune) error {
	switch {
	case m.Entity == "":
		return errors.New("it has no entity_id")
	case m.Start == nil || m.End == nil || *m.Start < 0 || *m.End <= *m.Start || *m.End > len(text):
		return fmt.Errorf("its offsets are not within the text of %d code points", len(text))
	case m.Text != "" && m.Text != string(text[*m.Start:*m.End]):
		return errors.New("the text at its offsets is not its span_text; offsets count Unicode code points")
	case m.Identifier != direct && m.Identifier != quasi && m.Identifier != noMask:
		return errors.New("its identifier_type is none of DIRECT, QUASI and NO_MASK")
	}
	return nil
}
