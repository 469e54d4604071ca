package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(strings.NewReader("My number is Birch Twelve, since May 4th.\nSo that is birch twelve?\n"), &out); err != nil {
		t.Fatal(err)
	}
	if want := "My number is [LOYALTY_NUMBER_1], since [DATE_1].\nSo that is [LOYALTY_NUMBER_1]?\n"; out.String() != want {
		t.Errorf("got %s", out.String())
	}
}
