package risk

import (
	"fmt"
	"strings"
	"testing"
)

func pageOf(t *testing.T, calls ...Transcript) string {
	t.Helper()
	var b strings.Builder
	if err := Table6().Assess(calls).WritePage(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The page says what was measured, on how many calls, what is left and what was lost, and nothing of a call.
func TestThePageForPeopleWhoDecide(t *testing.T) {
	table := Table6()
	var calls []Transcript
	for i := range 1200 {
		text := "Hi [PERSON_NAME_1], [PHONE_NUMBER_1]. is \\[REDACTED] right"
		if i == 7 {
			text = "My name is (Zebulon Wombatley)[MISSED_PERSON_NAME] and [EMAIL_ADDRESS_1]"
		}
		a, err := table.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, Transcript{ID: fmt.Sprintf("call-%d", i), Annotator: "ann", Context: []string{"billing", "sales"}[i%2], Text: a.Text, Missed: a.Missed})
	}
	calls = append(calls, Transcript{ID: "call-x", NotAnnotated: true, Text: "Wombatley"})
	page := pageOf(t, calls...)
	for _, want := range []string{
		"**Passes: mean and standard deviation together are 0.1 points, and must be below 5.**", "1,200 calls were read; 1 more were not",
		"| billing | 600 | 0.00 |", "| total | 1,200 | ", "In 99.9 % of the calls, nothing with points was missed.",
		"In 0.1 % of the calls, a direct identifier was missed (95 % interval 0.0 to 0.5 %).", "| `PERSON_NAME` | yes | 1 | 1 |", "Of 7,201 words that were read, 2,399 are masks (33.3 %)", "1 calls are not annotated",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "Wombatley") || strings.Contains(page, "call-") {
		t.Errorf("the page has something of a call:\n%s", page)
	}
	if strings.Count(page, "\n") > 45 {
		t.Errorf("it is longer than a page:\n%s", page)
	}
	if page := pageOf(t, calls[7]); !strings.Contains(page, "**Does not pass: ") || !strings.Contains(page, "100.0 % of the calls have 5 points or more") {
		t.Errorf("a call with a name:\n%s", page)
	}
	if page := pageOf(t, calls[0]); !strings.Contains(page, "A share of 0.0 % among 1 calls does not mean") {
		t.Errorf("a call in which nothing was missed:\n%s", page)
	}
	if page := pageOf(t, calls[1200]); !strings.Contains(page, "**Nothing is shown: no call was read.**") || strings.Contains(page, "lost") {
		t.Errorf("no call was read:\n%s", page)
	}
}

// read is a call that somebody read and annotated.
func read(t *testing.T, id, context, text string) Transcript {
	t.Helper()
	a, err := Table6().Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return Transcript{ID: id, Annotator: "ann", Context: context, Text: a.Text, Missed: a.Missed}
}

// wants fails if a page lacks a text, or has one that it must not have.
func wants(t *testing.T, page string, has, lacks []string) {
	t.Helper()
	for _, want := range has {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	for _, not := range lacks {
		if strings.Contains(page, not) {
			t.Errorf("the page has %q:\n%s", not, page)
		}
	}
}

// A direct identifier in each call passes, because it has fewer points than the limit. The page says that each call has one.
func TestThePageCountsDirectIdentifiers(t *testing.T) {
	var calls []Transcript
	for i := range 1200 {
		calls = append(calls, read(t, fmt.Sprintf("call-%d", i), "sales", fmt.Sprintf("it is (604 555 %04d)[MISSED_PHONE_NUMBER] ok", i)))
	}
	wants(t, pageOf(t, calls...), []string{
		"**Passes: ", "| sales | 1,200 | 4.00 | 4.00 to 4.00 | 100.0 % | 0.0 % | pass |",
		"In 100.0 % of the calls, a direct identifier was missed (95 % interval 99.7 to 100.0 %).",
		"0.0 % of the calls have 5 points or more, the limit for mean and standard deviation together (95 % interval 0.0 to 0.3 %).",
	}, []string{"as one direct identifier has"})
}

// A direct identifier that one reader of two found counts, and a part of a name does not.
func TestWhichCallsHaveADirectIdentifier(t *testing.T) {
	second := read(t, "a", "", "it is (604 555 0134)[MISSED_PHONE_NUMBER] at (Acme)[MISSED_ORGANIZATION_NAME_SPEAKER] for (Ann)[MISSED_PERSON_NAME_PARTIAL] (Lee)[MISSED_PERSON_NAME_PARTIAL]")
	second.Annotator = "bob"
	r := Table6().Assess([]Transcript{read(t, "a", "", "it is 604 555 0134"), second, read(t, "b", "", "I am (Ann)[MISSED_PERSON_NAME_PARTIAL]")})
	if d := r.Total.Direct; d.Count != 1 || d.Share != 0.5 {
		t.Errorf("direct identifiers: %+v, want them in one call of two", d)
	}
}

// What is only spoken of has no points: it was missed nevertheless.
func TestThePageDoesNotCallWhatHasNoPointsNothing(t *testing.T) {
	wants(t, pageOf(t, read(t, "a", "", "I read of (Acme)[MISSED_ORGANIZATION_NAME] today")), []string{
		"0 means that nothing with points was missed.", "In 100.0 % of the calls, nothing with points was missed.", "| `ORGANIZATION_NAME` | no | 1 | 1 |",
	}, []string{"nothing was missed"})
}

// The name of a context is text, whatever is in it.
func TestContextsDoNotBreakThePage(t *testing.T) {
	wants(t, pageOf(t, read(t, "a", "a|b\n# c", "hi"), read(t, "b", "`<b>`\\[x](y) *z* _u_", "hi")),
		[]string{"\n| a\\|b # c | 1 |", "\n| \\`\\<b>\\`\\\\\\[x](y) \\*z\\* \\_u\\_ | 1 |"}, []string{"\n# c"})
}

// The share of masks is of the calls that were read, also if these were sampled with different probabilities.
func TestThePageSaysThatTheShareOfMasksIsNotWeighted(t *testing.T) {
	calls := []Transcript{read(t, "a", "", "hi [PERSON_NAME_1]"), read(t, "b", "", "hi")}
	const notWeighted = "the share of the calls that were read; unlike other shares, it is not weighted"
	wants(t, pageOf(t, calls...), []string{"Of 3 words that were read, 1 are masks (33.3 %)."}, []string{notWeighted})
	calls[0].Probability, calls[1].Probability = 0.1, 1
	wants(t, pageOf(t, calls...), []string{"1 are masks (33.3 %).", notWeighted}, nil)
}

// Where stand-ins replace what is personal, there are no masks, and the page does not say that nothing was lost.
func TestThePageDoesNotCountStandIns(t *testing.T) {
	wants(t, pageOf(t, read(t, "a", "", "this is Karen Holt speaking")),
		[]string{"None of the 5 words that were read is a mask.", "Stand-ins"}, []string{"0 are masks", "(0.0 %)"})
	wants(t, pageOf(t, read(t, "a", "", "this is Karen for [PHONE_NUMBER_1]")), []string{"1 are masks (20.0 %).", "Stand-ins"}, nil)
}
