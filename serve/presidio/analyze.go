package presidio

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/schemas"
)

// AnalyzeRequest is the body of POST /analyze. As in Presidio, fields that are not known are
// ignored; correlation_id, trace and context change nothing.
type AnalyzeRequest struct {
	Text             json.RawMessage   `json:"text"` // a string or a list of strings
	Language         string            `json:"language"`
	Sensitivity      string            `json:"sensitivity"` // Sotto's own
	Entities         []string          `json:"entities"`
	ScoreThreshold   float64           `json:"score_threshold"`
	DecisionProcess  bool              `json:"return_decision_process"`
	AdHocRecognizers []AdHocRecognizer `json:"ad_hoc_recognizers"`
	AllowList        []string          `json:"allow_list"`
	AllowListMatch   string            `json:"allow_list_match"` // exact or regex
	RegexFlags       *int              `json:"regex_flags"`
}

// AdHocRecognizer is a recognizer that a request brings along.
type AdHocRecognizer struct {
	Name     string `json:"name"`
	Entity   string `json:"supported_entity"`
	Patterns []struct {
		Name  string  `json:"name"`
		Regex string  `json:"regex"`
		Score float64 `json:"score"`
	} `json:"patterns"`
	DenyList      []string `json:"deny_list"`
	DenyListScore *float64 `json:"deny_list_score"`
}

// Result is a span that was found. Positions count code points.
type Result struct {
	EntityType  string       `json:"entity_type"`
	Start       int          `json:"start"`
	End         int          `json:"end"`
	Score       float64      `json:"score"`
	Explanation *Explanation `json:"analysis_explanation"`
}

type Explanation struct {
	Recognizer    string  `json:"recognizer"`
	PatternName   *string `json:"pattern_name"`
	OriginalScore float64 `json:"original_score"`
	Score         float64 `json:"score"`
}

// defaultFlags are Presidio's default regex_flags: ignore case, multiline, dot matches all.
const defaultFlags = 2 | 8 | 16

const (
	errNoEntity = Refusal("No matching recognizers were found to serve the request.")
	errPattern  = Refusal("a regular expression of the request is not one of RE2, is too long, or there are too many")
)

// HasExpressions reports whether the request has regular expressions of its own, whose search may take long.
func (q *AnalyzeRequest) HasExpressions() bool {
	return len(q.AdHocRecognizers) > 0 || len(q.AllowList) > 0 && q.AllowListMatch == "regex"
}

// Analyzer applies what a request asks for to what the engine found.
type Analyzer struct {
	request *AnalyzeRequest
	wanted  map[string]bool // nil for all
	// What the allow list has: texts, or expressions.
	allowed  map[string]bool
	allowing []*expression
	ad       []adHocPattern
	left     Room
}

type adHocPattern struct {
	recognizer, name, entity string
	score                    float64
	expression               *expression
	group                    int // what is found
}

// NewAnalyzer returns the analyzer of a request, whose answer takes from left.
func NewAnalyzer(q *AnalyzeRequest, left Room) (*Analyzer, error) {
	a := &Analyzer{request: q, left: left}
	c := newCompiler(*cmp.Or(q.RegexFlags, new(defaultFlags)))
	for i := range q.AdHocRecognizers {
		if err := a.addRecognizer(&q.AdHocRecognizers[i], c); err != nil {
			return nil, err
		}
	}
	if len(q.Entities) > 0 {
		a.wanted = map[string]bool{}
		for _, name := range q.Entities {
			isAdHoc := slices.ContainsFunc(a.ad, func(p adHocPattern) bool { return p.entity == name })
			if name = Name(name); isAdHoc || slices.Contains(Types, name) {
				a.wanted[name] = true
			}
		}
		if len(a.wanted) == 0 {
			return nil, errNoEntity
		}
	}
	a.allowed = map[string]bool{}
	for _, text := range q.AllowList {
		if q.AllowListMatch != "regex" {
			a.allowed[text] = true
			continue
		}
		x, err := c.compile(text)
		if err != nil {
			return nil, err
		}
		a.allowing = append(a.allowing, x)
	}
	return a, nil
}

func (a *Analyzer) addRecognizer(r *AdHocRecognizer, c *compiler) error {
	if r.Entity == "" {
		return Refusal("an ad hoc recognizer has no supported_entity")
	}
	add := func(name, text string, score float64, group int) error {
		x, err := c.compile(text)
		a.ad = append(a.ad, adHocPattern{r.Name, name, r.Entity, score, x, group})
		return err
	}
	for _, p := range r.Patterns {
		if err := add(p.Name, p.Regex, p.Score, 1); err != nil {
			return err
		}
	}
	if len(r.DenyList) == 0 {
		return nil
	}
	words := make([]string, len(r.DenyList))
	for i, w := range r.DenyList {
		words[i] = regexp.QuoteMeta(w)
	}
	return add("deny_list", `(?:^|\b|\W)(`+strings.Join(words, "|")+`)(?:\b|\W|$)`, *cmp.Or(r.DenyListScore, new(1.0)), 2)
}

func (a *Analyzer) allows(ctx context.Context, text string) bool {
	return a.allowed[text] || slices.ContainsFunc(a.allowing, func(x *expression) bool {
		return x.first.MatchReader(&searched{ctx: ctx, text: text})
	})
}

// Results returns what is left of the engine's findings and the patterns' after the filters of the
// request, in the order of the text.
func (a *Analyzer) Results(ctx context.Context, text string, found []schemas.Entity) ([]Result, error) {
	all := []Result{}
	add := func(r Result, span, recognizer string, pattern *string) error {
		if a.wanted != nil && !a.wanted[r.EntityType] || r.Score < a.request.ScoreThreshold || a.allows(ctx, span) {
			return nil
		}
		if a.request.DecisionProcess {
			r.Explanation = &Explanation{recognizer, pattern, r.Score, r.Score}
			if err := a.left.Take(recognizer, *cmp.Or(pattern, new(string))); err != nil {
				return err
			}
		}
		all = append(all, r)
		return a.left.Take(r.EntityType)
	}
	runes := []rune(text)
	for i := range found {
		e := &found[i]
		err := add(Result{EntityType: Name(e.Type), Start: *e.RawStart, End: *e.RawEnd, Score: e.Score},
			string(runes[*e.RawStart:*e.RawEnd]), e.Detector, nil)
		if err != nil {
			return nil, err
		}
	}
	for i := range a.ad {
		p := &a.ad[i]
		at, runes := 0, 0
		position := func(to int) int { // in code points; positions grow
			runes += utf8.RuneCountInString(text[at:to])
			at = to
			return runes
		}
		err := p.expression.each(ctx, text, func(groups []int) error {
			from, to := groups[2*p.group], groups[2*p.group+1]
			if from >= to {
				return nil
			}
			return add(Result{EntityType: p.entity, Start: position(from), End: position(to), Score: p.score}, text[from:to], p.recognizer, &p.name)
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(x, y Result) int { return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.End, y.End)) })
	return all, nil
}
