package review

import (
	"bytes"
	"strings"
	"testing"

	"sotto/anonymize"
	"sotto/risk"
)

func TestLinesAreReadBack(t *testing.T) {
	c := &Call{ID: "c", Mode: Missed, Utterances: []Utterance{{Seq: 7, Text: "a ) Quimby"}}}
	r := Reading{Kind: Annotation, Annotator: "ann", Done: true, Spans: []Span{{Place: Place{7, 2, 10}, Type: "PERSON_NAME"}}}
	var b bytes.Buffer
	if err := WriteLines(&b, []Read{{c, []Reading{r}}}); err != nil {
		t.Fatal(err)
	}
	calls, err := risk.Table6().ReadLines(&b, "lines")
	if err != nil || len(calls) != 1 || len(calls[0].Missed) != 1 || calls[0].Missed[0].Value != ") Quimby" {
		t.Errorf("%+v %v", calls, err)
	}
}

func TestTheAdjudicatedReadingCounts(t *testing.T) {
	readings := []Reading{
		{Kind: Annotation, Annotator: "ann", Done: true}, {Kind: Annotation, Annotator: "bob", Done: true},
		{Kind: Annotation, Annotator: "eve"}, {Kind: RedTeam, Annotator: "ann", Done: true, Verdict: risk.Residual},
		{Kind: RedTeam, Annotator: "bob", Done: true, Verdict: risk.NothingFound},
	}
	r := Read{&Call{ID: "c"}, readings}
	if calls := r.RiskCalls(); len(calls) != 2 || calls[0].Verdict != risk.Residual {
		t.Errorf("%+v", calls)
	}
	r.Readings = append(readings, Reading{Kind: Adjudication, Annotator: "judge", Done: true, Pieces: []risk.Piece{{Type: "SSN"}}})
	if calls := r.RiskCalls(); len(calls) != 1 || calls[0].Annotator != "judge" || len(calls[0].Missed) != 1 {
		t.Errorf("%+v", calls)
	}
}

func TestSuggestionsAreDisjointAndOutsideOfMasks(t *testing.T) {
	e, err := anonymize.New(anonymize.Options{RawOffsets: true})
	if err != nil {
		t.Fatal(err)
	}
	c := &Call{ID: "c", Mode: Missed, Utterances: []Utterance{
		{Seq: 1, Text: "This is [PERSON_NAME_1] Quimby, code 88213, and Wexlohr Field.", Masks: []Mask{{8, 23, "PERSON_NAME"}}},
	}}
	found, doubtful := Suggest(e, c)
	if len(found) != 0 || len(doubtful) < 2 {
		t.Errorf("%d found, %d doubtful", len(found), len(doubtful))
	}
	end := 0
	for _, d := range doubtful {
		if d.Start < end || d.End <= d.Start || d.Start < 23 && d.End > 8 {
			t.Errorf("%+v", d)
		}
		end = d.End
	}
	c.Mode = Label
	if found, _ := Suggest(e, c); len(found) == 0 {
		t.Error("there is no draft")
	}
}

// TestRawTextHasLabelsWithoutAScore marks what evaluation leaves out, which only raw text may have.
func TestRawTextHasLabelsWithoutAScore(t *testing.T) {
	c := &Call{ID: "c", Mode: Label, Utterances: []Utterance{{Seq: 1, Text: "Quimby paid ten dollars at noon on May fifth says Rex"}}}
	spans := []Span{
		{Place: Place{1, 0, 6}, Type: "PERSON_NAME"}, {Place: Place{1, 12, 23}, Type: "MONEY"}, {Place: Place{1, 27, 31}, Type: "TIME"},
		{Place: Place{1, 35, 44}, Type: "DATE"}, {Place: Place{1, 50, 53}, Type: "OTHER"},
	}
	r := Reading{Kind: Annotation, Spans: spans}
	if err := r.Check(c); err != nil {
		t.Error(err)
	}
	if pieces := c.Distinct(spans); len(pieces) != 1 {
		t.Errorf("%+v", pieces)
	}
	var labels []string
	for _, e := range c.Gold(spans).Utterances[0].Entities {
		labels = append(labels, e.Type)
	}
	if got := strings.Join(labels, " "); got != "PERSON_NAME MONEY TIME DATE OTHER" {
		t.Error(got)
	}
	c.Mode = Missed
	if err := r.Check(c); err == nil {
		t.Error("a label without a score marks what was missed")
	}
}
