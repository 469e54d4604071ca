package main

import (
	"strings"
	"testing"

	"sotto/risk"
)

func TestAnnotated(t *testing.T) {
	a, err := risk.Table6().Parse("agent: Hello [PERSON_NAME_1], how is (Zoe Brandt)[MISSED_PERSON_NAME]?\ncustomer: Fine, at (Leeds)[MISSED_LOCATION].\n")
	if err != nil {
		t.Fatal(err)
	}
	s := annotatedSet([]risk.Transcript{{ID: "a", Text: a.Text, Missed: a.Missed}})
	var got []string
	for _, u := range s.Conversations[0].Utterances {
		for _, e := range u.Entities {
			got = append(got, u.Speaker+" "+e.Type+" "+string([]rune(u.Text)[e.Start:e.End]))
		}
	}
	want := "agent PERSON_NAME Zoe Brandt, agent OTHER [PERSON_NAME_1], customer LOCATION Leeds"
	if g := strings.Join(got, ", "); g != want {
		t.Errorf("got  %s\nwant %s", g, want)
	}
}
