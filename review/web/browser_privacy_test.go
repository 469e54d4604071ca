package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sotto/review"
)

// computedPage reads a page until it has all figures.
func computedPage(t *testing.T, c *http.Client, address string) string {
	t.Helper()
	for end := time.Now().Add(browserPatience); ; time.Sleep(20 * time.Millisecond) {
		if _, page := do(t, c, "GET", address, ""); !strings.Contains(page, "being computed") {
			return page
		}
		if time.Now().After(end) {
			t.Fatal("the figures are never computed")
		}
	}
}

// Before anybody has read a call, no page says that it passes or fails, or has a figure.
func TestFiguresOfNothing(t *testing.T) {
	h, _, _ := start(t, Access{Token: token, Users: users}, sample("c1"))
	for _, page := range []string{"/dashboard", "/privacy"} {
		text := computedPage(t, client(t, h.URL, "judge"), h.URL+page)
		if !strings.Contains(text, "Nobody has read a call to its end yet") {
			t.Errorf("%s does not say that nobody has read a call", page)
		}
		for _, said := range []string{"<td>fail", "<td>pass", ": fail", ">total<", "0.0", "What readers found"} {
			if strings.Contains(text, said) {
				t.Errorf("%s says %q", page, said)
			}
		}
	}
}

// The page for privacy officers has the figures of the review for those who may see them: who annotates must not know what others found.
func TestThePrivacyPage(t *testing.T) {
	h, s, _ := start(t, Access{Token: token, Users: users}, sample("c1"))
	for _, who := range []string{"ann", "bob"} {
		if _, err := s.Save(t.Context(), review.Reading{CallID: "c1", Kind: review.Annotation, Annotator: who, Done: true, Spans: []review.Span{}}); err != nil {
			t.Fatal(err)
		}
	}
	for who, shown := range map[string]bool{"ann": false, "judge": true, "root": true} {
		text := computedPage(t, client(t, h.URL, who), h.URL+"/privacy")
		for _, want := range []string{"What is masked, and what stays", `id="figures"`, "always missed", "sotto erase", "Recordings"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page lacks %q", who, want)
			}
		}
		if got := strings.Contains(text, "What readers found"); got != shown {
			t.Errorf("%s sees the figures: %v, want %v", who, got, shown)
		}
	}
	_, admin := do(t, client(t, h.URL, "root"), "GET", h.URL+"/admin", "")
	for _, want := range []string{"Other copies stay", "topics of the stream", "exported here", "recordings", "models"} {
		if !strings.Contains(admin, want) {
			t.Errorf("the form that erases does not name %q", want)
		}
	}
}

// The arrow keys go from word to word: a comma is no stop, and no mark begins with one. Commas in a mark stay in it.
func TestBrowserKeysPassPunctuation(t *testing.T) {
	browser := chromium(t)
	c := review.Call{ID: "c1", Mode: review.Missed, Utterances: []review.Utterance{
		{Seq: 1, Speaker: "Agent", Text: "Hello, my friend: rex, stone (the second)!"}, {Seq: 2, Speaker: "Agent", Text: "..."},
	}}
	h, s, _ := start(t, Access{Token: token}, c)
	ctx := tab(t, browser, h.URL, "ann")
	newCall(t, ctx, h.URL)
	for _, want := range []string{"Hello", "my", "friend", "rex", "stone", "the", "second", "second"} {
		if at := eval[string](t, ctx, `document.querySelector(".cursor").textContent`); at != want {
			t.Errorf("the cursor is at %q, want %q", at, want)
		}
		run(t, ctx, keys("right"))
	}
	run(t, ctx, chromedp.Navigate(h.URL+"/call?id=c1"), chromedp.WaitVisible(chromedp.CSS(".cursor")), to("rex"), keys("shift+right", "1"), saved)
	r, err := s.Reading(t.Context(), "c1", review.Annotation, "ann")
	if err != nil || len(r.Spans) != 1 || r.Spans[0].Start != 18 || r.Spans[0].End != 28 {
		t.Errorf("the mark is %+v (%v), want that of \"rex, stone\"", r.Spans, err)
	}
}

// No table of the guidelines is cut off on a usual screen, and the figures lead to what they mean.
func TestBrowserGuidelinesAreWhole(t *testing.T) {
	browser := chromium(t)
	h, _, _ := start(t, Access{Token: token}, sample("c1"))
	ctx := tab(t, browser, h.URL, "root")
	for _, width := range []int64{1000, 1200, 1280, 1920} {
		run(t, ctx, chromedp.EmulateViewport(width, 800), chromedp.Navigate(h.URL+"/guide"), chromedp.WaitVisible(chromedp.CSS("h1")))
		if hidden := eval[int](t, ctx, `Math.max(...[...document.querySelectorAll(".scroll")].map((e) => e.scrollWidth - e.clientWidth))`); hidden > 0 {
			t.Errorf("at %d pixels, %d of the table are cut off", width, hidden)
		}
	}
	run(t, ctx, chromedp.Navigate(h.URL+"/call?id=c1"), chromedp.WaitVisible(chromedp.CSS(".cursor")),
		chromedp.Click(chromedp.CSS(`.callhead a`)), chromedp.WaitVisible(chromedp.CSS("#figures")))
	if text := eval[string](t, ctx, `document.querySelector("dl").innerText`); !strings.Contains(text, "Estimate 0.4") || !strings.Contains(text, "one full name") {
		t.Errorf("the page does not explain an estimate and 5: %s", text)
	}
	shot(t, ctx, "privacy", chromedp.FullScreenshot(100))
}
