package files

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"sotto/anonymize"
)

// A held turn is a bad line, and its call is not released.
func TestHeldTurnsAreBadLines(t *testing.T) {
	e, err := anonymize.New(anonymize.Options{OtherLanguages: anonymize.HoldOther, Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	var bad []int
	job := Job{Engine: e, Report: func(line int, problem string) {
		if problem != problemOtherLanguage {
			t.Errorf("line %d: %s", line, problem)
		}
		bad = append(bad, line)
	}}
	in := `{"call_id":"c","seq":1,"type":"UTTERANCE","text":"hello, how can I help you"}
{"call_id":"c","seq":2,"type":"UTTERANCE","text":"hola, quiero cambiar la mesa de mi cuenta"}
{"call_id":"c","seq":3,"type":"END"}
`
	var out bytes.Buffer
	n, err := job.Events(context.Background(), strings.NewReader(in), &out)
	if err != nil {
		t.Fatal(err)
	}
	if n.Bad != 1 || n.Events != 2 || len(bad) != 1 || bad[0] != 2 {
		t.Errorf("%+v, bad lines %v", n, bad)
	}
	if got := out.String(); strings.Contains(got, "cuenta") || !strings.Contains(got, `"release":false`) || !strings.Contains(got, "(es)") {
		t.Error("the held turn is in the output, or the call is released")
	}
}
