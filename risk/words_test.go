package risk

import "testing"

func TestEveryListIsUsed(t *testing.T) {
	if unused := wordLists.Unused(); unused != nil {
		t.Errorf("nothing reads %q", unused)
	}
}
