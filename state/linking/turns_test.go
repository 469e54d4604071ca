package linking

import "testing"

func TestTurns(t *testing.T) {
	for _, c := range []struct {
		name               string
		seq, endMS         int64
		nowSeq, nowStartMS int64
		want               int64
	}{
		{"the next event", 7, 3500, 8, 4000, 1},
		{"forty events of ordinary length", 7, 3500, 47, 163_500, 40},
		{"numbers made from times, the next turn", 3200, 7500, 6400, 8000, 1},
		{"numbers made from times, ten turns", 3200, 7500, 35_200, 44_000, 10},
		{"the speakers interrupt each other", 3200, 7500, 6000, 7000, 1},
		{"no times", 3200, -1, 6400, 8000, 3200},
		{"no time now", 3200, 7500, 6400, -1, 3200},
		{"seconds instead of milliseconds", 7, 3, 20, 55, 13},
	} {
		m := Mention{Seq: c.nowSeq, StartMS: c.nowStartMS}
		if got := m.Turns(c.seq, c.endMS); got != c.want {
			t.Errorf("%s: %d turns, want %d", c.name, got, c.want)
		}
	}
}
