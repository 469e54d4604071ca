package replace

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/detectors/ids"
	"sotto/state/linking"
)

func plan(t testing.TB, c Config) *Plan {
	t.Helper()
	c.Key = []byte("a key for tests that is no secret")
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func entities(t testing.TB, independent bool) (*Plan, *Seed) {
	p := plan(t, Config{Choice: Choice{Default: Entity}, Independent: independent})
	s := p.Seed("call")
	return p, &s
}

func TestTags(t *testing.T) {
	for s, want := range map[Strategy]string{TypedNumbered: "[SSN_12]", Typed: "[SSN]", Redact: "[REDACTED]"} {
		if got := string(plan(t, Config{Choice: Choice{Default: s}}).Append(nil, nil, &Mention{Type: "SSN", N: 12})); got != want {
			t.Errorf("%s: got %s, want %s", s, got, want)
		}
	}
	if got := string(plan(t, Config{}).Append([]byte("Hi "), nil, &Mention{Type: "SSN"})); got != "Hi [SSN]" {
		t.Errorf("got %s", got)
	}
}

// form describes a text: letters by their case, digits as 0, known words as they are.
func form(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && isLetter(text[j]) {
			j++
		}
		w := strings.ToLower(text[i:j])
		a, ok := sayings[w]
		switch {
		case j == i:
			if text[i] >= '0' && text[i] <= '9' {
				b.WriteByte('0')
			} else {
				b.WriteByte(text[i])
			}
			i++
			continue
		case ok && a.class == digit && text[i] >= 'a':
			b.WriteString("<digit>")
		case ok && text[i] >= 'a':
			b.WriteString("<code>")
		case courtesy[w] && text[i] >= 'a':
			b.WriteString(w)
		default:
			for _, c := range text[i:j] {
				if c < 'a' {
					b.WriteByte('A')
				} else {
					b.WriteByte('a')
				}
			}
		}
		i = j
	}
	return b.String()
}

func TestCodesKeepTheirForm(t *testing.T) {
	for _, c := range []struct{ infoType, text string }{
		{"PHONE_NUMBER", "555-0134"}, {"PHONE_NUMBER", "(604) 555-0134"}, {"PHONE_NUMBER", "+1 604 555 0134"},
		{"PHONE_NUMBER", "five five five oh one three four"}, {"PHONE_NUMBER", "604-555-0134 extension 22"},
		{"CREDIT_CARD_NUMBER", "4111 1111 1111 1111"}, {"CREDIT_CARD_NUMBER", "378282246310005"}, {"SSN", "078-05-1120"},
		{"SSN", "oh seven eight oh five one one two oh"}, {"GENERIC_ID", "AB-1234-x"}, {"GENERIC_ID", "B. 231 C. for A. two"},
		{"GENERIC_ID", "alpha bravo 77"}, {"IBAN_CODE", "GB82 1234 5698 7654 32"}, {"VEHICLE_IDENTIFICATION_NUMBER", "1HGCM82633A004352"},
		{"NUMERIC", "9"}, {"ROUTING_NUMBER", "021000021"}, {"IMEI_HARDWARE_ID", "49-015420-323751-8"},
	} {
		for _, independent := range []bool{false, true} {
			p, s := entities(t, independent)
			for n := 1; n < 30; n++ {
				got := string(p.Append(nil, s, &Mention{Type: c.infoType, N: n, Text: c.text, Seq: int64(n)}))
				want := form(c.text)
				if g := form(got); g != want && !strings.Contains(want, "for") {
					t.Errorf("%s %s became %s", c.infoType, c.text, got)
				}
				if !independent && got == c.text {
					t.Errorf("%s %s stayed", c.infoType, c.text)
				}
			}
		}
	}
}

