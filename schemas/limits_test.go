package schemas

import (
	"strings"
	"testing"
)

func TestIsWord(t *testing.T) {
	for s, want := range map[string]bool{
		"": false, "sales": true, "Team_4.b-c": true, "two words": false, "größe": false, "a\n": false,
		strings.Repeat("a", MaxContext): true, strings.Repeat("a", MaxContext+1): false,
	} {
		if IsWord(s, MaxContext) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}
