package pattern

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	d "sotto/detectors"
	"sotto/detectors/ids"
	"sotto/detectors/spoken"
)

var sayDigit = [10]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}

// say renders digits in one of the forms in which people write and say them.
func say(t *rapid.T, digits string, groups ...int) string {
	parts := []string{digits}
	if len(groups) > 0 {
		parts = nil
		at := 0
		for _, n := range groups {
			parts = append(parts, digits[at:at+n])
			at += n
		}
	}
	switch rapid.IntRange(0, 4).Draw(t, "form") {
	case 0:
		return digits
	case 1:
		return strings.Join(parts, rapid.SampledFrom([]string{"-", " ", ".", " - "}).Draw(t, "separator"))
	case 2:
		return strings.Join(strings.Split(digits, ""), " ")
	}
	var out []string
	for i := 0; i < len(digits); i++ {
		c := digits[i]
		switch {
		case i+2 < len(digits) && c == digits[i+1] && c == digits[i+2] && rapid.Bool().Draw(t, "triple"):
			out = append(out, "triple", sayDigit[c-'0'])
			i += 2
		case i+1 < len(digits) && c == digits[i+1] && rapid.Bool().Draw(t, "double"):
			out = append(out, "double", sayDigit[c-'0'])
			i++
		case c == '0' && rapid.Bool().Draw(t, "oh"):
			out = append(out, "oh")
		case rapid.IntRange(0, 5).Draw(t, "figure") == 0:
			out = append(out, string(c))
		default:
			out = append(out, sayDigit[c-'0'])
		}
		if rapid.IntRange(0, 12).Draw(t, "hesitation") == 0 {
			out = append(out, "uh")
		}
	}
	for out[len(out)-1] == "uh" {
		out = out[:len(out)-1]
	}
	return strings.Join(out, " ")
}

// wants fails the test unless the value is found whole, with the infoType and the canonical value.
func wants(t *rapid.T, doc *d.Document, text, surface string, kind d.InfoType, value string) {
	findings := analyse(doc, text)
	at := strings.Index(text, surface)
	for _, f := range findings {
		if f.Type == kind && f.Value == value && f.Start == at && f.End == at+len(surface) {
			return
		}
	}
	t.Fatalf("%q: found %s", text, found(doc, findings))
}

func luhnDigit(s string) string {
	for c := '0'; c <= '9'; c++ {
		if ids.Luhn([]byte(s + string(c))) {
			return s + string(c)
		}
	}
	return s
}

// inService are the area codes of North America that are in service.
var inService = func() (codes []string) {
	for n := 200; n < 1000; n++ {
		if code := fmt.Sprint(n); ids.NANP([]byte(code+"5550134")) == ids.NANPInService {
			codes = append(codes, code)
		}
	}
	return codes
}()

func TestAnyPhoneNumberIsFoundWhole(t *testing.T) {
	var doc d.Document
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.SampledFrom(inService).Draw(t, "area") + rapid.StringMatching(`[2-9][02-9][0-9][0-9]{4}`).Draw(t, "number")
		surface := say(t, number, 3, 3, 4)
		lead := rapid.SampledFrom([]string{"call me at ", "my phone number is ", "it's a cell, ", "you can reach me at "}).Draw(t, "lead")
		wants(t, &doc, lead+surface+", thank you", surface, d.PhoneNumber, number)
	})
}

func TestAnyCardIsFoundWhole(t *testing.T) {
	var doc d.Document
	rapid.Check(t, func(t *rapid.T) {
		number := luhnDigit(rapid.StringMatching(`(4[0-9]|5[1-5])[0-9]{13}`).Draw(t, "number"))
		surface := say(t, number, 4, 4, 4, 4)
		wants(t, &doc, "go ahead: "+surface+" okay", surface, d.CreditCardNumber, number)
	})
}

func TestAnySocialNumberIsFoundWhole(t *testing.T) {
	var doc d.Document
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`[1-5][0-9]{2}[1-9][0-9][1-9][0-9]{3}`).Draw(t, "number")
		surface := say(t, number, 3, 2, 4)
		wants(t, &doc, "my social security number is "+surface, surface, d.SSN, number)
	})
}

