package callgen

import (
	_ "embed"
	"strings"

	"sotto/detectors/wordlist"
)

//go:embed names.txt
var namesText string

type firstName struct {
	name string
	she  bool
}

type place struct{ city, state, zip string }

var (
	lists = wordlist.MustParse(namesText)

	firstNames  = firstNamesOf(lists.Words("women"), lists.Words("men"))
	surnames    = lists.Words("surnames")
	orgHeads    = lists.Phrases("company heads")
	orgTails    = byDomain("companies")
	clinicTails = lists.Phrases("clinics")
	places      = placesOf(lists.Values("places"))
	streets     = lists.Phrases("streets")
	products    = byDomain("products")
	mailHosts   = lists.Phrases("mail hosts")
	medTerms    = lists.Phrases("medical terms")
	drugs       = lists.Phrases("drugs")
	days        = lists.Phrases("days")
	months      = lists.Phrases("months")
	userWords   = lists.Phrases("user names")
	asIn        = lists.Words("spelling alphabet")
)

func firstNamesOf(women, men []string) (all []firstName) {
	for _, n := range women {
		all = append(all, firstName{n, true})
	}
	for _, n := range men {
		all = append(all, firstName{n, false})
	}
	return all
}

// byDomain returns the lists of a name: one for each domain, and "" for the others.
func byDomain(name string) map[string][]string {
	m := map[string][]string{}
	for _, list := range lists.Names() {
		if domain, ok := strings.CutPrefix(list, name); ok {
			m[strings.TrimSpace(domain)] = lists.Phrases(list)
		}
	}
	return m
}

func placesOf(values []wordlist.Valued) (all []place) {
	for _, v := range values {
		city, state, _ := strings.Cut(v.Value, ", ")
		all = append(all, place{city, state, v.Words[0]})
	}
	return all
}
