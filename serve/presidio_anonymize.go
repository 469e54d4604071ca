package serve

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// presidioAnonymizeRequest is the body of POST /anonymize.
type presidioAnonymizeRequest struct {
	Text        string              `json:"text"`
	Anonymizers map[string]operator `json:"anonymizers"`
	Results     []analyzerResult    `json:"analyzer_results"`
}

// operator says what replaces a span.
type operator struct {
	Type        string  `json:"type"`
	NewValue    *string `json:"new_value"`
	MaskingChar string  `json:"masking_char"`
	CharsToMask int     `json:"chars_to_mask"`
	FromEnd     bool    `json:"from_end"`
	HashType    string  `json:"hash_type"`
	Salt        string  `json:"salt"`
}

// anonymizedItem is a span of the anonymized text.
type anonymizedItem struct {
	Operator   string `json:"operator"`
	EntityType string `json:"entity_type"`
	Start      int    `json:"start"`
	End        int    `json:"end"`
	Text       string `json:"text"`
}

type presidioAnonymizeResponse struct {
	Text  string           `json:"text"`
	Items []anonymizedItem `json:"items"`
}

var errOperator = fail(http.StatusUnprocessableEntity, "an anonymizer is none of replace, redact, mask, hash and keep, or lacks a parameter")

func (s *Server) presidioAnonymize(w http.ResponseWriter, r *http.Request) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	var req presidioAnonymizeRequest
	if json.Unmarshal(body, &req) != nil {
		return errBody
	}
	text := []rune(req.Text)
	switch {
	case len(text) == 0:
		return fail(http.StatusUnprocessableEntity, "Invalid input, text can not be empty")
	case req.Results == nil:
		return fail(http.StatusUnprocessableEntity, "Invalid input, analyzer_results is missing")
	}
	for i, x := range req.Results {
		if x.Start < 0 || x.Start >= x.End || x.End > len(text) {
			return fail(http.StatusUnprocessableEntity,
				"Invalid analyzer result %d, start: %d and end: %d, while text length is only %d.", i, x.Start, x.End, len(text))
		}
	}
	release, err := s.slot(r.Context())
	if err != nil {
		return err
	}
	defer release()
	resp, err := applyOperators(text, merge(text, req.Results), req.Anonymizers)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, resp)
}

// merge makes spans disjoint. One that is within another is dropped, those of one type that
// overlap or have only spaces between them become one, and of two others that overlap the second
// begins where the first ends: what any span covers stays covered.
func merge(text []rune, all []analyzerResult) []analyzerResult {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b analyzerResult) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(b.Score, a.Score))
	})
	var out []analyzerResult
	for _, x := range all {
		if len(out) == 0 {
			out = append(out, x)
			continue
		}
		last := &out[len(out)-1]
		switch {
		case x.End <= last.End:
		case x.EntityType == last.EntityType && (x.Start <= last.End || isBlank(text[last.End:x.Start])):
			last.End = x.End
		default:
			x.Start = max(x.Start, last.End)
			out = append(out, x)
		}
	}
	return out
}

func isBlank(text []rune) bool {
	return !slices.ContainsFunc(text, func(r rune) bool { return !unicode.IsSpace(r) })
}

func applyOperators(text []rune, spans []analyzerResult, operators map[string]operator) (resp presidioAnonymizeResponse, err error) {
	resp.Items = []anonymizedItem{}
	var out []rune
	done := 0
	for _, x := range spans {
		out = append(out, text[done:x.Start]...)
		op, ok := operators[x.EntityType]
		if !ok {
			op, ok = operators["DEFAULT"]
		}
		if !ok {
			op = operator{Type: "replace"}
		}
		apply := presidioOperators[op.Type]
		if apply == nil {
			return resp, errOperator
		}
		replacement, err := apply(&op, string(text[x.Start:x.End]), x.EntityType)
		if err != nil {
			return resp, err
		}
		item := anonymizedItem{Operator: op.Type, EntityType: x.EntityType, Start: len(out), Text: replacement}
		out = append(out, []rune(replacement)...)
		item.End = len(out)
		resp.Items = append(resp.Items, item)
		done = x.End
	}
	resp.Text = string(append(out, text[done:]...))
	slices.Reverse(resp.Items) // as Presidio has them
	return resp, nil
}

// presidioOperators are the anonymizers of Presidio, except encrypt and custom.
var presidioOperators = map[string]func(o *operator, value, entityType string) (string, error){
	"replace": func(o *operator, _, entityType string) (string, error) {
		if o.NewValue != nil {
			return *o.NewValue, nil
		}
		return "<" + entityType + ">", nil
	},
	"redact": func(*operator, string, string) (string, error) { return "", nil },
	"keep":   func(_ *operator, value, _ string) (string, error) { return value, nil },
	"mask":   mask,
	"hash":   hash,
}

func mask(o *operator, value, _ string) (string, error) {
	runes := []rune(value)
	if len([]rune(o.MaskingChar)) != 1 || o.CharsToMask < 0 {
		return "", errOperator
	}
	n := min(o.CharsToMask, len(runes))
	masked := strings.Repeat(o.MaskingChar, n)
	if o.FromEnd {
		return string(runes[:len(runes)-n]) + masked, nil
	}
	return masked + string(runes[n:]), nil
}

// hash hashes with the request's salt, or with a random one that nobody keeps: a hash of a phone
// number without a salt is as good as the number.
func hash(o *operator, value, _ string) (string, error) {
	salt := o.Salt
	if salt == "" {
		salt = rand.Text()
	}
	switch o.HashType {
	case "", "sha256":
		sum := sha256.Sum256([]byte(salt + value))
		return hex.EncodeToString(sum[:]), nil
	case "sha512":
		sum := sha512.Sum512([]byte(salt + value))
		return hex.EncodeToString(sum[:]), nil
	}
	return "", errOperator
}
