package main

import (
	"strings"

	"sotto/corpus/words"
	"sotto/detectors/ner/train"
	"sotto/internal/gold"
	"sotto/risk"
)

// annotatedSet makes a set of transcripts in which annotators marked what
// anonymization had missed. What is marked is a name; tags that stand for what
// was masked, [PERSON_NAME_1], teach nothing of their own kind and are left out
// of learning. Each line is a turn, said by who is named before its colon.
func annotatedSet(calls []risk.Call) train.Set {
	s := train.Set{Name: "annotated"}
	for i := range calls {
		c := &calls[i]
		conversation := gold.Conversation{ID: c.ID, Source: "annotated", Context: c.Context}
		at := 0
		for _, line := range strings.SplitAfter(c.Text, "\n") {
			runes := []rune(line)
			u := gold.Utterance{Text: strings.TrimRight(line, "\r\n")}
			n := len([]rune(u.Text))
			for _, m := range c.Missed {
				if m.Start >= at && m.End <= at+n {
					u.Entities = append(u.Entities, gold.Span{Start: m.Start - at, End: m.End - at, Type: m.Type})
				}
			}
			for _, tag := range words.Markers(u.Text) {
				u.Entities = append(u.Entities, gold.Span{Start: tag[0], End: tag[1], Type: "OTHER"})
			}
			if speaker, _, ok := strings.Cut(u.Text, ":"); ok && len(speaker) < 30 {
				u.Speaker = strings.ToLower(speaker)
			}
			if n > 0 {
				conversation.Utterances = append(conversation.Utterances, u)
			}
			at += len(runes)
		}
		s.Conversations = append(s.Conversations, conversation)
	}
	return s
}
