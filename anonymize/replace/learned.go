package replace

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/internal/boundedfile"
	"sotto/state/linking"
)

// tablesHeader opens a file of Tables.
const tablesHeader = "sotto surrogates 1"

// maxTables bounds a file of Tables, in bytes.
const maxTables = 64 << 20

// The parts of values that a file of Tables holds.
const (
	partValue   = "value"
	partWord    = "word"
	partGiven   = "given"
	partSurname = "surname"
)

// Tables are distributions learned from a corpus, for value dissociation. They
// contain what the corpus says: keep them as secret as the corpus. They are
// immutable and safe for concurrent use.
type Tables struct {
	pools  map[string]*pool
	digest [sha256.Size]byte
}

// LoadTables reads a file that a Learner wrote. Errors name file and line, and
// never repeat what is there.
func LoadTables(file string) (*Tables, error) {
	data, err := boundedfile.Read(file, maxTables)
	if err != nil {
		return nil, fmt.Errorf("cannot read the table of surrogates: %w", err)
	}
	t, err := ReadTables(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// ReadTables is LoadTables for the contents of such a file: a line "sotto
// surrogates 1", then lines of infoType, part (value, word, given or surname),
// count and text, separated by tabs. Empty lines and lines that begin with # are skipped.
func ReadTables(data []byte) (*Tables, error) {
	rows := map[[2]string][]weighted{}
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, 1<<20)
	line, headed := 0, false
	for sc.Scan() {
		line++
		text := sc.Text()
		switch {
		case strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#"):
			continue
		case !headed && text == tablesHeader:
			headed = true
			continue
		case !headed:
			return nil, fmt.Errorf("line %d: a table of surrogates begins with the line '%s'; make one with 'sotto corpus table'", line, tablesHeader)
		}
		key, row, problem := parseRow(text)
		if problem != "" {
			return nil, fmt.Errorf("line %d: %s", line, problem)
		}
		rows[key] = append(rows[key], row)
	}
	if sc.Err() != nil {
		return nil, fmt.Errorf("line %d: the line is longer than 1 MiB", line+1)
	}
	return makeTables(rows, sha256.Sum256(data))
}

func parseRow(text string) (key [2]string, row weighted, problem string) {
	f := strings.Split(text, "\t")
	if len(f) != 4 {
		return key, row, "must be infoType, part, count and text, parted by tabs"
	}
	if !isInfoType(f[0]) {
		return key, row, "an infoType is capital letters, digits and _"
	}
	if byRule(f[0]) {
		return key, row, "surrogates of this infoType are made by rule and never drawn from a corpus: take the line out"
	}
	switch f[1] {
	case partValue, partWord:
	case partGiven, partSurname:
		if f[0] != "PERSON_NAME" {
			return key, row, "only PERSON_NAME has the parts given and surname"
		}
	default:
		return key, row, "the part must be value, word, given or surname"
	}
	n, err := strconv.ParseUint(f[2], 10, 48)
	if err != nil || n == 0 {
		return key, row, "the count must be a whole number from 1"
	}
	if !clean(f[3]) {
		return key, row, "the text must be UTF-8 of at most 200 bytes, without control characters and spaces around it"
	}
	return [2]string{f[0], f[1]}, weighted{f[3], n}, ""
}

func clean(s string) bool {
	return s != "" && len(s) <= 200 && utf8.ValidString(s) && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, unicode.IsControl)
}

func makeTables(rows map[[2]string][]weighted, digest [sha256.Size]byte) (*Tables, error) {
	t := &Tables{pools: map[string]*pool{}, digest: digest}
	for key := range rows {
		if t.pools[key[0]] != nil {
			continue
		}
		p := &pool{source: Corpus}
		for part, at := range map[string]**Table{partValue: &p.values, partWord: &p.words, partGiven: &p.given, partSurname: &p.surname} {
			list := rows[[2]string{key[0], part}]
			if len(list) == 0 {
				continue
			}
			made, err := newTable(list)
			if err != nil {
				return nil, err
			}
			*at = made
		}
		if key[0] == "PERSON_NAME" {
			if p.given == nil || p.surname == nil {
				return nil, fmt.Errorf("PERSON_NAME needs lines for both parts, given and surname")
			}
			if p.words == nil {
				p.words = words(p.given, p.surname)
			}
			p.splitByGender()
		} else if p.values == nil {
			return nil, fmt.Errorf("%s has no lines of the part value", key[0])
		} else if p.words == nil {
			p.words = words(p.values)
		}
		t.pools[key[0]] = p
	}
	return t, nil
}

// Learner counts the values of a corpus. The zero value is ready. It is not
// safe for concurrent use.
type Learner struct {
	values map[learnedKey]*learnedValue
}

// learnedKey is a part of an infoType and a value of it in lower case.
type learnedKey struct{ infoType, part, value string }

type learnedValue struct {
	spelling string
	count    uint64
	calls    int
	last     string
}

// Add counts one mention of a value in a call. Values of infoTypes whose surrogates are made by
// rule are skipped: nobody's number is given to somebody else. So are full names: each of their
// parts is counted by itself.
func (l *Learner) Add(callID, infoType, text string) {
	if byRule(infoType) || !isInfoType(infoType) || !clean(text) {
		return
	}
	if infoType != "PERSON_NAME" {
		fields := strings.Fields(text)
		for _, w := range fields {
			l.count(callID, infoType, partWord, w)
		}
		l.count(callID, infoType, partValue, strings.Join(fields, " "))
		return
	}
	n := parseName(text, linking.PartAny, "")
	for part, w := range map[string]string{partGiven: n.given, partSurname: n.surname} {
		if w != "" {
			l.count(callID, infoType, part, w)
			l.count(callID, infoType, partWord, w)
		}
	}
}

func (l *Learner) count(callID, infoType, part, text string) {
	if l.values == nil {
		l.values = map[learnedKey]*learnedValue{}
	}
	key := learnedKey{infoType, part, toLower(text)}
	x := l.values[key]
	if x == nil {
		x = &learnedValue{spelling: text}
		l.values[key] = x
	}
	if x.count == 0 || x.last != callID {
		x.calls++
		x.last = callID
	}
	x.count++
}

// Write writes the table, in an order that depends on its contents alone. A value that occurs in
// fewer than minCalls calls is left out, since it could reveal that a certain person called;
// calls must have been added one after the other.
func (l *Learner) Write(w io.Writer, minCalls int) error {
	left := map[[2]string]bool{} // by infoType and part
	for key, x := range l.values {
		if x.calls >= minCalls {
			left[[2]string{key.infoType, key.part}] = true
		}
	}
	var lines []string
	for key, x := range l.values {
		enough := left[[2]string{key.infoType, partValue}] // to draw from
		if key.infoType == "PERSON_NAME" {
			enough = left[[2]string{key.infoType, partGiven}] && left[[2]string{key.infoType, partSurname}]
		}
		if enough && x.calls >= minCalls {
			lines = append(lines, fmt.Sprintf("%s\t%s\t%d\t%s\n", key.infoType, key.part, x.count, x.spelling))
		}
	}
	slices.Sort(lines)
	_, err := io.WriteString(w, tablesHeader+"\n"+strings.Join(lines, ""))
	return err
}

// Types lists the infoTypes that have a distribution, sorted.
func (t *Tables) Types() []string {
	return slices.Sorted(maps.Keys(t.pools))
}
