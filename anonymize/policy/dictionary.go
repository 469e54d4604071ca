package policy

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"sotto/anonymize/intake"
	"sotto/detectors"
	"sotto/internal/boundedfile"
)

// dictionary holds a user's own words: what must be masked and what must not, for
// all calls and for the calls of one tenant.
type dictionary struct {
	lists  map[string]*wordList // by tenant, "" for all
	digest []byte
	prompt string
}

// wordList is one folder of a dictionary.
type wordList struct {
	// mask is what must be masked. Its values are positions in types, the infoType of each file.
	mask    *detectors.Phrases[uint32]
	types   []detectors.InfoType
	masking detectors.PhraseBuilder[uint32]
	// exclude is what must not be masked, with a set for each infoType.
	exclude []exclusion
}

// exclusion is what must not be masked as one infoType.
type exclusion struct {
	infoType detectors.InfoType
	phrases  *detectors.Phrases[uint8]
}

const (
	maskSuffix    = ".dictionary.txt"
	excludeSuffix = ".exclude.txt"
	// anyType stands for all infoTypes in the name of an exclusion list.
	anyType = "ANY"
	// promptFile is the prompt for a language model, of at most maxPrompt bytes.
	promptFile = "remote.prompt.txt"
	maxPrompt  = 64 << 10
	// maxEntry bounds the words of an entry, maxEntries the entries of a file.
	maxEntry   = 12
	maxEntries = 2_000_000
	maxFile    = 64 << 20
)

// readDictionary reads the word lists of a policy folder:
//
//	PERSON_NAME.dictionary.txt     masked as PERSON_NAME wherever it is said
//	PERSON_NAME.exclude.txt        never masked as PERSON_NAME
//	ANY.exclude.txt                never masked
//	acme/PRODUCT.dictionary.txt    the same, for the calls of tenant "acme"
//
// The name before the first dot is the infoType, one of Sotto's or one's own in
// capitals. A file holds one entry a line, of one to twelve words; case, accents
// and punctuation do not count. Blank lines and lines that begin with # are
// skipped. An entry of a tenant goes before one for all. policy.yaml beside the
// lists is not read here; remote.prompt.txt is kept as it is.
//
// It fails on a file name that it does not understand, so that no list is left
// out by a slip, and on an entry that is too long or has no letter or digit;
// the error names file and line and does not quote the entry. Files and folders
// whose names begin with a dot are skipped.
func readDictionary(folder fs.FS) (*dictionary, error) {
	d := &dictionary{lists: map[string]*wordList{}}
	h := sha256.New()
	names, err := dictionaryFiles(folder, ".")
	if err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	for _, name := range names {
		where := boundedfile.Where(folder, name)
		data, err := boundedfile.ReadIn(folder, name, maxFile)
		if err != nil {
			return nil, fmt.Errorf("dictionary: %w", err)
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(data), data)
		if name == promptFile {
			if len(data) > maxPrompt || len(bytes.TrimSpace(data)) == 0 || !utf8.Valid(data) {
				return nil, fmt.Errorf("dictionary: %s: a prompt must be UTF-8 of 1 to %d bytes", where, maxPrompt)
			}
			d.prompt = string(data)
			continue
		}
		if err := d.addFile(where, name, string(data)); err != nil {
			return nil, fmt.Errorf("dictionary: %w", err)
		}
	}
	for _, list := range d.lists {
		list.mask = list.masking.Build()
	}
	d.digest = h.Sum(nil)
	return d, nil
}

// dictionaryFiles lists the word lists in a folder and, if that is ".", in the tenants' folders, in the order
// in which they are read. It follows symbolic links, because each top-level name of a Kubernetes volume is one.
func dictionaryFiles(in fs.FS, folder string) ([]string, error) {
	entries, err := fs.ReadDir(in, folder)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, entry := range entries {
		name := path.Join(folder, entry.Name())
		if strings.HasPrefix(entry.Name(), ".") || name == rulesFile || folder == "." && strings.HasSuffix(name, intake.MappingSuffix) { // others read these
			continue
		}
		info, err := fs.Stat(in, name)
		switch {
		case err != nil:
			return nil, err
		case !info.IsDir():
			files = append(files, name)
		case folder != ".":
			return nil, fmt.Errorf("%s: a tenant's folder must not contain folders", boundedfile.Where(in, name))
		default:
			inner, err := dictionaryFiles(in, name)
			if err != nil {
				return nil, err
			}
			files = append(files, inner...)
		}
	}
	return files, nil
}

// addFile adds the entries of a file; where is its path for errors.
func (d *dictionary) addFile(where, name, text string) error {
	tenant, file := path.Split(name)
	infoType, masks := strings.CutSuffix(file, maskSuffix)
	infoType, excludes := strings.CutSuffix(infoType, excludeSuffix)
	if masks == excludes || !typeForm.MatchString(infoType) {
		return fmt.Errorf("%s: the name must be an infoType and %s or %s, as PERSON_NAME%s", where, maskSuffix, excludeSuffix, maskSuffix)
	}
	if masks && infoType == anyType {
		return fmt.Errorf("%s: what is masked needs an infoType; only lists of exclusions may be for %s", where, anyType)
	}
	if near := misspelled(infoType); near != "" {
		return fmt.Errorf("%s: there is no infoType of that name; %s is meant", where, near)
	}
	tenant = strings.TrimSuffix(tenant, "/")
	list := d.lists[tenant]
	if list == nil {
		list = &wordList{}
		d.lists[tenant] = list
	}
	if masks {
		n, err := readEntries(where, text, func(words []uint64) { list.masking.AddWords(uint32(len(list.types)), words...) })
		if n > 0 {
			list.types = append(list.types, detectors.InfoType(infoType))
		}
		return err
	}
	var b detectors.PhraseBuilder[uint8]
	_, err := readEntries(where, text, func(words []uint64) { b.AddWords(0, words...) })
	list.exclude = append(list.exclude, exclusion{detectors.InfoType(infoType), b.Build()})
	return err
}

