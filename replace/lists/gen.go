//go:build ignore

// This program makes given.tsv, surname.tsv and city.tsv, the values of the
// built-in surrogates with their frequencies, from lists that are in the public
// domain or under the MIT licence. See docs/replacement.md for the sources.
//
//	go run gen.go -lists DIR
package main

import (
	"bufio"
	"flag"
	"fmt"
	"iter"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var plain = regexp.MustCompile(`^[A-Z][a-z]+( [A-Z][a-z]+)?$`)

func main() {
	lists := flag.String("lists", "", "folder of us_first_names.tsv, us_surnames_census1990.tsv and us_cities.tsv")
	flag.Parse()
	log.SetFlags(0)

	write("given.tsv", func(row func(...any)) { givenNames(rows(*lists, "us_first_names.tsv"), row) })
	write("surname.tsv", func(row func(...any)) { surnames(rows(*lists, "us_surnames_census1990.tsv"), row) })
	write("city.tsv", func(row func(...any)) { cities(rows(*lists, "us_cities.tsv"), row) })
}

// givenNames writes first names with their counts of births. Those that at least nine of ten
// bearers of one sex have are marked with it, and the most frequent ones that both sexes have as
// neutral.
func givenNames(in iter.Seq[[]string], row func(...any)) {
	n, neutral := 0, 0
	for f := range in {
		count, err := strconv.Atoi(f[1])
		female, err2 := strconv.ParseFloat(f[2], 64)
		if err != nil || err2 != nil || !plain.MatchString(f[0]) || len(f[0]) < 3 {
			continue
		}
		mark := ""
		switch {
		case female >= 0.3 && female <= 0.7 && neutral < 240:
			neutral++
			mark = "neutral"
		case female >= 0.9:
			mark = "female"
		case female <= 0.1:
			mark = "male"
		}
		if n++; n <= 1000 || mark == "neutral" {
			row(f[0], count, mark)
		}
	}
}

// surnames writes last names with their shares of the population, in thousandths of a percent.
func surnames(in iter.Seq[[]string], row func(...any)) {
	n := 0
	for f := range in {
		share, err := strconv.ParseFloat(f[1], 64)
		if err != nil || !plain.MatchString(f[0]) || len(f[0]) < 3 {
			continue
		}
		if n++; n > 1500 {
			return
		}
		row(f[0], int(share*1000+0.5))
	}
}

// cities writes cities with their inhabitants.
func cities(in iter.Seq[[]string], row func(...any)) {
	n := 0
	seen := map[string]bool{}
	for f := range in {
		count, err := strconv.Atoi(f[2])
		if err != nil || !plain.MatchString(f[0]) || seen[f[0]] {
			continue
		}
		seen[f[0]] = true
		if n++; n > 400 {
			return
		}
		row(f[0], count)
	}
}

func rows(dir, name string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		for sc := bufio.NewScanner(f); sc.Scan(); {
			if fields := strings.Split(sc.Text(), "\t"); len(fields) >= 3 && !yield(fields) {
				return
			}
		}
	}
}

func write(name string, fill func(row func(...any))) {
	var b strings.Builder
	fill(func(fields ...any) {
		line := fmt.Sprint(fields[0])
		for _, f := range fields[1:] {
			line += "\t" + fmt.Sprint(f)
		}
		b.WriteString(strings.TrimRight(line, "\t") + "\n")
	})
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		log.Fatal(err)
	}
}
