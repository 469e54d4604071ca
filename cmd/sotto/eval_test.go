package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

func TestEvalWrongUsage(t *testing.T) {
	broken := write(t, "gold.jsonl", `{"utterances":[{"text":"secret","entities":[{"start":0,"end":9,"type":"AGE"}]}]}`)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"eval"}, cli.Usage, "--gold FILE"},
		{[]string{"eval", "--gold", "/no/such/file"}, cli.Usage, "/no/such/file"},
		{[]string{"eval", "--gold", broken, "--types", "PERSON"}, cli.Usage, "--types"},
		{[]string{"eval", "--gold", broken, "--sensitivity", "most"}, cli.Usage, "--sensitivity"},
		{[]string{"eval", "--gold", broken, "--plot", "x.svg"}, cli.Usage, "--sensitivity all"},
		{[]string{"eval", "--gold", broken, "--who", "/no/such/persons"}, cli.Usage, "/no/such/persons"},
		{[]string{"eval", "--gold", broken, "--who", broken}, cli.Usage, "gold.jsonl:1: not the persons of a conversation"},
		{[]string{"eval", "--gold", write(t, "calls.txt", markedUp), "--who", write(t, "who.jsonl", `{"id":"secret","mentions":[]}`)}, cli.Usage, "no conversation has the ID"},
		{[]string{"eval", "--gold", broken}, cli.Failed, "gold.jsonl:1: utterance 1, entity 1: positions 0 to 9"},
	} {
		o := sotto(t, nil, "", c.args...)
		if o.code != c.code || !strings.Contains(o.errors, c.want) || strings.Contains(o.errors, "secret") || strings.Count(o.errors, "\n") != 1 {
			t.Errorf("%v: exit status %d, error %q", c.args, o.code, o.errors)
		}
	}
}

func TestEvalWhoIsWho(t *testing.T) {
	calls, who := write(t, "calls.txt", markedUp), write(t, "who.jsonl", `{"id":"M-1","mentions":[[0,0,1,"?"]]}`)
	o := sotto(t, nil, "", "eval", "--gold", calls, "--who", who, "--json")
	var result struct {
		Persons *struct{ Calls, Mentions int } `json:"persons"`
	}
	if err := json.Unmarshal([]byte(o.out), &result); err != nil || result.Persons == nil || result.Persons.Calls != 1 || result.Persons.Mentions != 0 {
		t.Errorf("%v, %+v: %s", err, result.Persons, o.errors)
	}
}

// With --sensitivity all, each operating point masks no less than the one before it, and the picture shows them.
func TestEvalAtAllPoints(t *testing.T) {
	calls := write(t, "calls.txt", markedUp)
	picture := filepath.Join(t.TempDir(), "curve.svg")
	o := sotto(t, nil, "", "eval", "--lower", "--sensitivity", "all", "--plot", picture, "--gold", calls, calls)
	for _, want := range []string{"balanced", "high", "maximum", "total", "released"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("the output lacks %q: %s%s", want, o.out, o.errors)
		}
	}
	svg, err := os.ReadFile(picture)
	if err != nil || !strings.HasPrefix(string(svg), "<svg ") || strings.Count(string(svg), "<circle") != 2*3*3 {
		t.Errorf("%v: %s", err, svg)
	}
	if err := xml.Unmarshal(svg, new(struct{})); err != nil {
		t.Errorf("the picture is no XML: %v", err)
	}
	var points []struct {
		Sensitivity string  `json:"sensitivity"`
		Recall      float64 `json:"recall_chars"`
	}
	o = sotto(t, nil, "", "eval", "--sensitivity", "all", "--json", "--gold", calls)
	if err := json.Unmarshal([]byte(o.out), &points); err != nil || len(points) != 3 {
		t.Fatalf("%v: %s%s", err, o.out, o.errors)
	}
	if points[0].Sensitivity != "balanced" || points[0].Recall > points[1].Recall || points[1].Recall > points[2].Recall {
		t.Errorf("%+v", points)
	}
}
