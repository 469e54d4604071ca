package tagger

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"sotto/internal/gold"
)

// someLists writes small lists of names and returns their folder.
func someLists(t *testing.T) string {
	dir := t.TempDir()
	for file, lines := range map[string]string{
		"us_first_names.tsv": "Zoe\t7\nPam\t5\n", "intl_first_names_smashew.tsv": "Omar\n",
		"us_surnames_census1990.tsv": "Halloway\t1\n", "intl_surnames_smashew.tsv": "Brandt\nO'Neil\n",
		"organizations_presidio_research.tsv": "Blue Harbor Inc.\n1\nLarkmoor Mutual\n",
		"us_cities.tsv":                       "Saskatoon\tX\t1\n", "world_cities_geonames15000.tsv": "Nagpur\tIndia\n", "countries.tsv": "Canada\tCA\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadLists(t *testing.T) {
	lists, err := ReadLists(someLists(t))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"given": {"Omar", "Pam", "Zoe"}, "surname": {"Brandt", "Halloway", "O'Neil"}, "company": {"Blue Harbor", "Larkmoor Mutual"},
		"city": {"Nagpur", "Saskatoon"}, "country": {"Canada"},
	}
	if !reflect.DeepEqual(lists, want) {
		t.Errorf("got %v", lists)
	}
	if _, err := ReadLists(t.TempDir()); err == nil {
		t.Error("a folder without lists was read")
	}
}

// Every symbol of the grammar can be written, and every line of a block has a speaker.
func TestGrammarIsComplete(t *testing.T) {
	lists, err := ReadLists(someLists(t))
	if err != nil {
		t.Fatal(err)
	}
	g := newGrammar(grammarText, lists)
	symbol := regexp.MustCompile(`<([^<>]*)>`)
	check := func(where string) {
		for _, m := range symbol.FindAllStringSubmatch(where, -1) {
			if m[1] != "^" && len(g.ways[m[1]]) == 0 {
				t.Errorf("%q has a symbol that nothing writes", where)
			}
		}
	}
	for _, ways := range g.ways {
		for _, w := range ways {
			check(w)
		}
	}
	for _, b := range g.blocks {
		for _, line := range b {
			check(line)
			if !strings.Contains(line, ": ") {
				t.Errorf("%q has no speaker", line)
			}
		}
	}
}

// Every label of a turn covers what was put there, and equal seeds give equal sets.
func TestCompose(t *testing.T) {
	lists, err := ReadLists(someLists(t))
	if err != nil {
		t.Fatal(err)
	}
	s := Compose(lists, 3000, 1)
	turns := 0
	for _, c := range s.Conversations {
		turns += len(c.Utterances)
		for i := range c.Utterances {
			checkLabels(t, &c.Utterances[i])
		}
	}
	if turns < 3000 {
		t.Errorf("%d turns", turns)
	}
	if !reflect.DeepEqual(s, Compose(lists, 3000, 1)) || reflect.DeepEqual(s, Compose(lists, 3000, 2)) {
		t.Error("the seed does not decide")
	}
}

func checkLabels(t *testing.T, u *gold.Utterance) {
	t.Helper()
	runes := []rune(u.Text)
	if strings.ContainsAny(u.Text, "<>{}") || u.Text == "" {
		t.Fatalf("a turn is %q", u.Text)
	}
	at := 0
	for _, e := range u.Entities {
		name := string(runes[e.Start:e.End])
		if e.Type == "" || e.Start < at || name != strings.TrimSpace(name) {
			t.Fatalf("%q is labelled %q in %q", name, e.Type, u.Text)
		}
		at = e.End
	}
}

func TestExpand(t *testing.T) {
	g := newGrammar("# a remark\n\nhouse = The <^><kind> House\nkind = écru\n\nagent: Is it {O <house>}?\ncustomer: {O <house>} it is\n\nagent: bye\n", nil)
	if len(g.blocks) != 2 || len(g.blocks[0]) != 2 {
		t.Fatalf("blocks %q", g.blocks)
	}
	u := g.turn(g.blocks[0][0], rand.New(rand.NewPCG(1, 1)))
	if u.Speaker != "agent" || u.Text != "Is it The Écru House?" || len(u.Entities) != 1 || u.Entities[0].Start != 6 || u.Entities[0].End != 20 {
		t.Errorf("%+v", u)
	}
}
