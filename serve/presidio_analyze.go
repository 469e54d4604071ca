package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/anonymize"
	"sotto/schemas"
)

// analyzeRequest is the body of POST /analyze. As in Presidio, fields that are not known are
// ignored; correlation_id, trace and context change nothing.
type analyzeRequest struct {
	Text             json.RawMessage   `json:"text"` // a string or a list of strings
	Language         string            `json:"language"`
	Sensitivity      string            `json:"sensitivity"` // Sotto's own
	Entities         []string          `json:"entities"`
	ScoreThreshold   float64           `json:"score_threshold"`
	DecisionProcess  bool              `json:"return_decision_process"`
	AdHocRecognizers []adHocRecognizer `json:"ad_hoc_recognizers"`
	AllowList        []string          `json:"allow_list"`
	AllowListMatch   string            `json:"allow_list_match"` // exact or regex
	RegexFlags       *int              `json:"regex_flags"`
}

// adHocRecognizer is a recognizer that a request brings along.
type adHocRecognizer struct {
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

// analyzerResult is a span that was found. Positions count code points.
type analyzerResult struct {
	EntityType  string               `json:"entity_type"`
	Start       int                  `json:"start"`
	End         int                  `json:"end"`
	Score       float64              `json:"score"`
	Explanation *analysisExplanation `json:"analysis_explanation"`
}

type analysisExplanation struct {
	Recognizer    string  `json:"recognizer"`
	PatternName   *string `json:"pattern_name"`
	OriginalScore float64 `json:"original_score"`
	Score         float64 `json:"score"`
}

// presidioFlags are Presidio's default regex_flags: ignore case, multiline, dot matches all.
const presidioFlags = 2 | 8 | 16

var (
	errNoText     = fail(http.StatusUnprocessableEntity, "No text provided")
	errNoLanguage = fail(http.StatusUnprocessableEntity, "No language provided")
	errNoEntity   = fail(http.StatusUnprocessableEntity, "No matching recognizers were found to serve the request.")
	errPattern    = fail(http.StatusUnprocessableEntity, "a regular expression of the request is not one of RE2, is too long, or there are too many")
)

func (s *Server) presidioAnalyze(w http.ResponseWriter, r *http.Request, body []byte, req *analyzeRequest) error {
	texts, isList, err := req.texts()
	if err != nil {
		return err
	}
	if req.Language == "" {
		return errNoLanguage
	}
	engine, err := s.engineAt(req.Sensitivity)
	if err != nil {
		return err
	}
	size := len(body)
	if len(req.AdHocRecognizers) > 0 || len(req.AllowList) > 0 && req.AllowListMatch == "regex" {
		size = s.settings.ServeMaxBody // they may take long
	}
	leave, err := s.slot(r, size)
	if err != nil {
		return err
	}
	defer leave()
	analyzer, err := newAnalyzer(req, s.answerRoom())
	if err != nil {
		return err
	}
	results := make([][]analyzerResult, len(texts))
	for i, text := range texts {
		found, err := s.find(r, engine, text, req.Language)
		if err != nil {
			return err
		}
		if results[i], err = analyzer.results(r.Context(), text, found); err != nil {
			return err
		}
	}
	if isList {
		return write(w, http.StatusOK, results)
	}
	return write(w, http.StatusOK, results[0])
}

func (q *analyzeRequest) texts() (all []string, isList bool, err error) {
	all = []string{""}
	isList = bytes.HasPrefix(bytes.TrimSpace(q.Text), []byte("["))
	switch {
	case isList:
		err = json.Unmarshal(q.Text, &all)
	case len(q.Text) > 0:
		err = json.Unmarshal(q.Text, &all[0])
	}
	switch {
	case err != nil:
		return nil, false, fail(http.StatusBadRequest, "text must be a string or a list of strings")
	case len(all) == 0 || !isList && all[0] == "":
		return nil, false, errNoText
	case len(all) > maxUtterances:
		return nil, false, errValues
	}
	return all, isList, nil
}

// find returns the spans of a text that the engine masks, with their positions in the text.
func (s *Server) find(r *http.Request, engine anonymize.Anonymizer, text, language string) ([]schemas.Entity, error) {
	e := (&about{Language: language}).event("request", 1, schemas.Utterance)
	e.Text = text
	if len(text) > s.settings.MaxTextBytes {
		return nil, errText
	}
	if err := s.admit(e, "the text"); err != nil {
		return nil, err
	}
	c := newConversation()
	outputs, err := s.add(r.Context(), engine, &c, []*schemas.RawEvent{e})
	if err != nil {
		return nil, err
	}
	if outputs[0].Held {
		return nil, fail(http.StatusUnprocessableEntity, "the text is in another language than English, and SOTTO_OTHER_LANGUAGES is hold")
	}
	return outputs[0].Clean.Entities, nil
}

// analyzer applies what a request asks for to what the engine found.
type analyzer struct {
	request *analyzeRequest
	wanted  map[string]bool // nil for all
	// What the allow list has: texts, or expressions.
	allowed  map[string]bool
	allowing []*expression
	ad       []adHocPattern
	left     room
}

type adHocPattern struct {
	recognizer, name, entity string
	score                    float64
	expression               *expression
	group                    int // what is found
}

func newAnalyzer(q *analyzeRequest, left room) (*analyzer, error) {
	a := &analyzer{request: q, left: left}
	c := newCompiler(*cmp.Or(q.RegexFlags, new(presidioFlags)))
	for i := range q.AdHocRecognizers {
		if err := a.addRecognizer(&q.AdHocRecognizers[i], c); err != nil {
			return nil, err
		}
	}
	if len(q.Entities) > 0 {
		a.wanted = map[string]bool{}
		for _, name := range q.Entities {
			isAdHoc := slices.ContainsFunc(a.ad, func(p adHocPattern) bool { return p.entity == name })
			if name = presidioName(name); isAdHoc || slices.Contains(presidioTypes, name) {
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

func (a *analyzer) addRecognizer(r *adHocRecognizer, c *compiler) error {
	if r.Entity == "" {
		return fail(http.StatusUnprocessableEntity, "an ad hoc recognizer has no supported_entity")
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

func (a *analyzer) allows(ctx context.Context, text string) bool {
	return a.allowed[text] || slices.ContainsFunc(a.allowing, func(x *expression) bool {
		return x.first.MatchReader(&searched{ctx: ctx, text: text})
	})
}

// results returns what is left of the engine's findings and the patterns' after the filters of the
// request, in the order of the text.
func (a *analyzer) results(ctx context.Context, text string, found []schemas.Entity) ([]analyzerResult, error) {
	all := []analyzerResult{}
	add := func(r analyzerResult, span, recognizer string, pattern *string) error {
		if a.wanted != nil && !a.wanted[r.EntityType] || r.Score < a.request.ScoreThreshold || a.allows(ctx, span) {
			return nil
		}
		if a.request.DecisionProcess {
			r.Explanation = &analysisExplanation{recognizer, pattern, r.Score, r.Score}
			if err := a.left.take(recognizer, *cmp.Or(pattern, new(string))); err != nil {
				return err
			}
		}
		all = append(all, r)
		return a.left.take(r.EntityType)
	}
	runes := []rune(text)
	for i := range found {
		e := &found[i]
		err := add(analyzerResult{EntityType: presidioName(e.Type), Start: *e.RawStart, End: *e.RawEnd, Score: e.Score},
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
			return add(analyzerResult{EntityType: p.entity, Start: position(from), End: position(to), Score: p.score}, text[from:to], p.recognizer, &p.name)
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(x, y analyzerResult) int { return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.End, y.End)) })
	return all, nil
}
