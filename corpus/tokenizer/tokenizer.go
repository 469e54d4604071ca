// Package tokenizer splits texts into the tokens of a language model, by the tokenizer.json of
// Hugging Face, or into plain words.
package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"unicode"
	"unicode/utf8"

	hf "github.com/sugarme/tokenizer"
	"github.com/sugarme/tokenizer/pretrained"
	"golang.org/x/text/unicode/norm"

	"sotto/corpus/words"
)

// Token is one token of a text. Start and End count bytes. Several tokens may stand for the same
// bytes, those of one character.
type Token struct {
	// ID is the one in the vocabulary, -1 for a plain word.
	ID         int32
	Start, End int
}

// Tokenizer splits texts. It is not safe for concurrent use.
type Tokenizer interface {
	Tokens(text string) ([]Token, error)
}

// Words is the tokenizer of plain words. Punctuation is left out.
type Words struct{ splitter words.Splitter }

// Tokens implements Tokenizer.
func (w *Words) Tokens(text string) ([]Token, error) {
	var out []Token
	for _, x := range w.splitter.Split(text) {
		out = append(out, Token{-1, x.Start, x.End})
	}
	return out, nil
}

// file is what decides whether a tokenizer.json is of a kind that is read correctly.
type file struct {
	Normalizer *struct {
		Type         string `json:"type"`
		Lowercase    bool   `json:"lowercase"`
		StripAccents *bool  `json:"strip_accents"`
	} `json:"normalizer"`
	PreTokenizer *struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model *struct {
		Type string `json:"type"`
	} `json:"model"`
}

var errKind = errors.New("the tokenizer is of a kind that cannot be read: only byte-level BPE (GPT-2, RoBERTa and others) and the " +
	"WordPiece of BERT can. Without a tokenizer, rows have the positions of identifiers, from which docs/training/collator.py makes the masks for any tokenizer")

// Load reads a tokenizer.json. Kinds of tokenizers for which the library does not give the tokens of
// Hugging Face are refused, because masks for other tokens would protect nothing.
func Load(path string) (Tokenizer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var f file
	if json.Unmarshal(data, &f) != nil || f.Model == nil || f.PreTokenizer == nil {
		return nil, fmt.Errorf("%s is no tokenizer.json", path)
	}
	t := &model{}
	switch {
	case f.Model.Type == "BPE" && f.PreTokenizer.Type == "ByteLevel" && f.Normalizer == nil:
	case f.Model.Type == "WordPiece" && f.PreTokenizer.Type == "BertPreTokenizer" && f.Normalizer != nil && f.Normalizer.Type == "BertNormalizer":
		// By default, accents go with the capitals.
		t.strip = f.Normalizer.Lowercase
		if s := f.Normalizer.StripAccents; s != nil {
			t.strip = *s
		}
	default:
		return nil, fmt.Errorf("%s: %w", path, errKind)
	}
	err = contain(func() (err error) {
		t.hf, err = pretrained.FromReader(bytes.NewReader(data))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s is a damaged tokenizer.json", path)
	}
	return t, nil
}

// contain turns a panic of the library into an error without its value, which may be text.
func contain(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the tokenizer failed")
		}
	}()
	return f()
}

// model is a tokenizer of Hugging Face.
type model struct {
	hf    *hf.Tokenizer
	strip bool // accents, which the library leaves
}

// Tokens implements Tokenizer.
func (m *model) Tokens(text string) ([]Token, error) {
	plain, origin := text, []int(nil)
	if m.strip {
		plain, origin = stripAccents(text)
	}
	var out []Token
	err := contain(func() error {
		e, err := m.hf.EncodeSingle(plain)
		if err != nil {
			return errors.New("the tokenizer failed")
		}
		for i, id := range e.Ids {
			t := Token{int32(id), e.Offsets[i][0], e.Offsets[i][1]}
			if origin != nil {
				t.Start, t.End = origin[t.Start], origin[t.End]
			}
			if t.Start < 0 || t.End < t.Start || t.End > len(text) {
				return errors.New("the tokenizer failed")
			}
			out = append(out, t)
		}
		return nil
	})
	return out, err
}

// stripAccents removes accents, and returns the byte offset in the text of each byte that is left,
// and of the end.
func stripAccents(text string) (string, []int) {
	plain := make([]byte, 0, len(text))
	origin := make([]int, 0, len(text)+1)
	for i, r := range text {
		n := utf8.RuneLen(r)
		if n < 0 {
			n = 1
		}
		for _, d := range norm.NFD.String(text[i : i+n]) {
			if unicode.Is(unicode.Mn, d) {
				continue
			}
			before := len(plain)
			plain = utf8.AppendRune(plain, d)
			for range len(plain) - before {
				origin = append(origin, i)
			}
		}
	}
	return string(plain), append(origin, len(text))
}
