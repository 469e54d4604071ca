package lexicon

import (
	"embed"
	"fmt"
	"strings"
	"sync"

	"sotto/detectors"
	"sotto/internal/ruledata"
)

// lists/README.md says what the files hold and how to add to them.
//
//go:embed lists/*.txt
var embeddedLists embed.FS

var listFiles = ruledata.FS("detectors/lexicon", embeddedLists)

// ListClass is what the entries of a list name.
type ListClass uint8

// The classes, one for each file of entries.
const (
	// Organization is a company, a public body, a school, a team, a charity.
	Organization ListClass = iota
	// Product is a car, a device, a program, a service, a plan.
	Product
	// Drug is a drug or a vaccine, by brand or generic name.
	Drug
	// Condition is a condition, a test, a procedure or a medical device.
	Condition
	// Gender is a word that states somebody's gender.
	Gender
	// EthnicGroup is a people or a group that forms ask for.
	EthnicGroup

	listClasses = iota
)

var classFiles = [listClasses]string{
	Organization: "organizations.txt",
	Product:      "products.txt",
	Drug:         "drugs.txt",
	Condition:    "conditions.txt",
	Gender:       "genders.txt",
	EthnicGroup:  "ethnic_groups.txt",
}

// ListEntry is one entry of a list.
type ListEntry struct {
	// Text is the word or the phrase, without accents. Where it has an upper-case letter, only
	// that spelling is meant ("ICE" is an agency, "ice" is not).
	Text string
	// Section is the heading it stands under.
	Section string
	Class   ListClass
	// Ambiguous means that the entry is also a plain English word or phrase, a personal name or
	// a place. Such an entry is evidence, never a finding by itself.
	Ambiguous bool
}

// Lists returns the entries of all classes, in the order of the files. The slice is shared: do not
// change it. A name may be in more than one class.
var Lists = sync.OnceValue(func() []ListEntry {
	var all []ListEntry
	for class, file := range classFiles {
		data, err := listFiles.ReadFile("lists/" + file)
		if err != nil {
			panic("lexicon: " + err.Error())
		}
		entries, err := parseList(ListClass(class), string(data))
		if err != nil {
			panic("lexicon: " + file + ": " + err.Error())
		}
		all = append(all, entries...)
	}
	return all
})

// parseList reads entries, one a line: the text, then a tab and "?" where it is ambiguous.
func parseList(class ListClass, data string) ([]ListEntry, error) {
	var entries []ListEntry
	section := ""
	for i, line := range strings.Split(data, "\n") {
		if heading, ok := strings.CutPrefix(line, "#"); ok {
			section = strings.TrimSpace(heading)
			continue
		}
		if line == "" {
			continue
		}
		text, flag, flagged := strings.Cut(line, "\t")
		switch {
		case section == "":
			return nil, fmt.Errorf("line %d: an entry before the first section", i+1)
		case flagged && flag != "?":
			return nil, fmt.Errorf("line %d: flag %q", i+1, flag)
		case !cleanText(text):
			return nil, fmt.Errorf("line %d: spaces or characters that do not belong in an entry", i+1)
		}
		entries = append(entries, ListEntry{Text: text, Section: section, Class: class, Ambiguous: flagged})
	}
	return entries, nil
}

// cleanText reports whether words are separated by single spaces, and all characters are such that
// the tokenizer leaves unchanged but for case.
func cleanText(text string) bool {
	return text != "" && strings.Join(strings.Fields(text), " ") == text &&
		!strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '?' })
}

// Names is what the lists know of a name: bit c stands for ListClass c, and AmbiguousName for a name
// that is also a plain English word or phrase, a personal name or a place.
type Names uint8

// AmbiguousName marks a name that says little by itself.
const AmbiguousName Names = 1 << listClasses

// NamesBits is the number of bits of Names.
const NamesBits = listClasses + 1

// loadLists makes phrases of the lists, and notes with which words they begin.
func (k *knowledge) loadLists() *detectors.Phrases[Names] {
	// Spellings that are folded to the same words are one name; it is ambiguous if one of them is.
	b := detectors.PhraseBuilder[Names]{Merge: func(old, added Names) Names { return old | added }}
	var doc detectors.Document
	for _, e := range Lists() {
		v := Names(1) << e.Class
		if e.Ambiguous || strings.ToLower(e.Text) != e.Text {
			v |= AmbiguousName
		}
		doc.Reset(e.Text)
		words := doc.WordHashes()
		b.AddWords(v, words...)
		k.words.add(words[0], beginsName)
	}
	return b.Build()
}

// NameAt returns how many tokens from i are the longest listed name, and what the lists know of it;
// 0 when none begins there.
func NameAt(doc *detectors.Document, i int) (n int, names Names) {
	if mayBegin(doc, i, beginsName) {
		names, n = known().names.Longest(doc, i, nameMarks)
	}
	return n, names
}
