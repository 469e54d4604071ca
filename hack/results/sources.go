package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A text names the sources of its figures: results in bold, by their command or by a link to their report, and tests by
// 'go test PACKAGE -run NAME'. Where that would not read well, or a result is long, a mark that is not rendered names them. It stands
// behind the figures; one alone may also stand before them:
//
//	<!-- from: dev PERSON_NAME: missed, gold; 7 / 1724 * 100 = 0.4; config/settings.go SOTTO_RISK_LIMIT; papers -->
//
// A result is named without .json, with the beginning of the lines that the text is about, and the columns: a long one has nearly
// every number somewhere. A file of the repository counts with the lines that have the word behind it: a setting or a limit. A sum may use the numbers
// of the other sources. "papers" are the figures of the papers, which the second column of the tables has.
var sourceMark = regexp.MustCompile(`(?s)<!-- from: (.*?) -->`)

const (
	// ofPapers names the papers themselves as the source of a quotation.
	ofPapers = "papers"
	// longest is how many lines a result may have that counts as a whole.
	longest = 40
)

// sources are what a text names as the sources of its figures, but for marks.
type sources struct {
	names []string // of results, those of marks among them
	known numbers
	any   bool // there is a source
}

// sourcesOf returns the sources that a text names.
func (c *checker) sourcesOf(text string) (sources, error) {
	s := sources{known: numbers{}}
	var err error
	if s.names, err = c.named(text); err != nil {
		return s, err
	}
	s.any = len(s.names) > 0 || sourceMark.MatchString(text)
	for _, name := range s.names {
		if r := c.results[name]; len(r.Output) <= longest {
			maps.Copy(s.known, c.numbersOf(name))
		}
	}
	for _, test := range goTest.FindAllStringSubmatch(text, -1) {
		s.any = c.test(s.known, test[1], test[2]) || s.any
	}
	s.names = append(s.names, c.inMarks(text)...)
	slices.Sort(s.names)
	s.names = slices.Compact(s.names)
	return s, nil
}

