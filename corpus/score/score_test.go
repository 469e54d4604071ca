package score

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// The reference values are those that reference.py printed.
func TestScoresAreThoseOfTheLibraries(t *testing.T) {
	data, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Rows []struct {
			Reference, Output string
			ROUGE             [3]float64
			BLEU              float64
		}
		BLEU, F1, Accuracy  float64
		References, Outputs []string
	}
	if err := json.Unmarshal(data, &want); err != nil || len(want.Rows) < 50 {
		t.Fatal(len(want.Rows), err)
	}
	same := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	var refs, outs []string
	for _, r := range want.Rows {
		r1, r2, rl := ROUGE(r.Reference, r.Output)
		same("ROUGE-1 of "+r.Output, r1, r.ROUGE[0])
		same("ROUGE-2 of "+r.Output, r2, r.ROUGE[1])
		same("ROUGE-L of "+r.Output, rl, r.ROUGE[2])
		same("BLEU of "+r.Output, BLEU([]string{r.Reference}, []string{r.Output}), r.BLEU)
		refs, outs = append(refs, r.Reference), append(outs, r.Output)
	}
	same("BLEU", BLEU(refs, outs), want.BLEU)
	macro, accuracy := F1(want.References, want.Outputs)
	same("F1", macro, want.F1)
	same("accuracy", accuracy, want.Accuracy)
}
