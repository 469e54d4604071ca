package replace

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
)

// Source says where the surrogates of an infoType come from.
type Source uint8

const (
	// Marks: the strategy writes no surrogates, or the infoType has none and is
	// replaced as by Typed.
	Marks Source = iota
	// BuiltIn: from lists that come with the program (value distortion).
	BuiltIn
	// Corpus: from a table learned from a corpus (value dissociation).
	Corpus
	// ByRule: made character by character, so that they cannot belong to
	// anybody where the kind of value allows it.
	ByRule
)

// String names the source.
func (s Source) String() string { return [...]string{"marks", "built-in", "corpus", "rule"}[s] }

// pool is what the surrogates of one infoType are drawn from.
type pool struct {
	source Source
	// values are whole ones, words are those of values. A name has no whole
	// values: its parts are drawn each by itself.
	values, words  *Table
	given, surname *Table
	// givenOf has the given names by what they say of the sex, nil where there are none.
	givenOf [genders]*Table
}

//go:embed lists/given.tsv
var givenFile string

//go:embed lists/surname.tsv
var surnameFile string

//go:embed lists/city.tsv
var cityFile string

//go:embed lists/invented.txt
var inventedFile string

var (
	givenList   = ruledata.Text("replace/lists/given.tsv", givenFile)
	surnameList = ruledata.Text("replace/lists/surname.tsv", surnameFile)
	cityList    = ruledata.Text("replace/lists/city.tsv", cityFile)
	invented    = wordlist.MustParse(ruledata.Text("replace/lists/invented.txt", inventedFile))
	// states are entries "name=code".
	states = invented.Phrases("states")
)

// The names that Named gives to everybody.
const (
	exemplarGiven   = "Alex"
	exemplarSurname = "Smith"
	exemplarCity    = "Springfield"
)

// lists holds what the built-in pools are made of.
type lists struct {
	pools   map[string]*pool
	neutral *pool
	// genders has the given names that say the sex, in lower case.
	genders map[string]gender
}

// builtIn makes the built-in pools when they are first needed: the default strategy needs none.
var builtIn = sync.OnceValue(func() *lists {
	given := func(mark string) *Table { return readList(givenList, mark, exemplarGiven) }
	neutralNames := given("neutral")
	of := [genders]*Table{either: neutralNames, female: given("female"), male: given("male")}
	names := func(first *Table) *pool {
		p := &pool{source: BuiltIn, given: first, surname: readList(surnameList, "", exemplarSurname), givenOf: of}
		p.words = words(p.given, p.surname)
		p.words.exemplar = exemplarSurname
		return p
	}
	l := &lists{neutral: names(neutralNames), genders: map[string]gender{}, pools: map[string]*pool{
		"PERSON_NAME":       names(given("")),
		"LOCATION":          whole(readList(cityList, "", exemplarCity)),
		"US_STATE":          whole(stateNames()),
		"ORGANIZATION_NAME": whole(pairs("company stems", "company kinds")),
		"PRODUCT":           whole(pairs("product stems", "product kinds")),
		"MEDICAL_TERM":      whole(even(invented.Phrases("ailments"))),
		"GENDER":            whole(even([]string{"woman", "man", "nonbinary"})),
	}}
	l.neutral.givenOf = [genders]*Table{neutralNames, neutralNames, neutralNames}
	for _, g := range []gender{female, male} {
		for _, name := range of[g].values {
			l.genders[toLower(name)] = g
		}
	}
	return l
})

func whole(t *Table) *pool {
	w := words(t)
	w.exemplar, _, _ = strings.Cut(t.exemplar, " ")
	return &pool{source: BuiltIn, values: t, words: w}
}

// readList reads lines of value, weight and mark: those with a mark, or all.
func readList(list, mark, exemplar string) *Table {
	var rows []weighted
	for line := range strings.Lines(list) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if mark != "" && (len(f) < 3 || f[2] != mark) {
			continue
		}
		w, err := strconv.ParseUint(f[1], 10, 64)
		if err != nil {
			panic("replace: a built-in list has a wrong weight")
		}
		rows = append(rows, weighted{f[0], w})
	}
	t := mustTable(rows)
	t.exemplar = exemplar
	return t
}

func even(values []string) *Table {
	rows := make([]weighted, len(values))
	for i, v := range values {
		rows[i] = weighted{v, 1}
	}
	return mustTable(rows)
}

// pairs makes a value of each two words of two lists.
func pairs(first, second string) *Table {
	var values []string
	for _, a := range invented.Phrases(first) {
		for _, b := range invented.Phrases(second) {
			values = append(values, a+" "+b)
		}
	}
	return even(values)
}

func stateNames() *Table {
	var names []string
	for _, s := range states {
		name, _, _ := strings.Cut(s, "=")
		names = append(names, name)
	}
	return even(names)
}

// stateCode is the postal abbreviation of a state that the table holds.
func stateCode(name string) string {
	for _, s := range states {
		if n, code, _ := strings.Cut(s, "="); n == name {
			return code
		}
	}
	return name
}

var streets = sync.OnceValue(func() *Table { return even(invented.Phrases("streets")) })

// FrequentNames returns the given names of the built-in list, the most frequent first.
func FrequentNames() (names []string) {
	for line := range strings.Lines(givenList) {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	return names
}
