package main

import (
	"encoding/json"
	"os"
	"slices"

	"sotto/corpus/gold"
	"sotto/corpus/recovery"
	"sotto/corpus/words"
	"sotto/detectors"
	"sotto/detectors/allowlist"
)

// dumped is the input of neural.py: calls as lists of turns, which are lists of words.
type dumped struct {
	Mask      string `json:"mask"`
	Pseudonym string `json:"pseudonym"`
	// Generic, Private and Test are the parts of the data; Masked are the private calls by technique.
	Generic [][][]string            `json:"generic"`
	Private [][][]string            `json:"private"`
	Test    [][][]string            `json:"test"`
	Masked  map[string][][][]string `json:"masked"`
	// Kept are the words of the vocabulary that a technique keeps, so that none of them was masked.
	Kept map[string][]string `json:"kept"`
	// Direct and Indirect are the identifiers of the private calls.
	Direct   []string `json:"direct"`
	Indirect []string `json:"indirect"`
}

// dump writes the data for the neural models.
func (d *data) dump(file string) error {
	id, err := d.identify()
	if err != nil {
		return err
	}
	out := dumped{
		Mask: words.Mask, Pseudonym: pseudonym,
		Generic: turns(d.generic), Private: turns(d.private), Test: turns(d.test),
		Masked: map[string][][][]string{}, Kept: map[string][]string{},
		Direct: sorted(id.direct), Indirect: sorted(id.indirect),
	}
	for _, technique := range techniques {
		masked, list, err := d.masked(technique)
		if err != nil {
			return err
		}
		out.Masked[technique], out.Kept[technique] = turns(masked), keptWords(d.vocabulary, list)
	}
	content, err := json.Marshal(&out)
	if err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600)
}

func turns(conversations []gold.Conversation) [][][]string {
	out := make([][][]string, len(conversations))
	for i := range conversations {
		out[i] = recovery.Texts(conversations[i : i+1])
	}
	return out
}

func sorted(list map[string]bool) []string {
	out := make([]string, 0, len(list))
	for w := range list {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

func keptWords(vocabulary []string, list *allowlist.List) []string {
	out := []string{}
	if list == nil {
		return out
	}
	var doc detectors.Document
	for _, w := range vocabulary {
		doc.Reset(w)
		if !slices.ContainsFunc(doc.Tokens, func(t detectors.Token) bool { return !list.Keeps(t.Class, t.Hash) }) {
			out = append(out, w)
		}
	}
	return out
}
