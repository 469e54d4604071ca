package policy

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"sotto/detectors"
	"sotto/internal/wordhash"
)

// dictionary holds a user's own words: what must be masked and what must not, for
// all calls and for the calls of one tenant. The nil dictionary is empty.
type dictionary struct {
	common  *wordList
	tenants map[string]*wordList
	digest  []byte
}

// wordList is one folder of a dictionary.
type wordList struct {
	mask, exclude trie
}

// trie finds entries of several words by the hash of the first.
type trie map[uint64][]dictEntry

// dictEntry is an entry without its first word.
type dictEntry struct {
	rest     []uint64
	infoType detectors.InfoType
}

const (
	maskSuffix    = ".dictionary.txt"
	excludeSuffix = ".exclude.txt"
	// maxEntry bounds the words of an entry, maxEntries the entries of a file.
	maxEntry   = 12
	maxEntries = 2_000_000
)

// readDictionary reads a folder of word lists:
//
//	PERSON_NAME.dictionary.txt     masked as PERSON_NAME wherever it is said
//	PERSON_NAME.exclude.txt        never masked as PERSON_NAME
//	acme/PRODUCT.dictionary.txt    the same, for the calls of tenant "acme"
//
// The name before the first dot is the infoType, one of Sotto's or one's own in
// capitals. A file holds one entry a line, of one to twelve words; case, accents
// and punctuation do not count. Blank lines and lines that begin with # are
// skipped. An entry of a tenant goes before one for all. policy.yaml beside the
// lists is not read here.
//
// It fails on a file name that it does not understand, so that no list is left
// out by a slip, and on an entry that is too long or has no letter or digit;
// the error names file and line and does not quote the entry. Files and folders
// whose names begin with a dot are skipped.
func readDictionary(dir string) (*dictionary, error) {
	d := &dictionary{tenants: map[string]*wordList{}}
	h := sha256.New()
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case strings.HasPrefix(base, "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case name == "policy.yaml":
			return nil // read by others
		case entry.IsDir() && strings.Contains(name, "/"):
			return errors.New(filepath.Join(dir, filepath.FromSlash(name)) + ": a tenant's folder has no folders of its own")
		case entry.IsDir():
			return nil
		}
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(data), data)
		return d.addFile(filepath.Join(dir, filepath.FromSlash(name)), name, string(data))
	})
	if err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	d.digest = h.Sum(nil)
	return d, nil
}

func (d *dictionary) addFile(where, name, text string) error {
	tenant, file := path.Split(name)
	tenant = strings.TrimSuffix(tenant, "/")
	list := d.common
	if tenant != "" {
		list = d.tenants[tenant]
	}
	if list == nil {
		list = &wordList{mask: trie{}, exclude: trie{}}
		if tenant != "" {
			d.tenants[tenant] = list
		} else {
			d.common = list
		}
	}
	infoType, into := file, trie(nil)
	if t, ok := strings.CutSuffix(file, maskSuffix); ok {
		infoType, into = t, list.mask
	} else if t, ok := strings.CutSuffix(file, excludeSuffix); ok {
		infoType, into = t, list.exclude
	}
	if into == nil || !validType(infoType) {
		return fmt.Errorf("%s: the name must be an infoType and %s or %s, as PERSON_NAME%s", where, maskSuffix, excludeSuffix, maskSuffix)
	}
	var doc detectors.Document
	lines := bufio.NewScanner(strings.NewReader(text))
	entries := 0
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if !utf8.ValidString(line) {
			return fmt.Errorf("%s:%d: not UTF-8", where, n)
		}
		hashes := entryHashes(&doc, line)
		switch {
		case len(hashes) == 0:
			return fmt.Errorf("%s:%d: the entry has no letter or digit", where, n)
		case len(hashes) > maxEntry:
			return fmt.Errorf("%s:%d: the entry has more than %d words", where, n, maxEntry)
		case entries >= maxEntries:
			return fmt.Errorf("%s:%d: more than %d entries", where, n, maxEntries)
		}
		entries++
		into[hashes[0]] = append(into[hashes[0]], dictEntry{rest: hashes[1:], infoType: detectors.InfoType(infoType)})
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	for h := range into {
		// The longest first; the sort is stable so that the order of the file
		// decides among equals.
		slices.SortStableFunc(into[h], func(a, b dictEntry) int { return len(b.rest) - len(a.rest) })
	}
	return nil
}

// validType reports whether a name has the form of an infoType: capitals, digits
// and underscores, a capital first.
func validType(s string) bool {
	for i := 0; i < len(s); i++ {
		if b := s[i]; b != '_' && (b < 'A' || b > 'Z') && (b < '0' || b > '9') {
			return false
		}
	}
	return s != "" && s[0] >= 'A' && s[0] <= 'Z'
}

// entryHashes returns the hashes of the words of an entry.
func entryHashes(doc *detectors.Document, line string) []uint64 {
	doc.Reset(line)
	var hashes []uint64
	for i := range doc.Tokens {
		if c := doc.Tokens[i].Class; c != detectors.Punct && c != detectors.Other {
			hashes = append(hashes, wordhash.Bytes(doc.Word(i)))
		}
	}
	return hashes
}

