package export

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sotto/corpus/transcripts"
)

// CardName is the data card, under the name that the Hugging Face hub shows.
const CardName = "README.md"

// Counts are those of an export over all its runs.
type Counts struct {
	Calls      int `json:"calls"`
	Withheld   int `json:"withheld"`
	Empty      int `json:"empty"`
	Duplicates int `json:"duplicates"`
	// Exported and Rows are by part.
	Exported  map[string]int `json:"exported"`
	Rows      map[string]int `json:"rows"`
	Turns     int            `json:"turns"`
	TextBytes int64          `json:"text_bytes"`
	// Marked are the indirect identifiers that the stream marked, in Judged calls. Unjudged calls ended
	// before it had counted enough to mark any.
	Marked   int `json:"marked"`
	Judged   int `json:"judged"`
	Unjudged int `json:"unjudged"`
	// Entities are by infoType; Strategies and Policies count calls.
	Entities   map[string]int `json:"entities"`
	Strategies map[string]int `json:"strategies"`
	Policies   map[string]int `json:"policies"`
	// Risks are the sums of estimated risks and of their squares.
	Estimated int     `json:"estimated"`
	RiskSum   float64 `json:"risk_sum"`
	RiskSum2  float64 `json:"risk_sum2"`
	RiskMax   float64 `json:"risk_max"`
}

func newCounts() Counts {
	return Counts{Exported: map[string]int{}, Rows: map[string]int{}, Entities: map[string]int{}, Strategies: map[string]int{}, Policies: map[string]int{}}
}

func (c Counts) clone() Counts {
	for _, m := range []*map[string]int{&c.Exported, &c.Rows, &c.Entities, &c.Strategies, &c.Policies} {
		*m = maps.Clone(*m)
	}
	return c
}

func (c *Counts) add(call *transcripts.Call) {
	c.Turns += len(call.Events)
	for _, e := range call.Events {
		c.TextBytes += int64(len(e.Text))
		for _, x := range e.Entities {
			c.Entities[x.Type]++
		}
		c.Marked += len(e.Indirect)
	}
	switch in := call.Summary.Indirect; {
	case in == nil:
	case in.Judged:
		c.Judged++
	default:
		c.Unjudged++
	}
	first := call.Events[0]
	c.Strategies[cmp.Or(first.Strategy, "unknown")]++
	c.Policies[cmp.Or(first.Policy, "unknown")]++
	if r := call.Summary.EstimatedRisk; r != nil {
		c.Estimated++
		c.RiskSum += *r
		c.RiskSum2 += *r * *r
		c.RiskMax = max(c.RiskMax, *r)
	}
}

// CardInfo is what only the caller knows.
type CardInfo struct {
	// Licences are those of the calls, as the user gave them.
	Licences []string
	// Privacy is the account of the replacement's privacy, "" if it is not known.
	Privacy string
	// Identifiers says how indirect identifiers were found.
	Identifiers string
}

// WriteCard writes the data card beside the shards.
func (e *Exporter) WriteCard(info CardInfo) error {
	c := e.manifest.Counts
	var b strings.Builder
	b.WriteString("# Data card\n\nCalls that Sotto anonymized, for training. `" + ManifestName + "` lists the files with their checksums.\n\n")
	b.WriteString("| | train | validation |\n|---|---|---|\n")
	fmt.Fprintf(&b, "| calls | %d | %d |\n| rows | %d | %d |\n\n", c.Exported[Train], c.Exported[Validation], c.Rows[Train], c.Rows[Validation])
	fmt.Fprintf(&b, "%d calls were read. Of these, %d were not released, %d had no words or no label, and %d repeated another call word by word. "+
		"The rows have %d turns and %d bytes of text.\n\n", c.Calls, c.Withheld, c.Empty, c.Duplicates, c.Turns, c.TextBytes)
	fmt.Fprintf(&b, "- Form: %s, as %s\n", e.opts.Form, e.opts.Format)
	fmt.Fprintf(&b, "- Indirect identifiers: %s\n", info.Identifiers)
	if c.Judged+c.Unjudged > 0 {
		fmt.Fprintf(&b, "- Indirect identifiers that the stream marked: %d in %d calls. %d calls ended before it had counted enough calls to mark any.\n", c.Marked, c.Judged, c.Unjudged)
	}
	fmt.Fprintf(&b, "- Strategies (calls): %s\n- Policies (calls): %s\n", listed(c.Strategies), listed(c.Policies))
	fmt.Fprintf(&b, "- Licences of the calls: %s\n", cmp.Or(strings.Join(info.Licences, "; "), "not given"))
	b.WriteString("\n## Replaced identifiers\n\n| infoType | spans |\n|---|---|\n")
	for _, t := range slices.Sorted(maps.Keys(c.Entities)) {
		fmt.Fprintf(&b, "| %s | %d |\n", t, c.Entities[t])
	}
	b.WriteString("\n## Residual risk\n\n")
	if c.Estimated == 0 {
		b.WriteString("No call has an estimate.\n")
	} else {
		mean := c.RiskSum / float64(c.Estimated)
		deviation := math.Sqrt(max(0, c.RiskSum2/float64(c.Estimated)-mean*mean))
		b.WriteString("Estimates of the calls in the rows, in points. They do not replace a review by people.\n\n")
		b.WriteString("| calls | mean | standard deviation | mean + one standard deviation | max |\n|---|---|---|---|---|\n")
		fmt.Fprintf(&b, "| %d | %.2f | %.2f | %.2f | %.2f |\n", c.Estimated, mean, deviation, mean+deviation, c.RiskMax)
	}
	b.WriteString("\n## Privacy of the replacement\n\n")
	b.WriteString(cmp.Or(strings.TrimSpace(info.Privacy), "Epsilon is not known: the settings of this export are not those of the calls.") + "\n")
	return replaceFile(e.opts.Dir, CardName, []byte(b.String()))
}

func listed(counts map[string]int) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%s (%d)", k, counts[k]))
	}
	return cmp.Or(strings.Join(out, ", "), "none")
}
