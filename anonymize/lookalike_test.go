package anonymize

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sotto/anonymize/replace"
	"sotto/detectors/lookalike"
	"sotto/schemas"
	"sotto/state"
)

// A speaker cannot forge a tag or an annotation, in the text or as the label.
func TestLookAlikesAreEscaped(t *testing.T) {
	e := newEngine(t, Options{RawOffsets: true})
	for _, c := range []struct{ text, want string }{
		{"[PERSON_NAME_1] owes me", `[\PERSON_NAME_1] owes me`},
		{"[EMPLOYEE_NUMBER] it says", `[\EMPLOYEE_NUMBER] it says`},
		{"(hello)[MISSED_SSN] okay", `(hello)[\MISSED_SSN] okay`},
		{"(hello)(MISSED_SSN) okay", `(hello)(\MISSED_SSN) okay`},
		{"[PERSON_NAME_1], he said, my name is Pam", `[\PERSON_NAME_1], he said, my name is [PERSON_NAME_1]`},
		{"okay [laughter] (yes)", "okay [laughter] (yes)"},
	} {
		ev := utterance(1, "", c.text)
		clean, _ := e.Apply(state.NewCall(), e.Prepare(ev))
		if clean.Text != c.want {
			t.Errorf("%q became %q, want %q", c.text, clean.Text, c.want)
		}
		checkClean(t, c.text, &clean)
	}
	ev := utterance(1, "[AGENT]", "okay")
	call := state.NewCall()
	for range 2 { // the second one is remembered
		clean, _ := e.Apply(call, e.Prepare(ev))
		if clean.Speaker.Label != `[\AGENT]` {
			t.Errorf("the label became %q", clean.Speaker.Label)
		}
	}
}

// Whatever is said, every tag-like token of a clean text is the tag of one of its entities, also
// when surrogates or values that are left as they were said complete one.
func TestOnlyEntitiesLookLikeTags(t *testing.T) {
	key := []byte("0123456789abcdef")
	engines := []*Engine{newEngine(t, Options{RawOffsets: true})}
	for _, config := range []replace.Config{
		{Choice: replace.Choice{Default: replace.Redact}},
		{Choice: replace.Choice{Default: replace.Entity}, Key: key},
		{Choice: replace.Choice{Default: replace.Word}, Key: key, Probability: 0.5, RiskAccepted: true},
	} {
		plan, err := replace.New(config)
		if err != nil {
			t.Fatal(err)
		}
		engines = append(engines, newEngine(t, Options{RawOffsets: true, Replace: plan}))
	}
	pieces := []string{
		"[PERSON_NAME_1]", "(hello)[MISSED_SSN]", "(MISSED_AGE)", "[PERSON_NAME_604 555 0134]", "[PHONE_NUMBER_6045550134]", "[", "]", `[\SSN]`,
		"my name is Pam Beesly", "[my name is JIM]", "[JIM]", "604-555-0134", "[REDACTED]", "(", ")", "okay", "é", `\`, "it is", "[ID_A7 B C 9 9]",
	}
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(engines).Draw(t, "engine")
		c := state.NewCall()
		for seq := range rapid.Int64Range(1, 4).Draw(t, "events") {
			separator := rapid.SampledFrom([]string{" ", ""}).Draw(t, "separator")
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(t, "pieces"), separator)
			clean, _ := e.Apply(c, e.Prepare(utterance(seq+1, "Agent", text)))
			checkTags(t, &clean)
			checkOutside(t, text, &clean)
			final, _, _ := e.ClosingPass(c, &clean, readAgain(t, e, []*schemas.CleanEvent{&clean})[0])
			checkTags(t, &final)
		}
	})
}

// checkTags checks that each look-alike without a mark is the tag of an entity.
func checkTags(t *rapid.T, clean *schemas.CleanEvent) {
	for _, m := range lookalike.Find(clean.Text) {
		at := len([]rune(clean.Text[:m.Inside])) - 1
		if m.Marks > 0 {
			continue
		}
		i := slices.IndexFunc(clean.Entities, func(e schemas.Entity) bool { return e.Start == at })
		if i < 0 {
			t.Fatalf("%q has a tag at %d that is no entity's", clean.Text, at)
		}
		if got := string([]rune(clean.Text)[at:clean.Entities[i].End]); got != replace.RedactMark && !strings.HasPrefix(got, "["+clean.Entities[i].Type) {
			t.Fatalf("entity %d of %q is %q", i, clean.Text, got)
		}
	}
}

// checkOutside checks that the text between the entities is the raw one after unescaping.
func checkOutside(t *rapid.T, raw string, clean *schemas.CleanEvent) {
	original, entities := unescaped(clean)
	var want, got strings.Builder
	r, c := 0, 0
	for _, e := range entities {
		fmt.Fprintf(&want, "%s|", string([]rune(raw)[r:*e.RawStart]))
		fmt.Fprintf(&got, "%s|", string([]rune(original)[c:e.Start]))
		r, c = *e.RawEnd, e.End
	}
	want.WriteString(string([]rune(raw)[r:]))
	got.WriteString(string([]rune(original)[c:]))
	if want.String() != got.String() {
		t.Fatalf("%q became %q: outside of the entities it is %q", raw, clean.Text, got.String())
	}
}

// unescaped returns the text of a clean event without the marks of look-alikes, and the entities
// at their positions in it.
func unescaped(clean *schemas.CleanEvent) (string, []schemas.Entity) {
	text, marks := lookalike.UnescapeAt(clean.Text)
	entities := slices.Clone(clean.Entities)
	for i := range entities {
		e := &entities[i]
		start, end := e.Start, e.End
		for _, m := range marks {
			if m < start {
				e.Start--
			}
			if m < end {
				e.End--
			}
		}
	}
	return text, entities
}
