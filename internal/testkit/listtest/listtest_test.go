package listtest

import "testing"

func TestIsToken(t *testing.T) {
	for word, want := range map[string]bool{
		"street": true, "o'clock": true, "ma'am": true, "'s": true, "rav4": true, "42nd": true,
		"mother's": false, "42": false, "hiv-positive": false, "minutes'": false, "@": false, "Smith": false,
	} {
		if got := isToken(word); got != want {
			t.Errorf("%s: %v", word, got)
		}
	}
}
