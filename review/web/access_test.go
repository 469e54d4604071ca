package web

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestWhoMayNotEnter(t *testing.T) {
	h, _, _ := start(t, Access{Token: token, Users: users}, sample("c1"))
	for name, form := range map[string]url.Values{
		"wrong token": {"token": {"guess"}, "name": {"ann"}}, "unknown name": {"token": {tokenOf("eve")}, "name": {"eve"}},
		"no token": {"name": {"ann"}}, "strange name": {"token": {tokenOf("<b>")}, "name": {"<b>"}},
	} {
		if status, _ := do(t, http.DefaultClient, "POST", h.URL+"/login", form.Encode(), "Content-Type", "application/x-www-form-urlencoded"); status != 403 {
			t.Errorf("%s: %d", name, status)
		}
	}
	if status, _ := do(t, http.DefaultClient, "PUT", h.URL+"/api/reading?id=c1", "{}"); status != 401 {
		t.Errorf("a save without a session: %d", status)
	}
	c := client(t, h.URL, "ann")
	if status, _ := do(t, c, "PUT", h.URL+"/api/reading?id=c1", `{"spans":[]}`, "Sec-Fetch-Site", "cross-site"); status != 403 {
		t.Errorf("a save from another site: %d", status)
	}
	if status, _ := do(t, c, "PUT", h.URL+"/api/reading?id=c1&kind=adjudication", `{"spans":[]}`); status != 403 {
		t.Errorf("an adjudication by an annotator: %d", status)
	}
	if status, _ := do(t, c, "POST", h.URL+"/logout", ""); status != 200 {
		t.Errorf("logout: %d", status)
	}
	if _, body := do(t, c, "GET", h.URL+"/", ""); !strings.Contains(body, "Sign in") {
		t.Error("the session goes on after signing out")
	}
}

// shortFailTime keeps tests fast.
const shortFailTime = 50 * time.Millisecond

func TestFailedLoginsAreSlowedAndLogged(t *testing.T) {
	h, _, log := start(t, Access{Token: token, Users: users})
	const guesses = 3 * maxLogins
	var wait sync.WaitGroup
	began := time.Now()
	for range guesses {
		wait.Go(func() {
			answer, err := http.PostForm(h.URL+"/login", url.Values{"token": {"guess"}, "name": {"secret-name"}})
			if err != nil {
				t.Error(err)
				return
			}
			answer.Body.Close()
			if answer.StatusCode != http.StatusForbidden {
				t.Error(answer.Status)
			}
		})
	}
	wait.Wait()
	// At most maxLogins guesses are answered at once, each after the time.
	if took := time.Since(began); took < guesses/maxLogins*shortFailTime {
		t.Errorf("%d guesses took %s", guesses, took)
	}
	if n := strings.Count(log.String(), "a login failed"); n != guesses || !strings.Contains(log.String(), "from=127.0.0.1") {
		t.Errorf("%d of %d are logged:\n%.300s", n, guesses, log)
	}
	if strings.Contains(log.String(), "guess\"") || strings.Contains(log.String(), "secret-name") {
		t.Error("the log quotes what was typed")
	}
}

func TestAProxyNamesThePerson(t *testing.T) {
	access := Access{Header: "X-User", Users: users, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	h, _, log := start(t, access, sample("c1"))
	for user, want := range map[string]int{"ann": 200, "eve": 403, "": 403} {
		if status, _ := do(t, http.DefaultClient, "GET", h.URL+"/", "", "X-User", user); status != want {
			t.Errorf("%q: %d, want %d", user, status, want)
		}
	}
	if n := strings.Count(log.String(), "a login failed"); n != 2 {
		t.Errorf("%d of 2 are logged", n)
	}
	access.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	h, _, _ = start(t, access, sample("c1"))
	if status, _ := do(t, http.DefaultClient, "GET", h.URL+"/", "", "X-User", "ann"); status != 403 {
		t.Errorf("a header from elsewhere than the proxy: %d", status)
	}
}
