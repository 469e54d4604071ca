package utility

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// made is a data set of our own. The slot of an utterance says nothing about its intent; the words
// around it do.
func made(n int, seed uint64) []Example {
	random := rand.New(rand.NewPCG(seed, 0))
	var out []Example
	for i := range n {
		place := []string{"alder falls", "birchgate", "new carrow", "dale"}[random.IntN(4)]
		intent := []string{"travel", "weather"}[i%2]
		before := map[string][]string{"travel": {"take me to ", "a ticket to "}, "weather": {"will it rain in ", "how warm is it in "}}[intent][random.IntN(2)]
		text := before + place
		out = append(out, Example{
			ID: fmt.Sprint(i), Text: text, Labels: []string{intent},
			Spans: []Span{{len(before), len(text), "SLOT_PLACE", "LOCATION"}},
		})
	}
	return out
}

func TestClassifierLearns(t *testing.T) {
	data := made(200, 1)
	var texts []string
	var labels [][]string
	for _, e := range data {
		texts, labels = append(texts, e.Text), append(labels, e.Labels)
	}
	c := train(texts, labels, 1)
	if a := c.accuracy(made(50, 2)); a != 1 {
		t.Errorf("accuracy %v", a)
	}
	if f := c.f1(made(50, 2)); f != 1 {
		t.Errorf("F1 %v", f)
	}
	if a := c.accuracy([]Example{{Text: "take me to dale", Labels: []string{"weather"}}}); a != 0 {
		t.Errorf("a wrong label counts as right")
	}
}

func TestTreatments(t *testing.T) {
	data := made(40, 3)
	for _, tr := range Treatments() {
		texts, err := tr.apply(data, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		same := 0
		for i, text := range texts {
			span := data[i].Spans[0]
			if !strings.HasPrefix(text, data[i].Text[:span.Start]) {
				t.Fatalf("%s: text outside of slots changed: %q", tr.Name, text)
			}
			if text == data[i].Text {
				same++
			}
			rest := text[span.Start:]
			if want, ok := map[string]string{"redact": "[REDACTED]", "typed": "[SLOT_PLACE]", "typed-numbered": "[SLOT_PLACE_1]"}[tr.Name]; ok && rest != want {
				t.Errorf("%s: got %q", tr.Name, rest)
			}
		}
		if tr.none != (same == len(texts)) {
			t.Errorf("%s: %d of %d texts are the same", tr.Name, same, len(texts))
		}
		again, _ := tr.apply(data, 1, 1)
		if strings.Join(again, "\n") != strings.Join(texts, "\n") {
			t.Errorf("%s: not the same again", tr.Name)
		}
	}
}

func TestReport(t *testing.T) {
	sets := []Set{{Name: "made", Train: made(100, 4), Test: made(40, 5)}}
	r, err := Measure(t.Context(), sets, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != len(Treatments()) || r.Rows[0].Cells[0].Mean != 100 || r.Sets[0].Metric != "accuracy" || r.Sets[0].Slots != 1 {
		t.Errorf("%+v", r)
	}
	var b strings.Builder
	if err := r.WriteTable(&b); err != nil || !strings.Contains(b.String(), "none            -               100.0 ± 0.0\n") {
		t.Errorf("the table is\n%s", b.String())
	}
	b.Reset()
	if err := r.WriteMarkdown(&b); err != nil || !strings.Contains(b.String(), "| none | - | 100.0 ± 0.0 |") {
		t.Errorf("the table is\n%s", b.String())
	}
}

func TestCell(t *testing.T) {
	if c := cell([]float64{1, 2, 3}); c.Mean != 2 || c.Deviation != 1 {
		t.Errorf("%+v", c)
	}
	if c := cell([]float64{7}); c.Mean != 7 || c.Deviation != 0 {
		t.Errorf("%+v", c)
	}
}

func TestRead(t *testing.T) {
	good := `{"id": "a", "utterances": [{"text": "go to dale", "entities": [{"start": 6, "end": 10, "type": "LOCATION", "label": "to.place"}], "intent": "travel"}, {"text": "x", "entities": []}]}

{"id": "b", "utterances": [{"text": "é", "entities": [], "intents": ["p", "q"]}]}`
	got, err := Read(strings.NewReader(good), "f")
	if err != nil || len(got) != 2 || got[0].Spans[0] != (Span{6, 10, "SLOT_TO_PLACE", "LOCATION"}) || len(got[1].Labels) != 2 {
		t.Errorf("%+v %v", got, err)
	}
	for _, bad := range []string{"secret", "{}", `{"utterances": [{"text": "secret", "intent": "a", "entities": [{"start": 3, "end": 9, "type": "X"}]}]}`} {
		if _, err := Read(strings.NewReader("\n"+bad), "f"); err == nil || !strings.Contains(err.Error(), "f:2") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// On SNIPS, replacing words or entities costs next to nothing, as in the paper.
func TestSurrogatesCostLittleOnSNIPS(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	read := func(part string) []Example {
		f, err := os.Open("../../../shared/corpora/utility/snips." + part + ".jsonl")
		if err != nil {
			t.Skip("the data set is not here")
		}
		defer f.Close()
		examples, err := Read(f, part)
		if err != nil {
			t.Fatal(err)
		}
		return examples
	}
	s := Set{Test: read("test")}
	for i, e := range read("train") {
		if i%4 == 0 {
			s.Train = append(s.Train, e)
		}
	}
	r, err := Measure(t.Context(), []Set{s}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		if row.Strategy == "word" || row.Strategy == "entity" {
			if loss := r.Rows[0].Cells[0].Mean - row.Cells[0].Mean; loss > 2 {
				t.Errorf("%s (%s) costs %.1f points", row.Strategy, row.Source, loss)
			}
		}
	}
}
