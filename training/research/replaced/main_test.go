package main

import (
	"slices"
	"strings"
	"testing"

	"sotto/anonymize/replace"
	"sotto/internal/gold"
)

func TestSpansFollowTheirReplacements(t *testing.T) {
	values := []string{"Zoë Larkmoor", "Ines", "Larkmoor & Sons", "604-555-0134", "Ines"}
	kinds := []string{"PERSON_NAME", "PERSON_NAME", "ORGANIZATION_NAME", "PHONE_NUMBER", "PERSON_NAME"}
	conversation := func() gold.Conversation {
		u := gold.Utterance{Text: "hé "}
		for i, v := range values {
			start := len([]rune(u.Text))
			u.Text += v + " und "
			u.Entities = append(u.Entities, gold.Span{Start: start, End: start + len([]rune(v)), Type: kinds[i]})
		}
		slices.Reverse(u.Entities)
		return gold.Conversation{ID: "c", Utterances: []gold.Utterance{u}}
	}
	for _, strategy := range []string{"redact", "typed", "typed-numbered", "named", "word", "entity"} {
		c := conversation()
		tables, err := learn([]gold.Conversation{c})
		if err != nil {
			t.Fatal(err)
		}
		choice, err := replace.ParseChoice(strategy)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := replace.New(replace.Config{Choice: choice, Independent: true, Tables: tables, Key: []byte("0123456789abcdef")})
		if err != nil {
			t.Fatal(err)
		}
		treat(plan, &c)
		u := c.Utterances[0]
		text, rest := []rune(u.Text), ""
		at := 0
		var found []string
		for _, s := range u.Entities {
			rest += string(text[at:s.Start]) + "_"
			found, at = append(found, string(text[s.Start:s.End])), s.End
		}
		if rest += string(text[at:]); rest != "hé "+strings.Repeat("_ und ", len(values)) {
			t.Errorf("%s: beside the values stands %q", strategy, rest)
		}
		if strategy == "typed-numbered" && strings.Join(found, " ") != "[PERSON_NAME_1] [PERSON_NAME_2] [ORGANIZATION_NAME_1] [PHONE_NUMBER_1] [PERSON_NAME_2]" {
			t.Errorf("the tags are %q", found)
		}
	}
}