// inMarks returns the results that the marks of a text name.
func (c *checker) inMarks(text string) []string {
	var names []string
	for _, mark := range sourceMark.FindAllStringSubmatch(text, -1) {
		for source := range strings.SplitSeq(mark[1], ";") {
			name, _, _ := strings.Cut(strings.TrimSpace(source), " ")
			if _, ok := c.results[name]; ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// unknown returns the figures of a text that are neither among the numbers nor among those of their mark.
func (c *checker) unknown(text string, known numbers) ([]string, error) {
	var found []string
	marks := sourceMark.FindAllStringSubmatchIndex(text, -1)
	begin, ofMark := 0, numbers{}
	for i := range len(marks) + 1 {
		end, next := len(text), len(text)
		if i < len(marks) {
			var err error
			if ofMark, err = c.marked(text[marks[i][2]:marks[i][3]], known); err != nil {
				return nil, err
			}
			end, next = marks[i][0], marks[i][1]
		}
		for _, figure := range figures(text[begin:end]) {
			if !known.has(figure) && !ofMark.has(figure) {
				found = append(found, figure)
			}
		}
		begin = next
	}
	return found, nil
}

// marked returns the numbers that a mark names.
func (c *checker) marked(mark string, known numbers) (numbers, error) {
	n := numbers{}
	var sums []string
	for source := range strings.SplitSeq(mark, ";") {
		source = strings.TrimSpace(source)
		place, words, _ := strings.Cut(source, " ")
		switch r, isResult := c.results[place]; {
		case source == ofPapers:
			maps.Copy(n, c.papers)
		case equation.MatchString(source):
			sums = append(sums, source)
		case isResult && words == "" && len(r.Output) <= longest:
			maps.Copy(n, c.numbersOf(place))
		case isResult && n.begin(r.Output, words):
		case !isResult && c.lines(n, place, words):
		default:
			return nil, fmt.Errorf("%q names no lines of a result, and none of a file", source)
		}
	}
	inputs := maps.Clone(n)
	maps.Copy(inputs, known)
	for _, sum := range sums {
		v, err := inputs.adds(sum)
		if err != nil {
			return nil, err
		}
		n[v] = true
	}
	return n, nil
}

var columnGap = regexp.MustCompile(`  +`)

// begin adds the numbers of the lines whose first column is start, or else of those that begin so; it reports whether there is one.
// Behind a colon, start may name columns, in the words above them; the others do not count then.
func (n numbers) begin(lines []string, start string) bool {
	start, names, inColumns := strings.Cut(start, ": ")
	if inColumns {
		for name := range strings.SplitSeq(names, ", ") {
			if !n.column(lines, start, name) {
				return false
			}
		}
		return true
	}
	found := false
	for _, end := range []string{"  ", ""} {
		for _, line := range lines {
			if rest, ok := strings.CutPrefix(line, start+end); ok && start != "" {
				n.add(rest)
				found = true
			}
		}
		if found {
			break
		}
	}
	return found
}

// column adds the numbers in a column of the lines whose first column is start; it reports whether there is one.
func (n numbers) column(lines []string, start, name string) bool {
	at, found := -1, false // the place of the column in the table that is read
	for _, line := range lines {
		fields := columnGap.Split(line, -1)
		switch {
		case !slices.ContainsFunc(fields, func(f string) bool { _, err := strconv.ParseFloat(f, 64); return err == nil }): // a head
			at = slices.Index(fields, name)
		case fields[0] == start && at > 0 && at < len(fields):
			n.add(fields[at])
			found = true
		}
	}
	return found
}

// lines adds the numbers of the lines of a file that have a word, without those of the word; it reports whether there is one.
func (c *checker) lines(known numbers, path, word string) bool {
	text, err := os.ReadFile(filepath.Join(c.root, path))
	if err != nil || word == "" {
		return false
	}
	whole := regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(word) + `(\W|$)`)
	found := false
	for line := range strings.Lines(string(text)) {
		if whole.MatchString(line) {
			known.add(strings.ReplaceAll(line, word, ""))
			found = true
		}
	}
	return found
}

// block is a text between blank lines, an item of a list, or a row of a table.
type block struct {
	line int
	text string
}

var (
	blockBegins = regexp.MustCompile(`^\s*([-*] |\d+\. |#|\|)`)
	fence       = regexp.MustCompile("^\\s*```")
)

// blocks returns the blocks of a page, without code.
func blocks(page string) []block {
	var found []block
	inCode, goesOn := false, false
	for i, line := range strings.Split(page, "\n") {
		if fence.MatchString(line) {
			inCode, goesOn = !inCode, false
		}
		if line = strings.TrimSpace(line); inCode || line == "" || line == "```" {
			goesOn = false
			continue
		}
		if goesOn && !blockBegins.MatchString(line) {
			found[len(found)-1].text += " " + line
			continue
		}
		found = append(found, block{line: i + 1, text: line})
		goesOn = !strings.HasPrefix(line, "|")
	}
	return found
}

// block returns what is wrong with a block.
func (c *checker) block(b block) []string {
	s, err := c.sourcesOf(b.text)
	if err != nil {
		return []string{err.Error()}
	}
	unknown, err := c.unknown(b.text, s.known)
	if err != nil {
		return []string{err.Error()}
	}
	problems := c.undated(b.text, s.names, false)
	for _, figure := range unknown {
		problems = append(problems, fmt.Sprintf("%s is in no source that its text names (%s)", figure, strings.Join(s.names, ", ")))
	}
	return problems
}

// undated returns the results that a text names without the version of the rules, or, where nobody noted it, the day of the run. Those
// of the table of names are dated there.
func (c *checker) undated(text string, names []string, inLegend bool) []string {
	var problems []string
	for _, name := range names {
		if _, ok := c.legend[name]; ok != inLegend {
			continue
		}
		if when := c.results[name].when(); !strings.Contains(strings.ToLower(text), strings.ToLower(when)) {
			problems = append(problems, fmt.Sprintf("the figures of %s are of %q, which the text does not say", name, when))
		}
	}
	return problems
}

// when is what a page says of the age of a result, "" if it cannot change with the rules.
func (r result) when() string {
	if r.NoRules {
		return ""
	}
	if r.RuleVersion > 0 {
		return fmt.Sprintf("rule version %d", r.RuleVersion)
	}
	day, err := time.Parse(time.DateOnly, r.Date)
	if err != nil {
		return r.Date
	}
	return day.Format("2 January 2006")
}
