package anonymize

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/state"
)

// symbols renders letters and digits one by one, as a run, in the forms in which they are written,
// spoken and spelled. It returns the code that they make.
func symbols(t *rapid.T) (said, code string) {
	digits := strings.Fields("zero one two three four five six seven eight nine oh")
	spelled := strings.Fields("alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima")
	letter := rapid.SampledFrom(strings.Fields("B C D F G H J K L M N P Q R S T V W X Z b k q x z"))
	separator := rapid.SampledFrom([]string{" ", ", ", " uh "}).Draw(t, "separator")
	var parts []string
	digit := func() string {
		n := rapid.IntRange(0, len(digits)-1).Draw(t, "digit")
		code += string("01234567890"[n])
		return digits[n]
	}
	for len(parts) < 2 || len(code) < 3 || len(code) < 12 && rapid.Bool().Draw(t, "more") {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0, 1:
			parts = append(parts, digit())
		case 2:
			w := rapid.SampledFrom(spelled).Draw(t, "word")
			parts, code = append(parts, w), code+w[:1]
		case 3:
			l := letter.Draw(t, "letter")
			parts, code = append(parts, l), code+l
		default:
			parts = append(parts, "double "+digit())
			code += code[len(code)-1:]
		}
	}
	return strings.Join(parts, separator), strings.ToLower(code)
}

// isHarmless reports whether a code identifies nobody: a public short number, a size, a well-known
// abbreviation, or one letter repeated, as stutterers say it.
func isHarmless(code string) bool {
	if len(code) == 3 && code[1] == 'x' {
		return true
	}
	return strings.Trim(code, code[:1]) == "" || strings.Contains(" 911 411 311 211 511 611 711 811 999 112 360 365 101 "+
		"api faq atm pdf www irs ssn pin vin gps dns lte csv sms vpn http https asap fbi dmv hvac cvv cvc mms isp eta dvd led lcd "+
		"hdmi cpa apr pcp mri nfl nba cnn bbc imei iban ira llc mba phd rsvp tba tbd aka btw crm erp sql html css kpi sla rma "+
		"msrp ptsd adhd hiv rsv ", " "+code+" ")
}

// Digits that are said one by one are no amount and no time, whatever the words around them say to the encoder.
func TestNoDigitsEscapeAsAnAmount(t *testing.T) {
	e := newEngine(t, Options{})
	digits := strings.Fields("zero one two three four five six seven eight nine")
	isDigit := func(word string) bool { return slices.Contains(digits, strings.Trim(word, ",")) }
	for _, frame := range []string{"okay so that would be %s, %s, five if that helps", "the total is %s %s five", "they count %s, uh, %s, double five"} {
		for i := range 100 {
			text := fmt.Sprintf(frame, digits[i/10], digits[i%10])
			if i == 36 { // 365 is a well-known number
				continue
			}
			if clean, _ := e.Apply(state.NewCall(), e.Prepare(utterance(1, "Agent", text))); slices.ContainsFunc(strings.Fields(clean.Text), isDigit) {
				t.Errorf("%q became %q", text, clean.Text)
			}
		}
	}
}

// No run of three or more symbols is left in the clean text. If its infoType is unknown, it is
// NUMERIC, SPELLED_WORD or GENERIC_ID.
func TestNoRunEscapes(t *testing.T) {
	e := newEngine(t, Options{RawOffsets: true})
	rapid.Check(t, func(t *rapid.T) {
		run, code := symbols(t)
		if isHarmless(code) {
			t.Skip()
		}
		before := rapid.SampledFrom([]string{"", "it is ", "okay so that would be ", "I have here "}).Draw(t, "before")
		after := rapid.SampledFrom([]string{"", ".", " if that helps", ", thank you"}).Draw(t, "after")
		text := before + run + after
		clean, _ := e.Apply(state.NewCall(), e.Prepare(utterance(1, "Agent", text)))
		checkClean(t, text, &clean)
		at := len(before)
		for _, x := range clean.Entities {
			// Between two entities there are only separators and hesitations.
			if gap := text[min(at, *x.RawStart):*x.RawStart]; strings.Trim(gap, " ,uh") == "" {
				at = *x.RawEnd
			}
		}
		if at < len(before)+len(run) {
			t.Fatalf("%q became %q", text, clean.Text)
		}
	})
}
