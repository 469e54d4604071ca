package risk_test

import (
	"strings"
	"testing"

	"sotto/risk"
)

func TestReadScores(t *testing.T) {
	table, err := risk.Table6().ReadScores(strings.NewReader(`
# our own weights
EMAIL_ADDRESS: {score: 3}
PERSON_NAME:
  partial: down
ORGANIZATION_NAME: {score: 1}
PRODUCT: {speaker: 4}
BADGE_NUMBER: {score: 3, group: id-number, partial: up, tag: BADGE}
`), "scores.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for tag, want := range map[string]int{
		"EMAIL": 3, "EMAIL_PARTIAL": 1, "PERSON_NAME": 5, "PERSON_NAME_PARTIAL": 2, "ORGANIZATION_NAME": 1, "ORGANIZATION_NAME_SPEAKER": 2,
		"PRODUCT": 0, "PRODUCT_SPEAKER": 4, "BADGE": 3, "BADGE_NUMBER_PARTIAL": 2, "SSN": 5,
	} {
		if got := table.Points(pieces(t, table, "(x)[MISSED_"+tag+"]")[0]); got != want {
			t.Errorf("%s scores %d, want %d", tag, got, want)
		}
	}
	if got := risk.Table6().Points(risk.Piece{Type: "EMAIL_ADDRESS"}); got != 4 {
		t.Error("the default table was changed")
	}
	if _, err := risk.Table6().ReadScores(strings.NewReader("# nothing\n"), "f"); err != nil {
		t.Errorf("an empty file: %v", err)
	}
}

func TestReadScoresReportsEveryProblem(t *testing.T) {
	_, err := risk.Table6().ReadScores(strings.NewReader("EMAIL_ADDRESS: {score: 7}\nNEW_TYPE: {group: other}\nlower: {score: 1}\n"), "scores.yaml")
	if err == nil {
		t.Fatal("a broken file was read")
	}
	for _, want := range []string{"scores.yaml: score of EMAIL_ADDRESS is 7", "between 0 and 5", "scores.yaml: score of NEW_TYPE", "needs a score", "capital letters"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
	for in, want := range map[string]string{
		"- a\n- b\n":                         "f:1: ",
		"EMAIL_ADDRESS: {score: 1\n":         "f:",
		"\nSSN: {points: 3}\n":               "f:2: ",
		"\nPHONE_NUMBER: {score: many}\n":    "f:2: ",
		"A_NEW: {score: 1, tag: PHONE}\n":    "f: score of PHONE_NUMBER: tag PHONE already belongs to A_NEW",
		"SSN: {score: 1}\nSSN: {score: 2}\n": "f:2: ",
	} {
		if _, err := risk.Table6().ReadScores(strings.NewReader(in), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", in, err, want)
		}
	}
}
