package lexicon

import (
	"strings"
	"testing"

	"sotto/detectors"
)

// TestListsWellFormed checks for mistakes that a person who edits the files may make.
func TestListsWellFormed(t *testing.T) {
	type place struct {
		class ListClass
		text  string
	}
	seen := map[place]bool{}
	var last ListEntry
	var doc detectors.Document
	for _, e := range Lists() {
		file := classFiles[e.Class]
		if seen[place{e.Class, e.Text}] {
			t.Errorf("%s: %q is listed twice", file, e.Text)
		}
		seen[place{e.Class, e.Text}] = true
		if e.Class == last.Class && e.Section == last.Section && e.Text < last.Text {
			t.Errorf("%s: %q comes after %q", file, e.Text, last.Text)
		}
		// A lower-case entry matches in every case, so an upper-case one would add nothing.
		if lower := strings.ToLower(e.Text); lower != e.Text && seen[place{e.Class, lower}] {
			t.Errorf("%s: both %q and %q", file, e.Text, lower)
		}
		if len(e.Text) < 2 {
			t.Errorf("%s: %q is too short", file, e.Text)
		}
		if doc.Reset(e.Text); len(doc.WordHashes()) == 0 {
			t.Errorf("%s: %q has no word", file, e.Text)
		}
		last = e
	}
}

func TestListsCounts(t *testing.T) {
	var count, ambiguous [listClasses]int
	for _, e := range Lists() {
		count[e.Class]++
		if e.Ambiguous {
			ambiguous[e.Class]++
		}
	}
	for class, want := range [listClasses]int{Organization: 10_000, Product: 3_000, Drug: 1_500, Condition: 2_000, Gender: 15, EthnicGroup: 60} {
		if count[class] < want {
			t.Errorf("%s: %d entries, want %d", classFiles[class], count[class], want)
		}
		if ambiguous[class] == 0 {
			t.Errorf("%s: no entry is ambiguous", classFiles[class])
		}
	}
}

func TestListsEntries(t *testing.T) {
	listed := map[ListClass]map[string]bool{}
	for class := range ListClass(listClasses) {
		listed[class] = map[string]bool{}
	}
	for _, e := range Lists() {
		listed[e.Class][e.Text] = e.Ambiguous
	}
	for _, c := range []struct {
		class     ListClass
		text      string
		ambiguous bool
	}{
		{Organization, "wells fargo", false},
		{Organization, "a t and t", false},
		{Organization, "u of t", false},
		{Organization, "WHO", false},
		{Organization, "target", true},
		{Organization, "best buy", true},
		{Organization, "delta", true},
		{Product, "toyota camry", false},
		{Product, "iphone fifteen", false},
		{Product, "windows", true},
		{Drug, "metformin", false},
		{Drug, "tums", true},
		{Condition, "a fib", false},
		{Condition, "row gam shot", false},
		{Condition, "sugar", true},
	} {
		if ambiguous, ok := listed[c.class][c.text]; !ok || ambiguous != c.ambiguous {
			t.Errorf("%s: %q: listed %t, ambiguous %t", classFiles[c.class], c.text, ok, ambiguous)
		}
	}
}

func TestParseListRejects(t *testing.T) {
	for _, data := range []string{
		"entry\n", "# s\nentry\t!\n", "# s\nentry\t\n", "# s\ntwo  spaces\n", "# s\n trailing \n",
		"# s\ncafé\n", "# s\nentry?\n", "# s\nentry\t?\t?\n",
	} {
		if entries, err := parseList(Organization, data); err == nil {
			t.Errorf("%q: no error, %d entries", data, len(entries))
		}
	}
}
