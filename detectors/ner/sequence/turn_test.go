package sequence

import "testing"

func TestAgoCountsTurns(t *testing.T) {
	for _, c := range []struct {
		name           string
		seq, endMS     int64 // of the earlier turn
		later, startMS int64
		want           int64
		isNear         bool
	}{
		{name: "the turn before", seq: 4, endMS: -1, later: 5, startMS: -1, want: 1, isNear: true},
		{name: "seven turns before", seq: 4, endMS: -1, later: 11, startMS: -1, want: 7, isNear: true},
		{name: "long ago, no times", seq: 4, endMS: -1, later: 12, startMS: -1},
		{name: "itself", seq: 4, endMS: 100, later: 4, startMS: 100},
		{name: "later", seq: 5, endMS: 100, later: 4, startMS: 100},
		{name: "numbers of times, the turn before", seq: 800, endMS: 3500, later: 3200, startMS: 4000, want: 1, isNear: true},
		{name: "numbers of times, one turn between", seq: 800, endMS: 3500, later: 6400, startMS: 8000, want: 2, isNear: true},
		{name: "numbers of times, an interruption", seq: 800, endMS: 3500, later: 2400, startMS: 3000, want: 1, isNear: true},
		{name: "numbers of times, long ago", seq: 800, endMS: 3500, later: 80000, startMS: 100_000},
		{name: "numbers of times, which run backwards", seq: 800, endMS: 90_000, later: 80000, startMS: 10_000},
	} {
		turn := Turn{Seq: c.seq, TimeMS: c.endMS}
		if got, isNear := turn.Ago(c.later, c.startMS); isNear != c.isNear || isNear && got != c.want {
			t.Errorf("%s: %d turns, near %t", c.name, got, isNear)
		}
	}
}
