package risk_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sotto/risk"
)

func assess(t *testing.T, lines string) *risk.Report {
	t.Helper()
	table := risk.Table6()
	calls, err := table.ReadLines(strings.NewReader(lines), "calls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return table.Assess(calls)
}

func TestReadLines(t *testing.T) {
	table := risk.Table6()
	calls, err := table.ReadLines(strings.NewReader(strings.Join([]string{
		`{"call_id":"a","seq":2,"context":"sales","text":"it is (Bo)[MISSED_PERSON_NAME]","sampling":{"rate":0.5,"reason":"uniform"},"timestamp_ms":2000}`,
		`{"id":"whole","context":"meeting","utterances":[{"text":"Zoë (Li)[MISSED_PERSON_NAME_PARTIAL]"},{"text":"in Hamm","missed":[{"start":3,"end":7,"type":"MISSED_LOCATION","key":"h"}]}],"verdict":"residual"}`,
		``,
		`{"call_id":"a","seq":1,"text":"Hi","sampling":{"rate":0.5},"timestamp_ms":1000,"entities":[]}`,
		`{"call_id":"a","annotator":"ann","seq":1,"text":"Hi"}`,
		`{"call_id":"a","seq":3,"type":"END","verdict":"nothing"}`,
	}, "\n")), "f")
	if err != nil {
		t.Fatal(err)
	}
	if len(calls) != 3 {
		t.Fatalf("%d calls", len(calls))
	}
	a, whole, ann := calls[0], calls[1], calls[2]
	if a.ID != "a" || a.Context != "sales" || a.Text != "Hi\nit is Bo" || a.Probability != 0.5 || a.TimestampMS != 1000 || a.Verdict != risk.NothingFound {
		t.Errorf("events: %+v", a)
	}
	if len(a.Missed) != 1 || a.Missed[0].Start != 9 || a.Missed[0].End != 11 {
		t.Errorf("annotations of events: %+v", a.Missed)
	}
	if whole.Text != "Zoë Li\nin Hamm" || len(whole.Missed) != 2 || whole.Missed[1].Value != "Hamm" || whole.Missed[1].Start != 10 || whole.Missed[1].Key != "h" || !whole.Missed[0].Partial {
		t.Errorf("a call on one line: %+v", whole)
	}
	if ann.Annotator != "ann" || ann.Text != "Hi" {
		t.Errorf("a second annotator: %+v", ann)
	}
}

func TestReadLinesErrorsNameThePlaceOnly(t *testing.T) {
	for line, want := range map[string]string{
		`secret`:                   "not a JSON object",
		`{"id":7,"text":"secret"}`: "field id has the wrong type",
		`{"text":"secret"}`:        "neither id nor call_id",
		`{"id":"x","text":"(secret)[MISSED_IT]"}`:                                                        "text 1: 1:9: the tag names no infoType",
		`{"id":"x","utterances":[{"text":"a"},{"text":"secret [MISSED_AGE]"}]}`:                          "text 2: 1:8: a tag needs",
		`{"id":"x","text":"secret","missed":[{"start":2,"end":9,"type":"AGE"}]}`:                         "annotation 1: positions 2 to 9",
		`{"id":"x","text":"secret","missed":[{"start":2,"end":4,"type":"secret"}]}`:                      "annotation 1: its type",
		`{"id":"x","text":"secret","verdict":"secret"}`:                                                  "verdict must be one of [nothing residual identified]",
		`{"id":"x","text":"secret","probability":1.5}`:                                                   "more than 0 and at most 1",
		`{"call_id":"x","text":"secret","probability":0.5}` + "\n" + `{"call_id":"x","probability":0.4}`: "disagree",
		"{\"id\":\"secret\xff\"}":                                                                        "not valid UTF-8",
	} {
		_, err := risk.Table6().ReadLines(strings.NewReader("\n"+line), "f")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "f:") || strings.Contains(err.Error(), "secret") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestReadText(t *testing.T) {
	c, err := risk.Table6().ReadText(strings.NewReader(table2), "in/call.7@ann.txt")
	if err != nil || c.ID != "call.7" || c.Annotator != "ann" || len(c.Missed) != 4 {
		t.Errorf("%+v, %v", c, err)
	}
	_, err = risk.Table6().ReadText(strings.NewReader("\nsecret [MISSED_AGE]"), "call.txt")
	if err == nil || err.Error() != "call.txt:2:8: a tag needs (words) right before it" {
		t.Errorf("error %v", err)
	}
}

// judged are three calls in two contexts with the weights 2, 10 and 2, and a verdict each.
var judged = strings.Join([]string{
	`{"id":"1","context":"sales","text":"(Bo Li)[MISSED_PERSON_NAME] (bo)[MISSED_PERSON_NAME_PARTIAL]","probability":0.5,"verdict":"identified"}`, // 5
	`{"id":"2","context":"sales","text":"(Hamm)[MISSED_LOCATION]","probability":0.1,"verdict":"residual"}`,                                        // 2
	`{"id":"3","text":"nothing","probability":0.5,"verdict":"nothing"}`,                                                                           // 0
}, "\n")

func TestAssess(t *testing.T) {
	r := assess(t, judged)
	if !r.Weighted || r.Unknown != 0 || len(r.Contexts) != 2 || r.Contexts[0].Context != "sales" || r.Contexts[1].Context != "unknown" {
		t.Fatalf("report %+v", r)
	}
	if want := (2*5.0 + 10*2) / 14; r.Total.Mean != want || r.Total.Max != 5 || r.Total.Count != 3 {
		t.Errorf("mean %v, want %v", r.Total.Mean, want)
	}
	if a := r.Total.AtLeast; a.Count != 1 || a.Share != 2.0/14 || r.Total.Above.Count != 0 {
		t.Errorf("at the threshold: %+v", a)
	}
	if h := r.Total.Histogram; len(h) != 6 || h[2] != 10.0/14 || h[5] != 2.0/14 {
		t.Errorf("histogram %v", h)
	}
}

// TestHighScorers is about the calls above the limit; "lawyer" is the call of the paper's Table 3.
func TestHighScorers(t *testing.T) {
	const lawyer = `(XYZ lawyer)[MISSED_ORGANIZATION_NAME_SPEAKER%s] on (IRS dot gov)[MISSED_URL%s] to (ABC)[MISSED_ORGANIZATION_NAME_SPEAKER%s]`
	call := func(id, annotator, marks string) string {
		m := strings.Fields(marks + " @ @ @")
		text := fmt.Sprintf(lawyer, m[0], m[1], m[2])
		return fmt.Sprintf(`{"id":%q,"annotator":%q,"text":%q}`, id, annotator, strings.ReplaceAll(text, "@]", "]"))
	}
	r := assess(t, strings.Join([]string{
		call("unmarked", "ann", ""),
		call("different", "ann", "@a @ @b"),
		call("same", "ann", "@a @ @a"),
		`{"id":"name","text":"(Bo Li)[MISSED_PERSON_NAME] of (Acme)[MISSED_ORGANIZATION_NAME] in (Hamm)[MISSED_LOCATION]"}`,
		`{"id":"part","text":"(Bo)[MISSED_PERSON_NAME_PARTIAL@a] of (Acme)[MISSED_ORGANIZATION_NAME_SPEAKER@a], (acme)[MISSED_ORGANIZATION_NAME_SPEAKER] in (Hamm)[MISSED_LOCATION]"}`,
		`{"id":"at the limit","text":"(Bo)[MISSED_PERSON_NAME_PARTIAL] of (Acme)[MISSED_ORGANIZATION_NAME_SPEAKER]"}`,
		// Another reading of it finds nothing, and their mean is below the limit.
		call("twice", "ann", ""), `{"id":"twice","annotator":"bob","text":"XYZ lawyer"}`,
	}, "\n"))
	var got []string
	for _, c := range r.HighScorers.Calls {
		got = append(got, fmt.Sprintf("%s %v %s %d: %s / %s", c.ID, c.Score, c.Kind, c.SamePerson, c.Identifiers(true), c.Identifiers(false)))
	}
	want := []string{
		"name 7 direct 0: PERSON_NAME / LOCATION",
		"part 7 same person 5:  / PERSON_NAME (A), ORGANIZATION_NAME (A), LOCATION",
		"unmarked 6 not marked 0:  / ORGANIZATION_NAME, URL, ORGANIZATION_NAME",
		"different 6 different people 0:  / ORGANIZATION_NAME (A), URL, ORGANIZATION_NAME (B)",
		"same 6 same person 4:  / ORGANIZATION_NAME (A), URL, ORGANIZATION_NAME (A)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for i, count := range []int{1, 2, 1, 1} {
		if k := r.HighScorers.Kinds[i]; k.Count != count || k.Share != float64(count)/5 {
			t.Errorf("%+v, want %d of 5", k, count)
		}
	}
	if none := assess(t, judged).HighScorers; none != nil {
		t.Errorf("no call is above the limit: %+v", none)
	}
}

func TestAssessExplainsTheRisk(t *testing.T) {
	r := assess(t, judged)
	c := r.Contributions
	if len(c) != 2 || c[0].Type != "LOCATION" || c[0].PerCall != 20.0/14 || c[0].Direct || c[1].Type != "PERSON_NAME" || c[1].Pieces != 1 || !c[1].Direct || c[1].Share != 1.0/3 {
		t.Errorf("contributions %+v", c)
	}
	if rt := r.RedTeam; rt.Calls != 3 || rt.Identified.Count != 1 || rt.Residual.Share != 10.0/14 {
		t.Errorf("red team %+v", rt)
	}
	if r.Agreement != nil {
		t.Error("agreement without data")
	}
}

func TestTwoAnnotators(t *testing.T) {
	r := assess(t, strings.Join([]string{
		`{"id":"1","annotator":"b","text":"(Bo)[MISSED_PERSON_NAME] of (Hamm)[MISSED_LOCATION] is here"}`,
		`{"id":"1","annotator":"a","text":"(Bo)[MISSED_PERSON_NAME] of Hamm is here"}`,
		`{"id":"2","annotator":"a","text":"one"}`,
		`{"id":"2","annotator":"b","text":"two"}`,
		`{"id":"3","text":"x","annotated":true}`, `{"id":"3","text":"y","missed":[]}`,
	}, "\n"))
	if r.Total.Count != 4 || r.Total.Max != 6 { // (7 + 5) / 2
		t.Errorf("total %+v", r.Total)
	}
	a := r.Agreement
	// Five words, four agreed; by chance (1·1 + 1·0 + 3·4) / 25.
	if a == nil || a.Calls != 1 || a.Words != 5 || a.Differing != 1 || fmt.Sprintf("%.4f", a.Kappa) != "0.5833" || fmt.Sprintf("%.4f", a.SpanF1) != "0.6667" {
		t.Errorf("agreement %+v", a)
	}
}

func manyCalls() string {
	var b strings.Builder
	for i := range 40 {
		text := "nothing"
		switch {
		case i%3 == 0:
			text = "(Secretname)[MISSED_PERSON_NAME_PARTIAL] and (secret.example)[MISSED_URL]"
		case i%7 == 0:
			text = "(Secretname)[MISSED_PERSON_NAME] (4111)[MISSED_SSN] (Hamm)[MISSED_LOCATION]"
		}
		fmt.Fprintf(&b, `{"id":"%d","context":"<b>&%d","text":"%s","timestamp_ms":%d,"verdict":"residual"}`+"\n", i, i%2, text, 1767225600000+int64(i)*86_400_000)
	}
	return b.String()
}

func TestReportsHoldNoTextOfCalls(t *testing.T) {
	r := assess(t, manyCalls())
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for what, out := range map[string]string{"table": table.String(), "JSON": string(asJSON)} {
		for _, secret := range []string{"ecretname", "secret.example", "4111", "Hamm"} {
			if strings.Contains(out, secret) {
				t.Errorf("the %s quotes a call", what)
			}
		}
	}
	for _, want := range []string{"Context", "total", "SSN", "FAIL", "Jarque-Bera", "Red team", "residual, nobody identified"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, table.String())
		}
	}
	for _, want := range []string{`"mean_plus_std"`, `"passes"`, `"contexts"`, `"contributions"`, `"red_team"`} {
		if !strings.Contains(string(asJSON), want) {
			t.Errorf("the JSON lacks %s", want)
		}
	}
}

