package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/schemas"
)

// analyzeRequest is the body of POST /analyze. As in Presidio, fields that are not known are
// ignored; correlation_id, trace and context change nothing.
type analyzeRequest struct {
	Text             json.RawMessage   `json:"text"` // a string or a list of strings
	Language         string            `json:"language"`
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

// The bounds of the parts of a request.
const (
	maxPatterns     = 100
	maxPatternBytes = 4096
	// presidioFlags are Presidio's default regex_flags: ignore case, multiline, dot matches all.
	presidioFlags = 2 | 8 | 16
)

var (
	errNoText     = fail(http.StatusUnprocessableEntity, "No text provided")
	errNoLanguage = fail(http.StatusUnprocessableEntity, "No language provided")
	errNoEntity   = fail(http.StatusUnprocessableEntity, "No matching recognizers were found to serve the request.")
	errPattern    = fail(http.StatusUnprocessableEntity, "a regular expression of the request is not one of RE2, is too long, or there are too many")
)

func (s *Server) presidioAnalyze(w http.ResponseWriter, r *http.Request) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	var req analyzeRequest
	if json.Unmarshal(body, &req) != nil {
		return errBody
	}
	texts, isList, err := req.texts()
	if err != nil {
		return err
	}
	if req.Language == "" {
		return errNoLanguage
	}
	analyzer, err := newAnalyzer(&req)
	if err != nil {
		return err
	}
	release, err := s.slot(r.Context())
	if err != nil {
		return err
	}
	defer release()
	results := make([][]analyzerResult, len(texts))
	for i, text := range texts {
		found, err := s.find(r, text, req.Language)
		if err != nil {
			return err
		}
		results[i] = analyzer.results(text, found)
	}
	if isList {
		return write(w, http.StatusOK, results)
	}
	return write(w, http.StatusOK, results[0])
}

func (q *analyzeRequest) texts() (all []string, isList bool, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(q.Text), []byte("[")) {
		err = json.Unmarshal(q.Text, &all)
		isList = true
	} else {
		var one string
		if len(q.Text) > 0 {
			err = json.Unmarshal(q.Text, &one)
		}
		all = []string{one}
	}
	switch {
	case err != nil:
		return nil, false, errBody
	case len(all) == 0 || !isList && all[0] == "":
		return nil, false, errNoText
	}
	return all, isList, nil
}

// find returns the spans of a text that the engine masks, with their positions in the text.
func (s *Server) find(r *http.Request, text, language string) ([]schemas.Entity, error) {
	e := (&about{Language: language}).event("request", 1, schemas.Utterance)
	e.Text = text
	if len(text) > s.settings.MaxTextBytes {
		return nil, errText
	}
	if err := s.admit(e); err != nil {
		return nil, err
	}
	c := newConversation()
	outputs, err := s.add(r.Context(), &c, []*schemas.RawEvent{e}, 0, true)
	if err != nil {
		return nil, err
	}
	if outputs[0].Held {
		return nil, fail(http.StatusUnprocessableEntity, "the text is in another language than English, and SOTTO_OTHER_LANGUAGES is hold")
	}
	s.metrics.utterances.Inc()
	return outputs[0].Clean.Entities, nil
}

// analyzer applies what a request asks for to what the engine found.
type analyzer struct {
	request *analyzeRequest
	wanted  map[string]bool // nil for all
	allowed *regexp.Regexp  // nil for none
	ad      []adHocPattern
}

type adHocPattern struct {
	recognizer, name, entity string
	score                    float64
	expression               *regexp.Regexp
}

func newAnalyzer(q *analyzeRequest) (*analyzer, error) {
	a := &analyzer{request: q}
	flags := presidioFlags
	if q.RegexFlags != nil {
		flags = *q.RegexFlags
	}
	for i := range q.AdHocRecognizers {
		if err := a.addRecognizer(&q.AdHocRecognizers[i], flags); err != nil {
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
	if len(q.AllowList) == 0 {
		return a, nil
	}
	expressions := slices.Clone(q.AllowList)
	if q.AllowListMatch != "regex" {
		flags = 0
		for i := range expressions {
			expressions[i] = "^" + regexp.QuoteMeta(expressions[i]) + "$"
		}
	}
	var err error
	a.allowed, err = compile(strings.Join(expressions, "|"), flags)
	return a, err
}

func (a *analyzer) addRecognizer(r *adHocRecognizer, flags int) error {
	if r.Entity == "" {
		return fail(http.StatusUnprocessableEntity, "an ad hoc recognizer has no supported_entity")
	}
	add := func(name, expression string, score float64) error {
		x, err := compile(expression, flags)
		if err == nil && len(a.ad) == maxPatterns {
			err = errPattern
		}
		a.ad = append(a.ad, adHocPattern{r.Name, name, r.Entity, score, x})
		return err
	}
	for _, p := range r.Patterns {
		if err := add(p.Name, p.Regex, p.Score); err != nil {
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
	score := 1.0
	if r.DenyListScore != nil {
		score = *r.DenyListScore
	}
	return add("deny_list", `(?:^|\b|\W)(`+strings.Join(words, "|")+`)(?:\b|\W|$)`, score)
}

// compile compiles a regular expression of Python with the flags of Python's module re.
func compile(expression string, flags int) (*regexp.Regexp, error) {
	prefix := ""
	for _, f := range []struct {
		bit  int
		name string
	}{{2, "i"}, {8, "m"}, {16, "s"}} {
		if flags&f.bit != 0 {
			prefix += f.name
		}
	}
	if prefix != "" {
		prefix = "(?" + prefix + ")"
	}
	if len(expression) > maxPatternBytes {
		return nil, errPattern
	}
	x, err := regexp.Compile(prefix + expression)
	if err != nil {
		return nil, errPattern // the error of the compiler shows the expression
	}
	return x, nil
}

// results returns what is left of the engine's findings and the patterns' after the filters of the
// request, in the order of the text.
func (a *analyzer) results(text string, found []schemas.Entity) []analyzerResult {
	all := []analyzerResult{}
	runes := []rune(text)
	add := func(r analyzerResult, recognizer string, pattern *string) {
		if a.wanted != nil && !a.wanted[r.EntityType] || r.Score < a.request.ScoreThreshold ||
			a.allowed != nil && a.allowed.MatchString(string(runes[r.Start:r.End])) {
			return
		}
		if a.request.DecisionProcess {
			r.Explanation = &analysisExplanation{recognizer, pattern, r.Score, r.Score}
		}
		all = append(all, r)
	}
	for i := range found {
		e := &found[i]
		add(analyzerResult{EntityType: presidioName(e.Type), Start: *e.RawStart, End: *e.RawEnd, Score: e.Score}, e.Detector, nil)
	}
	for i := range a.ad {
		p := &a.ad[i]
		for _, m := range p.expression.FindAllStringSubmatchIndex(text, -1) {
			from, to := m[0], m[1]
			if p.name == "deny_list" {
				from, to = m[2], m[3]
			}
			if from < to {
				start := utf8.RuneCountInString(text[:from])
				end := start + utf8.RuneCountInString(text[from:to])
				add(analyzerResult{EntityType: p.entity, Start: start, End: end, Score: p.score}, p.recognizer, &p.name)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y analyzerResult) int { return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.End, y.End)) })
	return all
}
