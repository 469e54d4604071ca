package risk_test

import (
	"strings"
	"testing"

	"sotto/detectors"
	"sotto/risk"
)

// The annotated call of the paper's Table 2. The paper uses 3 for an e-mail address and gets 6; its
// Table 6 says 4, which gives 7.
const table2 = `Person 1: (Dunder Mifflin)[MISSED_ORGANIZATION_NAME_SPEAKER], this
is [PERSON_NAME_1] (Green)[MISSED_PERSON_NAME_PARTIAL] speaking.
Person 2: Hi, this is [PERSON_NAME_2] from [ORGANIZATION_NAME_1],
we just ordered a set of paper and they have worse quality than (staples)[MISSED_ORGANIZATION_NAME].
We would like to return and get refund.
Person 1: Okay, what is the order number?
Person 2: It's B. [NUMERIC] C. for A. two.
Person 1: And the email for that order?
Person 2: It's (M-K two one)[MISSED_EMAIL_PARTIAL] [EMAIL_1]
`

// The annotated call of the paper's Table 3, which scores 6.
const table3 = `Person 1: Hi [PERSON_NAME_2]. This is [PERSON_NAME_3] calling back from (XYZ lawyer)(MISSED_ORGANIZATION_NAME_SPEAKER).
Person 2: Oh, hi.
Person 1: I am calling regarding your request to change your business name on (IRS dot gov)(MISSED_URL) website.
Person 2: Oh, yes, I want it to be changed to (ABC incorporated) (MISSED_ORGANIZATION_NAME_SPEAKER).
`

func pieces(t *testing.T, table *risk.Table, text string) []risk.Piece {
	t.Helper()
	a, err := table.Parse(text)
	if err != nil {
		t.Fatalf("parsing the annotated text: %v", err)
	}
	var out []risk.Piece
	for _, m := range a.Missed {
		out = append(out, m.Piece)
	}
	return out
}

func TestWorkedExamplesOfThePaper(t *testing.T) {
	table := risk.Table6()
	email, _ := table.Lookup("EMAIL_ADDRESS")
	email.Score, email.Speaker = 3, 3
	asInTheText, err := table.With(email)
	if err != nil {
		t.Fatal(err)
	}
	if got := asInTheText.Score(pieces(t, asInTheText, table2)); got != 6 {
		t.Errorf("Table 2 with an e-mail score of 3: %d, want 6", got)
	}
	if got := table.Score(pieces(t, table, table2)); got != 7 {
		t.Errorf("Table 2 with Table 6's e-mail score: %d, want 7", got)
	}
	if got := table.Score(pieces(t, table, table3)); got != 6 {
		t.Errorf("Table 3: %d, want 6", got)
	}
}

func TestPoints(t *testing.T) {
	table := risk.Table6()
	for _, c := range []struct {
		tag  string
		want int
	}{
		{"PERSON_NAME", 5}, {"PERSON_NAME_PARTIAL", 3},
		{"EMAIL", 4}, {"EMAIL_ADDRESS_PARTIAL", 2},
		{"SSN", 5}, {"SSN_PARTIAL", 2},
		{"DATE_OF_BIRTH", 3}, {"DATE_OF_BIRTH_PARTIAL", 1},
		{"US_STATE", 1}, {"US_STATE_PARTIAL", 0},
		{"ORGANIZATION_NAME", 0}, {"ORGANIZATION_NAME_SPEAKER", 2},
		{"ORGANIZATION_NAME_SPEAKER_PARTIAL", 1}, {"ORGANIZATION_NAME_PARTIAL_SPEAKER", 1},
		{"PRODUCT", 0}, {"PRODUCT_SPEAKER", 2}, {"PERSON_NAME_SPEAKER", 5},
		{"PHONE", 4}, {"ADDRESS", 4}, {"DOMAIN", 1}, {"LOCATION_COORD", 4}, {"STORAGE_SIGNED_POLICY", 2},
	} {
		p := pieces(t, table, "(words)[MISSED_"+c.tag+"]")
		if got := table.Points(p[0]); got != c.want {
			t.Errorf("%s scores %d, want %d", c.tag, got, c.want)
		}
	}
	if got := table.Points(risk.Piece{Type: "NEVER_HEARD_OF"}); got != risk.MaxScore {
		t.Errorf("an unknown type scores %d, want the maximum", got)
	}
}

