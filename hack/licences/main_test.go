package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
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

func TestEveryLicenceFileOfALinkedFolderCounts(t *testing.T) {
	root := t.TempDir()
	check := func() error {
		w := work{name: "example.org/m"}
		if err := w.addUpwards(root, filepath.Join(root, "internal", "copied")); err != nil {
			t.Fatal(err)
		}
		return permissiveOnly([]work{w})
	}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("internal/copied/doc.go", "package copied")
	if check() == nil {
		t.Error("a module without a licence file passes")
	}
	write("NOTICE", "Copyright of somebody")
	if check() == nil {
		t.Error("a notice counts as a licence")
	}
	write("LICENSE", "Apache License Version 2.0")
	if err := check(); err != nil {
		t.Error(err)
	}
	write("other/COPYING", "GNU General Public License")
	if err := check(); err != nil {
		t.Errorf("the licence of a folder that is not linked counts: %v", err)
	}
	write("internal/copied/COPYING.txt", "GNU General Public License")
	if check() == nil {
		t.Error("a second licence that is not permissive passes")
	}
}

func TestNoticesAreUpToDate(t *testing.T) {
	if testing.Short() {
		t.Skip("lists the packages of every platform")
	}
	const root = "../.."
	works, err := linked(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := permissiveOnly(works); err != nil {
		t.Error(err)
	}
	fresh, err := notices(root, works)
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(filepath.Join(root, noticesFile))
	if err != nil || !bytes.Equal(old, fresh) {
		t.Errorf("%s is not up to date: run `make notices`", noticesFile)
	}
	for _, want := range []string{
		"github.com/twmb/franz-go v",                    // on every system
		"github.com/inconshreveable/mousetrap v",        // on Windows only
		"zstd/internal/xxhash/LICENSE.txt",              // copied code inside a module
		"This product includes software developed at\n", // a NOTICE file
	} {
		if !strings.Contains(string(fresh), want) {
			t.Errorf("the notices lack %q", want)
		}
	}
}

func TestEqualTextsAppearOnce(t *testing.T) {
	text := licenceText{file: "LICENSE", text: "Apache License Version 2.0\n"}
	works := []work{
		{name: "example.org/a", version: "v1", texts: []licenceText{text}},
		{name: "example.org/b", version: "v2", texts: []licenceText{text}},
	}
	fresh, err := notices("../..", works)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(fresh), "[1] example.org/a v1\n    example.org/b v2\n\nApache License Version 2.0\n") ||
		strings.Contains(string(fresh), "[2]") {
		t.Errorf("got:\n%.600s", fresh)
	}
}
