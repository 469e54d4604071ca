package callgen

import (
	"reflect"
	"strings"
	"testing"
	"unicode"

	"sotto/schemas"
)

func TestScriptsAreVaried(t *testing.T) {
	for _, s := range loadScripts() {
		if s.lines < 40 {
			t.Errorf("%s has %d lines, want at least 40", s.domain, s.lines)
		}
	}
}

func TestScriptErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"A: hello":                   "line 1: a line before the first phase",
		"== x\nB: hello":             "line 2: neither a phase nor a line",
		"== x\nA: {nobody}":          `line 2: no slot named "nobody"`,
		"== x\nA: (a|b":              "line 2: a choice without end",
		"== x\nA: {agent":            "line 2: a slot without end",
		"== x 3-1\nA: a":             "line 1: a range is 'low-high'",
		"== x y z\nA: a":             "line 1: a phase is",
		"== x 1-2\nA: only one here": "takes 2 exchanges and has 1",
	} {
		_, err := parseScript("test", text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestSameSeedSameCalls(t *testing.T) {
	a, b, c := New(Config{Seed: 7}), New(Config{Seed: 7}), New(Config{Seed: 8})
	// In another order on purpose.
	for _, n := range []int{3, 0, 2} {
		if !reflect.DeepEqual(a.Call(n), b.Call(n)) {
			t.Errorf("call %d differs between equal generators", n)
		}
	}
	if reflect.DeepEqual(a.Call(1).Events, c.Call(1).Events) {
		t.Error("different seeds give equal calls")
	}
}

func TestCallsAreWellFormed(t *testing.T) {
	g := New(Config{Seed: 1, Interim: 0.1})
	domains, types, interim, plainCalls := map[string]int{}, map[string]int{}, 0, 0
	for n := range 400 {
		c := g.Call(n)
		domains[c.Domain]++
		lower := true
		for i, e := range c.Events {
			if e.CallID != c.ID || e.Seq != int64(i+1) {
				t.Fatalf("%s: event %d has call %s and seq %d", c.ID, i, e.CallID, e.Seq)
			}
			if i > 0 && e.TimestampMS < c.Events[i-1].TimestampMS {
				t.Fatalf("%s: time goes back at seq %d", c.ID, e.Seq)
			}
			if last := i == len(c.Events)-1; last != (e.Type == schemas.End) {
				t.Fatalf("%s: END is not the last event", c.ID)
			}
			if e.Interim() {
				interim++
			}
			if strings.ToLower(e.Text) != e.Text {
				lower = false
			}
			checkText(t, &e)
			for _, s := range e.Gold {
				types[s.Type]++
			}
		}
		if lower {
			plainCalls++
		}
	}
	if len(domains) != len(g.scripts) {
		t.Errorf("domains seen: %v", domains)
	}
	for _, want := range []string{"PERSON_NAME", "ORGANIZATION_NAME", "PHONE_NUMBER", "EMAIL_ADDRESS", "CREDIT_CARD_NUMBER", "SSN",
		"STREET_ADDRESS", "DATE_OF_BIRTH", "GENERIC_ID", "USER_NAME", "LOCATION", "MEDICAL_TERM", "VEHICLE_IDENTIFICATION_NUMBER"} {
		if types[want] < 10 {
			t.Errorf("%s occurs %d times in 400 calls", want, types[want])
		}
	}
	if interim == 0 {
		t.Error("no interim hypotheses")
	}
	if plainCalls < 40 || plainCalls > 200 {
		t.Errorf("%d of 400 calls are unformatted", plainCalls)
	}
}

// checkText looks for what careless scripts leave behind.
func checkText(t *testing.T, e *Event) {
	t.Helper()
	if e.Type == schemas.Utterance && e.Text == "" {
		t.Fatalf("%s seq %d has no text", e.CallID, e.Seq)
	}
	for _, bad := range []string{"{", "}", "|", "  ", " ,", ",,", "..", "%!"} {
		if strings.Contains(e.Text, bad) {
			t.Errorf("%s seq %d has %q in %q", e.CallID, e.Seq, bad, e.Text)
		}
	}
	text := []rune(e.Text)
	end := 0
	for _, s := range e.Gold {
		if s.Start < end || s.End <= s.Start || s.End > len(text) {
			t.Fatalf("%s seq %d: span %d-%d of %d", e.CallID, e.Seq, s.Start, s.End, len(text))
		}
		end = s.End
		if unicode.IsSpace(text[s.Start]) || unicode.IsSpace(text[s.End-1]) {
			t.Errorf("%s seq %d: the %s span has a space at an edge", e.CallID, e.Seq, s.Type)
		}
	}
}

func TestCastHasDifferentNames(t *testing.T) {
	var f facts
	for n := range 200 {
		r := New(Config{}).rand(n)
		f.reset(r, "bank", false)
		first, last := map[string]bool{}, map[string]bool{}
		for _, p := range f.cast {
			if first[p.first] || last[p.last] {
				t.Fatalf("cast %d has a name twice", n)
			}
			first[p.first], last[p.last] = true, true
		}
	}
}

func TestNumbersPassTheirChecks(t *testing.T) {
	var f facts
	for n := range 100 {
		f.reset(New(Config{}).rand(n), "bank", false)
		for _, s := range []string{"card", "imei"} {
			digits := strings.ReplaceAll(f.form(s).written, " ", "")
			if got := string(luhn([]byte(digits[:len(digits)-1]))); got != digits {
				t.Errorf("%s does not pass Luhn", digits)
			}
		}
		v := f.form("vin").written
		if strings.ContainsAny(v, "IOQ") || len(v) != 17 {
			t.Errorf("VIN %s has a letter that VINs do not have", v)
		}
	}
	// Known good values of the same algorithms.
	if got := string(luhn([]byte("7992739871"))); got != "79927398713" {
		t.Errorf("Luhn: %s", got)
	}
}

func TestWords(t *testing.T) {
	r := New(Config{Seed: 3}).rand(0)
	for got, want := range map[string]string{
		cardinal(0):                           "zero",
		cardinal(342):                         "three hundred forty two",
		cardinal(1900):                        "one thousand nine hundred",
		ordinal(22):                           "twenty second",
		ordinal(30):                           "thirtieth",
		year(1985):                            "nineteen eighty five",
		year(1905):                            "nineteen oh five",
		spell("Tar-Row", false):               "T-A-R-R-O-W",
		spell("Tar", true):                    "t a r",
		fold("Zoë-Anne"):                      "zoeanne",
		sayAddress("a_bc.de42@mail.com"):      "a underscore bc dot de four two at mail dot com",
		sayNumbers("192.168.0.21"):            "one hundred ninety two dot one hundred sixty eight dot zero dot twenty one",
		sayCode(r, "12-3B"):                   "one two, three B",
		plain("Well, J. said: no! (Really?)"): "well j said no (really)",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestStreamInterleavesInOrder(t *testing.T) {
	g := New(Config{Seed: 5})
	const calls = 30
	seen := map[string]int64{}
	var last, changes int64
	var lastCall string
	total := 0
	for e := range g.Events(10, calls, 6) {
		total++
		if e.TimestampMS < last {
			t.Fatal("time goes back")
		}
		last = e.TimestampMS
		if seen[e.CallID]+1 != e.Seq {
			t.Fatalf("%s: seq %d after %d", e.CallID, e.Seq, seen[e.CallID])
		}
		seen[e.CallID] = e.Seq
		if e.CallID != lastCall {
			changes++
		}
		lastCall = e.CallID
	}
	want := 0
	for n := range calls {
		c := g.Call(10 + n)
		want += len(c.Events)
		if seen[c.ID] != int64(len(c.Events)) {
			t.Errorf("%s: %d of %d events", c.ID, seen[c.ID], len(c.Events))
		}
	}
	if total != want {
		t.Errorf("%d events, want %d", total, want)
	}
	if int(changes) < total/2 {
		t.Errorf("calls hardly interleave: %d changes in %d events", changes, total)
	}
	for range g.Events(0, 5, 2) {
		break // an early stop must not panic
	}
}

func BenchmarkEvents(b *testing.B) {
	g := New(Config{Seed: 1})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for range g.Events(0, 2000, 500) {
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}

func TestNoListIsLeftOver(t *testing.T) {
	if unused := lists.Unused(); len(unused) > 0 {
		t.Errorf("nothing uses the lists %q", unused)
	}
	if n := len(people) + len(things) + len(contacts) + len(codes) + len(quantities); len(slots) != n {
		t.Errorf("%d names of %d slots", len(slots), n)
	}
}
