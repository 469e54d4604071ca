package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const page = "docs/papers.md"

func TestEveryFigureOfThePapersStandsInAResult(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	c, err := newChecker(root, string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range c.check(string(text)) {
		t.Error(problem)
	}
	if n := len(rows(string(text))); n < 100 {
		t.Errorf("the page has %d rows", n)
	}
	for name, r := range c.results {
		if problem := r.incomplete(root); problem != "" {
			t.Errorf("%s.json: %s", name, problem)
		}
	}
}

func TestTablesOfReportsAreThoseThatWerePrinted(t *testing.T) {
	root := filepath.Join("..", "..")
	c, err := newChecker(root, "")
	if err != nil {
		t.Fatal(err)
	}
	documents, _ := filepath.Glob(filepath.Join(root, "training", "research", "docs", "*.md"))
	found := 0
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		found += strings.Count(string(text), "<!-- printed: ")
		for _, problem := range c.tables(string(text)) {
			t.Errorf("%s: %s", document, problem)
		}
	}
	if found == 0 {
		t.Error("no table is compared")
	}
}

func TestATableWithAnotherRowFails(t *testing.T) {
	c := &checker{results: map[string]result{"a": {Output: []string{"raw:", "| x | y |", "| 1.5 | 2 |", "alike:", "| x | y |", "| 1.6 | 2 |", "| 3 | 4 |"}}}}
	for text, wrong := range map[string]int{
		"<!-- printed: a -->\n\n| x | y |\n| 1.5 | 2 |\n":                          0,
		"<!-- printed: a -->\n| x | y |\n| 1.6 | 2 |\n| 3 | 4 |\nend\n| y | 2 |":   0,
		"<!-- printed: a, after \"alike:\" -->\n| x | y |\n| 1.6 | 2 |\n| 3 | 4 |": 0,
		"<!-- printed: a, after \"raw:\" -->\n| x | y |\n| 1.6 | 2 |\n| 3 | 4 |":   1,
		"<!-- printed: a -->\n| x | y |\n| 1.6 | 2 |\n":                            1, // a row is missing
		"<!-- printed: a -->\n| x | y |\n| 3 | 4 |\n| 1.6 | 2 |\n":                 1,
		"<!-- printed: a -->\n| x | y |\n| 1.7 | 2 |\n":                            1,
		"<!-- printed: a -->\n":            1,
		"<!-- printed: b -->\n| x | y |\n": 1,
		"| x | 1.6 |\n":                    0,
	} {
		if got := c.tables(text); len(got) != wrong {
			t.Errorf("%q: %v", text, got)
		}
	}
}

const small = `
# Results of **long one**: 52 found

The limit is 8 <!-- from: limit.go Limit -->, which 1,001 of 1,053 values reach, and half of the 52 others <!-- from:
long-one values; 1053 - 52 = 1001; 26 / 52 = 0.5 -->. In section 3 of November 2026, ` + "`x 99`" + ` was three times "8.1" <!-- from: papers -->.

- <!-- from: many n7 -->
  Of many, 107 were found with rule version 36.
- Of rule version 36 are 1.5 and 4, too <!-- from: many x: a %, d -->.
- No figure, and a link [to it](old99.md).

` + "```sh\nsotto eval 98\n```" + `

| name | command |
|---|---|
| **long one** | ` + "`sotto eval --gold FILE`" + `: a set of 1,053, rule version 37 |
| **old** | ` + "`make old`" + `, on 9 November 2026 |

| of the paper | its figure | ours | why they differ |
|---|---|---|---|
| Table 2 | 8.1, 3 | 52 of 1,053 values, 4.9 %: **long one** | theirs is 8.1, ours 52 |
| Figure 3 | rule | *History.* 0.42: **old** | no difference |
| A test | 7 | 7, ` + "`go test ./pkg -run TestSum`" + ` | Top-1 of ` + "`x 99`" + `, 107 with rule version 36 <!-- from: many n7 --> |
`

