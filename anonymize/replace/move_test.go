package replace

import (
	"fmt"
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// forms are those in which a date is said, by what of it they say.
var forms = []struct {
	parts int // 3 with the year, 2 without it
	of    func(year, month, day int) string
}{
	{3, func(y, m, d int) string { return fmt.Sprintf("%04d-%02d-%02d", y, m, d) }},
	{3, func(y, m, d int) string { return fmt.Sprintf("%d/%d/%d", m, d, y) }},
	{3, func(y, m, d int) string { return fmt.Sprintf("%s %d, %d", months[m-1], d, y) }},
	{3, func(y, m, d int) string { return fmt.Sprintf("%s %s %s", months[m-1], ordinals[d], sayYear(y)) }},
	{3, func(y, m, d int) string { return fmt.Sprintf("the %s of %s %d", ordinals[d], months[m-1], y) }},
	{2, func(_, m, d int) string { return fmt.Sprintf("%s %d%s", months[m-1], d, ordinalSuffix(d)) }},
	{2, func(_, m, d int) string { return fmt.Sprintf("%d/%d", m, d) }},
}

// The dates of a call keep their order, in whatever form each is said, and one date is one date in all forms. None stays as it is.
func TestDatesKeepTheirOrder(t *testing.T) {
	p := coherently(t)
	rapid.Check(t, func(t *rapid.T) {
		seed := p.Seed(rapid.String().Draw(t, "call"))
		parts := rapid.IntRange(2, 3).Draw(t, "parts")
		draw := func(n int) (said, became [3]int, text, out string) {
			var usable []func(year, month, day int) string
			for _, f := range forms {
				if f.parts == parts {
					usable = append(usable, f.of)
				}
			}
			said = [3]int{rapid.IntRange(1990, 2040).Draw(t, "year"), rapid.IntRange(1, 12).Draw(t, "month"), rapid.IntRange(1, 28).Draw(t, "day")}
			if parts == 2 {
				said[0] = 0
			}
			text = rapid.SampledFrom(usable).Draw(t, "form")(said[0], said[1], said[2])
			out = string(p.Append(nil, &seed, &Mention{Type: "DATE", N: n, Text: text}))
			became[0], became[1], became[2] = readDate(out)
			return said, became, text, out
		}
		said, became, text, out := draw(1)
		otherSaid, otherBecame, otherText, otherOut := draw(2)
		if out == text || otherOut == otherText {
			t.Fatalf("%s became %s, %s became %s", text, out, otherText, otherOut)
		}
		if out[0] == '[' || otherOut[0] == '[' { // at the end of the year there may be nowhere to go
			return
		}
		before, after := compareDates(said, otherSaid), compareDates(became, otherBecame)
		if before*after < 0 || before == 0 && after != 0 {
			t.Fatalf("%s became %s, %s became %s", text, out, otherText, otherOut)
		}
	})
}

func compareDates(a, b [3]int) int {
	for i := range a {
		if a[i] != b[i] {
			return a[i] - b[i]
		}
	}
	return 0
}

func TestDatesInDigitsKeepTheirForm(t *testing.T) {
	p := coherently(t)
	for _, seed := range calls(p) {
		for text, form := range map[string]string{"25/03/2024": `^\d{1,2}/(0\d|1[0-2])/20\d\d$`, "05/2027": `^(0\d|1[0-2])/20\d\d$`, "25/03": `^\d{1,2}/(0\d|1[0-2])$`} {
			if out := string(p.Append(nil, seed, &Mention{Type: "DATE", N: 1, Text: text})); !regexp.MustCompile(form).MatchString(out) {
				t.Errorf("%s became %s", text, out)
			}
		}
	}
}
