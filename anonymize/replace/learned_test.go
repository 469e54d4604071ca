package replace

import (
	"strings"
	"testing"
)

func TestTablesOfACorpus(t *testing.T) {
	var l Learner
	l.Add("a", "LOCATION", "Alder  Falls")
	l.Add("a", "LOCATION", "alder falls")
	l.Add("b", "LOCATION", "Alder Falls")
	l.Add("b", "LOCATION", "Nowhere")
	l.Add("a", "PERSON_NAME", "Mr. Ola Testperson")
	l.Add("b", "PERSON_NAME", "Ola")
	l.Add("b", "PERSON_NAME", "Kim Testperson")
	l.Add("a", "SSN", "078-05-1120")
	l.Add("a", "not a type", "x")
	var b strings.Builder
	if err := l.Write(&b, 1); err != nil {
		t.Fatal(err)
	}
	want := "sotto surrogates 1\n" +
		"LOCATION\tvalue\t1\tNowhere\nLOCATION\tvalue\t3\tAlder Falls\nLOCATION\tword\t1\tNowhere\nLOCATION\tword\t3\tAlder\nLOCATION\tword\t3\tFalls\n" +
		"PERSON_NAME\tgiven\t1\tKim\nPERSON_NAME\tgiven\t2\tOla\nPERSON_NAME\tsurname\t2\tTestperson\n" +
		"PERSON_NAME\tword\t1\tKim\nPERSON_NAME\tword\t2\tOla\nPERSON_NAME\tword\t2\tTestperson\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	tables, err := ReadTables([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got := probability(tables.pools["LOCATION"].values, "alder falls"); got != 0.75 {
		t.Errorf("pi is %v", got)
	}
	if got := strings.Join(tables.Types(), " "); got != "LOCATION PERSON_NAME" {
		t.Errorf("types %s", got)
	}
	// Values of few calls could identify one of them.
	b.Reset()
	if err := l.Write(&b, 2); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "Nowhere") || strings.Contains(b.String(), "Kim") || !strings.Contains(b.String(), "Alder Falls") {
		t.Errorf("got\n%s", b.String())
	}
	p := plan(t, Config{Choice: Choice{Default: Entity}, Tables: tables})
	seed := p.Seed("c")
	if got := string(p.Append(nil, &seed, &Mention{Type: "LOCATION", N: 1, Text: "NOWHERE"})); got != "ALDER FALLS" {
		t.Errorf("got %s", got)
	}
	if got := string(p.Append(nil, &seed, &Mention{Type: "PERSON_NAME", N: 1, Text: "kim"})); got != "ola" {
		t.Errorf("got %s", got)
	}
}

func TestTablesThatAreRefused(t *testing.T) {
	const head = tablesHeader + "\n"
	for text, want := range map[string]string{
		"":                                "",
		"LOCATION\tvalue\t1\tSecretville": "line 1",
		head + "LOCATION\tvalue\t1":       "line 2",
		head + "# x\n\nLOCATION\tplace\t1\tSecretville": "line 4",
		head + "LOCATION\tvalue\t0\tSecretville":        "line 2",
		head + "LOCATION\tvalue\t-1\tSecretville":       "line 2",
		head + "LOCATION\tvalue\tSecretville\tx":        "line 2",
		head + "LOCATION\tvalue\t1\t Secretville":       "line 2",
		head + "LOCATION\tgiven\t1\tSecretville":        "line 2",
		head + "Secretville\tvalue\t1\tx":               "line 2",
		head + "SSN\tvalue\t1\tSecretville":             "line 2",
		head + "LOCATION\tword\t1\tSecretville":         "LOCATION",
		head + "PERSON_NAME\tgiven\t1\tSecretville":     "PERSON_NAME",
	} {
		_, err := ReadTables([]byte(text))
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Secretville")) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := LoadTables("/nowhere/at/all"); err == nil {
		t.Error("a missing file was read")
	}
}

func FuzzReadTables(f *testing.F) {
	f.Add(tablesHeader + "\nLOCATION\tvalue\t3\tAlder Falls\nPERSON_NAME\tgiven\t1\tA\nPERSON_NAME\tsurname\t1\tB\n")
	f.Fuzz(func(t *testing.T, text string) {
		tables, err := ReadTables([]byte(text))
		if err != nil {
			return
		}
		p := plan(t, Config{Choice: Choice{Default: Entity}, Tables: tables})
		seed := p.Seed("c")
		for _, infoType := range tables.Types() {
			for n := range 3 {
				if len(p.Append(nil, &seed, &Mention{Type: infoType, N: n, Text: "Some Thing"})) == 0 {
					t.Errorf("%s became nothing", infoType)
				}
			}
		}
	})
}