func TestWaysOfSaying(t *testing.T) {
	for text, want := range map[string]string{
		"double five triple one":   "1 2 3 4 5",
		"fifty five":               "12",
		"five fifty":               "1 23",
		"one hundred twenty three": "1 23",
		"five hundred":             "1 23",
		"four for two":             "1 2 3",
		"oh one":                   "1 2",
		"x y 2":                    "a b 3",
		"mike 2":                   "<a> 2",
		"o k":                      "a b",
		"dash and dot":             "dash and dot",
		"é9":                       "a2",
	} {
		atoms := shape(text)
		k := classes(atoms)
		symbols := make([]byte, len(k))
		for i := range k {
			symbols[i] = "123456789"[i]
			if k[i] == letter {
				symbols[i] = "abcdefghi"[i]
			}
		}
		got := string(appendShaped(nil, atoms, symbols))
		for i := range 9 {
			got = strings.ReplaceAll(got, units[i+1], string(rune('1'+i)))
		}
		got = strings.NewReplacer("twelve", "12", "twenty 3", "23", "alpha", "<a>").Replace(got)
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func digitsOf(s string) []byte {
	var d []byte
	for i := 0; i < len(s); i++ {
		if '0' <= s[i] && s[i] <= '9' {
			d = append(d, s[i])
		}
	}
	return d
}

// The numbers that are written belong to nobody.
func TestNumbersBelongToNobody(t *testing.T) {
	p, s := entities(t, true)
	for seq := range int64(500) {
		write := func(infoType, text string) string {
			return string(p.Append(nil, s, &Mention{Type: infoType, Text: text, Seq: seq}))
		}
		if got := write("PHONE_NUMBER", "604-298-7731"); got[4:10] != "555-01" {
			t.Fatalf("phone %s", got)
		}
		if got := write("PHONE_NUMBER", "298 7731"); got[:6] != "555 01" {
			t.Fatalf("phone %s", got)
		}
		dictatedNumbersBelongToNobody(t, p, s, seq)
		for _, like := range []string{"4111111111111111", "3782 822463 10005", "6304000000000000000"} {
			if got := write("CREDIT_CARD_NUMBER", like); ids.Luhn(digitsOf(got)) {
				t.Fatalf("card %s passes Luhn", got)
			}
		}
		if got := write("IMEI_HARDWARE_ID", "490154203237518"); ids.Luhn([]byte(got)) {
			t.Fatalf("IMEI %s passes Luhn", got)
		}
		if got := write("SSN", "078-05-1120"); got[0] != '9' || got[4:6] < "01" || got[4:6] > "49" || ids.Luhn(digitsOf(got)) {
			t.Fatalf("SSN %s", got)
		}
		if got := write("EMAIL_ADDRESS", "jane@acme.com"); !strings.Contains(got, "@example.") {
			t.Fatalf("e-mail %s", got)
		}
		if got := write("URL", "https://www.acme.com/a/b"); !strings.HasPrefix(got, "https://www.") || !strings.Contains(got, ".example/") {
			t.Fatalf("URL %s", got)
		}
		if got := write("IP_ADDRESS", "10.1.2.3"); !strings.HasPrefix(got, "192.0.2.") && !strings.HasPrefix(got, "198.51.100.") && !strings.HasPrefix(got, "203.0.113.") {
			t.Fatalf("IP %s", got)
		}
		if got := write("MAC_ADDRESS", "AA:BB:CC:DD:EE:FF"); !strings.HasPrefix(got, "00:00:5E:00:53:") {
			t.Fatalf("MAC %s", got)
		}
		if got := write("IBAN_CODE", "GB82WEST12345698765432"); got[2:4] != "00" {
			t.Fatalf("IBAN %s", got)
		}
	}
}

// dictatedNumbersBelongToNobody gives a number in parts. What the call knows to be parts of one number
// becomes 555-01xx; parts that it does not connect have an area code that does not exist.
func dictatedNumbersBelongToNobody(t *testing.T, p *Plan, s *Seed, seq int64) {
	t.Helper()
	const number = "6042987731"
	for _, parts := range [][]int{{3, 3, 4}, {3, 7}, {6, 4}, {3, 3, 2, 2}, {6, 2, 2}, {2, 2, 2, 2, 2}, {5, 5}, {4, 6}, {8, 2}, {9, 1}, {7, 3}} {
		together, apart, at := "", "", 0
		for i, n := range parts {
			m := Mention{Type: "PHONE_NUMBER", Text: number[at : at+n], Seq: seq, Pos: i}
			apart += string(p.Append(nil, s, &m))
			m.Said = at
			together += string(p.Append(nil, s, &m))
			at += n
		}
		if wellSplit := parts[0] <= 3 || parts[0] == 6; wellSplit && together[3:8] != "55501" {
			t.Fatalf("parts %v became %s", parts, together)
		}
		for _, got := range []string{together, apart} {
			if got[0] >= '2' && got[1] != '9' && got[:3] != "555" {
				t.Fatalf("parts %v became %s, whose area may be assigned", parts, got)
			}
		}
	}
}

// One entity, one surrogate, however it is said.
func TestCoherentSurrogatesAgree(t *testing.T) {
	p, s := entities(t, false)
	write := func(infoType, text, full string) string {
		return string(p.Append(nil, s, &Mention{Type: infoType, N: 3, Text: text, Full: full, Seq: 1, Pos: len(text)}))
	}
	full := write("PERSON_NAME", "Mark Kowalski", "mark kowalski")
	given, surname, _ := strings.Cut(full, " ")
	for text, want := range map[string]string{
		"Mark": given, "MARK": strings.ToUpper(given), "mark kowalski": strings.ToLower(full), "Kowalski": surname, "Mr. Kowalski": "Mr. " + surname,
		"Kowalski, Mark": surname + ", " + given, "M. Kowalski": given[:1] + ". " + surname, "Mark's": given + "'s", "Mark Q. Kowalski": given + " " + surname,
		"M-A-R-K":         strings.Join(strings.Split(strings.ToUpper(given), ""), "-"),
		"k o w a l s k i": strings.Join(strings.Split(strings.ToLower(surname), ""), " "),
		"Mark, M A R K":   given + ", " + strings.Join(strings.Split(strings.ToUpper(given), ""), " "),
	} {
		if got := write("PERSON_NAME", text, "mark kowalski"); strings.ReplaceAll(got, " Q.", "") != want && text != "Mark Q. Kowalski" || strings.Contains(got, "owalsk") {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
	phone := digitsOf(write("PHONE_NUMBER", "+1 (604) 298-7731", ""))
	if got := digitsOf(write("PHONE_NUMBER", "298 7731", "")); string(got) != string(phone[4:]) {
		t.Errorf("phone %s, its end %s", phone, got)
	}
	if got := digitsOf(write("PHONE_NUMBER", "7731", "")); string(got) != string(phone[7:]) {
		t.Errorf("phone %s, its end %s", phone, got)
	}
	said := write("PHONE_NUMBER", "two nine eight seven seven three one", "")
	for i, w := range strings.Fields(said) {
		if w != units[phone[4+i]-'0'] {
			t.Errorf("phone %s, said %s", phone, said)
		}
	}
	card := digitsOf(write("CREDIT_CARD_NUMBER", "4012 8888 8888 1881", ""))
	if got := write("CREDIT_CARD_NUMBER", "1881", ""); got != string(card[12:]) {
		t.Errorf("card %s, its end %s", card, got)
	}
	date := write("DATE_OF_BIRTH", "3/14/1985", "")
	if got := write("DATE_OF_BIRTH", "1985-03-14", ""); date == "3/14/1985" || strings.TrimLeft(got[5:7], "0") != strings.Split(date, "/")[0] {
		t.Errorf("date %s and %s", date, got)
	}
	mail := write("EMAIL_ADDRESS", "mark.k21@acme.com", "")
	spoken := strings.NewReplacer(" dot ", ".", " at ", "@").Replace(write("EMAIL_ADDRESS", "mark dot k at acme dot com", ""))
	if a, b := digitsOf(mail), strings.ReplaceAll(mail, string(digitsOf(mail)), ""); len(a) != 2 || b != spoken {
		t.Errorf("mail %s and %s", mail, spoken)
	}
}

func TestEntitiesOfACallDiffer(t *testing.T) {
	p, s := entities(t, false)
	seen := map[string]int{}
	for n := 1; n <= 100; n++ {
		got := string(p.Append(nil, s, &Mention{Type: "PERSON_NAME", N: n, Text: "Mark"}))
		if seen[got] > 0 {
			t.Errorf("entities %d and %d are both %s", seen[got], n, got)
		}
		seen[got] = n
	}
	for n := 1; n <= 3000; n += 500 {
		if got := string(p.Append(nil, s, &Mention{Type: "PERSON_NAME", N: n, Text: "Mark"})); got == "Mark" || got == "" {
			t.Errorf("entity %d is %q", n, got)
		}
	}
}

func TestACoherentSurrogateIsNeverTheOriginal(t *testing.T) {
	p, s := entities(t, false)
	for n := 1; n <= 200; n++ {
		for _, m := range []Mention{
			{Type: "PERSON_NAME", Text: "michael smith"}, {Type: "AGE", Text: "45"}, {Type: "NUMERIC", Text: "7"}, {Type: "LOCATION", Text: "New York"},
			{Type: "GENDER", Text: "woman"}, {Type: "US_STATE", Text: "TX"}, {Type: "DATE", Text: "march"}, {Type: "PHONE_NUMBER", Text: "555-0100"},
		} {
			m.N = n
			if got := string(p.Append(nil, s, &m)); got == m.Text {
				t.Errorf("%s %s stayed", m.Type, m.Text)
			}
		}
	}
}

func TestDatesStayDates(t *testing.T) {
	p, s := entities(t, false)
	w := when{}
	for _, c := range []struct{ text, pattern string }{
		{"March 14th, 1985", "Mmm D, YYYY"}, {"14 March 1985", "D Mmm YYYY"}, {"march fourteenth nineteen eighty five", "mmm ord year"},
		{"the twenty first of june", "the ord of mmm"}, {"Mar. 3", "Abc. D"},
	} {
		got := string(p.Append(nil, s, &Mention{Type: "DATE_OF_BIRTH", N: 1, Text: c.text}))
		if w == (when{}) {
			w = chooseWhen(coherent(s, &Mention{Type: "DATE_OF_BIRTH", N: 1}))
		}
		month := months[w.month-1]
		want := strings.NewReplacer("Mmm", strings.ToUpper(month[:1])+month[1:], "mmm", month, "Abc", strings.ToUpper(month[:1])+month[1:3],
			"YYYY", string(appendPadded(nil, w.year, 4, true)), "year", sayYear(w.year), "ord", ordinals[w.day]).Replace(c.pattern)
		day := string(appendPadded(nil, w.day, 1, false))
		want = strings.Replace(want, "D", day, 1)
		if strings.Contains(c.text, "th,") {
			want = strings.Replace(want, day, day+ordinalSuffix(w.day), 1)
		}
		if got != want {
			t.Errorf("%s became %s, want %s", c.text, got, want)
		}
	}
	for text, ok := range map[string]func(string) bool{
		"3:30 pm":      func(s string) bool { return strings.HasSuffix(s, "m") && strings.Contains(s, ":") },
		"six pm":       func(s string) bool { return strings.HasSuffix(s, " am") || strings.HasSuffix(s, " pm") },
		"noon":         func(s string) bool { return slices.Contains(dayParts, s) },
		"quarter to 5": func(s string) bool { return strings.HasPrefix(s, "quarter to ") },
	} {
		if got := string(p.Append(nil, s, &Mention{Type: "TIME", N: 2, Text: text})); !ok(got) {
			t.Errorf("%s became %s", text, got)
		}
	}
	for text, end := range map[string]string{"45": "", "forty five years old": " years old", "45-year-old": "-year-old"} {
		if got := string(p.Append(nil, s, &Mention{Type: "AGE", N: 2, Text: text})); !strings.HasSuffix(got, end) || got == text {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestAddressesStayAddresses(t *testing.T) {
	p, s := entities(t, true)
	for text, want := range map[string]string{
		"42 Maple Street": `^[1-9][0-9] [A-Z][a-z]+ Street$`, "1510 south 5th st apartment two": `^[1-9][0-9]{3} south [1-9][0-9]?(st|nd|rd|th) st apartment [a-z]+$`,
		"P.O. Box 123": `^P\.O\. Box [1-9][0-9]{2}$`, "62704": `^[0-9]{5}$`, "V6B 1A1": `^[A-Z][0-9][A-Z] [0-9][A-Z][0-9]$`,
		"San Tomas Aquino Road": `^[A-Z][a-z]+ Road$`,
	} {
		for seq := range int64(20) {
			if got := string(p.Append(nil, s, &Mention{Type: "STREET_ADDRESS", Text: text, Seq: seq})); !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("%s became %s", text, got)
			}
		}
	}
}

// An infoType without surrogates is replaced by a tag.
func TestWithoutSurrogatesATag(t *testing.T) {
	p, s := entities(t, false)
	for _, m := range []Mention{{Type: "ETHNIC_GROUP", Text: "some group"}, {Type: "MY_OWN_TYPE", Text: "thing"}, {Type: "NUMERIC", Text: "..."}} {
		if got := string(p.Append(nil, s, &m)); got != "["+m.Type+"]" {
			t.Errorf("%s: got %s", m.Type, got)
		}
	}
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	key := []byte("a key for tests that is no secret")
	for name, c := range map[string]Config{
		"risk":     {Probability: 0.9, Key: key},
		"negative": {Probability: -1, Key: key, RiskAccepted: true},
		"above":    {Probability: 1.1, Key: key, RiskAccepted: true},
		"key":      {Choice: Choice{Default: Entity}},
		"its key":  {Probability: 0.9, RiskAccepted: true},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s: is accepted", name)
		}
	}
}

var everyType = append([]string{"PERSON_NAME", "LOCATION", "US_STATE", "ORGANIZATION_NAME", "PRODUCT", "MEDICAL_TERM", "GENDER", "OWN"}, ruleTypes()...)

func ruleTypes() []string {
	var types []string
	for t := range rules {
		types = append(types, t)
	}
	return types
}

// Any text at any position gives a result, the same each time, without a panic. No digits of the
// original survive in a row except by chance.
func TestAnyTextIsReplaced(t *testing.T) {
	plans := []*Plan{}
	for _, s := range []Strategy{Named, Word, Entity} {
		plans = append(plans, plan(t, Config{Choice: Choice{Default: s}}), plan(t, Config{Choice: Choice{Default: s}, Independent: true, Neutral: true}))
	}
	seed := plans[0].Seed("c")
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(plans).Draw(t, "plan")
		m := Mention{Type: rapid.SampledFrom(everyType).Draw(t, "type"), N: rapid.IntRange(0, 400).Draw(t, "n"), Seq: rapid.Int64().Draw(t, "seq")}
		m.Text = rapid.OneOf(rapid.StringN(1, 40, -1), rapid.StringMatching(`([A-Za-z]{1,9}|[0-9]{1,12}|at|dot|five|oh|double|hundred|mike|fourteenth|for)([ .@:/-]([A-Za-z]{1,9}|[0-9]{1,4}|at|dot|two|twenty|nineteen|for|as in|to)){0,6}`)).Draw(t, "text")
		a, b := p.Append(nil, &seed, &m), p.Append([]byte("x"), &seed, &m)
		if string(a) != string(b[1:]) {
			t.Fatalf("%s: two results", m.Type)
		}
		if len(a) == 0 {
			t.Fatalf("%s: %q became nothing", m.Type, m.Text)
		}
	})
}

// The output depends only on the shape of the original, as the lemma requires: pi(t|t') = pi(t).
func TestIndependentSurrogatesDependOnTheShapeAlone(t *testing.T) {
	plans := []*Plan{plan(t, Config{Choice: Choice{Default: Word}}), plan(t, Config{Choice: Choice{Default: Entity}, Independent: true})}
	seed := plans[0].Seed("c")
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(plans).Draw(t, "plan")
		m := Mention{Type: rapid.SampledFrom(everyType).Draw(t, "type"), Seq: 1, Part: linking.PartGiven}
		m.Text = rapid.StringMatching(`[QXZ][qxzj]{2,8}( [QXZ][qxzj]{2,8})?|[qxz]{4,9}[0-9]{1,3}@[qxzj]{4,8}\.com|[1-9]{3}-[1-9]{4}|[1-9]{9,16}`).Draw(t, "text")
		other := m
		shift := rapid.IntRange(1, 8).Draw(t, "shift")
		b := []byte(m.Text)
		for i, x := range b {
			switch {
			case '1' <= x && x <= '9':
				b[i] = '1' + (x-'1'+byte(shift))%9
			case strings.IndexByte("qxzj", x) >= 0:
				b[i] = "qxzj"[(strings.IndexByte("qxzj", x)+shift)%4]
			}
		}
		other.Text = string(b)
		if x, y := p.Append(nil, &seed, &m), p.Append(nil, &seed, &other); string(x) != string(y) {
			t.Fatalf("%s: %q gives %q and %q gives %q", m.Type, m.Text, x, other.Text, y)
		}
	})
}
