package main

import "testing"

// The list names functions, which somebody may rename or delete.
func TestModulesExist(t *testing.T) {
	t.Chdir("../..")
	for _, module := range allModules() {
		if _, err := writeOverlay(t.TempDir(), module); err != nil {
			t.Error(err)
		}
	}
}
