package presidio

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// AnonymizeRequest is the body of POST /anonymize.
type AnonymizeRequest struct {
	Text        string               `json:"text"`
	Anonymizers map[string]*Operator `json:"anonymizers"`
	Results     []Result             `json:"analyzer_results"`
}

// Operator says what replaces a span.
type Operator struct {
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

// Item is a span of the anonymized text.
type Item struct {
	Operator   string `json:"operator"`
	EntityType string `json:"entity_type"`
	Start      int    `json:"start"`
	End        int    `json:"end"`
	Text       string `json:"text"`
}

// AnonymizeResponse is the answer to it.
type AnonymizeResponse struct {
	Text  string `json:"text"`
	Items []Item `json:"items"`
}

const (
	errOperator = Refusal("the type of an anonymizer is none of replace, redact, mask, hash and keep")
	errMask     = Refusal("an anonymizer of type mask needs masking_char, one character, and chars_to_mask, 0 or more")
	errHash     = Refusal("the hash_type of an anonymizer is neither sha256 nor sha512")
)

// Check reports what the request lacks.
func (q *AnonymizeRequest) Check() error {
	switch {
	case q.Text == "":
		return Refusal("Invalid input, text can not be empty")
	case q.Results == nil:
		return Refusal("Invalid input, analyzer_results is missing")
	}
	return nil
}

// Anonymize replaces the spans of the request in its text. The response takes from left.
func Anonymize(ctx context.Context, q *AnonymizeRequest, left Room) (AnonymizeResponse, error) {
	text := []rune(q.Text)
	for i, x := range q.Results {
		if x.Start < 0 || x.Start >= x.End || x.End > len(text) {
			return AnonymizeResponse{}, Refusal(fmt.Sprintf(
				"Invalid analyzer result %d, start: %d and end: %d, while text length is only %d.", i, x.Start, x.End, len(text)))
		}
	}
	return applyOperators(ctx, text, merge(text, q.Results), q.Anonymizers, left)
}

// merge makes spans disjoint. One that is within another is dropped, those of one type that
// overlap or have only spaces between them become one, and of two others that overlap the second
// begins where the first ends: what any span covers stays covered.
func merge(text []rune, all []Result) []Result {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(b.Score, a.Score))
	})
	var out []Result
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
func applyOperators(ctx context.Context, text []rune, spans []Result, operators map[string]*Operator, left Room) (
	resp AnonymizeResponse, err error) {
	resp.Items = []Item{}
	var out strings.Builder
	runes := 0
	add := func(s string, besides ...string) error {
		if err := left.Take(append(besides, s)...); err != nil {
			return err
		}
		out.WriteString(s)
		runes += utf8.RuneCountInString(s)
		return nil
	}
	done := 0
	for _, x := range spans {
		if ctx.Err() != nil {
			return resp, ctx.Err()
		}
		if err := add(string(text[done:x.Start])); err != nil {
			return resp, err
		}
		op := cmp.Or(operators[x.EntityType], operators["DEFAULT"], &Operator{Type: "replace"})
		apply := Operators[op.Type]
		if apply == nil {
			return resp, errOperator
		}
		item := Item{Operator: op.Type, EntityType: x.EntityType, Start: runes}
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

// Operators are the anonymizers of Presidio, except encrypt and custom.
var Operators = map[string]func(o *Operator, value, entityType string) (string, error){
	"replace": func(o *Operator, _, entityType string) (string, error) {
		return *cmp.Or(o.NewValue, new("<"+entityType+">")), nil
	},
	"redact": func(*Operator, string, string) (string, error) { return "", nil },
	"keep":   func(_ *Operator, value, _ string) (string, error) { return value, nil },
	"mask":   mask,
	"hash":   hashed,
}

func mask(o *Operator, value, _ string) (string, error) {
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
func hashed(o *Operator, value, _ string) (string, error) {
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
		return "", err
	}
	_, _ = io.WriteString(h, value)
	return hex.EncodeToString(h.Sum(nil)), nil
}
