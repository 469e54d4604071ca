package tagger

import (
	_ "embed"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/detectors"
	"sotto/internal/gold"
	"sotto/training/corpus/noise"
)

//go:embed grammar.txt
var grammarText string

// grammar writes conversations: ways to write each symbol, and blocks of turns.
type grammar struct {
	ways   map[string][]string
	blocks [][]string
}

// newGrammar reads grammar.txt; lists are ways to write the symbols that are
// not in it.
func newGrammar(text string, lists map[string][]string) *grammar {
	g := &grammar{ways: map[string][]string{}}
	maps.Copy(g.ways, lists)
	open := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		symbol, way, isWay := strings.Cut(line, " = ")
		switch {
		case line == "":
			open = false
		case line[0] == '#':
		case isWay:
			g.ways[symbol] = append(g.ways[symbol], way)
		case !open:
			g.blocks, open = append(g.blocks, []string{line}), true
		default:
			g.blocks[len(g.blocks)-1] = append(g.blocks[len(g.blocks)-1], line)
		}
	}
	return g
}

// symbol is <NAME>, or <^><NAME> for a text that is to begin with a capital.
var symbol = regexp.MustCompile(`(<\^>)?<[^>]*>`)

func (g *grammar) expand(s string, rng *rand.Rand) string {
	return symbol.ReplaceAllStringFunc(s, func(found string) string {
		name, capital := strings.CutPrefix(strings.Trim(found, "<>"), "^><")
		ways := g.ways[name]
		if len(ways) == 0 {
			return ""
		}
		text := g.expand(ways[rng.IntN(len(ways))], rng)
		if capital {
			return noise.Capitalize(text)
		}
		return text
	})
}

// composedTypes are the letters of labels in grammar.txt.
var composedTypes = map[byte]detectors.InfoType{
	'P': detectors.PersonName, 'O': detectors.OrganizationName, 'L': detectors.Location, 'R': detectors.Product,
	'A': detectors.StreetAddress, 'N': detectors.GenericID,
}

// turn writes a turn. Its names differ each time.
func (g *grammar) turn(line string, rng *rand.Rand) gold.Utterance {
	speaker, text, _ := strings.Cut(line, ": ")
	u := gold.Utterance{Speaker: speaker}
	for {
		before, rest, ok := strings.Cut(text, "{")
		u.Text += g.expand(before, rng)
		if !ok {
			return u
		}
		name, after, _ := strings.Cut(rest, "}")
		start := utf8.RuneCountInString(u.Text)
		u.Text += g.expand(name[2:], rng)
		if end := utf8.RuneCountInString(u.Text); end > start {
			u.Entities = append(u.Entities, gold.Span{Start: start, End: end, Type: string(composedTypes[name[0]])})
		}
		text = after
	}
}

// Compose makes a set of conversations about bookings, transfers, companies and
// trips, n turns of them or a few more, with names made up and names of lists.
// The sets of real conversations have few names of hotels, restaurants, stations
// and companies; these are what such names are made of. Lists are by symbol:
// given, surname, company, city and country.
func Compose(lists map[string][]string, n int, seed uint64) Set {
	g := newGrammar(grammarText, lists)
	rng := rand.New(rand.NewPCG(seed, 0x5077_0000_0000_0002))
	s := Set{Name: "composed"}
	for turns := 0; turns < n; {
		c := gold.Conversation{ID: fmt.Sprint("composed-", len(s.Conversations)), Source: "composed"}
		for _, line := range g.blocks[rng.IntN(len(g.blocks))] {
			c.Utterances = append(c.Utterances, g.turn(line, rng))
		}
		turns += len(c.Utterances)
		s.Conversations = append(s.Conversations, c)
	}
	return s
}

// listFiles are the files that ReadLists reads, by symbol: tables of which the
// first column is a name, with the number of lines from the top to take.
var listFiles = map[string][]struct {
	file string
	top  int
}{
	"given":   {{"us_first_names.tsv", 4000}, {"intl_first_names_smashew.tsv", 0}},
	"surname": {{"us_surnames_census1990.tsv", 15000}, {"intl_surnames_smashew.tsv", 0}},
	"company": {{"organizations_presidio_research.tsv", 0}},
	"city":    {{"us_cities.tsv", 8000}, {"world_cities_geonames15000.tsv", 0}},
	"country": {{"countries.tsv", 0}},
}

// ReadLists reads the lists of names in a folder for Compose.
func ReadLists(dir string) (map[string][]string, error) {
	lists := map[string][]string{}
	for symbol, files := range listFiles {
		seen := map[string]bool{}
		for _, x := range files {
			data, err := os.ReadFile(filepath.Join(dir, x.file))
			if err != nil {
				return nil, err
			}
			lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
			if x.top > 0 {
				lines = lines[:min(len(lines), x.top)]
			}
			for _, line := range lines {
				name, _, _ := strings.Cut(line, "\t")
				if name = strings.TrimSpace(name); symbol == "company" {
					name = plainCompany(name)
				}
				if nameLike(name) && len(strings.Fields(name)) <= 4 {
					seen[name] = true
				}
			}
		}
		lists[symbol] = slices.Sorted(maps.Keys(seen))
	}
	return lists, nil
}

// plainCompany leaves out the form of a company, which is seldom said.
func plainCompany(name string) string {
	for _, form := range []string{" Inc.", " Inc", " Ltd.", " Ltd", " LLC", " AG", " plc", " PLC", " Corporation", " Corp.", " N.V.", " S.A.", ","} {
		name = strings.TrimSuffix(name, form)
	}
	return strings.TrimSuffix(name, ",")
}
