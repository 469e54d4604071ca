package linking

import "testing"

func phonetic(word string) string { return string(AppendPhonetic(nil, word)) }

func TestPhonetic(t *testing.T) {
	for _, same := range [][]string{
		{"mark", "marc"}, {"kathryn", "catherine", "katherine"}, {"steven", "stephen"}, {"jon", "john"},
		{"sara", "sarah"}, {"kowalski", "kowalsky"}, {"brian", "bryan"}, {"philip", "phillip"}, {"geoff", "jeff"},
	} {
		for _, w := range same[1:] {
			if phonetic(w) != phonetic(same[0]) {
				t.Errorf("%s %s, %s %s", same[0], phonetic(same[0]), w, phonetic(w))
			}
		}
	}
	for _, pair := range [][2]string{{"dan", "don"}, {"eric", "erica"}, {"carl", "carla"}, {"bill", "will"}, {"tim", "jim"}, {"ann", "anna"}} {
		if phonetic(pair[0]) == phonetic(pair[1]) {
			t.Errorf("%s and %s: %s", pair[0], pair[1], phonetic(pair[0]))
		}
	}
}
