package audit

import (
	"context"
	"math"
	"strings"
	"testing"

	"sotto/internal/gold"
)

// kept is a model that finds a text more likely the more often it has read it, and all others equal.
type kept map[string]int

func (k kept) Read(_ context.Context, text string) ([]Token, error) {
	return []Token{{End: len(text), LogProb: -10 / float64(1+k[text])}}, nil
}

func (kept) Write(context.Context, string) (string, error) { return "", nil }

func TestExposure(t *testing.T) {
	c := &Canaries{Seed: 7, Times: []int{1, 4, 4}}
	read := kept{}
	for _, s := range c.Planted() {
		read[s]++
	}
	if len(read) != 3 || len(c.Planted()) != 9 || c.Planted()[0] == c.Planted()[1] {
		t.Fatalf("planted %q", c.Planted())
	}
	var r Report
	if err := r.AddExposure(t.Context(), read, c, 63); err != nil {
		t.Fatal(err)
	}
	for figure, want := range map[string]any{"canaries": 3, "exposure": 6.0, "exposure_greatest": 6.0, "exposure_greatest_possible": 6.0, "exposure_planted_1_times": 6.0, "exposure_planted_4_times": 6.0} {
		if r.Get(figure) != want {
			t.Errorf("%s is %v, want %v", figure, r.Get(figure), want)
		}
	}
	if f := r.Failures(Limits{MaxExposure: 5}); len(f) != 1 || !strings.Contains(f[0], "exposure") {
		t.Errorf("%q", f)
	}
	// A model that has kept nothing thinks all codes alike.
	r = Report{}
	if err := r.AddExposure(t.Context(), kept{}, c, 63); err != nil || math.Abs(r.Get("exposure").(float64)-math.Log2(64/32.5)) > 1e-9 || len(r.Failures(Limits{MaxExposure: 5})) > 0 {
		t.Errorf("%v, %v", r.Rows(), err)
	}
}

// One of three canaries that a model knows does not hide among those that it does not know.
func TestOneCanaryThatIsKnown(t *testing.T) {
	c := &Canaries{Seed: 9, Times: []int{1, 1, 1, 1, 1, 1, 8, 8, 8}}
	var r Report
	if err := r.AddExposure(t.Context(), kept{c.sentences(9)[7]: 8}, c, 1000); err != nil {
		t.Fatal(err)
	}
	if x := r.Get("exposure").(float64); x > 4 {
		t.Errorf("the mean of all is %.2f: the test tests nothing", x)
	}
	if f := r.Failures(Limits{MaxExposure: 3.5}); len(f) != 1 {
		t.Errorf("%q", f)
	}
}

// A model of n-grams that was trained with the canaries shows them, and one without them does not.
func TestExposureOfATrainedModel(t *testing.T) {
	c := &Canaries{Seed: 3, Times: []int{8, 8, 8}}
	calls, _ := invented(1, 10)
	calls = append(calls, call(strings.Join(digits, " ")+" "+sentence))
	without := trained(t, calls, 1, 1)
	var planted []gold.Conversation
	for _, s := range c.Planted() {
		planted = append(planted, call(s))
	}
	with := trained(t, append(planted, calls...), 1, 1)
	for i, m := range []Model{without, with} {
		var r Report
		if err := r.AddExposure(t.Context(), m, c, 500); err != nil {
			t.Fatal(err)
		}
		if got := r.Get("exposure").(float64); (got > 6) != (i == 1) {
			t.Errorf("planted: %t, exposure %.2f", i == 1, got)
		}
	}
}

func TestReadCanaries(t *testing.T) {
	for _, bad := range []string{"", "secret", "{}", "null", `{"seed": 1, "times": [0]}`, `{"seed": 1, "times": [9999]}`, `{"times": "secret"}`} {
		if _, err := ReadCanaries(strings.NewReader(bad), "file"); err == nil || !strings.HasPrefix(err.Error(), "file: ") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if c, err := ReadCanaries(strings.NewReader(`{"seed": 18446744073709551615, "times": [1, 2]}`), "file"); err != nil || c.Seed != math.MaxUint64 || len(c.Times) != 2 {
		t.Errorf("%v, %v", c, err)
	}
}

func TestSampleIsSpreadAndBounded(t *testing.T) {
	calls := make([]gold.Conversation, 10)
	for i := range calls {
		calls[i].Line = i
	}
	if got := Sample(calls, 0); len(got) != 10 {
		t.Errorf("%d without a limit", len(got))
	}
	if got := Sample(calls, 4); len(got) != 4 || got[0].Line != 0 || got[1].Line != 2 || got[2].Line != 5 || got[3].Line != 7 {
		t.Errorf("%+v", got)
	}
}
