// Package playground tests the page of bin/playground in headless Chromium. It is a module of its
// own, so that the driver of the browser is not a dependency of Sotto.
package playground

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// TestPage types a call into the page, and checks that what it shows is anonymized and that the
// browser sent nothing but the requests for the page's own files.
func TestPage(t *testing.T) {
	var mu sync.Mutex
	var served []string
	files := http.FileServer(http.Dir("../../bin/playground"))
	offline := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		served = append(served, r.Method+" "+r.URL.String())
		gone := offline
		mu.Unlock()
		if gone {
			panic(http.ErrAbortHandler)
		}
		files.ServeHTTP(w, r)
	}))
	defer server.Close()

	allocator, cancel := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.WindowSize(1280, 800))...)
	defer cancel()
	browser, cancel := chromedp.NewContext(allocator)
	defer cancel()
	browser, cancel = context.WithTimeout(browser, 3*time.Minute)
	defer cancel()
	var requested []string
	chromedp.ListenTarget(browser, func(event any) {
		if e, ok := event.(*network.EventRequestWillBeSent); ok {
			mu.Lock()
			requested = append(requested, e.Request.URL)
			mu.Unlock()
		}
	})

	const idle = `document.getElementById("status").textContent === "" && document.getElementById("clean").textContent !== ""`
	read := func(text *string) chromedp.Action { return chromedp.Text("#clean", text, chromedp.ByID) }
	var first, tags, surrogates string
	var picture []byte
	run := func(actions ...chromedp.Action) {
		t.Helper()
		if err := chromedp.Run(browser, actions...); err != nil {
			t.Fatal(err)
		}
	}
	run(network.Enable(), chromedp.Navigate(server.URL), chromedp.Poll(idle, nil, chromedp.WithPollingTimeout(2*time.Minute)),
		read(&first), chromedp.FullScreenshot(&picture, 100))
	for _, want := range []string{"my name is [PERSON_NAME_", "It's [PHONE_NUMBER_1].", "[CREDIT_CARD_NUMBER_1]", "[EMAIL_ADDRESS_1]"} {
		if !strings.Contains(first, want) {
			t.Errorf("the example has no %s:\n%s", want, first)
		}
	}

	// On a phone, what comes out is in sight without scrolling.
	var above, wide int
	run(chromedp.EmulateViewport(400, 800), chromedp.Evaluate(`scrollTo(0, 0); Math.round(clean.getBoundingClientRect().top)`, &above),
		chromedp.Evaluate(`document.documentElement.scrollWidth`, &wide), chromedp.EmulateViewport(1280, 800))
	if above > 560 || wide > 400 {
		t.Errorf("on a screen of 400 by 800, the result begins at %d, and the page is %d wide", above, wide)
	}

	mu.Lock()
	loaded := len(served)
	mu.Unlock()
	typed := `the latch side is fine` + "\nRosa: My name is Rosa Latch."
	set := func(text string) chromedp.Action {
		return chromedp.Evaluate(`raw.value = `+quoted(text)+`; raw.dispatchEvent(new Event("input")); clean.replaceChildren(); status.textContent = "typed"`, nil)
	}
	run(set(typed), chromedp.Poll(idle, nil), read(&tags))
	if !strings.HasPrefix(tags, "the [PERSON_NAME_1] side is fine") || !strings.Contains(tags, ": My name is [PERSON_NAME_1].") {
		t.Errorf("got %s", tags)
	}
	var inert bool
	run(chromedp.Evaluate(`show({lines: [{text: "<img src=x>", masks: []}]}); clean.querySelector("img") === null`, &inert))
	if !inert {
		t.Error("text of a call became markup")
	}
	run(chromedp.Evaluate(`strategy.value = "entity"; strategy.dispatchEvent(new Event("change")); clean.replaceChildren(); status.textContent = "typed"`, nil),
		chromedp.Poll(idle, nil), read(&surrogates))
	if strings.Contains(surrogates, "PERSON_NAME") || strings.Contains(strings.ToLower(surrogates), "wrenfield") {
		t.Errorf("surrogates: %s", surrogates)
	}

	var why, legend, copied, dropped string
	run(chromedp.Evaluate(`clean.querySelector("mark").dispatchEvent(new MouseEvent("mouseover", { bubbles: true })); reason.textContent`, &why), chromedp.Text("#legend", &legend, chromedp.ByID),
		chromedp.Evaluate(`let copied; navigator.clipboard.writeText = async (text) => { copied = text; }; copy.click(); copied`, &copied))
	if !strings.HasPrefix(why, "PERSON_NAME: ") || !strings.Contains(why, ", score ") || !strings.Contains(legend, "2 PERSON_NAME: name of a person") {
		t.Errorf("the reason is %q, the legend %q", why, legend)
	}
	if lines := strings.Split(copied, "\n"); len(lines) != 2 || !strings.HasSuffix(lines[0], " side is fine") {
		t.Errorf("copied: %q", copied)
	}
	run(chromedp.Evaluate(`{
		const data = new DataTransfer();
		data.items.add(new File(["Bob: I am Tobias Wendover."], "call.txt"));
		clean.replaceChildren(); status.textContent = "dropped";
		document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
	}`, nil), chromedp.Poll(idle, nil), read(&dropped))
	if !strings.Contains(dropped, ": I am ") || strings.Contains(dropped, "Wendover") || strings.Contains(dropped, "latch") {
		t.Errorf("a dropped file: %s", dropped)
	}

	mu.Lock()
	for _, r := range served[loaded:] {
		// A browser looks for a newer service worker whenever it likes.
		if r != "GET /sw.js" {
			t.Errorf("the page sent %s after it was loaded", r)
		}
	}
	offline = true
	mu.Unlock()
	var again string
	run(chromedp.Reload(), chromedp.Poll(idle, nil, chromedp.WithPollingTimeout(2*time.Minute)), read(&again))
	if again != first {
		t.Errorf("without the server, the page shows:\n%s", again)
	}
	sizesAreTrue(t)

	mu.Lock()
	defer mu.Unlock()
	for _, r := range served {
		if !strings.HasPrefix(r, "GET /") || strings.ContainsAny(r, "?") {
			t.Errorf("the page sent %s", r)
		}
	}
	for _, u := range requested {
		if !strings.HasPrefix(u, server.URL+"/") && !strings.HasPrefix(u, "data:") {
			t.Errorf("the page asked for %s", u)
		}
	}
	if err := os.WriteFile(filepath.Join("..", "..", "bin", "playground.png"), picture, 0o644); err != nil {
		t.Error(err)
	}
}

// sizesAreTrue compares the sizes in the page's README with those of the build.
func sizesAreTrue(t *testing.T) {
	t.Helper()
	readme, err := os.ReadFile("../../docs/playground/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var mb [2]int64
	for i, name := range []string{"sotto.wasm", "playground/sotto.wasm.gzip"} {
		info, err := os.Stat("../../bin/" + name)
		if err != nil {
			t.Fatal(err)
		}
		mb[i] = (info.Size() + 500_000) / 1_000_000
	}
	if want := fmt.Sprintf("(%d MB, %d MB compressed)", mb[0], mb[1]); !strings.Contains(string(readme), want) {
		t.Errorf("docs/playground/README.md does not say %s", want)
	}
}

// quoted is a string of JavaScript.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
