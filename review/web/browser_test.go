package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sotto/review"
	"sotto/review/store"
	"sotto/risk"
)

// envBrowser asks for the tests in a real browser. envAxe names the axe-core script, and
// envScreenshots a folder for screenshots, which is created.
const (
	envBrowser     = "SOTTO_TEST_BROWSER"
	envAxe         = "SOTTO_TEST_AXE"
	envScreenshots = "SOTTO_TEST_SCREENSHOTS"
)

const browserPatience = 2 * time.Minute

// chromium starts a headless browser. The tests that need one run by 'make test-review'.
func chromium(t *testing.T) context.Context {
	t.Helper()
	if os.Getenv(envBrowser) == "" {
		t.Skip("needs a browser; 'make test-review' runs it")
	}
	path := ""
	for _, name := range []string{os.Getenv(envBrowser), "chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Fatal("no Chromium; install it, or name it in " + envBrowser)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1280, 720))
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewContext(allocator)
	t.Cleanup(stop)
	// The first action starts the browser, which lives as long as its context.
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// step is an action without a value.
type step = chromedp.Action[chromedp.Void]

// eval returns what a script returns.
func eval[T any](t *testing.T, ctx context.Context, script string, o ...chromedp.EvaluateOption) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, o...))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// tab opens a window with its own cookies, signed in under a name.
func tab(t *testing.T, browser context.Context, base, name string) context.Context {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, browserPatience)
	t.Cleanup(cancel)
	run(t, ctx, chromedp.EmulateViewport(1280, 720), chromedp.Navigate(base+"/login?name="+name+"&token="+tokenOf(name)),
		chromedp.Click(chromedp.CSS("#signin")), chromedp.WaitVisible(chromedp.CSS("#next")))
	return ctx
}

func run(t *testing.T, ctx context.Context, actions ...step) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// keys presses keys.
func keys(pressed ...string) step {
	var out []step
	for _, k := range pressed {
		var options []chromedp.KeyOption
		if rest, ok := strings.CutPrefix(k, "shift+"); ok {
			k, options = rest, append(options, chromedp.KeyModifiers(chromedp.ModifierShift))
		}
		if k == "right" {
			k = kb.ArrowRight
		}
		out = append(out, chromedp.KeyEvent(k, options...))
	}
	return chromedp.Steps(out...)
}

// to moves the cursor to a token by its text.
func to(word string) step {
	return func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		for range 60 {
			at, err := chromedp.Evaluate[string](`document.querySelector(".cursor").textContent`)(ctx, target)
			if err != nil || at == word {
				return none, err
			}
			if _, err := keys("right")(ctx, target); err != nil {
				return none, err
			}
		}
		return none, fmt.Errorf("the cursor never comes to %q", word)
	}
}

var saved = chromedp.Poll[chromedp.Void](`document.getElementById("saved").textContent === "Saved"`)

func newCall(t *testing.T, ctx context.Context, base string) {
	t.Helper()
	run(t, ctx, chromedp.Navigate(base+"/next"), chromedp.WaitVisible(chromedp.CSS(".cursor")))
}

