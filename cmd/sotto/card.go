package main

import (
	"io"
	"maps"
	"slices"

	"sotto/detectors/ner/train"
	"sotto/replace"
)

// writeCard writes the model card, with the privacy that surrogates give to
// what this model finds: its recall bounds the share that is replaced.
func writeCard(w io.Writer, r *train.Report, o train.Options, licences map[string]string, model []byte) error {
	if err := r.WriteCard(w, o, licences, model); err != nil {
		return err
	}
	choice, err := replace.ParseChoice("entity")
	if err != nil {
		return err
	}
	// The account does not depend on the key: nothing is drawn.
	plan, err := replace.New(replace.Config{Choice: choice, Independent: true, Key: make([]byte, 32)})
	if err != nil {
		return err
	}
	overall, byType := r.Recall()
	const heading = "\nPrivacy of independent surrogates (`SOTTO_STRATEGY=entity`, `SOTTO_ENTITY_MODE=independent`) for names that only this\n" +
		"model finds, p being its recall of held-out words (docs/replacement.md; with tags epsilon is 0):\n\n```text\n"
	if _, err := io.WriteString(w, heading); err != nil {
		return err
	}
	if err := plan.Account(slices.Sorted(maps.Keys(byType)), &replace.Recall{Overall: overall, ByType: byType}).WriteTable(w); err != nil {
		return err
	}
	_, err = io.WriteString(w, "```\n")
	return err
}
