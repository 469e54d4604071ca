package noise

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"sotto/detectors/wordlist"
)

//go:embed words.txt
var wordsText string

var lists = wordlist.MustParse(wordsText)

var (
	cardinals, cardinalOf = numbers("cardinals")
	ordinals, ordinalOf   = numbers("ordinals")

	homophones = groups("homophones")
	letters    = alternatives("letters")

	parts = alternatives("compounds")
	whole = compounds()

	respellings = rules()

	dropped     = members(lists.Words("dropped"))
	fillers     = lists.Phrases("fillers")
	backchannel = lists.Phrases("backchannels")
	capitalized = members(lists.Words("capitalized"))
	questions   = members(lists.Words("questions"))
	openings    = members(lists.Words("openings"))
	sentences   = members(lists.Words("sentences"))
)

func numbers(list string) (words map[int]string, values map[string]int) {
	words, values = map[int]string{}, map[string]int{}
	for _, v := range lists.Values(list) {
		n, err := strconv.Atoi(v.Value)
		if err != nil {
			panic("noise: the list " + list + " has a value that is not a number")
		}
		words[n] = v.Words[0]
		for _, w := range v.Words {
			values[w] = n
		}
	}
	return words, values
}

// groups returns for each word those that it may become.
func groups(list string) map[string][]string {
	m := map[string][]string{}
	for _, group := range lists.Words(list) {
		words := strings.Split(group, "/")
		for i, w := range words {
			m[w] = slices.Concat(words[:i], words[i+1:])
		}
	}
	return m
}

// alternatives returns for each word those that it may become; the list names them one by one.
func alternatives(list string) map[string][]string {
	m := map[string][]string{}
	for _, v := range lists.Values(list) {
		for _, w := range v.Words {
			m[w] = strings.Fields(v.Value)
		}
	}
	return m
}

// compounds returns the compound of each two parts.
func compounds() map[string]string {
	m := map[string]string{}
	for w, p := range parts {
		if len(p) == 2 {
			m[p[0]+" "+p[1]] = w
		}
	}
	return m
}

type respelling struct {
	from string
	to   []string
}

func rules() (all []respelling) {
	for _, v := range lists.Values("respellings") {
		for _, from := range v.Words {
			all = append(all, respelling{from, strings.Fields(v.Value)})
		}
	}
	return all
}

func members(words []string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