func TestNoCallsProveNothing(t *testing.T) {
	r := assess(t, "\n")
	var b strings.Builder
	if err := r.WriteTable(&b); err != nil || r.Total.Passes || r.Total.Result != risk.NotAnnotated || !strings.Contains(b.String(), "no calls to score") {
		t.Errorf("%v:\n%s", err, b.String())
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

func TestTheRateOfACallGrowsWithItsRisk(t *testing.T) {
	const lines = `{"call_id":"a","seq":3,"text":"(Bo Li)[MISSED_PERSON_NAME]","sampling":{"rate":0.02,"reason":"uniform"}}
{"call_id":"a","seq":9,"type":"END","text":"","sampling":{"rate":0.5,"reason":"uniform"}}
{"call_id":"b","seq":7,"text":"hello","annotated":true,"sampling":{"rate":0.25,"reason":"doubt","missing":6}}
`
	calls, err := risk.Table6().ReadLines(strings.NewReader(lines), "audit.jsonl")
	if err != nil || len(calls) != 2 {
		t.Fatalf("%d calls, %v", len(calls), err)
	}
	if calls[0].Probability != 0.5 || calls[1].Probability != 0.25 || calls[1].Missing != 6 {
		t.Errorf("probabilities %v and %v, %d missing", calls[0].Probability, calls[1].Probability, calls[1].Missing)
	}
	// A call with weight 1/0.5 and one with weight 1/0.25: a third of six has the 5.
	r := risk.Table6().Assess(calls)
	if math.Abs(r.Total.Mean-5.0/3) > 1e-9 || r.Incomplete != 1 {
		t.Errorf("mean %v, %d incomplete, want 5/3 and 1", r.Total.Mean, r.Incomplete)
	}
}

// A call that nobody read must not look like a call in which nothing was missed.
func TestCallsThatNobodyReadProveNothing(t *testing.T) {
	for _, c := range []struct {
		lines, result       string
		count, notAnnotated int
	}{
		{`{"id":"1","text":"Hi [PERSON_NAME_1]"}`, risk.NotAnnotated, 0, 1},
		{`{"call_id":"1","seq":1,"text":"Hi"}` + "\n" + `{"call_id":"1","seq":2,"text":"(hello)[\\MISSED_SSN]"}`, risk.NotAnnotated, 0, 1},
		{`{"id":"1","text":"Hi","annotated":true}`, risk.Pass, 1, 0},
		{`{"id":"1","text":"Hi","annotator":"ann"}`, risk.Pass, 1, 0},
		{`{"id":"1","text":"Hi","verdict":"nothing"}`, risk.Pass, 1, 0},
		{`{"id":"1","text":"Hi","missed":[]}`, risk.Pass, 1, 0},
		{`{"id":"1","utterances":[{"text":"Hi"},{"text":"Hi","missed":[]}]}`, risk.Pass, 1, 0},
		{`{"call_id":"1","seq":1,"text":"Hi"}` + "\n" + `{"call_id":"1","seq":2,"text":"(Bo)[MISSED_PERSON_NAME]"}`, risk.Fail, 1, 0},
		{`{"id":"1","text":"Hi","annotated":true}` + "\n" + `{"id":"2","text":"Hi"}`, risk.Pass, 1, 1},
	} {
		r := assess(t, c.lines)
		if r.Total.Result != c.result || r.Total.Count != c.count || r.Total.NotAnnotated != c.notAnnotated || r.Total.Passes != (c.result == risk.Pass) {
			t.Errorf("%s: %s, %d calls, %d not annotated", c.lines, r.Total.Result, r.Total.Count, r.Total.NotAnnotated)
		}
		var table strings.Builder
		if err := r.WriteTable(&table); err != nil || strings.Contains(table.String(), "not annotated") != (c.notAnnotated > 0) {
			t.Errorf("%s: %v\n%s", c.lines, err, table.String())
		}
	}
}

func TestWhoReadATextFile(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"a.txt":     {"Hi [PERSON_NAME_1]", true},
		"a@ann.txt": {"Hi [PERSON_NAME_1]", false},
		"b.txt":     {"Hi (Bo)[MISSED_PERSON_NAME]", false},
	} {
		if call, err := risk.Table6().ReadText(strings.NewReader(c.text), name); err != nil || call.NotAnnotated != c.want {
			t.Errorf("%s: %v, %v", name, call.NotAnnotated, err)
		}
	}
}

// Speech that looks like an annotation is not one, and the annotated text is scored as it was said.
func TestEscapedAnnotations(t *testing.T) {
	a, err := risk.Table6().Parse(`I say (hello)[\MISSED_SSN] and (yes)(\MISSED_AGE) and ([\BO_1] Lee)[MISSED_PERSON_NAME]`)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Missed) != 1 || a.Missed[0].Value != "[BO_1] Lee" {
		t.Errorf("missed %+v", a.Missed)
	}
	if want := `I say (hello)[\MISSED_SSN] and (yes)(\MISSED_AGE) and [\BO_1] Lee`; a.Text != want {
		t.Errorf("text %q", a.Text)
	}
	if got := string([]rune(a.Text)[a.Missed[0].Start:a.Missed[0].End]); got != `[\BO_1] Lee` {
		t.Errorf("position of %q", got)
	}
}