// find adds a finding for each entry of the dictionary in the document, the longest
// from left to right.
func (d *dictionary) find(doc *detectors.Document, tenant string) {
	if d == nil {
		return
	}
	for _, list := range [2]*wordList{d.tenants[tenant], d.common} {
		if list == nil || len(list.mask) == 0 {
			continue
		}
		for i := 0; i < len(doc.Tokens); {
			e, n := list.mask.match(doc, i)
			if n == 0 {
				i++
				continue
			}
			doc.Add(detectors.Finding{
				Start: int(doc.Tokens[i].Start), End: int(doc.Tokens[i+n-1].End), Type: e.infoType,
				Likelihood: detectors.VeryLikely, Score: 1, Detector: "dictionary", Evidence: detectors.ByUser,
			})
			i += n
		}
	}
}

// filter drops findings that lie within an excluded entry of their infoType.
func (d *dictionary) filter(doc *detectors.Document, tenant string, dropped func(*detectors.Finding, string)) {
	if d == nil || len(doc.Findings) == 0 {
		return
	}
	var spans []span
	for _, list := range [2]*wordList{d.tenants[tenant], d.common} {
		if list == nil || len(list.exclude) == 0 {
			continue
		}
		for i := range doc.Tokens {
			for _, e := range list.exclude[wordHash(doc, i)] {
				if n := e.length(doc, i); n > 0 {
					spans = append(spans, span{e.infoType, int(doc.Tokens[i].Start), int(doc.Tokens[i+n-1].End)})
				}
			}
		}
	}
	if len(spans) == 0 {
		return
	}
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	doc.Findings = slices.DeleteFunc(doc.Findings, func(f detectors.Finding) bool {
		if !excluded(doc, spans, &f) {
			return false
		}
		dropped(&f, Excluded)
		return true
	})
}

// span is where an excluded entry stands.
type span struct {
	infoType   detectors.InfoType
	start, end int
}

// maxSpans is how many excluded entries that begin before a finding are looked
// at: as many as have words in common with it.
const maxSpans = 4 * maxEntry

// excluded reports whether a finding lies within an excluded entry of its type, a
// possessive after it counted in. The spans are in order.
func excluded(doc *detectors.Document, spans []span, f *detectors.Finding) bool {
	n := sort.Search(len(spans), func(i int) bool { return spans[i].start > f.Start })
	for i := n - 1; i >= 0 && i >= n-maxSpans; i-- {
		s := &spans[i]
		if s.infoType == f.Type && (f.End <= s.end || f.Start == s.start && f.End == s.end+2 && doc.Text[s.end] == '\'') {
			return true
		}
	}
	return false
}

// types lists the infoTypes that the dictionary masks.
func (d *dictionary) types() map[detectors.InfoType]bool {
	types := map[detectors.InfoType]bool{}
	add := func(l *wordList) {
		for _, entries := range l.mask {
			for _, e := range entries {
				types[e.infoType] = true
			}
		}
	}
	if d.common != nil {
		add(d.common)
	}
	for _, l := range d.tenants {
		add(l)
	}
	return types
}

// phrases is a set of words and phrases that is looked for in documents. It is
// immutable.
type phrases struct{ t trie }

// newPhrases makes a set. It fails on a phrase that has no letter or digit or
// more than twelve words, naming it by its number.
func newPhrases(list []string) (phrases, error) {
	p := phrases{trie{}}
	var doc detectors.Document
	for i, s := range list {
		h := entryHashes(&doc, s)
		if len(h) == 0 || len(h) > maxEntry {
			return p, fmt.Errorf("phrase %d must have 1 to %d words", i+1, maxEntry)
		}
		p.t[h[0]] = append(p.t[h[0]], dictEntry{rest: h[1:]})
	}
	for h := range p.t {
		slices.SortStableFunc(p.t[h], func(a, b dictEntry) int { return len(b.rest) - len(a.rest) })
	}
	return p, nil
}

// each calls f with the byte offsets of each phrase of the set in the document,
// the longest from left to right.
func (p phrases) each(doc *detectors.Document, f func(start, end int)) {
	for i := 0; i < len(doc.Tokens); {
		_, n := p.t.match(doc, i)
		if n == 0 {
			i++
			continue
		}
		f(int(doc.Tokens[i].Start), int(doc.Tokens[i+n-1].End))
		i += n
	}
}

// match returns the longest entry at token i and how many tokens it takes.
func (t trie) match(doc *detectors.Document, i int) (dictEntry, int) {
	for _, e := range t[wordHash(doc, i)] {
		if n := e.length(doc, i); n > 0 {
			return e, n
		}
	}
	return dictEntry{}, 0
}

// length returns how many tokens the entry takes from token i, whose word is
// its first, 0 when it does not stand there. Punctuation between words does
// not count.
func (e *dictEntry) length(doc *detectors.Document, i int) int {
	j := i + 1
	for _, h := range e.rest {
		for j < len(doc.Tokens) && doc.Tokens[j].Class == detectors.Punct && j-i < 3*maxEntry {
			j++
		}
		if j >= len(doc.Tokens) || wordHash(doc, j) != h {
			return 0
		}
		j++
	}
	return j - i
}

// wordHash is the hash of token i's folded text, digits included.
func wordHash(doc *detectors.Document, i int) uint64 {
	if t := &doc.Tokens[i]; t.Hash != 0 || t.Class == detectors.Punct {
		return t.Hash
	}
	return wordhash.Bytes(doc.Word(i))
}
