package export

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"text/template"

	"sotto/training/corpus/transcripts"
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

func (c *Counts) add(call *transcripts.Transcript) {
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
	c.Strategies[first.Strategy]++
	c.Policies[first.Policy]++
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

//go:embed card.md
var cardText string

var cardTemplate = template.Must(template.New("").Funcs(template.FuncMap{"listed": listed}).Parse(cardText))

// WriteCard writes the data card beside the shards.
func (e *Exporter) WriteCard(info CardInfo) error {
	c := e.manifest.Counts
	mean := c.RiskSum / float64(c.Estimated)
	deviation := math.Sqrt(max(0, c.RiskSum2/float64(c.Estimated)-mean*mean))
	var b bytes.Buffer
	if err := cardTemplate.Execute(&b, struct {
		Counts
		Manifest, Form, Format, Identifiers, Licences, Privacy string
		Mean, Deviation, Sum                                   float64
	}{
		c, ManifestName, e.opts.Form, e.opts.Format, info.Identifiers, strings.Join(info.Licences, "; "), strings.TrimSpace(info.Privacy),
		mean, deviation, mean + deviation,
	}); err != nil {
		return err
	}
	return replaceFile(e.opts.Dir, CardName, b.Bytes())
}

func listed(counts map[string]int) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%s (%d)", k, counts[k]))
	}
	return cmp.Or(strings.Join(out, ", "), "none")
}
