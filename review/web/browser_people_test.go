package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"sotto/review"
)

// TestBrowserWhoAreAboutTheSamePerson says of indirect identifiers that they are about one person, and
// finds the call among those above the limit, from where it opens again.
func TestBrowserWhoAreAboutTheSamePerson(t *testing.T) {
	browser := chromium(t)
	h, s, _ := start(t, Access{Token: token}, sample("c1"))
	ctx := tab(t, browser, h.URL, "ann")
	newCall(t, ctx, h.URL)
	// The third person does not exist before the second one, and is none.
	run(t, ctx, to("Halpert"), keys("1", "p", "="), to("Dunder"), keys("shift+right", "2", "s", "=", "="), to("Scranton"), keys("3", "=", "=", "=", "=", "="), saved)
	label := `[...document.querySelectorAll("#marks .about")].map((e) => e.textContent).join("; ")`
	if got, want := eval[string](t, ctx, label), "PERSON_NAME P =1; ORGANIZATION_NAME S =2; LOCATION =1"; got != want {
		t.Errorf("marks %q, want %q", got, want)
	}
	run(t, ctx, keys("n"), chromedp.WaitVisible(chromedp.CSS("#next")))
	r, err := s.Reading(t.Context(), "c1", review.Annotation, "ann")
	if err != nil || len(r.Pieces) != 3 || r.Pieces[0].Person != "1" || r.Pieces[1].Person != "2" || r.Pieces[2].Person != "1" {
		t.Errorf("%+v %v", r.Pieces, err)
	}
	run(t, ctx, chromedp.Navigate(h.URL+"/dashboard"), chromedp.WaitVisible(chromedp.CSS(`[aria-label="Calls above 5"]`)))
	row := eval[string](t, ctx, `document.querySelector('[aria-label="Calls above 5"] tbody tr').innerText.split("\t").join("|")`)
	if want := "c1|sales|7.0|same person|5||PERSON_NAME (1), ORGANIZATION_NAME (2), LOCATION (1)"; strings.TrimSpace(row) != want {
		t.Errorf("%q, want %q", row, want)
	}
	shot(t, ctx, "high-scorers", chromedp.FullScreenshot(100))
	// Who annotated a call does not adjudicate it: its link leads to their own marks.
	run(t, ctx, chromedp.Click(chromedp.CSS(`[aria-label="Calls above 5"] tbody a`)), chromedp.WaitVisible(chromedp.CSS(".cursor")))
	if got := eval[string](t, ctx, label); !strings.Contains(got, "LOCATION =1") {
		t.Errorf("marks %q", got)
	}
}