func TestTable6IsComplete(t *testing.T) {
	// Sum and number of the scores printed in Table 6, without the two
	// _SPEAKER rows.
	n, sum, direct := 0, 0, 0
	for _, e := range risk.Table6().Entries() {
		if e.Group == detectors.GroupOther || e.Type == "GENDER" || e.Type == "ETHNIC_GROUP" {
			continue
		}
		n++
		sum += e.Score
		if e.Direct() {
			direct++
		}
	}
	if n != 38 || sum != 114 || direct != 16 {
		t.Errorf("%d infoTypes with a sum of %d and %d direct ones, want 38, 114 and 16", n, sum, direct)
	}
}

func TestVariantsCountOnce(t *testing.T) {
	name := func(values ...string) (out []risk.Piece) {
		for _, v := range values {
			out = append(out, risk.Piece{Type: "PERSON_NAME", Value: v})
		}
		return out
	}
	table := risk.Table6()
	for _, c := range []struct {
		what   string
		pieces []risk.Piece
		want   int
	}{
		{"the paper's variants", name("Mark", "Marc", "M-A-R-K", "mark", "M. A. R. K."), 5},
		{"two people", name("Mark", "Mike"), 10},
		{"a part of a name", name("Jim", "Jim Halpert", "Halpert", "Mr. Halpert"), 5},
		{"namesakes", name("Jim Halpert", "Jim Beesly", "Jim"), 10},
		{"a number written and spoken", []risk.Piece{
			{Type: "PHONE_NUMBER", Value: "604 555-0134"},
			{Type: "PHONE_NUMBER", Value: "six oh four double five five oh one three four"},
			{Type: "PHONE_NUMBER", Value: "0134", Partial: true},
		}, 4},
		{"one value read as two types", []risk.Piece{{Type: "SSN", Value: "123456789"}, {Type: "PHONE_NUMBER", Value: "123456789"}}, 5},
		{"the worst mention counts", []risk.Piece{{Type: "PERSON_NAME", Value: "Marc", Partial: true}, {Type: "PERSON_NAME", Value: "mark"}}, 5},
		{"the annotator forbids", []risk.Piece{{Type: "PERSON_NAME", Value: "Jim", Key: "a"}, {Type: "PERSON_NAME", Value: "Jim", Key: "b"}}, 10},
		{"the annotator forces", []risk.Piece{{Type: "PERSON_NAME", Value: "Bill", Key: "a"}, {Type: "PERSON_NAME", Value: "William", Key: "a"}}, 5},
		{"nothing", nil, 0},
	} {
		if got := table.Score(c.pieces); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
}

func TestTableRefusesWhatIsNotValid(t *testing.T) {
	good := risk.Entry{Type: "X", Tag: "X", Group: detectors.GroupOther, Score: 2, Speaker: 2, Partial: risk.Down}
	if _, err := risk.Table6().With(good); err != nil {
		t.Errorf("a valid entry: %v", err)
	}
	for want, change := range map[string]func(*risk.Entry){
		"between 0 and 5":    func(e *risk.Entry) { e.Score = 6 },
		"for a speaker":      func(e *risk.Entry) { e.Speaker = 1 },
		"up or down":         func(e *risk.Entry) { e.Partial = "sideways" },
		"group":              func(e *risk.Entry) { e.Group = "pets" },
		"capital":            func(e *risk.Entry) { e.Type = "X_PARTIAL" },
		"already belongs":    func(e *risk.Entry) { e.Tag = "EMAIL" },
		"tag \"a b\" is not": func(e *risk.Entry) { e.Tag = "a b" },
	} {
		e := good
		change(&e)
		if _, err := risk.Table6().With(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}
