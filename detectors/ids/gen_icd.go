//go:build ignore

// This program makes icd.bin from the code tables of the ICD-9-CM and ICD-10-CM
// classifications, which are works of the United States government. Of ICD-10-CM it
// keeps the categories and their first subdivision; of ICD-9-CM every code.
//
//	go run gen_icd.go -icd10 icd10_categories.tsv -map icd9_icd10.tsv
package main

import (
	"bufio"
	"bytes"
	"compress/flate"
	"flag"
	"log"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

var (
	shape10 = regexp.MustCompile(`^[A-Z][0-9][0-9AB][0-9A-Z]?$`)
	shape9  = regexp.MustCompile(`^(\d{3}(\d{1,2})?|V\d\d(\d{1,2})?|E\d{3}\d?)$`)
)

func main() {
	categories := flag.String("icd10", "", "table whose first column is a code of ICD-10-CM without its dot")
	mapping := flag.String("map", "", "table whose first two columns are a code of ICD-9-CM and one of ICD-10-CM")
	flag.Parse()
	nine, ten := map[string]bool{}, map[string]bool{}
	each(*categories, func(f []string) { add(ten, f[0], shape10, 4) })
	each(*mapping, func(f []string) {
		add(nine, f[0], shape9, 6)
		add(ten, f[1], shape10, 4)
	})
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		log.Fatal(err)
	}
	for _, set := range []map[string]bool{nine, ten} {
		previous := ""
		for _, c := range slices.Sorted(maps.Keys(set)) {
			k := 0
			for k < len(previous) && k < len(c) && previous[k] == c[k] {
				k++
			}
			z.Write([]byte{byte('0' + k)})
			z.Write([]byte(c[k:] + "\n"))
			previous = c
		}
		z.Write([]byte("\n"))
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("icd.bin", packed.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

func each(path string, f func([]string)) {
	file, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		if fields := strings.Split(s.Text(), "\t"); len(fields) >= 2 {
			f(fields)
		}
	}
}

func add(set map[string]bool, code string, shape *regexp.Regexp, most int) {
	code = strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(code), ".", ""))
	if shape == shape10 && len(code) > most {
		code = code[:most]
	}
	if shape.MatchString(code) {
		set[code] = true
	}
}
