package replace

import "testing"

func TestEveryListIsUsed(t *testing.T) {
	if unused := wordLists.Unused(); unused != nil {
		t.Errorf("nothing reads %q", unused)
	}
}

// What a certificate says of a child that has no name yet is no surrogate.
func TestSurrogatesAreNames(t *testing.T) {
	for _, word := range []string{"Unknown", "Unnamed", "Baby", "Infant", "Boy", "Girl", "Male", "Female"} {
		for kind, pl := range map[string]*pool{"all": builtIn().pools["PERSON_NAME"], "neutral": builtIn().neutral} {
			if pl.given.has(word) || pl.words.has(word) {
				t.Errorf("%s is among the given names: %s", word, kind)
			}
		}
	}
}
