package web

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"sotto/review"
)

// envPicture names the file that the picture in the documents goes into. 'make review-picture' sets it.
const envPicture = "SOTTO_TEST_PICTURE"

// TestBrowserPicture takes the picture of the page of a call. The call is invented.
func TestBrowserPicture(t *testing.T) {
	file := os.Getenv(envPicture)
	if file == "" {
		t.Skip("make review-picture runs it")
	}
	browser := chromium(t)
	estimate := 3.2
	c := review.Call{
		ID: "c-1042", Mode: review.Missed, Context: "customer_support", Policy: "p1", Reason: "uniform", Rate: 0.5, Estimated: &estimate, TimestampMS: 1763683200000,
		Utterances: []review.Utterance{
			{Seq: 1, Speaker: "AGENT", Text: "Thank you for calling, this is [PERSON_NAME_1]. Who am I speaking with?", Masks: []review.Mask{{Start: 31, End: 46, Type: "PERSON_NAME"}}},
			{Seq: 2, Speaker: "CUSTOMER", Text: "Hi, [PERSON_NAME_2] here, my mother Wendover had the line before me.", Masks: []review.Mask{{Start: 4, End: 19, Type: "PERSON_NAME"}}},
			{Seq: 3, Speaker: "AGENT", Text: "I see. Is she still in Chilliwack?"},
			{Seq: 4, Speaker: "CUSTOMER", Text: "No, she has moved, her number is [PHONE_NUMBER_1] now.", Masks: []review.Mask{{Start: 33, End: 49, Type: "PHONE_NUMBER"}}},
			{Seq: 5, Speaker: "AGENT", Text: "Thanks, I have changed it. The next bill comes by mail."},
		},
	}
	h, _, _ := start(t, Access{Token: token}, c)
	ctx := tab(t, browser, h.URL, "ann")
	run(t, ctx, chromedp.EmulateViewport(1100, 560), prefer("light"))
	newCall(t, ctx, h.URL)
	run(t, ctx, to("Wendover"), keys("1", "p"), saved, to("Chilliwack"))
	eval[int](t, ctx, `document.activeElement.blur(); 0`) // the corners of its outline are not the same each time
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, picture, 0o644); err != nil { //nolint:gosec // a picture for everybody
		t.Fatal(err)
	}
}
