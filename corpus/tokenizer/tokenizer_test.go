package tokenizer

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The tokens are those of the Python package tokenizers. testdata/make.py made the files with it.
func TestTokensAreThoseOfHuggingFace(t *testing.T) {
	loaded := map[string]Tokenizer{}
	f, err := os.Open("testdata/tokens.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		var want struct {
			File, Text string
			IDs        []int32
			Offsets    [][2]int
		}
		if err := json.Unmarshal(s.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if loaded[want.File] == nil {
			if loaded[want.File], err = Load(filepath.Join("testdata", want.File)); err != nil {
				t.Fatal(err)
			}
		}
		tokens, err := loaded[want.File].Tokens(want.Text)
		if err != nil {
			t.Fatal(err)
		}
		var ids []int32
		var offsets [][2]int
		for _, x := range tokens {
			ids = append(ids, x.ID)
			offsets = append(offsets, [2]int{utf8.RuneCountInString(want.Text[:x.Start]), utf8.RuneCountInString(want.Text[:runeEnd(want.Text, x.End)])})
		}
		if !slices.Equal(ids, want.IDs) {
			t.Errorf("line %d: tokens %v, want %v", n, ids, want.IDs)
		} else if !slices.Equal(offsets, want.Offsets) {
			t.Errorf("line %d: offsets %v, want %v", n, offsets, want.Offsets)
		}
	}
}

func runeEnd(text string, b int) int {
	for b < len(text) && !utf8.RuneStart(text[b]) {
		b++
	}
	return b
}

func TestWords(t *testing.T) {
	tokens, err := (&Words{}).Tokens("Hi, [PERSON_NAME_1] ok")
	if want := []Token{{-1, 0, 2}, {-1, 4, 19}, {-1, 20, 22}}; err != nil || !slices.Equal(tokens, want) {
		t.Errorf("%v %v", tokens, err)
	}
}

func TestOtherKindsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"secret": "no tokenizer.json", "{}": "no tokenizer.json",
		`{"model": {"type": "Unigram"}, "pre_tokenizer": {"type": "Metaspace"}}`:                                                    "of a kind",
		`{"model": {"type": "BPE"}, "pre_tokenizer": {"type": "ByteLevel"}, "normalizer": {"type": "NFC"}}`:                         "of a kind",
		`{"model": {"type": "BPE", "vocab": 5}, "pre_tokenizer": {"type": "ByteLevel"}}`:                                            "damaged",
		`{"model": {"type": "WordPiece"}, "pre_tokenizer": {"type": "BertPreTokenizer"}, "normalizer": {"type": "BertNormalizer"}}`: "damaged",
	} {
		path := filepath.Join(t.TempDir(), "tokenizer.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Load("testdata/missing.json"); err == nil {
		t.Error("a missing file is read")
	}
}
