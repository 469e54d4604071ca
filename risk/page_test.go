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
		"| billing | 600 | 0.00 |", "| total | 1,200 | ", "In 99.9 % of the calls, nothing was missed.",
		"| `PERSON_NAME` | yes | 1 | 1 |", "Of 7,201 words that were read, 2,399 are masks (33.3 %)", "1 calls are not annotated",
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
	if page := pageOf(t, calls[0]); !strings.Contains(page, "That there is none among 1 calls does not mean") {
		t.Errorf("a call in which nothing was missed:\n%s", page)
	}
	if page := pageOf(t, calls[1200]); !strings.Contains(page, "**Nothing is shown: no call was read.**") || strings.Contains(page, "lost") {
		t.Errorf("no call was read:\n%s", page)
	}
}
