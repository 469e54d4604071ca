package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestClassify(t *testing.T) {
	for text, want := range map[string]struct {
		name string
		ok   bool
	}{
		"Apache License\n  Version 2.0, January 2004":                                                              {"Apache-2.0", true},
		"Permission is hereby granted, free\nof charge, ... The above copyright notice and this permission notice": {"MIT", true},
		"Redistribution and use in source and binary forms ... endorse or promote products":                        {"BSD-3-Clause", true},
		"Redistribution and use in source and binary forms":                                                        {"BSD-2-Clause", true},
		"Mozilla Public License Version 2.0":                                                                       {"mozilla public license", false},
		"Apache License Version 2.0, and parts under the GNU General Public License":                               {"gnu general public license", false},
		"All rights reserved.": {"unknown licence", false},
	} {
		if name, ok := classify(text); name != want.name || ok != want.ok {
			t.Errorf("%.40q: got %s %v", text, name, ok)
		}
	}
}

func TestEveryLicenceFileCounts(t *testing.T) {
	dir := t.TempDir()
	if _, err := licencesOf(dir); err == nil {
		t.Error("a module without a licence file passes")
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("LICENSE", "Apache License Version 2.0")
	if _, err := licencesOf(dir); err != nil {
		t.Error(err)
	}
	write("COPYING.txt", "GNU General Public License")
	if _, err := licencesOf(dir); err == nil {
		t.Error("a second licence that is not permissive passes")
	}
}
