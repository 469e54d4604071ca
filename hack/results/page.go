package main

import (
	"fmt"
	"go/parser"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// row is a result of the page: what the paper says, what is ours, and why they differ.
type row struct {
	line                     int
	result, paper, ours, why string
}

var (
	cellEnd    = regexp.MustCompile(`[^\\]\|`)
	codeSpan   = regexp.MustCompile("`[^`]*`")
	linkTarget = regexp.MustCompile(`\]\([^)]*\)`)
	boldName   = regexp.MustCompile(`\*\*([a-z]+( [a-z]+)*)\*\*`)
	goTest     = regexp.MustCompile(`go test (\S+) -run (\w+)`)
	// What has a number and is no figure: places in papers, names of metrics and models, dates, forms of masks.
	noFigure = regexp.MustCompile(`(?i)(tables?|figures?|sections?|footnote|equation|opinion) \(?\d[\d./]*\)?((, | and | to )\d+)*` +
		`|\bF1\b|top-\d+|rouge-\d|gpt-\d|baseline\d|k = \d|\d* ?(january|november|december) \d{4}|MiniLM-L6-v2|[A-Z_]+_\d+` +
		`|CC-BY-[\d.]+|rule version \d+|^\d+\. `)
	number = regexp.MustCompile(`\d[\d,_]*(\.\d+)?`)
	// thousands is a number with separators, unlike a list.
	thousands = regexp.MustCompile(`^\d{1,3}([,_]\d{3})+(\.\d+)?$`)
	equation  = regexp.MustCompile(`^(.+) = (-?[\d.]+)$`)
	comment   = regexp.MustCompile(`(?s)<!--.*?-->`)
)

var (
	numberWords = strings.Fields("three four five six seven eight nine ten eleven twelve")
	numberWord  = regexp.MustCompile(`(?i)\b(` + strings.Join(numberWords, "|") + `)\b`)
	// shares are figures in words.
	shares = map[string]string{
		"half of": "0.5 of", "a third of": "0.33 of", "a quarter of": "0.25 of", "a fifth of": "0.2 of", "a tenth of": "0.1 of",
	}
)

var printedMark = regexp.MustCompile(`^<!-- printed: (\S+?)(?:, after "(.*)")? -->$`)

// historyMark begins a cell with figures whose program is in the history alone.
const historyMark = "*History"

// rows returns the rows with four cells.
func rows(page string) []row {
	var found []row
	for i, line := range strings.Split(page, "\n") {
		cells := split(line)
		if len(cells) != 4 || cells[0] == "of the paper" || strings.HasPrefix(cells[0], "---") {
			continue
		}
		found = append(found, row{line: i + 1, result: cells[0], paper: cells[1], ours: cells[2], why: cells[3]})
	}
	return found
}

func split(line string) []string {
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	var cells []string
	rest := line[1:]
	for {
		end := cellEnd.FindStringIndex(rest)
		if end == nil {
			return cells
		}
		cells = append(cells, strings.TrimSpace(rest[:end[0]+1]))
		rest = rest[end[1]:]
	}
}

// figures returns the numbers of a text that are figures, as they are written, without separators.
func figures(text string) []string {
	text = withoutNames(text)
	for share, value := range shares {
		text = strings.ReplaceAll(text, share, value)
	}
	var found []string
	for _, n := range number.FindAllString(inDigits(text), -1) {
		found = append(found, plain(n))
	}
	return found
}

// withoutNames returns a text without what has numbers and no figures.
func withoutNames(text string) string {
	text = comment.ReplaceAllString(codeSpan.ReplaceAllString(text, ""), "")
	return noFigure.ReplaceAllString(linkTarget.ReplaceAllString(text, "]"), "")
}

// inDigits returns a text with the numbers from three to twelve in digits. Smaller ones are rarely figures.
func inDigits(text string) string {
	return numberWord.ReplaceAllStringFunc(text, func(word string) string {
		return strconv.Itoa(3 + slices.Index(numberWords, strings.ToLower(word)))
	})
}

func plain(n string) string {
	return strings.NewReplacer(",", "", "_", "").Replace(n)
}

// numbers are the numbers of a source.
type numbers map[string]bool

func (n numbers) add(text string) {
	for _, x := range number.FindAllString(inDigits(text), -1) {
		if thousands.MatchString(x) {
			n[plain(x)] = true
			continue
		}
		for part := range strings.SplitSeq(x, ",") { // a list
			n[plain(part)] = true
		}
	}
}

// has reports whether figure is among the numbers, or one of them with fewer decimals.
func (n numbers) has(figure string) bool {
	if n[figure] {
		return true
	}
	_, decimals, _ := strings.Cut(figure, ".")
	if decimals == "" {
		return false
	}
	for x := range n {
		if _, d, _ := strings.Cut(x, "."); len(d) > len(decimals) {
			if v, err := strconv.ParseFloat(x, 64); err == nil && equal(v, figure) {
				return true
			}
		}
	}
	return false
}

// equal reports whether v is figure with the decimals of figure.
func equal(v float64, figure string) bool {
	_, decimals, _ := strings.Cut(figure, ".")
	want, err := strconv.ParseFloat(figure, 64)
	// Half of the last decimal, and a little for what a binary fraction cannot be.
	return err == nil && math.Abs(v-want) <= 0.5*math.Pow10(-len(decimals))+1e-9
}

// checker compares the page with the results.
type checker struct {
	root    string
	results map[string]result  // by name
	legend  map[string]string  // command by name, as the page says
	papers  numbers            // of the papers' column, which other cells quote
	numbers map[string]numbers // of results that were asked for
}

func newChecker(root, page string) (*checker, error) {
	c := &checker{root: root, results: map[string]result{}, legend: map[string]string{}, papers: numbers{}, numbers: map[string]numbers{}}
	files, err := filepath.Glob(filepath.Join(root, folder, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		r, err := read(file)
		if err != nil {
			return nil, err
		}
		c.results[strings.TrimSuffix(filepath.Base(file), ".json")] = r
	}
	for line := range strings.Lines(page) {
		if cells := split(strings.TrimSpace(line)); len(cells) == 2 {
			for _, name := range boldName.FindAllStringSubmatch(cells[0], -1) {
				c.legend[fileOf(name[1])] = cells[1]
			}
		}
	}
	for _, r := range rows(page) {
		c.papers.add(r.paper)
	}
	return c, nil
}

func fileOf(name string) string {
	return strings.ReplaceAll(name, " ", "-")
}

// check returns what is wrong with the page.
func (c *checker) check(page string) []string {
	var wrong []string
	for name, command := range c.legend {
		r, ok := c.results[name]
		if !ok {
			wrong = append(wrong, fmt.Sprintf("%s/%s.json is missing, for the name of a command", folder, name))
			continue
		}
		if !strings.Contains(command, "`"+r.Commands[0]+"`") {
			wrong = append(wrong, fmt.Sprintf("%s/%s.json is of another command than the page says: %s", folder, name, r.Commands[0]))
		}
		wrong = append(wrong, c.undated(command, []string{name}, true)...)
	}
	for name, r := range c.results {
		for _, sum := range r.Derived {
			if _, err := c.numbersOf(name).adds(sum); err != nil {
				wrong = append(wrong, fmt.Sprintf("%s/%s.json: %v", folder, name, err))
			}
		}
	}
	inRows := map[int]bool{}
	for _, r := range rows(page) {
		inRows[r.line] = true
		for _, problem := range c.row(r) {
			wrong = append(wrong, fmt.Sprintf("line %d: %s", r.line, problem))
		}
	}
	for _, b := range blocks(page) {
		if inRows[b.line] {
			continue
		}
		for _, problem := range c.block(b) {
			wrong = append(wrong, fmt.Sprintf("line %d: %s", b.line, problem))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// tables returns the tables of a document that the named results do not have, row after row. A line "<!-- printed: NAME -->" stands
// before such a table, or "<!-- printed: NAME, after "LINE" -->" where the run printed it behind that line.
func (c *checker) tables(document string) []string {
	var wrong []string
	lines := strings.Split(document, "\n")
	for i, line := range lines {
		m := printedMark.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		rest := lines[i+1:]
		for len(rest) > 0 && rest[0] == "" {
			rest = rest[1:]
		}
		switch r, ok := c.results[m[1]]; {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("line %d: %s/%s.json is missing", i+1, folder, m[1]))
		case !printed(r.Output, m[2], table(rest)):
			wrong = append(wrong, fmt.Sprintf("line %d: the run did not print the table behind it", i+1))
		}
	}
	return wrong
}

// table returns the rows at the beginning of lines.
func table(lines []string) []string {
	n := 0
	for n < len(lines) && strings.HasPrefix(lines[n], "|") {
		n++
	}
	return lines[:n]
}

// printed reports whether an output has a table, behind a line unless that is "".
func printed(output []string, after string, want []string) bool {
	for i := range output {
		begins := strings.HasPrefix(output[i], "|") && (i == 0 || !strings.HasPrefix(output[i-1], "|"))
		if begins && (after == "" || i > 0 && output[i-1] == after) && slices.Equal(table(output[i:]), want) {
			return true
		}
	}
	return false
}

// row returns what is wrong with a row.
func (c *checker) row(r row) []string {
	s, err := c.sourcesOf(r.ours + " " + r.why)
	if err != nil {
		return []string{err.Error()}
	}
	problems := c.undated(r.ours+" "+r.why, s.names, false)
	ours, err := c.unknown(r.ours, s.known)
	if err != nil {
		return append(problems, err.Error())
	}
	if len(ours) > 0 && !s.any {
		problems = append(problems, fmt.Sprintf("no results file and no test is named for %s", strings.Join(ours, ", ")))
		ours = nil
	}
	for _, figure := range ours {
		problems = append(problems, fmt.Sprintf("%s is in none of %s", figure, strings.Join(s.names, ", ")))
	}
	for _, text := range []string{r.result, r.paper, comment.ReplaceAllString(r.ours, "")} {
		s.known.add(text)
	}
	why, err := c.unknown(r.why, s.known)
	if err != nil {
		return append(problems, err.Error())
	}
	for _, figure := range why {
		problems = append(problems, fmt.Sprintf("%s, in the last column, is in none of %s, and no figure of the paper", figure, strings.Join(s.names, ", ")))
	}
	for _, cell := range []string{r.ours, r.why} {
		if marked := strings.HasPrefix(cell, historyMark); marked != c.fromHistory(cell) {
			problems = append(problems, fmt.Sprintf("a cell with figures of a program in the history, and no other, begins with %s", historyMark))
		}
	}
	return problems
}

// fromHistory reports whether a cell names a result whose program is in the history.
func (c *checker) fromHistory(cell string) bool {
	names, err := c.named(cell)
	return err == nil && slices.ContainsFunc(names, func(name string) bool { return c.results[name].Origin == ofHistory })
}

// named returns the results that a text names: in bold, by their command, or by a link to their report.
func (c *checker) named(text string) ([]string, error) {
	var names []string
	for _, bold := range boldName.FindAllStringSubmatch(text, -1) {
		if _, ok := c.legend[fileOf(bold[1])]; !ok {
			return nil, fmt.Errorf("%s is not in the table of names", bold[0])
		}
		names = append(names, fileOf(bold[1]))
	}
	for name, r := range c.results {
		if _, ok := c.legend[name]; ok {
			continue
		}
		if strings.Contains(text, "`"+r.Commands[0]+"`") || r.Report != "" && strings.Contains(text, "]("+c.relative(r.Report)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// relative is the path of a document from the folder of the page.
func (c *checker) relative(report string) string {
	if inside, ok := strings.CutPrefix(report, "docs/"); ok {
		return inside
	}
	return "../" + report
}

// numbersOf returns the numbers that a result has, and those that are derived from them.
func (c *checker) numbersOf(name string) numbers {
	if n, ok := c.numbers[name]; ok {
		return n
	}
	r, n := c.results[name], numbers{}
	for _, line := range r.Output {
		n.add(line)
	}
	if r.Report != "" {
		if text, err := os.ReadFile(filepath.Join(c.root, r.Report)); err == nil {
			n.add(string(text))
		}
	}
	for _, sum := range r.Derived {
		if m := equation.FindStringSubmatch(sum); m != nil {
			n[m[2]] = true
		}
	}
	c.numbers[name] = n
	return n
}

// test adds the numbers of the tests whose names begin with name; it reports whether there is one.
func (c *checker) test(known numbers, pkg, name string) bool {
	files, _ := filepath.Glob(filepath.Join(c.root, strings.TrimSuffix(pkg, "/..."), "*_test.go"))
	found := false
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for _, after := range strings.Split(string(text), "\nfunc "+name)[1:] {
			body, _, _ := strings.Cut(after, "\n}\n")
			known.add(body)
			found = true
		}
	}
	return found
}

// adds returns the result of a sum like "5 + 2 = 7", or an error unless it is right, and of these numbers.
func (n numbers) adds(sum string) (string, error) {
	m := equation.FindStringSubmatch(sum)
	if m == nil {
		return "", fmt.Errorf("%q is no equation", sum)
	}
	for _, x := range number.FindAllString(m[1], -1) {
		if !n.has(plain(x)) && x != "100" && x != "1" {
			return "", fmt.Errorf("%q: no source has %s", sum, x)
		}
	}
	if v, err := value(m[1]); err != nil {
		return "", fmt.Errorf("%q: %w", sum, err)
	} else if !equal(v, m[2]) {
		return "", fmt.Errorf("%q: it is %v", sum, v)
	}
	return m[2], nil
}

// value computes an expression of Go with numbers alone.
func value(expression string) (float64, error) {
	e, err := parser.ParseExpr(expression)
	if err != nil {
		return 0, err
	}
	return evaluate(e)
}

// incomplete says what a results file lacks, "" for nothing.
func (r result) incomplete(root string) string {
	_, err := os.Stat(filepath.Join(root, r.Report))
	switch {
	case len(r.Commands) == 0 || r.Date == "":
		return "it has no command or no date"
	case r.Origin == ofRun && (len(r.Output) == 0 || r.Report != ""):
		return "run it with 'go run ./hack/results'"
	case r.Origin != ofRun && (len(r.Output) > 0 || r.Report == "" || err != nil):
		return "it needs the report with its figures, and no output"
	case r.Origin == ofRun && (r.RuleVersion == 0) != r.NoRules:
		return "it has the version of the rules, or says that they have no part"
	case !slices.Contains([]origin{ofRun, ofReport, ofHistory}, r.Origin):
		return "its origin is run, report or history"
	}
	return ""
}
