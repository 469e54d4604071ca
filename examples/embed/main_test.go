package main

import (
	"strings"
	"testing"
)

func TestEmbed(t *testing.T) {
	var out strings.Builder
	if err := embed(strings.NewReader("Ines: This is Ines Quimby.\nTom: Thanks, Ines.\n"), &out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "Ines") || strings.Contains(out.String(), "Quimby") || !strings.Contains(out.String(), "Thanks, [PERSON_NAME_1].") {
		t.Errorf("got %s", out.String())
	}
}
