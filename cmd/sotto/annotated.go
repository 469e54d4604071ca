package main

import (
	"strings"
	"unicode"

	"sotto/corpus/gold"
	"sotto/detectors/ner/train"
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
			u.Entities = append(u.Entities, tagSpans([]rune(u.Text))...)
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

// tagSpans returns the spans of tags as spans of OTHER.
func tagSpans(text []rune) (spans []gold.Span) {
	for i := 0; i < len(text); i++ {
		if text[i] != '[' {
			continue
		}
		j := i + 1
		for j < len(text) && (unicode.IsUpper(text[j]) || unicode.IsDigit(text[j]) || text[j] == '_') {
			j++
		}
		if j < len(text) && text[j] == ']' && j > i+1 {
			spans = append(spans, gold.Span{Start: i, End: j + 1, Type: "OTHER"})
			i = j
		}
	}
	return spans
}