// misspelled returns the infoType of Sotto for which another name was probably meant, "" if it is one or may be one's own.
func misspelled(name string) (near string) {
	least := 2
	if len(name) > 9 {
		least = 3
	}
	for _, t := range detectors.InfoTypes() {
		switch d := distance(name, string(t), least); {
		case d == 0:
			return ""
		case d < least && len(name) > 4:
			least, near = d, string(t)
		}
	}
	return near
}

// distance is how many letters must be added, removed or replaced to make one name of another; it is most if it is more.
func distance(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return min(row[len(b)], most)
}

// readEntries calls add with the words of each entry of a file, and returns how many there are.
func readEntries(where, text string, add func(words []uint64)) (entries int, err error) {
	var doc detectors.Document
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if !utf8.ValidString(line) {
			return entries, fmt.Errorf("%s:%d: not UTF-8", where, n)
		}
		doc.Reset(line)
		words := doc.WordHashes()
		switch {
		case len(words) == 0:
			return entries, fmt.Errorf("%s:%d: the entry has no letter or digit", where, n)
		case len(words) > maxEntry:
			return entries, fmt.Errorf("%s:%d: the entry has more than %d words", where, n, maxEntry)
		case entries >= maxEntries:
			return entries, fmt.Errorf("%s:%d: more than %d entries", where, n, maxEntries)
		}
		entries++
		add(words)
	}
	if err := lines.Err(); err != nil {
		return entries, fmt.Errorf("%s: %w", where, err)
	}
	return entries, nil
}

// typeForm is the form of infoTypes: capitals, digits and underscores, a capital first.
var typeForm = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// of returns the folders that count for a tenant, its own before the common one. Either may be
// nil.
func (d *dictionary) of(tenant string) (folders [2]*wordList) {
	if tenant != "" {
		folders[0] = d.lists[tenant]
	}
	folders[1] = d.lists[""]
	return folders
}

// find adds a finding for each entry of the dictionary in the document, the longest
// from left to right.
func (d *dictionary) find(doc *detectors.Document, tenant string) {
	for _, list := range d.of(tenant) {
		if list == nil {
			continue
		}
		list.mask.Each(doc, punctuation, func(of uint32, i, n int) {
			doc.Add(detectors.Finding{
				Start: int(doc.Tokens[i].Start), End: int(doc.Tokens[i+n-1].End), Type: list.types[of],
				Likelihood: detectors.VeryLikely, Score: 1, Detector: "dictionary", Evidence: detectors.ByUser,
			})
		})
	}
}

// filter drops findings that lie within an excluded entry of their infoType.
func (d *dictionary) filter(doc *detectors.Document, tenant string, dropped func(detectors.Finding, string)) {
	if len(doc.Findings) == 0 {
		return
	}
	var spans []span
	for _, list := range d.of(tenant) {
		if list == nil {
			continue
		}
		for _, x := range list.exclude {
			for i := range doc.Tokens {
				if _, n := x.phrases.Longest(doc, i, punctuation); n > 0 {
					spans = append(spans, span{x.infoType, int(doc.Tokens[i].Start), int(doc.Tokens[i+n-1].End)})
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
		dropped(f, Excluded)
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

// excluded reports whether a finding lies within an excluded entry of its type or of all, a
// possessive after it counted in. The spans are in order.
func excluded(doc *detectors.Document, spans []span, f *detectors.Finding) bool {
	n := sort.Search(len(spans), func(i int) bool { return spans[i].start > f.Start })
	for i := n - 1; i >= 0 && i >= n-maxSpans; i-- {
		s := &spans[i]
		if (s.infoType == f.Type || s.infoType == anyType) && (f.End <= s.end || f.Start == s.start && f.End == s.end+2 && doc.Text[s.end] == '\'') {
			return true
		}
	}
	return false
}

func (d *dictionary) types() map[detectors.InfoType]bool {
	types := map[detectors.InfoType]bool{}
	for _, l := range d.lists {
		for _, t := range l.types {
			types[t] = true
		}
	}
	return types
}

// newPhrases makes a set. It fails on a phrase that has no letter or digit or
// more than twelve words, naming it by its number.
func newPhrases(list []string) (*detectors.Phrases[uint8], error) {
	var b detectors.PhraseBuilder[uint8]
	var doc detectors.Document
	for i, s := range list {
		doc.Reset(s)
		words := doc.WordHashes()
		if len(words) == 0 || len(words) > maxEntry {
			return nil, fmt.Errorf("phrase %d must have 1 to %d words", i+1, maxEntry)
		}
		b.AddWords(0, words...)
	}
	return b.Build(), nil
}

// punctuation is the gap between the words of an entry: it does not count.
func punctuation(doc *detectors.Document, first, j int) int {
	for j < len(doc.Tokens) && doc.Tokens[j].Class == detectors.Punct && j-first < 3*maxEntry {
		j++
	}
	return j
}
