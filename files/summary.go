package files

// Summary is what a run did, without text of the calls.
type Summary struct {
	Files    []FileSummary    `json:"files"`
	Calls    int              `json:"calls"`
	Turns    int64            `json:"utterances"`
	Entities map[string]int64 `json:"entities"`
	// Failed and Finished count files that could not be processed, and those that were finished
	// before.
	Failed   int `json:"failed"`
	Finished int `json:"finished_before"`
}

// FileSummary is what became of one file.
type FileSummary struct {
	Input    string        `json:"input"`
	Output   string        `json:"output,omitempty"`
	Format   string        `json:"format,omitempty"`
	Calls    []CallSummary `json:"calls,omitempty"`
	Notes    []string      `json:"notes,omitempty"`
	Finished bool          `json:"finished_before,omitempty"`
	Error    string        `json:"error,omitempty"`
}

// CallSummary is what became of one call, which has the ID that --events writes.
type CallSummary struct {
	ID            string           `json:"call_id"`
	Turns         int64            `json:"utterances"`
	Entities      map[string]int64 `json:"entities"`
	EstimatedRisk *float64         `json:"estimated_risk,omitempty"`
	Release       bool             `json:"release"`
	Reason        string           `json:"reason,omitempty"`
}

// Summarize returns the summary of results.
func Summarize(results []FileResult) Summary {
	s := Summary{Files: []FileSummary{}, Entities: map[string]int64{}}
	for i := range results {
		r := &results[i]
		f := FileSummary{Input: r.Input, Output: r.Output, Format: r.Format, Notes: r.Notes, Finished: r.Finished}
		if r.Finished {
			s.Finished++
		}
		if r.Err != nil {
			s.Failed++
			f.Output, f.Error = "", r.Err.Error()
		}
		for k := range r.Calls {
			c := r.Calls[k].Summary
			f.Calls = append(f.Calls, CallSummary{r.Calls[k].ID, c.Utterances, c.Entities, c.EstimatedRisk, c.Release, c.Reason})
			s.Calls++
			s.Turns += c.Utterances
			for infoType, n := range c.Entities {
				s.Entities[infoType] += n
			}
		}
		s.Files = append(s.Files, f)
	}
	return s
}
