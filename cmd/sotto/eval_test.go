package main

import (
	"strings"
	"testing"
)

func TestEvalWrongUsage(t *testing.T) {
	broken := write(t, "gold.jsonl", `{"utterances":[{"text":"secret","entities":[{"start":0,"end":9,"type":"AGE"}]}]}`)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"eval"}, exitUsage, "--gold FILE"},
		{[]string{"eval", "--gold", "/no/such/file"}, exitUsage, "/no/such/file"},
		{[]string{"eval", "--gold", broken, "--iou", "2"}, exitUsage, "--iou"},
		{[]string{"eval", "--gold", broken, "--types", "PERSON"}, exitUsage, "--types"},
		{[]string{"eval", "--gold", broken}, exitFailed, "gold.jsonl:1: utterance 1, entity 1: positions 0 to 9"},
	} {
		o := sotto(t, nil, "", c.args...)
		if o.code != c.code || !strings.Contains(o.errors, c.want) || strings.Contains(o.errors, "secret") || strings.Count(o.errors, "\n") != 1 {
			t.Errorf("%v: exit status %d, error %q", c.args, o.code, o.errors)
		}
	}
}