// smallChecker knows the results of small.
func smallChecker(t *testing.T) *checker {
	t.Helper()
	var many []string
	for i := range longest + 1 {
		many = append(many, fmt.Sprintf(`"n%d  %d"`, i, 100+i))
	}
	many = append(many, `"set  a %  b"`, `"x  1.5  7"`, `"set  c  d"`, `"x  3  4"`)
	root := t.TempDir()
	for name, text := range map[string]string{
		folder + "/long-one.json": `{"commands": ["sotto eval --gold FILE"], "origin": "run", "date": "2026-11-29", "rule_version": 37,
			"output": ["values 1053  found 52  26 of them twice  share 4.93"], "derived": ["52 / 1053 * 100 = 4.94"]}`,
		folder + "/old.json":  `{"commands": ["make old"], "origin": "history", "date": "2026-11-09", "report": "old.md"}`,
		folder + "/many.json": `{"commands": ["n"], "origin": "run", "date": "2026-11-29", "rule_version": 36, "output": [` + strings.Join(many, ",") + `]}`,
		"old.md":              "it was 0.418",
		"limit.go":            "const Limit = 8\nconst Other = 6\n",
		"pkg/a_test.go":       "package pkg\n\nfunc TestSum(t *testing.T) {\n\twant(7)\n}\n\nfunc TestOther(t *testing.T) {\n\twant(9)\n}\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c, err := newChecker(root, small)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAPageWithWrongFiguresFails(t *testing.T) {
	c := smallChecker(t)
	if wrong := c.check(small); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	for name, x := range map[string]struct{ old, new, want string }{
		"a digit":                    {"52 of 1,053", "52 of 1,054", "1054 is in none of long-one"},
		"a decimal":                  {"4.9 %", "4.8 %", "4.8 is in none of long-one"},
		"a rounded one":              {"0.42:", "0.43:", "0.43 is in none of old"},
		"one without a source":       {"values, 4.9 %: **long one**", "values, 4.9 %", "no results file and no test is named for 52, 1053, 4.9"},
		"in the last column":         {"ours 52", "ours 53", "53, in the last column"},
		"of another paper's row":     {"no difference", "theirs is 8.1", "8.1, in the last column"},
		"what a test has":            {"7, `", "8, `", "8 is in none of"},
		"what another test has":      {"7, `", "9, `", "9 is in none of"},
		"a name that is unknown":     {"0.42: **old**", "0.42: **older**", "**older** is not in the table of names"},
		"a row of the history":       {"*History.* ", "", "begins with *History"},
		"another command":            {"`make old`", "`make new`", "is of another command"},
		"a name without results":     {"| **old** | `make old`", "| **old** | `make old` |\n| **gone** | `make gone`", "gone.json is missing"},
		"an older rule version":      {"rule version 37", "rule version 36", `the figures of long-one are of "rule version 37"`},
		"another day":                {"9 November", "8 November", `the figures of old are of "9 November 2026"`},
		"a row without its version":  {"107 with rule version 36", "107", `the figures of many are of "rule version 36"`},
		"a title":                    {"52 found", "53 found", "line 2: 53 is in no source"},
		"the table of names":         {"a set of 1,053", "a set of 1,052", "1052 is in no source"},
		"prose without a source":     {"No figure", "99 %", "99 is in no source"},
		"a number in words":          {"No figure", "Three of four", "3 is in no source"},
		"a share in words":           {"half of the", "a third of the", "0.33 is in no source"},
		"the line of another value":  {"many n7 -->\n", "many n8 -->\n", "107 is in no source"},
		"a line that is gone":        {"many n7 -->\n", "many n77 -->\n", `"many n77" names no lines`},
		"a long result as a whole":   {"many n7 -->\n", "many -->\n", `"many" names no lines`},
		"another column":             {"x: a %, d", "x: b, d", "1.5 is in no source"},
		"a column that is gone":      {"x: a %, d", "x: a, d", `"many x: a, d" names no lines`},
		"a column of another line":   {"x: a %, d", "n7: a %, d", `"many n7: a %, d" names no lines`},
		"a limit of the code":        {"limit is 8", "limit is 9", "9 is in no source"},
		"another limit":              {"limit.go Limit", "limit.go Other", "8 is in no source"},
		"a limit that is gone":       {"limit.go Limit", "limit.go Lim", `"limit.go Lim" names no lines`},
		"a file that is gone":        {"limit.go Limit", "limits.go Limit", `"limits.go Limit" names no lines`},
		"a quotation":                {`"8.1"`, `"8.2"`, "8.2 is in no source"},
		"a quotation without a mark": {" <!-- from: papers -->.", ".", "8.1 is in no source"},
		"a wrong sum":                {"1053 - 52 = 1001", "1053 - 52 = 1002", "it is 1001"},
		"a sum of other numbers":     {"1053 - 52 = 1001", "1054 - 53 = 1001", "no source has 1054"},
	} {
		changed := strings.Replace(small, x.old, x.new, 1)
		if changed == small {
			t.Fatalf("%s: the page has no %q", name, x.old)
		}
		again, err := newChecker(c.root, changed)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := strings.Join(again.check(changed), "\n"); !strings.Contains(wrong, x.want) {
			t.Errorf("%s: got %q, want %q", name, wrong, x.want)
		}
	}
}

func TestSumsAreChecked(t *testing.T) {
	known := numbers{}
	known.add("8 and 2.5")
	for sum, right := range map[string]bool{
		"8 - 2.5 = 5.5": true, "2.5 / 8 * 100 = 31": true, "(8 + 8) * 2.5 = 40.0": true,
		"8 - 2.5 = 5.6": false, "9 - 8 = 1": false, "8 % 2.5 = 0": false, "8 minus 2.5": false,
	} {
		if _, err := known.adds(sum); (err == nil) != right {
			t.Errorf("%s: %v", sum, err)
		}
	}
}

func TestFiguresWithoutAgeFail(t *testing.T) {
	c := smallChecker(t)
	for document, want := range map[string]string{
		"It masks 97 %.":                                                     "line 1: 97 has no source",
		"It masks 96 and 97 % of 12 calls.":                                  "line 1: 96 has no source",
		"| calls | 97.1 |":                                                   "line 1: 97.1 has no source",
		"It masks 97 %, in November 2026.":                                   "line 1: 97 has no source",
		"# Now\n\nRule version 37.\n\n## Then\n\nIt was 97 %.":               "line 7: 97 has no source",
		"The limit is 8 % <!-- from: limit.go Other -->.":                    "line 1: 8 has no source",
		"The limit is 8 % <!-- from: limits.go Limit -->.":                   "names no lines",
		"Rule version 37.\n\nThe limit is 7 % <!-- from: limit.go Limit -->": "line 3: 7 has no source",
		"The limit is 8 % <!-- from: limit.go Limit -->.":                    "",
		"It masks 1.5 % <!-- from: many x: a % -->.":                         `the figures of many are of "rule version 36"`,
		"With rule version 36, it masks 1.5 % <!-- from: many x: a % -->.":   "",
		"It masks 97 %, with rule version 37.":                               "",
		"# Now\n\nWith rule version 37:\n\n| calls | 97.1 |":                 "",
		"On 9 November 2026, it masked 97.1 %.":                              "",
		"It keeps 8 turns of 12 calls; `x 97 %`.":                            "",
	} {
		got := strings.Join(c.ages(document), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", document, got, want)
		}
	}
}

func TestMeasuredFiguresSayOfWhichRulesTheyAre(t *testing.T) {
	root := filepath.Join("..", "..")
	c, err := newChecker(root, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"adversary.md", "evaluation.md", "residual-risk.md", "tagger.md"} {
		text, err := os.ReadFile(filepath.Join(root, "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range c.ages(string(text)) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}
