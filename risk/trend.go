package risk

import (
	"maps"
	"slices"
	"time"
)

// Period is a period of time with its scores.
type Period struct {
	// Start is the day on which it begins, in UTC: 2026-01-31.
	Start string `json:"start"`
	Statistics
}

// maxPeriods is how many periods a trend may have before longer ones are
// taken.
const maxPeriods = 60

// trend gives the statistics over time, by days, weeks from Monday on or
// months, whichever is the shortest that gives at most maxPeriods, or months. Calls
// without a time are left out.
func trend(all []scored) []Period {
	const day = 24 * time.Hour
	starts := []func(time.Time) time.Time{
		func(t time.Time) time.Time { return t.Truncate(day) },
		func(t time.Time) time.Time { return t.Truncate(day).AddDate(0, 0, -(int(t.Weekday())+6)%7) },
		func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC) },
	}
	for i, start := range starts {
		periods := make(map[string][]weighted)
		for _, s := range all {
			if s.TimestampMS > 0 {
				k := start(time.UnixMilli(s.TimestampMS).UTC()).Format(time.DateOnly)
				periods[k] = append(periods[k], weighted{s.score, s.weight})
			}
		}
		if len(periods) < 2 {
			return nil
		}
		if len(periods) <= maxPeriods || i == len(starts)-1 {
			return periodsOf(periods)
		}
	}
	return nil
}

func periodsOf(scores map[string][]weighted) []Period {
	var out []Period
	for _, k := range slices.Sorted(maps.Keys(scores)) {
		out = append(out, Period{Start: k, Statistics: summarize(scores[k])})
	}
	return out
}
