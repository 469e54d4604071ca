package replace

import (
	"encoding/json"
	"errors"
	"io"
)

// Recall is the measured share of what is personal that the detectors find, by
// infoType and over all. It bounds p from above, since what is not found is not
// replaced.
type Recall struct {
	Overall float64
	ByType  map[string]float64
}

var errRecall = errors.New("must be the JSON report of 'sotto eval --json', with recall from 0 to 1")

// ReadRecall reads the report of 'sotto eval --json'. InfoTypes that do not occur in the gold are
// left out.
func ReadRecall(r io.Reader) (*Recall, error) {
	var report struct {
		Recall *float64 `json:"recall"`
		ByType map[string]struct {
			Gold   int      `json:"gold"`
			Recall *float64 `json:"recall"`
		} `json:"by_type"`
	}
	if err := json.NewDecoder(r).Decode(&report); err != nil || report.Recall == nil || !isShare(*report.Recall) {
		return nil, errRecall
	}
	out := &Recall{Overall: *report.Recall, ByType: map[string]float64{}}
	for t, v := range report.ByType {
		if v.Gold == 0 || v.Recall == nil {
			continue
		}
		if !isShare(*v.Recall) {
			return nil, errRecall
		}
		out.ByType[t] = *v.Recall
	}
	return out, nil
}

func isShare(f float64) bool { return f >= 0 && f <= 1 }

// of is the recall of an infoType, the overall one if it was not measured, and
// 1 without any measurement.
func (r *Recall) of(infoType string) float64 {
	if r == nil {
		return 1
	}
	if v, ok := r.ByType[infoType]; ok {
		return v
	}
	return r.Overall
}
