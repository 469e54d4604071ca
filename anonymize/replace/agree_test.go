package replace

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sotto/state/linking"
)

// calls are seeds of several calls: what must hold for every draw is tried with each.
func calls(p *Plan) (seeds []*Seed) {
	for i := range 40 {
		s := p.Seed("call " + strconv.Itoa(i))
		seeds = append(seeds, &s)
	}
	return seeds
}

func coherently(t testing.TB) *Plan { return plan(t, Config{Choice: Choice{Default: Entity}}) }

// characters of a value, however it is written or said.
func charactersOf(text string) string {
	var b strings.Builder
	for _, a := range shape(text) {
		switch w := strings.ToLower(a.text); {
		case a.n == 0:
		case w == "o":
			b.WriteString(w)
		case w == "oh":
			b.WriteByte('0')
		case a.style == said:
			b.WriteString(strconv.Itoa(slices.Index(units, w)))
		case a.style == coded:
			b.WriteByte(w[0])
		default:
			b.WriteString(w)
		}
	}
	return b.String()
}

func TestPostalCodesAgree(t *testing.T) {
	p := coherently(t)
	for _, seed := range calls(p) {
		for _, forms := range [][]string{
			{"V6B 4N2", "v6b4n2", "V six B four N two", "V as in Victor six B as in boy four N like Nancy two", "victor six bravo four november two"},
			{"98101", "nine eight one oh one", "Seattle, 98101", "12 Elm Court, 98101"},
		} {
			want := ""
			for _, form := range forms {
				got := string(p.Append(nil, seed, &Mention{Type: "STREET_ADDRESS", N: 1, Text: form}))
				code := charactersOf(got)
				code = code[len(code)-min(len(code), len(charactersOf(forms[0]))):]
				if want == "" {
					want = code
				}
				if code != want {
					t.Fatalf("%q became %q, which does not agree with %q", form, got, want)
				}
			}
		}
	}
}

// "H as in Bluebird" explains nothing.
func TestExplainedLettersAreExplained(t *testing.T) {
	p := coherently(t)
	explained := regexp.MustCompile(`(?i)\b([a-z]) (?:as in|like|for) ([a-z]+)`)
	for _, seed := range calls(p) {
		for _, m := range []Mention{
			{Type: "STREET_ADDRESS", Text: "V as in Victor 6 B 4 N 2"},
			{Type: "STREET_ADDRESS", Text: "12 H as in hotel Street"},
			// A letter that is a direction, too, and is explained.
			{Type: "STREET_ADDRESS", Text: "9 Main, unit n as in nancy"},
			{Type: "GENERIC_ID", Text: "B as in boy 7 7 Q like queen"},
			{Type: "PASSPORT", Text: "A for apple one two three"},
		} {
			m.N = 1
			got := string(p.Append(nil, seed, &m))
			found := explained.FindAllStringSubmatch(got, -1)
			if len(found) == 0 {
				t.Fatalf("%q became %q, where no letter is explained", m.Text, got)
			}
			for _, f := range found {
				if !strings.EqualFold(f[1], f[2][:1]) {
					t.Fatalf("%q became %q", m.Text, got)
				}
			}
		}
	}
}

func TestAgesKeepTheirClass(t *testing.T) {
	p := coherently(t)
	for _, seed := range calls(p) {
		for _, c := range []struct {
			text     string
			from, to int
		}{
			{"seven", 5, 12}, {"7", 5, 12}, {"7 years old", 5, 12}, {"seven-year-old", 5, 12}, {"3", 1, 4}, {"fifteen", 13, 17},
			{"Thirty four", 18, 64}, {"34", 18, 64}, {"seventy-six years old", 65, 89}, {"a hundred and one", 65, 89}, {"101", 65, 89},
		} {
			got := string(p.Append(nil, seed, &Mention{Type: "AGE", N: 1, Text: c.text}))
			if age := ageIn(got); age < c.from || age > c.to {
				t.Fatalf("%q became %q", c.text, got)
			}
		}
		if a, b := p.Append(nil, seed, &Mention{Type: "AGE", N: 1, Text: "7"}), p.Append(nil, seed, &Mention{Type: "AGE", N: 1, Text: "seven years old"}); ageIn(string(a)) != ageIn(string(b)) {
			t.Fatalf("%q and %q", a, b)
		}
	}
}

// A name that nearly only men or nearly only women have is replaced by such a name, and any other
// by one that both have, so that "he" and "her" still fit.
func TestNamesKeepTheirGender(t *testing.T) {
	p := coherently(t)
	for _, seed := range calls(p) {
		for own, want := range map[string]gender{
			"David": male, "david": male, "D-A-V-I-D": male, "David Kettleby": male, "Susan": female, "SUSAN KETTLEBY": female,
			"Taylor": either, "Zdravomir": either,
		} {
			got := string(p.Append(nil, seed, &Mention{Type: "PERSON_NAME", N: 1, Text: own, Part: linking.PartGiven}))
			first := parseName(got, linking.PartGiven, "").given
			if g := genderOf(first); g != want {
				t.Fatalf("%q became %q, whose gender is %d", own, got, g)
			}
		}
		// What the name was first decides, so that another spelling of it has the same surrogate.
		a := p.Append(nil, seed, &Mention{Type: "PERSON_NAME", N: 2, Text: "Marck", First: "mark"})
		b := p.Append(nil, seed, &Mention{Type: "PERSON_NAME", N: 2, Text: "Mark", First: "mark"})
		if string(a) != string(b) {
			t.Fatalf("one person is %q and %q", a, b)
		}
	}
}

