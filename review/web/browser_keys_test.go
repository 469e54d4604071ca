package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sotto/review"
	"sotto/review/store"
)

// TestBrowserAMarkTakesAtMostTwoKeys marks a word that was chosen with the mouse: one key for each
// infoType that has one, and one more for partial, of a speaker, or unsure.
func TestBrowserAMarkTakesAtMostTwoKeys(t *testing.T) {
	browser := chromium(t)
	type mark struct {
		pressed []string
		want    review.Span
	}
	var marks []mark
	for _, k := range keysOf(review.Missed) {
		marks = append(marks, mark{[]string{k.Key}, review.Span{Type: k.Type}})
	}
	for _, flag := range []struct {
		key  string
		want review.Span
	}{
		{"p", review.Span{Type: "PERSON_NAME", Partial: true}}, {"s", review.Span{Type: "ORGANIZATION_NAME", Speaker: true}},
		{"u", review.Span{Type: "LOCATION", Unsure: true}},
	} {
		for _, k := range typeKeys {
			if k.Type == flag.want.Type {
				marks = append(marks, mark{[]string{k.Key, flag.key}, flag.want})
			}
		}
	}
	c := review.Call{ID: "c1", Mode: review.Missed}
	for i := range marks {
		c.Utterances = append(c.Utterances, review.Utterance{Seq: int64(i + 1), Text: fmt.Sprintf("so word%d it is", i)})
	}
	h, s, _ := start(t, Access{Token: token}, c)
	ctx := tab(t, browser, h.URL, "ann")
	newCall(t, ctx, h.URL)
	for i, m := range marks {
		word := fmt.Sprint("word", i)
		run(t, ctx, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`[...document.querySelectorAll(".t")].find(e => e.textContent === %q).scrollIntoView({block: "center"})`, word)))
		x, y := center(t, ctx, word)
		run(t, ctx, chromedp.MouseClickXY(x, y, chromedp.ClickCount(2)), keys(m.pressed...))
		if len(m.pressed) > 2 {
			t.Errorf("%v takes %d keys", m.want, len(m.pressed))
		}
	}
	run(t, ctx, saved)
	r, err := s.Reading(t.Context(), "c1", review.Annotation, "ann")
	if err != nil || len(r.Spans) != len(marks) {
		t.Fatalf("%d marks of %d: %v", len(r.Spans), len(marks), err)
	}
	for i, got := range r.Spans {
		want := marks[i].want
		want.Place = review.Place{Seq: int64(i + 1), Start: 3, End: 3 + len(fmt.Sprint("word", i))}
		if got != want {
			t.Errorf("%v gives %+v, want %+v", marks[i].pressed, got, want)
		}
	}
}

// TestBrowserASuggestionTakesOneKey goes to the first suggestion with one key and accepts it with
// another; from then on, each takes one key.
func TestBrowserASuggestionTakesOneKey(t *testing.T) {
	browser := chromium(t)
	h, s, _ := start(t, Access{Token: token}, sample("c1"))
	ctx := tab(t, browser, h.URL, "ann")
	newCall(t, ctx, h.URL)
	n := eval[int](t, ctx, `document.querySelectorAll("#suggestions li").length`)
	if n < 3 {
		t.Fatalf("%d suggestions", n)
	}
	pressed := []string{"j"}
	for range n {
		pressed = append(pressed, "a")
	}
	run(t, ctx, keys(pressed...), saved)
	if r, err := s.Reading(t.Context(), "c1", review.Annotation, "ann"); err != nil || len(r.Spans) != n {
		t.Errorf("%d keys for %d suggestions give %d marks: %v", len(pressed), n, len(r.Spans), err)
	}
}

// TestBrowserAdjudication rejects one of two marks of the same words without losing the other, and
// gives a mark of an infoType that only a later version knows one that this version knows.
func TestBrowserAdjudication(t *testing.T) {
	browser := chromium(t)
	h, s, _ := start(t, Access{Token: token}, sample("c1"))
	place := review.Place{Seq: 1, Start: 55, End: 63}
	later := review.Span{Place: review.Place{Seq: 2, Start: 6, End: 13}, Type: "IRIS_SCAN"}
	var changes []store.Change
	for who, spans := range map[string][]review.Span{
		"ann": {{Place: place, Type: "LOCATION"}, later}, "bob": {{Place: place, Type: "LOCATION", Partial: true}, later},
	} {
		changes = append(changes, store.Change{Reading: review.Reading{
			CallID: "c1", Kind: review.Annotation, Annotator: who, Revision: 1, Done: true, Spans: spans,
		}})
	}
	if err := s.Take(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
	ctx := tab(t, browser, h.URL, "eve")
	run(t, ctx, chromedp.Navigate(h.URL+"/next?kind=adjudication"), chromedp.WaitVisible(chromedp.CSS(".cursor")))
	// The mark that is not partial is gone, and the other one is at the cursor.
	run(t, ctx, keys("j", "r", "a", "a"), chromedp.WaitVisible(chromedp.CSS("#typename")),
		// Unlike a keyboard, the driver also sends the character of a key that the page has handled.
		keys(kb.Backspace), chromedp.SendKeys(chromedp.CSS("#typename"), "person name\r"),
		chromedp.Poll[chromedp.Void](`document.querySelectorAll("#marks li").length === 2`), saved, keys("n"), chromedp.WaitVisible(chromedp.CSS("#next")))
	r, err := s.Reading(t.Context(), "c1", review.Adjudication, "eve")
	want := []review.Span{{Place: place, Type: "LOCATION", Partial: true}, {Place: later.Place, Type: "PERSON_NAME"}}
	if err != nil || !r.Done || len(r.Spans) != 2 || r.Spans[0] != want[0] || r.Spans[1] != want[1] {
		t.Errorf("%+v, want %+v: %v", r, want, err)
	}
}
