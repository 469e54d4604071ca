// Package wordlist reads the lists of words and phrases that detectors rely on. The lists are text
// files that are embedded into the program, so that a person can review and diff them:
//
//	# A comment is a line that begins with #.
//	[greetings]
//	hi hello hey
//	howdy
//
//	[farewells]
//	see you later, have a good day
//	take care
//
//	[digits]
//	zero oh = 0
//	one = 1
//
// A list holds words, separated by white space; or phrases, one a line or separated by commas; or
// words with a value. The method that reads a list decides which. Words are written as
// detectors.Document folds them: in lower case and without accents.
//
// The lists are part of the program. A mistake in a file is a broken build, so every function here
// panics instead of returning an error, and each package that has lists calls them from its
// variables. A test of each such package checks that Unused returns nothing.
package wordlist

import (
	"fmt"
	"slices"
	"strings"
)

// File is a parsed file of lists.
type File struct {
	lists map[string]*list
	// names are those of the lists in the order of the file.
	names []string
}

// list is one list: its lines without comments.
type list struct {
	lines []string
	used  bool
	// words are the words of a list that was read as one of words.
	words []string
}

// MustParse reads a file. It panics on text before the first header and on a list that occurs twice
// or is empty.
func MustParse(text string) *File {
	f := &File{lists: map[string]*list{}}
	var current *list
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[' && line[len(line)-1] == ']':
			name := line[1 : len(line)-1]
			if f.lists[name] != nil {
				panic(fmt.Sprintf("wordlist: line %d: the list %q occurs twice", n+1, name))
			}
			current = &list{}
			f.lists[name] = current
			f.names = append(f.names, name)
		case current == nil:
			panic(fmt.Sprintf("wordlist: line %d stands before the first [list]", n+1))
		default:
			current.lines = append(current.lines, line)
		}
	}
	for name, l := range f.lists {
		if len(l.lines) == 0 {
			panic(fmt.Sprintf("wordlist: the list %q is empty", name))
		}
	}
	return f
}

// Names returns the names of all lists in the order of the file.
func (f *File) Names() []string { return slices.Clone(f.names) }

// Unused returns the names of the lists that nothing has read yet.
func (f *File) Unused() []string {
	var names []string
	for _, name := range f.Names() {
		if !f.lists[name].used {
			names = append(names, name)
		}
	}
	return names
}

// Set returns a list of words as a set.
func (f *File) Set(name string) Set { return NewSet(f.Words(name)...) }

// Words returns a list of words in the order of the file.
func (f *File) Words(name string) []string {
	var words []string
	for _, line := range f.lines(name) {
		words = append(words, strings.Fields(line)...)
	}
	f.lists[name].words = distinct(name, words)
	return words
}

// EachWord calls do for each word of the lists that were read as words.
func (f *File) EachWord(do func(list, word string)) {
	for _, name := range f.Names() {
		for _, w := range f.lists[name].words {
			do(name, w)
		}
	}
}

// Phrases returns a list of phrases in the order of the file. The words of a phrase are separated
// by one space.
func (f *File) Phrases(name string) []string {
	var phrases []string
	for _, line := range f.lines(name) {
		for phrase := range strings.SplitSeq(strings.TrimSuffix(line, ","), ",") {
			words := strings.Fields(phrase)
			if len(words) == 0 {
				panic(fmt.Sprintf("wordlist: the list %q has an empty phrase", name))
			}
			phrases = append(phrases, strings.Join(words, " "))
		}
	}
	return distinct(name, phrases)
}

// Valued is the words of a list that have the same value.
type Valued struct {
	Value string
	Words []string
}

// Values returns a list of words with values, each line "word word = value", in the order of the
// file.
func (f *File) Values(name string) []Valued {
	var values []Valued
	var all []string
	for _, line := range f.lines(name) {
		words, value, ok := strings.Cut(line, " = ")
		v := Valued{Value: strings.TrimSpace(value), Words: strings.Fields(words)}
		if !ok || v.Value == "" || len(v.Words) == 0 {
			panic(fmt.Sprintf("wordlist: the list %q has a line that is not \"words = value\"", name))
		}
		values = append(values, v)
		all = append(all, v.Words...)
	}
	f.lists[name].words = distinct(name, all)
	return values
}

func (f *File) lines(name string) []string {
	l := f.lists[name]
	if l == nil {
		panic(fmt.Sprintf("wordlist: there is no list %q", name))
	}
	l.used = true
	return l.lines
}

// distinct panics if an entry occurs twice.
func distinct(name string, entries []string) []string {
	seen := map[string]bool{}
	for _, e := range entries {
		if seen[e] {
			panic(fmt.Sprintf("wordlist: the list %q has %q twice", name, e))
		}
		seen[e] = true
	}
	return entries
}
