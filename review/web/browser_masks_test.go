package web

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sotto/review"
)

// TestBrowserWrongMasks says of one mask that it hides nothing personal and of another that it is of another
// infoType, takes one back, and leaves a comment that the adjudicator sees.
func TestBrowserWrongMasks(t *testing.T) {
	browser := chromium(t)
	c := sample("c1")
	c.Utterances[1] = review.Utterance{Seq: 2, Speaker: "CUSTOMER", Text: "Hello [LOCATION_1], my order is late.", Masks: []review.Mask{{Start: 6, End: 18, Type: "LOCATION"}}}
	h, s, _ := start(t, Access{Token: token, Users: users}, c)
	ctx := tab(t, browser, h.URL, "ann")
	newCall(t, ctx, h.URL)
	run(t, ctx, to("[PERSON_NAME_1]"), keys("-", "z", "-"), to("[LOCATION_1]"), keys("1"), saved)
	shot(t, ctx, "wrong-masks", chromedp.CaptureScreenshot())
	run(t, ctx, keys("-", "x", "1"), chromedp.SendKeys(chromedp.CSS("#notes"), "a nickname"), keys(kb.Tab), saved)
	run(t, ctx, chromedp.Click(chromedp.CSS("#done")), chromedp.WaitVisible(chromedp.CSS("#next")))
	r, err := s.Reading(t.Context(), "c1", review.Annotation, "ann")
	want := []review.WrongMask{
		{Place: review.Place{Seq: 1, Start: 8, End: 23}, Was: "PERSON_NAME"},
		{Place: review.Place{Seq: 2, Start: 6, End: 18}, Was: "LOCATION", Type: "PERSON_NAME"},
	}
	if err != nil || len(r.Wrong) != 2 || r.Wrong[0] != want[0] || r.Wrong[1] != want[1] || r.Notes != "a nickname" || len(r.Spans) != 0 {
		t.Errorf("%+v %v", r, err)
	}
	if _, err := s.Save(t.Context(), review.Reading{CallID: "c1", Kind: review.Annotation, Annotator: "bob", Done: true}); err != nil {
		t.Fatal(err)
	}
	judge := tab(t, browser, h.URL, "judge")
	run(t, judge, chromedp.Navigate(h.URL+"/next?kind=adjudication"), chromedp.WaitVisible(chromedp.CSS(".cursor")))
	if n := eval[int](t, judge, `document.querySelectorAll(".mask.wrong").length`); n != 2 {
		t.Errorf("the adjudicator sees %d wrong masks", n)
	}
	if text := eval[string](t, judge, `document.querySelector(".comment p").textContent`); text != "ann: a nickname" {
		t.Errorf("the adjudicator reads %q", text)
	}
}

// TestBrowserAsksWhichInfoType: a name that fits several chooses none of them.
func TestBrowserAsksWhichInfoType(t *testing.T) {
	browser := chromium(t)
	h, s, _ := start(t, Access{Token: token}, sample("c1"))
	ctx := tab(t, browser, h.URL, "ann")
	newCall(t, ctx, h.URL)
	run(t, ctx, to("order"), keys("."), chromedp.WaitVisible(chromedp.CSS("#typename")), keys(kb.Backspace), chromedp.SendKeys(chromedp.CSS("#typename"), "medical\r"),
		chromedp.Poll[chromedp.Void](`document.getElementById("typenote").textContent.includes("MEDICAL_RECORD_NUMBER, MEDICAL_TERM")`),
		chromedp.SendKeys(chromedp.CSS("#typename"), " term\r"),
		// The mark is made only after the dialog has closed.
		chromedp.Poll[chromedp.Void](`document.querySelectorAll("#marks li").length === 1`), saved)
	if r, err := s.Reading(t.Context(), "c1", review.Annotation, "ann"); err != nil || len(r.Spans) != 1 || r.Spans[0].Type != "MEDICAL_TERM" {
		t.Errorf("%+v %v", r, err)
	}
}

// TestBrowserNarrow: on a screen 400 pixels wide, no page is wider.
func TestBrowserNarrow(t *testing.T) {
	browser := chromium(t)
	c := sample("c1-0b0f5e7c-5d0a-4b6e-9a0f-2f6d8f2b7c11")
	c.Utterances[1].Raw = "Hello Halpert, my order is late."
	h, s, _ := start(t, Access{Token: token, Users: users}, c, sample("c2"))
	addReviewed(t, s)
	for _, who := range []string{"ann", "bob"} {
		if _, err := s.Save(t.Context(), review.Reading{CallID: "c2", Kind: review.Annotation, Annotator: who, Done: true, Notes: "late"}); err != nil {
			t.Fatal(err)
		}
	}
	ctx := tab(t, browser, h.URL, "root")
	run(t, ctx, chromedp.EmulateViewport(400, 800))
	computedPage(t, client(t, h.URL, "root"), h.URL+"/dashboard") // a page whose figures are being computed loads itself again
	for name, page := range map[string]string{
		"queue": "/", "call": "/call?id=" + c.ID, "red-team": "/call?kind=red-team&id=c2", "adjudication": "/call?id=c2&kind=adjudication",
		"dashboard": "/dashboard", "agreement": "/agreement", "guide": "/guide", "privacy": "/privacy", "admin": "/admin", "login": "/login?name=root&token=x",
	} {
		run(t, ctx, chromedp.Navigate(h.URL+page), chromedp.WaitVisible(chromedp.CSS("h1")))
		shot(t, ctx, "narrow-"+name, chromedp.CaptureScreenshot())
		if width := eval[int](t, ctx, `document.documentElement.scrollWidth`); width > 400 {
			t.Errorf("%s is %d pixels wide", page, width)
		}
	}
	run(t, ctx, chromedp.Navigate(h.URL+"/call?id="+c.ID), chromedp.WaitVisible(chromedp.CSS(".cursor")), keys("h"), chromedp.WaitVisible(chromedp.CSS("#help")))
	shot(t, ctx, "narrow-help", chromedp.CaptureScreenshot())
}
