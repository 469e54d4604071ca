package head

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sotto/detectors/encoder"
	"sotto/internal/gold"
)

// calls are labelled conversations in which things have names that the encoder takes for none: the orders that a mill has.
func calls(n int, label string) (out []gold.Conversation) {
	for i := range n {
		text := fmt.Sprintf("please send %s to the yard by noon", []string{"blue heron", "grey plover", "old lantern"}[i%3])
		name := strings.TrimSuffix(strings.TrimPrefix(text, "please send "), " to the yard by noon")
		out = append(out, gold.Conversation{ID: fmt.Sprint(i), Utterances: []gold.Utterance{
			{Speaker: "agent", Text: "what can I do for you"},
			{Speaker: "customer", Text: text, Entities: []gold.Span{{Start: 12, End: 12 + len(name), Type: label}}},
		}})
	}
	return out
}

// said is the probability that the word at a place of a text is personal.
func said(m *encoder.Model, text string, place int) float32 {
	var turn encoder.Turn
	var reading encoder.Reading
	m.Split(&turn, text, 1)
	m.NewReader().Read(1, nil, &turn, &reading)
	for i, w := range turn.Words {
		if w.Start == place {
			return 1 - reading.Word(i)[0]
		}
	}
	return -1
}

func train(t *testing.T, calls []gold.Conversation, o Options) (*encoder.Model, []byte, *Report) {
	t.Helper()
	m := encoder.Builtin()
	layer, report, err := Train(t.Context(), m, calls, o)
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.EncodeHead(layer)
	if err != nil {
		t.Fatal(err)
	}
	adapted, err := m.Adapt(data)
	if err != nil {
		t.Fatal(err)
	}
	return adapted, data, report
}

func TestTheLastLayerLearnsFromFewCalls(t *testing.T) {
	m := encoder.Builtin()
	adapted, data, report := train(t, calls(80, "PRODUCT"), Options{Passes: 20, Progress: io.Discard})
	if report.Learned != 70 || report.HeldOut != 10 || report.After > report.Before/2 {
		t.Errorf("%+v", report)
	}
	const text = "please send red kestrel to the yard by noon"
	if before, after := said(m, text, 12), said(adapted, text, 12); after < 0.5 || after < before {
		t.Errorf("a further one of the kind has %.2f, and had %.2f", after, before)
	}
	for text, place := range map[string]int{"my name is Orla Venn": 11, "the weather is fine today": 4, "call me on 555 0142": 11} {
		if before, after := said(m, text, place), said(adapted, text, place); max(before-after, after-before) > 0.1 {
			t.Errorf("%q: %.2f, and was %.2f", text, after, before)
		}
	}
	if adapted.Digest() == m.Digest() {
		t.Error("the policy would not change")
	}
	if _, again, _ := train(t, calls(80, "PRODUCT"), Options{Passes: 20, Progress: io.Discard}); !bytes.Equal(data, again) {
		t.Error("equal calls gave two layers")
	}
}

// Whoever does not label companies has nothing against them: words of labels that the calls never use are not learned.
func TestLabelsThatAreNotUsedStay(t *testing.T) {
	var all []gold.Conversation
	for i, c := range calls(80, "PRODUCT") {
		c.Utterances = append(c.Utterances, gold.Utterance{Speaker: "agent", Text: []string{
			"thank you for calling Harwick Mutual", "this is the desk of Penfold Freight", "you have reached Larkin Dairy"}[i%3]})
		all = append(all, c)
	}
	m := encoder.Builtin()
	adapted, _, _ := train(t, all, Options{Passes: 10, Progress: io.Discard})
	const text = "thank you for calling Tolliver Bank"
	if before, after := said(m, text, 22), said(adapted, text, 22); before < 0.5 || after < before-0.05 {
		t.Errorf("a company has %.2f, and had %.2f", after, before)
	}
}

// Annotated transcripts have tags for what was masked, labelled OTHER; these are no words that anybody said.
func TestTagsAreNotLearned(t *testing.T) {
	tagged := calls(80, "PRODUCT")
	for i := range tagged {
		u := &tagged[i].Utterances[1]
		*u = gold.Utterance{Speaker: "customer", Text: "please send [PRODUCT_1] to the yard", Entities: []gold.Span{{Start: 12, End: 23, Type: "OTHER"}}}
	}
	if _, _, err := Train(t.Context(), encoder.Builtin(), tagged, Options{Passes: 1, Progress: io.Discard}); err == nil {
		t.Error("calls that have nothing but tags were learned from")
	}
	l := newLabels(encoder.Builtin(), tagged)
	if !l.unused[l.of("OTHER")] {
		t.Error("the label of tags counts as used")
	}
}

func TestTrainingNeedsValues(t *testing.T) {
	none := calls(80, "PRODUCT")
	for i := range none {
		none[i].Utterances[1].Entities = nil
	}
	for name, c := range map[string][]gold.Conversation{"too few": calls(7, "PRODUCT"), "no labels": none} {
		if _, _, err := Train(t.Context(), encoder.Builtin(), c, Options{Passes: 1, Progress: io.Discard}); err == nil {
			t.Error(name, "was learned from")
		}
	}
}

// The whole encoder is trained by a program in Python, which joins the same labels.
func TestLabelsAreThoseOfTheEncodersTraining(t *testing.T) {
	text, err := os.ReadFile("../encoder/data.py")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "SAME = {")
	table, _, _ := strings.Cut(rest, "}")
	var want, is []string
	for _, m := range regexp.MustCompile(`"(\w+)": "(\w+)"`).FindAllStringSubmatch(table, -1) {
		want = append(want, m[1]+" "+m[2])
	}
	for a, b := range same {
		is = append(is, a+" "+b)
	}
	slices.Sort(want)
	slices.Sort(is)
	if len(want) == 0 || !slices.Equal(want, is) {
		t.Errorf("data.py: %v; head: %v", want, is)
	}
}
