package processor

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sotto/schemas"
)

// Whoever is woken by dead letters finds their reason in the runbook, once, and no reason that there is not.
func TestTheRunbookHasEveryReasonOfDeadLetters(t *testing.T) {
	page, err := os.ReadFile("../docs/runbooks/SottoDeadLetters.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		for _, code := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(cells[1], -1) {
			named = append(named, code[1])
		}
	}
	slices.Sort(named)
	if want := schemas.Reasons(); !slices.Equal(named, want) {
		for _, reason := range want {
			if !slices.Contains(named, reason) {
				t.Errorf("the runbook lacks %s", reason)
			}
		}
		t.Errorf("the runbook has %d reasons, the stream has %d: %q", len(named), len(want), named)
	}
}
