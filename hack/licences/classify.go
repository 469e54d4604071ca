package main

import (
	"slices"
	"strings"
)

// Phrases that only the text of a licence has. A file may hold several
// licences: it is permissive if it has one that is and none that is not.
var (
	restrictive = []string{
		"gnu general public license", "gnu lesser general public license", "gnu affero general public license",
		"gnu library general public license", "mozilla public license", "eclipse public license",
		"server side public license", "business source license", "common development and distribution license",
		"creative commons attribution-sharealike", "creative commons attribution-noncommercial",
	}
	permissive = []struct {
		name    string
		phrases []string
	}{
		{"Apache-2.0", []string{"apache license", "version 2.0"}},
		{"MIT", []string{"permission is hereby granted, free of charge", "the above copyright notice and this permission notice"}},
		{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "endorse or promote products"}},
		{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}},
		{"ISC", []string{"permission to use, copy, modify, and", "distribute this software for any purpose with or without fee"}},
		{"public domain", []string{"has been dedicated to the public domain by the authors"}},
		{"Unlicense", []string{"this is free and unencumbered software released into the public domain"}},
	}
)

func classify(text string) (name string, ok bool) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	for _, phrase := range restrictive {
		if strings.Contains(text, phrase) {
			return phrase, false
		}
	}
	var names []string
	for _, l := range permissive {
		if !slices.ContainsFunc(l.phrases, func(p string) bool { return !strings.Contains(text, p) }) {
			if l.name == "BSD-2-Clause" && slices.Contains(names, "BSD-3-Clause") {
				continue
			}
			names = append(names, l.name)
		}
	}
	if len(names) == 0 {
		return "unknown licence", false
	}
	return strings.Join(names, " and "), true
}