// A table of a few calls must not give a person the name that the person has.
func TestSmallTablesKeepNoName(t *testing.T) {
	tables, err := ReadTables([]byte(tablesHeader + "\nPERSON_NAME\tgiven\t2\tOla\nPERSON_NAME\tsurname\t2\tTestperson\nLOCATION\tvalue\t2\tDale\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := plan(t, Config{Choice: Choice{Default: Entity}, Tables: tables})
	for _, seed := range calls(p) {
		for _, m := range []Mention{
			{Type: "PERSON_NAME", Text: "Kim Testperson"}, {Type: "PERSON_NAME", Text: "Ola Elsewhere"}, {Type: "PERSON_NAME", Text: "O-L-A"},
			{Type: "PERSON_NAME", Text: "Ms. Testperson"}, {Type: "LOCATION", Text: "dale"},
		} {
			m.N = 1
			got := strings.ToLower(string(p.Append(nil, seed, &m)))
			for _, kept := range []string{"ola", "testperson", "o-l-a", "dale"} {
				if strings.Contains(strings.ToLower(m.Text), kept) && slices.Contains(strings.FieldsFunc(got, func(r rune) bool { return r == ' ' }), kept) {
					t.Fatalf("%q became %q", m.Text, got)
				}
			}
		}
	}
}

// Words that are left out take their commas with them.
func TestNoCommasWithoutWords(t *testing.T) {
	p := coherently(t)
	for _, seed := range calls(p) {
		for _, m := range []Mention{
			{Type: "DATE_OF_BIRTH", Text: "May, whatchamacallit, the, erm, fifth"}, {Type: "DATE_OF_BIRTH", Text: "well, you know, sure"},
			{Type: "PERSON_NAME", Text: "Mark, Edwin, Paul, Kettleby"}, {Type: "STREET_ADDRESS", Text: "5, Old, Mill, Water, Lane"},
			{Type: "TIME", Text: "thing, five, thing, thing, pm"},
		} {
			m.N = 1
			got := string(p.Append(nil, seed, &m))
			if regexp.MustCompile(`,\s*,|^[\s,]|[\s,]$`).MatchString(got) {
				t.Fatalf("%q became %q", m.Text, got)
			}
		}
	}
}

func TestSpelledNamesKeepTheirLook(t *testing.T) {
	p, s := entities(t, false)
	for text, want := range map[string]string{
		"W-e-n-d-o-v-e-r":      `^[A-Z](-[a-z])+$`,
		"W-E-N-D":              `^[A-Z](-[A-Z])+$`,
		"w e n d":              `^[a-z]( [a-z])+$`,
		"K as in kite":         `^[A-Z] as in [a-z]+$`,
		"W-E-N at acme.com":    `^[A-Z]( [A-Z])+ at example dot [a-z]+$`,
		"w e n 2 at acme.com":  `^[a-z]( [a-z])+ [a-z]+ at example dot [a-z]+$`,
		"Wendover, W E N D":    `^[A-Z][a-z]+, [A-Z]( [A-Z])+$`,
		"N as in November A R": `^[A-Z] as in [a-z]+ ([A-Z] as in [a-z]+ ?)+$`,
	} {
		infoType := "PERSON_NAME"
		if strings.Contains(text, " at ") {
			infoType = "EMAIL_ADDRESS"
		}
		for n := 1; n < 20; n++ {
			if got := string(p.Append(nil, s, &Mention{Type: infoType, N: n, Text: text})); !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("%s became %s", text, got)
			}
		}
	}
}

// A last name after a title stays one, although the title is outside of the finding.
func TestTitlesTellLastNames(t *testing.T) {
	p, s := entities(t, false)
	for _, before := range []string{"okay ms. ", "Thank you, Mrs ", "doctor "} {
		m := Mention{Type: "PERSON_NAME", N: 2, Text: "Tory", Before: before}
		alone := m
		alone.Before, alone.Part = "", linking.PartSurname
		if got, want := string(p.Append(nil, s, &m)), string(p.Append(nil, s, &alone)); got != want {
			t.Errorf("%s%s became %s, and as a last name %s", before, m.Text, got, want)
		}
	}
}

// A surrogate is not the name of somebody else of the call, however small the table is, and the forms of one
// name agree on it.
func TestSurrogatesAreNobodyElsesName(t *testing.T) {
	p := coherently(t)
	others := builtIn().pools["PERSON_NAME"].given.values[:200]
	taken := func(word string) bool {
		return slices.ContainsFunc(others, func(o string) bool { return toLower(o) == word })
	}
	for _, seed := range calls(p) {
		for n := 1; n <= 12; n++ {
			m := Mention{Type: "PERSON_NAME", N: n, Text: "Philippa Quimby", Full: "philippa quimby", First: "philippa quimby", Taken: taken}
			full := string(p.Append(nil, seed, &m))
			m.Text = "Philippa"
			given := string(p.Append(nil, seed, &m))
			m.Text = "Quimby"
			surname := string(p.Append(nil, seed, &m))
			if taken(toLower(given)) || taken(toLower(surname)) {
				t.Errorf("%q or %q is the name of somebody else", given, surname)
			}
			if full != given+" "+surname {
				t.Errorf("%q, but %q and %q", full, given, surname)
			}
		}
	}
}
