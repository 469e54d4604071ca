// Package playground tests the page of bin/playground in headless Chromium. It is a module of its
// own, so that the driver of the browser is not a dependency of Sotto.
package playground

import (
	"context"
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
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		served = append(served, r.Method+" "+r.URL.String())
		mu.Unlock()
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

	mu.Lock()
	loaded := len(served)
	mu.Unlock()
	typed := `the latch side is fine` + "\nBob: My name is Rosa Latch."
	set := func(text string) chromedp.Action {
		return chromedp.Evaluate(`raw.value = `+quoted(text)+`; raw.dispatchEvent(new Event("input")); clean.replaceChildren(); status.textContent = "typed"`, nil)
	}
	run(set(typed), chromedp.Poll(idle, nil), read(&tags))
	if !strings.HasPrefix(tags, "the [PERSON_NAME_2] side is fine") || !strings.Contains(tags, ": My name is [PERSON_NAME_2].") {
		t.Errorf("got %s", tags)
	}
	var inert bool
	run(chromedp.Evaluate(`show([{text: "<img src=x>", entities: []}]); clean.querySelector("img") === null`, &inert))
	if !inert {
		t.Error("text of a call became markup")
	}
	run(chromedp.Evaluate(`strategy.value = "entity"; strategy.dispatchEvent(new Event("change")); clean.replaceChildren(); status.textContent = "typed"`, nil),
		chromedp.Poll(idle, nil), read(&surrogates))
	if strings.Contains(surrogates, "PERSON_NAME") || strings.Contains(strings.ToLower(surrogates), "wrenfield") {
		t.Errorf("surrogates: %s", surrogates)
	}

	mu.Lock()
	defer mu.Unlock()
	if len(served) != loaded {
		t.Errorf("the page sent requests after it was loaded: %v", served[loaded:])
	}
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

// quoted is a string of JavaScript.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
