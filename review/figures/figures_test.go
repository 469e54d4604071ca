package figures

import (
	"fmt"
	"slices"
	"testing"

	"sotto/review"
	"sotto/risk"
)

// read makes a call of which a reading shows so many missed names.
func read(i, names int, policy string, estimated float64) review.Read {
	r := review.Reading{Kind: review.Annotation, Annotator: "ann", Done: true}
	for range names {
		r.Pieces = append(r.Pieces, risk.Piece{Type: "PERSON_NAME"})
	}
	c := &review.Call{
		ID: fmt.Sprint(i), Context: "sales", Policy: policy, Estimated: &estimated, TimestampMS: 1763683200000 + int64(i%3)*7*24*3600*1000,
	}
	return review.Read{Call: c, Readings: []review.Reading{r}}
}

func TestDashboard(t *testing.T) {
	var all []review.Read
	for i := range 60 {
		policy, names := "old", i%2
		if i >= 30 {
			policy, names = "new", 0
		}
		all = append(all, read(i, names, policy, float64(names)*4))
	}
	d := Compute(all)
	if d.Readings != 60 || d.Risk.Total.Count != 60 || d.Risk.Total.Mean != 1.25 {
		t.Errorf("%d readings, %+v", d.Readings, d.Risk.Total)
	}
	if len(d.Weeks) != 3 || d.Weeks[0].Count != 20 || d.Weeks[0].Intervals.MeanPlusStd[1] <= d.Weeks[0].Intervals.MeanPlusStd[0] {
		t.Errorf("%+v", d.Weeks)
	}
	if len(d.Policies) != 2 || d.Policies[0].Context != "new" || d.Policies[0].Mean != 0 || d.Policies[1].Mean != 2.5 {
		t.Errorf("%+v", d.Policies)
	}
	if len(d.Calibration) != 2 || d.Calibration[1] != (risk.Bin{From: 2, To: 5, Calls: 15, Estimated: 4, Scored: 5}) {
		t.Errorf("%+v", d.Calibration)
	}
}

// The versions stand in the order in which they were used, which their hashes do not tell.
func TestPolicyVersionsAreInOrder(t *testing.T) {
	d := Compute([]review.Read{read(2, 0, "a", 0), read(1, 0, "b", 0), read(0, 0, "c", 0), read(1, 0, "a", 0)})
	if got := []string{d.Policies[0].Context, d.Policies[1].Context, d.Policies[2].Context}; !slices.Equal(got, []string{"c", "a", "b"}) {
		t.Errorf("the versions are %v", got)
	}
}

func TestNeed(t *testing.T) {
	row := func(count int, value, low, high float64) *risk.Row {
		r := &risk.Row{Intervals: risk.Intervals{MeanPlusStd: risk.Interval{low, high}}}
		r.Count, r.MeanPlusStd, r.Std = count, value, 1
		return r
	}
	for _, c := range []struct {
		row  *risk.Row
		want Need
	}{
		{row(100, 3, 2, 4), Need{Calls: 100}},
		// The half interval of 2 has to shrink to 1, which takes four times as many calls.
		{row(100, 4, 2, 6), Need{Calls: 100, More: 300}},
		{row(100, 6, 4, 8), Need{Calls: 100, More: 300}},
		{row(5, 4, 2, 6), Need{Calls: 5, Unknown: true}},
	} {
		if got := need(c.row); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

// TestTheRedTeamsVerdictCountsWithoutAnnotations: the paper's red team read calls that nobody had
// annotated.
func TestTheRedTeamsVerdictCountsWithoutAnnotations(t *testing.T) {
	verdicts := func(v risk.Verdict) review.Read {
		return review.Read{Call: &review.Call{ID: string(v)}, Readings: []review.Reading{{Kind: review.RedTeam, Done: true, Verdict: v}}}
	}
	d := Compute([]review.Read{verdicts(risk.NothingFound), verdicts(risk.Residual)})
	if d.RedTeam == nil || d.RedTeam.Calls != 2 || d.RedTeam.Nothing.Share != 0.5 {
		t.Errorf("%+v", d.RedTeam)
	}
	if d.Risk.Total.Count != 0 {
		t.Errorf("a call that nobody annotated has a score: %+v", d.Risk.Total)
	}
}

func TestPacesAndWrongMasks(t *testing.T) {
	var all []review.Read
	for i, minutes := range []int64{1, 2, 9} {
		r := read(i, 0, "p", 0)
		r.Readings[0].ActiveMS, r.Readings[0].Masks = minutes*60_000, 4
		r.Readings[0].Wrong = []review.WrongMask{{Was: "LOCATION"}, {Was: "PERSON_NAME", Type: "LOCATION"}}
		all = append(all, r)
	}
	d := Compute(all)
	if want := (Pace{"ann", review.Annotation, 3, 0.2, 2, 15}); len(d.Paces) != 1 || d.Paces[0] != want {
		t.Errorf("%+v, want %+v", d.Paces, want)
	}
	if want := []Wrong{{"LOCATION", 3, 0}, {"PERSON_NAME", 0, 3}}; d.Masks != 12 || !slices.Equal(d.Wrong, want) {
		t.Errorf("%d masks, %+v", d.Masks, d.Wrong)
	}
}