func TestBrowserKeyboardFromWordsToTheExportedFile(t *testing.T) {
	browser := chromium(t)
	h, _, _ := start(t, Access{Token: token}, sample("c1"))
	ctx := tab(t, browser, h.URL, "ann")
	newCall(t, ctx, h.URL)
	run(t, ctx, to("Halpert"), keys("1", "p"), to("Dunder"), keys("shift+right", "2", "s"), to("Scranton"), keys("3"),
		to("Halpert"), keys("1", "x", "z"), saved)
	// The other Halpert, by an infoType without a key of its own, and unsure.
	run(t, ctx, to("order"), keys("."), chromedp.SendKeys(chromedp.CSS("#typename"), "mac address local\r"), keys("u"), saved, keys("n"), chromedp.WaitVisible(chromedp.CSS("#next")))
	want := "AGENT: This is [PERSON_NAME_1] (Halpert)[MISSED_PERSON_NAME_PARTIAL] from (Dunder Mifflin)[MISSED_ORGANIZATION_NAME_SPEAKER] " +
		"in (Scranton)[MISSED_LOCATION].\nCUSTOMER: Hello (Halpert)[MISSED_PERSON_NAME], my (order)[MISSED_MAC_ADDRESS_LOCAL] is late.\n"
	if got := exported(t, h.URL); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestBrowserLabelsRawText labels what evaluation leaves out, with one key each.
func TestBrowserLabelsRawText(t *testing.T) {
	browser := chromium(t)
	c := review.Call{ID: "c1", Mode: review.Label, Utterances: []review.Utterance{{Seq: 1, Speaker: "Agent", Text: "pay ten dollars at noon on Friday says rex"}}}
	h, _, _ := start(t, Access{Token: token}, c)
	ctx := tab(t, browser, h.URL, "ann")
	newCall(t, ctx, h.URL)
	run(t, ctx, to("ten"), keys("shift+right", "$"), to("noon"), keys(":"), to("Friday"), keys("/"), to("rex"), keys("f"), saved,
		keys("n"), chromedp.WaitVisible(chromedp.CSS("#next")))
	_, lines := do(t, client(t, h.URL, "root"), "GET", h.URL+"/export/gold.jsonl", "")
	for _, want := range []string{
		`{"start":4,"end":15,"type":"MONEY"}`, `{"start":19,"end":23,"type":"TIME"}`, `{"start":27,"end":33,"type":"DATE"}`, `{"start":39,"end":42,"type":"OTHER"}`,
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("%s\nlacks %s", lines, want)
		}
	}
}

// exported returns the annotated text of the only call, from the file that an admin downloads.
func exported(t *testing.T, base string) string {
	t.Helper()
	_, lines := do(t, client(t, base, "root"), "GET", base+"/export/annotated.jsonl", "")
	var line struct {
		Utterances []struct {
			Speaker, Text string
			Missed        []review.Span
		}
	}
	if err := json.Unmarshal([]byte(lines), &line); err != nil {
		t.Fatalf("%v", err)
	}
	var text strings.Builder
	for _, u := range line.Utterances {
		words, at := []rune(u.Text), 0
		text.WriteString(u.Speaker + ": ")
		for _, s := range u.Missed {
			fmt.Fprintf(&text, "%s(%s)[MISSED_%s", string(words[at:s.Start]), string(words[s.Start:s.End]), s.Type)
			for suffix, has := range map[string]bool{"_PARTIAL": s.Partial, "_SPEAKER": s.Speaker} {
				if has {
					text.WriteString(suffix)
				}
			}
			text.WriteByte(']')
			at = s.End
		}
		text.WriteString(string(words[at:]) + "\n")
	}
	return text.String()
}

// center returns the middle of a token with this text.
func center(t *testing.T, ctx context.Context, word string) (x, y float64) {
	t.Helper()
	at := eval[[]float64](t, ctx, fmt.Sprintf(`(() => { const r = [...document.querySelectorAll(".t")].find(e => e.textContent === %q).getBoundingClientRect();
		return [r.left + r.width / 2, r.top + r.height / 2]; })()`, word))
	return at[0], at[1]
}

