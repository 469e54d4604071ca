package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

// docs/scaling.md shows what the command prints.
func TestTheGuideHasTheTableOfSize(t *testing.T) {
	page, err := os.ReadFile("../../docs/scaling.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "<!-- BEGIN sizes -->")
	table, _, ok := strings.Cut(table, "<!-- END sizes -->")
	if !ok {
		t.Fatal("no table")
	}
	var want []string
	for line := range strings.Lines(table) {
		if words := strings.Fields(strings.ReplaceAll(line, "|", " ")); len(words) > 0 && !strings.HasPrefix(words[0], "--") {
			want = append(want, strings.Join(words, " "))
		}
	}
	o := sotto(t, nil, "", "size")
	// The printed table continues below, with its first column repeated.
	var got []string
	row := map[string]int{}
	for line := range strings.Lines(strings.Split(o.out, "\nCores include")[0]) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if at, ok := row[words[0]]; ok {
			got[at] += " " + strings.Join(words[1:], " ")
			continue
		}
		row[words[0]] = len(got)
		got = append(got, strings.Join(words, " "))
	}
	if len(want) < 4 || !slices.Equal(got, want) {
		t.Errorf("the command prints\n%s\nthe guide has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSize(t *testing.T) {
	o := sotto(t, nil, "", "size", "--calls", "50000,100000", "--words-per-minute", "150")
	if o.code != cli.Done || !strings.Contains(o.out, "50,000") || !strings.Contains(o.out, "10,417") || strings.Count(o.out, "\n100,000  ") != 2 {
		t.Errorf("status %d\n%s%s", o.code, o.out, o.errors)
	}
	if o := sotto(t, nil, "", "size", "--calls=50000", "--retention=168h", "--price=disk=0.1,zone=0.02"); o.code != cli.Done || !strings.Contains(o.out, "per million minutes") {
		t.Errorf("status %d\n%s%s", o.code, o.out, o.errors)
	}
	for _, bad := range []string{"--calls=0", "--words-per-minute=0", "--replication=0", "--zones=0", "--call-minutes=-1", "--price=disk=cheap", "--retention=-1h"} {
		if o := sotto(t, nil, "", "size", bad); o.code != cli.Usage {
			t.Errorf("%s: status %d\n%s", bad, o.code, o.out)
		}
	}
}
