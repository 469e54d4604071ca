package linking

import (
	_ "embed"

	"strings"

	"sotto/internal/ruledata"
)

//go:embed nicknames.txt
var nicknamesText string

// nameGroups has the lines of the list of short names that a word is in.
var nameGroups = func() map[string][]int {
	groups := map[string][]int{}
	for i, line := range strings.Split(ruledata.Text("state/nicknames.txt", nicknamesText), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for w := range strings.FieldsSeq(line) {
			groups[w] = append(groups[w], i)
		}
	}
	return groups
}()

// isNickname reports whether two different words are likely forms of one given name: Bill and William.
func isNickname(a, b string) bool {
	if a == b {
		return false
	}
	of := nameGroups[a]
	if len(of) == 0 {
		return false
	}
	for _, i := range of {
		for _, k := range nameGroups[b] {
			if i == k {
				return true
			}
		}
	}
	return false
}