func TestBrowserMouse(t *testing.T) {
	browser := chromium(t)
	h, _, _ := start(t, Access{Token: token}, sample("c1"))
	ctx := tab(t, browser, h.URL, "ann")
	newCall(t, ctx, h.URL)
	x1, y1 := center(t, ctx, "Dunder")
	x2, y2 := center(t, ctx, "Mifflin")
	run(t, ctx,
		chromedp.MouseEvent(chromedp.MousePressed, x1, y1, chromedp.Button("left"), chromedp.ClickCount(1)),
		chromedp.MouseEvent(chromedp.MouseMoved, (x1+x2)/2, y1, chromedp.Button("left")),
		chromedp.MouseEvent(chromedp.MouseMoved, x2, y2, chromedp.Button("left")),
		chromedp.MouseEvent(chromedp.MouseReleased, x2, y2, chromedp.Button("left"), chromedp.ClickCount(1)),
		keys("2"))
	x, y := center(t, ctx, "Scranton")
	run(t, ctx, chromedp.MouseClickXY(x, y, chromedp.ClickCount(2)), keys("3"), saved)
	// A drag over what is masked marks only what lies behind it.
	x1, y1 = center(t, ctx, "This")
	x2, y2 = center(t, ctx, "Halpert")
	run(t, ctx,
		chromedp.MouseEvent(chromedp.MousePressed, x1, y1, chromedp.Button("left"), chromedp.ClickCount(1)),
		chromedp.MouseEvent(chromedp.MouseMoved, x2, y2, chromedp.Button("left")),
		chromedp.MouseEvent(chromedp.MouseReleased, x2, y2, chromedp.Button("left"), chromedp.ClickCount(1)),
		keys("1"), saved, chromedp.Click(chromedp.CSS("#done")), chromedp.WaitVisible(chromedp.CSS("#next")))
	got := exported(t, h.URL)
	for _, want := range []string{"(Dunder Mifflin)[MISSED_ORGANIZATION_NAME]", "(Scranton)[MISSED_LOCATION]", "[PERSON_NAME_1] (Halpert)[MISSED_PERSON_NAME]"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
}

func TestBrowserTwoAnnotatorsAtOnce(t *testing.T) {
	browser := chromium(t)
	h, s, _ := start(t, Access{Token: token}, sample("c1"))
	ann, bob := tab(t, browser, h.URL, "ann"), tab(t, browser, h.URL, "bob")
	newCall(t, ann, h.URL)
	newCall(t, bob, h.URL)
	run(t, ann, to("Halpert"), keys("1"), saved)
	run(t, bob, to("Scranton"), keys("3"), saved)
	run(t, ann, to("Scranton"), keys("3"), saved)
	if marks := eval[int](t, bob, `document.querySelectorAll("#marks li").length`); marks != 1 {
		t.Errorf("bob sees %d marks", marks)
	}
	readings, err := s.Readings(t.Context(), "c1")
	if err != nil || len(readings) != 2 || len(readings[0].Spans) != 2 || len(readings[1].Spans) != 1 {
		t.Errorf("%+v %v", readings, err)
	}
	// Two windows of one annotator: the second one gets a message, and overwrites nothing.
	again := tab(t, browser, h.URL, "ann")
	newCall(t, again, h.URL)
	run(t, again, to("order"), keys("7"), saved)
	run(t, ann, to("late"), keys("7"), chromedp.WaitVisible(chromedp.CSS("#problem")))
	if r, _ := s.Reading(t.Context(), "c1", review.Annotation, "ann"); len(r.Spans) != 3 {
		t.Errorf("%+v", r.Spans)
	}
}

func TestBrowserSuggestionsAndRedTeam(t *testing.T) {
	browser := chromium(t)
	c := sample("c1")
	c.Utterances[1].Text = "My code is 88213 and my boss is quenlith vorbask."
	h, s, _ := start(t, Access{Token: token}, c)
	ctx := tab(t, browser, h.URL, "ann")
	newCall(t, ctx, h.URL)
	before := eval[int](t, ctx, `document.querySelectorAll("#suggestions li").length`)
	run(t, ctx, keys("j", "a", "r"), saved)
	r, err := s.Reading(t.Context(), "c1", review.Annotation, "ann")
	if err != nil || before < 2 || len(r.Spans) != 1 || len(r.Rejected) != 1 {
		t.Errorf("%d suggestions, %+v %v", before, r, err)
	}
	run(t, ctx, chromedp.Navigate(h.URL+"/next?kind=red-team"), chromedp.WaitVisible(chromedp.CSS("#searched")),
		chromedp.SendKeys(chromedp.CSS("#searched"), "nnn 1 sp"), keys(kb.Tab), chromedp.Click(chromedp.CSS(`input[value="residual"]`)), saved,
		chromedp.Click(chromedp.CSS("#done")), chromedp.WaitVisible(chromedp.CSS("#next")))
	r, err = s.Reading(t.Context(), "c1", review.RedTeam, "ann")
	if err != nil || r.Verdict != "residual" || r.Searched != "nnn 1 sp" || !r.Done || len(r.Spans) != 0 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestBrowserRunsNothingFromTexts(t *testing.T) {
	browser := chromium(t)
	const evil = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> Halpert`
	c := sample(`c1"><script>window.hacked=1</script>`)
	c.Utterances[1].Text, c.Utterances[1].Speaker, c.Utterances[1].Raw, c.Context = evil, evil, evil, evil
	h, s, _ := start(t, Access{Token: token}, c)
	ctx := tab(t, browser, h.URL, "ann")
	r := review.Reading{CallID: c.ID, Kind: review.RedTeam, Annotator: "ann", Notes: evil, Searched: evil, Verdict: "residual"}
	if _, err := s.Save(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	harmless := func(page string) {
		run(t, ctx, chromedp.Navigate(h.URL+page))
		if eval[bool](t, ctx, `!!window.hacked || !!document.querySelector("main img")`) {
			t.Errorf("%s runs what a text contains", page)
		}
	}
	harmless("/call?kind=red-team&id=" + url.QueryEscape(c.ID)) // before she sees raw text
	newCall(t, ctx, h.URL)
	run(t, ctx, to("Halpert"), keys("1"), to("img"), keys("shift+right", "shift+right", "2"), saved)
	// The topic may hold any label and any name.
	for _, who := range []string{evil, "bob"} {
		span := review.Span{Place: review.Place{Seq: 2, Start: 0, End: 4}, Type: evil, Key: evil, Unsure: who == "bob"}
		r := review.Reading{CallID: c.ID, Kind: review.Annotation, Annotator: who, Revision: 1, Done: true, Spans: []review.Span{span}, Pieces: []risk.Piece{{Type: evil}}}
		if err := s.Take(t.Context(), []store.Change{{Reading: r}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, page := range []string{"/call?id=" + url.QueryEscape(c.ID), "/call?kind=adjudication&id=" + url.QueryEscape(c.ID), "/", "/dashboard", "/agreement", "/admin"} {
		harmless(page)
	}
}

// TestBrowserAxe looks for what keeps people with a screen reader or low vision from working.
func TestBrowserAxe(t *testing.T) {
	browser := chromium(t)
	script, err := os.ReadFile(os.Getenv(envAxe))
	if err != nil {
		t.Skip("needs axe-core, which " + envAxe + " names; 'make test-review' gets it")
	}
	c := sample("c1")
	c.Utterances[1].Raw = "Hello Halpert, my order is late."
	c.Utterances[1].Text = "Hello Halpert, code 88213."
	c.Missing, c.Utterances[0].Speaker = 12, "[PERSON_NAME_1]"
	for i := range 12 {
		u := review.Utterance{Seq: int64(i + 3), Speaker: "CUSTOMER", Text: strings.Repeat("The order for Halpert should have come to Scranton by now. ", 1+i%4)}
		c.Utterances = append(c.Utterances, u)
	}
	c.ID = "0b0f5e7c-5d0a-4b6e-9a0f-2f6d8f2b7c11"
	h, s, _ := start(t, Access{Token: token}, c, sample("c2"))
	for _, who := range []string{"ann", "bob"} {
		r := review.Reading{CallID: "c2", Kind: review.Annotation, Annotator: who, Done: true, Spans: []review.Span{
			{Place: review.Place{Seq: 2, Start: 6, End: 13}, Type: "PERSON_NAME", Unsure: who == "bob"},
		}}
		if _, err := s.Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	addReviewed(t, s)
	ctx := tab(t, browser, h.URL, "eve")
	run(t, ctx, chromedp.Navigate(h.URL+"/call?id="+c.ID), chromedp.WaitVisible(chromedp.CSS(".cursor")), to("Hello"), keys("1"), to("code"), keys("1", "u"), saved, to("88213"))
	eve := client(t, h.URL, "eve")
	for _, theme := range []string{"dark", "light"} {
		run(t, ctx, prefer(theme))
		for name, page := range map[string]string{
			"queue": "/", "call": "/call?id=" + c.ID, "red-team": "/call?kind=red-team&id=c2", "adjudication": "/call?id=c2&kind=adjudication",
			"dashboard": "/dashboard", "agreement": "/agreement", "guide": "/guide", "privacy": "/privacy", "admin": "/admin", "login": "/login",
		} {
			computedPage(t, eve, h.URL+"/dashboard") // a page whose figures are being computed loads itself again
			run(t, ctx, chromedp.Navigate(h.URL+page), chromedp.WaitVisible(chromedp.CSS("h1")), chromedp.Sleep(300*time.Millisecond))
			if name == "call" {
				run(t, ctx, to("88213"), keys("shift+right"))
			}
			shot(t, ctx, name+"-"+theme, chromedp.CaptureScreenshot())
			if name == "dashboard" || name == "agreement" {
				shot(t, ctx, name+"-whole-"+theme, chromedp.FullScreenshot(100))
			}
			eval[int](t, ctx, string(script)+";0")
			problems := eval[[]string](t, ctx, `axe.run().then(r => r.violations.filter(v => v.impact === "serious" || v.impact === "critical")
				.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.target + " " + n.failureSummary).join("; ")))`,
				chromedp.EvalAsValue, chromedp.EvalAwaitPromise)
			for _, p := range problems {
				t.Errorf("%s, %s: %s", page, theme, p)
			}
		}
	}
	run(t, ctx, chromedp.Navigate(h.URL+"/call?id="+c.ID), chromedp.WaitVisible(chromedp.CSS(".cursor")), keys("h"), chromedp.WaitVisible(chromedp.CSS("#help")))
	shot(t, ctx, "help", chromedp.CaptureScreenshot())
}

// addReviewed adds calls of some weeks, contexts and policies that were read twice and judged, so that
// the pages with figures have something to show.
func addReviewed(t *testing.T, s *store.Store) {
	t.Helper()
	const week = 7 * 24 * time.Hour
	began := time.UnixMilli(1763683200000)
	var changes []store.Change
	for i := range 90 {
		c := sample(fmt.Sprint("call-", 1000+i))
		c.Context = []string{"sales", "meeting", "customer_support"}[i%3]
		c.Policy = []string{"3f9c2a7b11d0", "b81e04c95a6f"}[i/45]
		c.TimestampMS = began.Add(time.Duration(i/15) * week).UnixMilli()
		estimate := float64(i%7) / 2
		c.Estimated = &estimate
		if err := s.Add(t.Context(), []review.Call{c}); err != nil {
			t.Fatal(err)
		}
		name := review.Span{Place: review.Place{Seq: 2, Start: 6, End: 13}, Type: "PERSON_NAME"}
		place := review.Span{Place: review.Place{Seq: 1, Start: 55, End: 63}, Type: "LOCATION"}
		for k, who := range []string{"ann", "bob"} {
			r := review.Reading{CallID: c.ID, Kind: review.Annotation, Annotator: who, Revision: 1, Done: true, UpdatedMS: c.TimestampMS, Spans: []review.Span{}, Pieces: []risk.Piece{}}
			if i%4 == 0 {
				r.Spans, r.Pieces = append(r.Spans, name), append(r.Pieces, risk.Piece{Type: name.Type})
			}
			if i%9 == 0 && (k == 0 || i < 60) {
				r.Spans, r.Pieces = append(r.Spans, place), append(r.Pieces, risk.Piece{Type: place.Type})
			}
			changes = append(changes, store.Change{Reading: r})
		}
		verdict := risk.NothingFound
		if i%10 == 0 {
			verdict = risk.Residual
		}
		changes = append(changes, store.Change{Reading: review.Reading{CallID: c.ID, Kind: review.RedTeam, Annotator: "eve", Revision: 1, Done: true, Verdict: verdict, UpdatedMS: c.TimestampMS}})
	}
	if err := s.Take(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
}

// prefer sets the system's theme.
func prefer(theme string) step {
	return func(ctx context.Context, t *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
		})
		return none, err
	}
}

func shot(t *testing.T, ctx context.Context, name string, capture chromedp.Action[[]byte]) {
	t.Helper()
	folder := os.Getenv(envScreenshots)
	if folder == "" {
		return
	}
	png, err := chromedp.Run(ctx, capture)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600); err != nil {
		t.Fatal(err)
	}
}
