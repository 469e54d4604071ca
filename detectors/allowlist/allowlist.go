// Package allowlist has lists of words that strict masking keeps: everything else is masked, whether
// or not a detector knows what it is.
package allowlist

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strings"

	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/detectors/wordlist"
)

// The names of the built-in lists.
const (
	Common     = "allowlist"
	Vocabulary = "vocab"
)

// List says which words stay. It is immutable.
type List struct {
	has    func(hash uint64) bool
	digest [sha256.Size]byte
}

// How common the words of the built-in lists are, by lexicon.Entry.Common. A word that is often a
// name needs to be more common: who is called Mark or Hunt would stay otherwise.
const (
	minCommon     = 10 // about 4,200 words
	minVocabulary = 8  // about 11,000 words
	manyNames     = 6  // lexicon.Entry.Name
	minAsName     = 13
)

// Builtin returns a built-in list by its name: Common, about 4,200 of the most common words without
// those that are often names, or Vocabulary, about 11,000 words.
func Builtin(name string) (*List, error) {
	switch name {
	case Common:
		return builtin(name, func(e lexicon.Entry) bool {
			return e.Common() >= minCommon && (e.Name() < manyNames || e.Common() >= minAsName)
		}), nil
	case Vocabulary:
		return builtin(name, func(e lexicon.Entry) bool { return e.Common() >= minVocabulary }), nil
	}
	return nil, fmt.Errorf("the list must be %s or %s", Common, Vocabulary)
}

func builtin(name string, keep func(lexicon.Entry) bool) *List {
	return &List{
		has:    func(hash uint64) bool { return keep(lexicon.LookupHash(hash)) },
		digest: sha256.Sum256(fmt.Appendf(nil, "built-in %s %d %d %d %d", name, minCommon, minVocabulary, manyNames, minAsName)),
	}
}

// Read reads a list: a word on each line, from the most frequent one on, with a tab and a count
// behind it or not. Only the first limit words are taken; 0 means all. Lines that begin with # are
// comments.
func Read(r io.Reader, name string, limit int) (*List, error) {
	s := bufio.NewScanner(r)
	var d detectors.Document
	var list []string
	for n := 1; s.Scan() && (limit <= 0 || len(list) < limit); n++ {
		word, _, _ := strings.Cut(strings.TrimSpace(s.Text()), "\t")
		if word == "" || word[0] == '#' {
			continue
		}
		d.Reset(word)
		if len(d.Tokens) == 0 || d.Tokens[0].Hash == 0 {
			return nil, fmt.Errorf("%s:%d: not a word", name, n)
		}
		// it's is two tokens, of which the second always stays.
		if len(d.Tokens) > 2 || len(d.Tokens) == 2 && d.Tokens[1].Class != detectors.Clitic {
			return nil, fmt.Errorf("%s:%d: more than one word", name, n)
		}
		list = append(list, string(d.Word(0)))
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no words", name)
	}
	return &List{has: wordlist.NewSet(list...).Has, digest: sha256.Sum256([]byte(strings.Join(list, "\n")))}, nil
}

// ReadFile reads a list from a file.
func ReadFile(path string, limit int) (*List, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path, limit)
}

// Keeps reports whether a token with this class and hash stays. Numbers never do. Punctuation and
// contractions do.
func (l *List) Keeps(class detectors.Class, hash uint64) bool {
	switch {
	case class == detectors.Digits, class == detectors.Alnum:
		return false
	case class.IsWord():
		return l.has(hash)
	}
	return true
}

// Digest is a hash of the list: of the words of a file, of the name and the thresholds of a
// built-in list, since package ruledata records the lexicon.
func (l *List) Digest() []byte { return l.digest[:] }
