package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// presidioAnonymizeRequest is the body of POST /anonymize.
type presidioAnonymizeRequest struct {
	Text        string               `json:"text"`
	Anonymizers map[string]*operator `json:"anonymizers"`
	Results     []analyzerResult     `json:"analyzer_results"`
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
	// salted has hashed the salt. A long one is hashed once, not for each span.
	salted hash.Cloner
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

var (
	errOperator = fail(http.StatusUnprocessableEntity, "the type of an anonymizer is none of replace, redact, mask, hash and keep")
	errMask     = fail(http.StatusUnprocessableEntity, "an anonymizer of type mask needs masking_char, one character, and chars_to_mask, 0 or more")
	errHash     = fail(http.StatusUnprocessableEntity, "the hash_type of an anonymizer is neither sha256 nor sha512")
)

func (s *Server) presidioAnonymize(w http.ResponseWriter, r *http.Request, body []byte, req *presidioAnonymizeRequest) error {
	switch {
	case req.Text == "":
		return fail(http.StatusUnprocessableEntity, "Invalid input, text can not be empty")
	case req.Results == nil:
		return fail(http.StatusUnprocessableEntity, "Invalid input, analyzer_results is missing")
	}
	leave, err := s.slot(r, len(body))
	if err != nil {
		return err
	}
	defer leave()
	text := []rune(req.Text)
	for i, x := range req.Results {
		if x.Start < 0 || x.Start >= x.End || x.End > len(text) {
			return fail(http.StatusUnprocessableEntity,
				"Invalid analyzer result %d, start: %d and end: %d, while text length is only %d.", i, x.Start, x.End, len(text))
		}
	}
	resp, err := applyOperators(r.Context(), text, merge(text, req.Results), req.Anonymizers, s.answerRoom())
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
		case x.EntityType == last.EntityType && (x.Start <= last.End || strings.TrimSpace(string(text[last.End:x.Start])) == ""):
			last.End = x.End
		default:
			x.Start = max(x.Start, last.End)
			out = append(out, x)
		}
	}
	return out
}

// applyOperators replaces the spans of a text. Before a replacement is added to the response, there
// must be room for it: one long value can stand for many spans.
func applyOperators(ctx context.Context, text []rune, spans []analyzerResult, operators map[string]*operator, left room) (
	resp presidioAnonymizeResponse, err error) {
	resp.Items = []anonymizedItem{}
	var out strings.Builder
	runes := 0
	add := func(s string, besides ...string) error {
		if err := left.take(append(besides, s)...); err != nil {
			return err
		}
		out.WriteString(s)
		runes += utf8.RuneCountInString(s)
		return nil
	}
	done := 0
	for _, x := range spans {
		if ctx.Err() != nil {
			return resp, errTimeout
		}
		if err := add(string(text[done:x.Start])); err != nil {
			return resp, err
		}
		op := cmp.Or(operators[x.EntityType], operators["DEFAULT"], &operator{Type: "replace"})
		apply := presidioOperators[op.Type]
		if apply == nil {
			return resp, errOperator
		}
		item := anonymizedItem{Operator: op.Type, EntityType: x.EntityType, Start: runes}
		if item.Text, err = apply(op, string(text[x.Start:x.End]), x.EntityType); err == nil {
			err = add(item.Text, item.Text, x.EntityType)
		}
		if err != nil {
			return resp, err
		}
		item.End = runes
		resp.Items = append(resp.Items, item)
		done = x.End
	}
	err = add(string(text[done:]))
	resp.Text = out.String()
	slices.Reverse(resp.Items) // as Presidio has them
	return resp, err
}

// presidioOperators are the anonymizers of Presidio, except encrypt and custom.
var presidioOperators = map[string]func(o *operator, value, entityType string) (string, error){
	"replace": func(o *operator, _, entityType string) (string, error) {
		return *cmp.Or(o.NewValue, new("<"+entityType+">")), nil
	},
	"redact": func(*operator, string, string) (string, error) { return "", nil },
	"keep":   func(_ *operator, value, _ string) (string, error) { return value, nil },
	"mask":   mask,
	"hash":   hashed,
}

func mask(o *operator, value, _ string) (string, error) {
	runes := []rune(value)
	if len([]rune(o.MaskingChar)) != 1 || o.CharsToMask < 0 {
		return "", errMask
	}
	n := min(o.CharsToMask, len(runes))
	masked := strings.Repeat(o.MaskingChar, n)
	if o.FromEnd {
		return string(runes[:len(runes)-n]) + masked, nil
	}
	return masked + string(runes[n:]), nil
}

// hashed hashes with the request's salt, or with a random one that nobody keeps: a hash of a phone
// number without a salt is as good as the number.
func hashed(o *operator, value, _ string) (string, error) {
	if o.salted == nil || o.Salt == "" {
		var h hash.Hash
		switch o.HashType {
		case "", "sha256":
			h = sha256.New()
		case "sha512":
			h = sha512.New()
		default:
			return "", errHash
		}
		_, _ = io.WriteString(h, cmp.Or(o.Salt, rand.Text()))
		o.salted = h.(hash.Cloner)
	}
	h, err := o.salted.Clone()
	if err != nil {
		return "", errInternal
	}
	_, _ = io.WriteString(h, value)
	return hex.EncodeToString(h.Sum(nil)), nil
}