// An address that is said, only the tagger and the encoder find.
func TestAnyEMailIsFoundWhole(t *testing.T) {
	var doc d.Document
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.StringMatching(`[b-hj-z][aeou][b-df-hj-np-tv-z]{1,2}[aeou][kmnprst]`).Draw(t, "first")
		last := rapid.StringMatching(`[b-hj-z][aeou][b-df-hj-np-tv-z]{2}[aeou][kmnprst]`).Draw(t, "last")
		host := rapid.SampledFrom([]string{"gmail.com", "example.org", "outlook.com", "shaw.ca"}).Draw(t, "host")
		digits := rapid.StringMatching(`[1-9][0-9]{0,2}`).Draw(t, "digits")
		surface := first + rapid.SampledFrom([]string{".", "_", "-", "+", ""}).Draw(t, "mark") + last + digits + "@" + host
		wants(t, &doc, "my email is "+surface+", okay?", surface, d.EmailAddress, surface)
	})
}

func TestAnyAddressV4IsFoundWhole(t *testing.T) {
	var doc d.Document
	rapid.Check(t, func(t *rapid.T) {
		var value, said []string
		for range 4 {
			n := fmt.Sprint(rapid.IntRange(10, 255).Draw(t, "octet"))
			value = append(value, n)
			said = append(said, say(t, n))
		}
		surface := strings.Join(said, " dot ")
		wants(t, &doc, "the router says "+surface, surface, d.IPAddress, strings.Join(value, "."))
	})
}

// Whatever the text is: findings are within it and on rune boundaries, resolved findings are
// disjoint and cover everything that was found, and another run finds the same.
func checkFindings(t interface{ Fatalf(string, ...any) }, doc *d.Document, r *d.Resolver) {
	covered := make([]bool, len(doc.Text)+1)
	for _, f := range doc.Findings {
		if f.Start < 0 || f.End > len(doc.Text) || f.Start >= f.End || f.Likelihood < d.VeryUnlikely || f.Likelihood > d.VeryLikely || f.Score <= 0 || f.Score > 1 {
			t.Fatalf("finding %s from %d to %d, likelihood %d, score %f", f.Type, f.Start, f.End, f.Likelihood, f.Score)
		}
		if !runeBoundary(doc.Text, f.Start) || !runeBoundary(doc.Text, f.End) {
			t.Fatalf("finding %s from %d to %d cuts a rune", f.Type, f.Start, f.End)
		}
	}
	end := 0
	for _, f := range r.Resolve(doc) {
		if f.Start < end {
			t.Fatalf("findings overlap at %d", f.Start)
		}
		end = f.End
		for i := f.Start; i < f.End; i++ {
			covered[i] = true
		}
	}
	for _, f := range doc.Findings {
		for i := f.Start; i < f.End; i++ {
			if c := doc.Text[i]; !covered[i] && (ids.IsDigit(c) || ids.IsLetter(c|0x20)) {
				t.Fatalf("byte %d of a %s is not covered", i, f.Type)
			}
		}
	}
}

func runeBoundary(s string, i int) bool { return i == len(s) || s[i]&0xC0 != 0x80 }

func FuzzDetect(f *testing.F) {
	for _, s := range []string{"my card is 4111 1111 1111 1111", "john dot smith at gmail dot com", "42 Maple Street, Apt 5B", "https://a.b/c?sig=1&se=2", "born 3/14/85",
		"P<UTO<<", ";4111=", "Set-Cookie: a=b", "49°16'N", "1,2-3/4:5", "@@..@", "\u202e12\u200b34", "\xff\xfe1", "٣٤٥ and 你好 123456"} {
		f.Add(s)
	}
	var doc d.Document
	var r d.Resolver
	f.Fuzz(func(t *testing.T, text string) {
		doc.Reset(text)
		spoken.Scan(&doc)
		Find(&doc)
		if strings.ToValidUTF8(text, "") == text {
			checkFindings(t, &doc, &r)
		}
	})
}
