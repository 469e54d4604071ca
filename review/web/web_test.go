package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/anonymize"
	"sotto/internal/testkit/brokertest"
	"sotto/internal/testkit/heap"
	"sotto/internal/testkit/postgrestest"
	"sotto/review"
	"sotto/review/store"
	"sotto/risk"
)

const token = "the-token"

func tokenOf(name string) string { return (&Access{Token: token}).TokenOf(name) }

var engine = sync.OnceValues(func() (*anonymize.Engine, error) {
	return anonymize.New(anonymize.Options{RawOffsets: true, OtherLanguages: anonymize.PassOther})
})

// start serves pages on a new store.
func start(t testing.TB, access Access, calls ...review.Call) (*httptest.Server, *store.Store, *bytes.Buffer) {
	t.Helper()
	return startOn(t, filepath.Join(t.TempDir(), "review.db"), access, calls...)
}

// startOn serves pages on a store in a file or in PostgreSQL.
func startOn(t testing.TB, path string, access Access, calls ...review.Call) (*httptest.Server, *store.Store, *bytes.Buffer) {
	t.Helper()
	s, err := openStore(context.Background(), path, store.Options{SecondPass: 1, RedTeam: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Add(t.Context(), calls); err != nil {
		t.Fatal(err)
	}
	e, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	server := New(Options{Store: s, Engine: e, Access: access, Log: slog.New(slog.NewTextHandler(&log, nil))})
	server.failTime = shortFailTime
	h := httptest.NewServer(server.Handler())
	t.Cleanup(h.Close)
	return h, s, &log
}

// client is a browser without a screen, signed in under a name.
func client(t testing.TB, base, name string) *http.Client {
	t.Helper()
	jar, _ := cookiejar.New(nil)
	c := &http.Client{Jar: jar}
	r, err := c.PostForm(base+"/login", url.Values{"token": {tokenOf(name)}, "name": {name}})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusOK {
		t.Fatalf("login of %s: %s", name, r.Status)
	}
	return c
}

func do(t testing.TB, c *http.Client, method, address, body string, head ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(head); i += 2 {
		r.Header.Set(head[i], head[i+1])
	}
	answer, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode, bodyOf(t, answer)
}

func bodyOf(t testing.TB, r *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func sample(id string) review.Call {
	estimate := 1.5
	return review.Call{
		ID: id, Mode: review.Missed, Context: "sales", Policy: "p1", Reason: "uniform", Rate: 0.5, Estimated: &estimate, TimestampMS: 1763683200000,
		Utterances: []review.Utterance{
			{Seq: 1, Speaker: "AGENT", Text: "This is [PERSON_NAME_1] Halpert from Dunder Mifflin in Scranton.", Masks: []review.Mask{{Start: 8, End: 23, Type: "PERSON_NAME"}}},
			{Seq: 2, Speaker: "CUSTOMER", Text: "Hello Halpert, my order is late."},
		},
	}
}

var users = map[string]Role{"ann": Annotator, "bob": Annotator, "judge": Adjudicator, "root": Admin}

func TestRolesDecideWhichPagesOpen(t *testing.T) {
	h, _, _ := start(t, Access{Token: token, Users: users}, sample("c1"))
	browsers := map[string]*http.Client{}
	for _, who := range []string{"ann", "judge", "root"} {
		browsers[who] = client(t, h.URL, who)
	}
	for name, c := range map[string]struct{ annotator, adjudicator, admin int }{
		"/":                          {200, 200, 200},
		"/call?id=c1":                {200, 200, 200},
		"/call?id=c1&kind=red-team":  {200, 200, 200},
		"/call?id=none":              {404, 404, 404},
		"/?kind=adjudication":        {403, 200, 200},
		"/call?id=c1&kind=nonsense":  {400, 400, 400},
		"/guide":                     {200, 200, 200},
		"/dashboard":                 {403, 200, 200},
		"/agreement":                 {403, 200, 200},
		"/admin":                     {403, 403, 200},
		"/export/annotated.jsonl":    {403, 403, 200},
		"/export/passwd":             {403, 403, 404},
		"/static/call.js":            {200, 200, 200},
		"/?since=yesterday":          {400, 400, 400},
		"/?since=2025-01-01&from=-5": {200, 200, 200},
	} {
		for who, want := range map[string]int{"ann": c.annotator, "judge": c.adjudicator, "root": c.admin} {
			if got, _ := do(t, browsers[who], "GET", h.URL+name, ""); got != want {
				t.Errorf("%s for %s: %d, want %d", name, who, got, want)
			}
		}
	}
}

func TestTheNavigationSaysWhichPageIsOpen(t *testing.T) {
	h, _, _ := start(t, Access{Token: token}, sample("c1"))
	c := client(t, h.URL, "ann")
	for page, want := range map[string]string{
		"/": "Queue", "/call?id=c1": "Queue", "/?kind=red-team": "Red team", "/call?id=c1&kind=red-team": "Red team",
		"/?kind=adjudication": "Adjudicate", "/dashboard": "Dashboard", "/guide": "Guidelines",
	} {
		_, body := do(t, c, "GET", h.URL+page, "")
		if !strings.Contains(body, `aria-current="page">`+want+"</a>") || strings.Count(body, `aria-current="page"`) != 1 {
			t.Errorf("%s does not stand for %s alone", page, want)
		}
	}
}

func TestTextIsNeverMarkup(t *testing.T) {
	const evil = `</script><img src=x onerror=alert(1)> "quoted" ' <script>alert(2)</script>`
	c := sample(`<b>c&1</b>`)
	c.Context, c.Policy, c.Utterances[1].Text, c.Utterances[1].Speaker, c.Utterances[1].Raw = evil, evil, evil, evil, evil
	h, s, _ := start(t, Access{Token: token}, c)
	r := review.Reading{CallID: c.ID, Kind: review.RedTeam, Annotator: "ann", Notes: evil, Searched: evil, Verdict: "residual", Done: true}
	if _, err := s.Save(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	// The topic may hold any label and any name.
	span := review.Span{Place: review.Place{Seq: 2, Start: 0, End: 4}, Type: evil, Key: evil}
	for _, who := range []string{evil, "bob"} {
		r := review.Reading{CallID: c.ID, Kind: review.Annotation, Annotator: who, Revision: 1, Done: true, Spans: []review.Span{span}, Pieces: []risk.Piece{{Type: evil}}}
		if err := s.Take(t.Context(), []store.Change{{Reading: r}}); err != nil {
			t.Fatal(err)
		}
		span.Unsure = true
	}
	browser := client(t, h.URL, "ann")
	id := url.QueryEscape(c.ID)
	for _, page := range []string{"/", "/?context=" + url.QueryEscape(evil), "/call?kind=red-team&id=" + id, "/call?id=" + id, "/call?kind=adjudication&id=" + id, "/dashboard", "/admin?id=" + url.QueryEscape(evil), "/agreement"} {
		answer, err := browser.Get(h.URL + page)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", page, answer.Status)
		}
		for _, bad := range []string{"<img", "<script>alert", "<b>c"} {
			if bytes.Contains(body, []byte(bad)) {
				t.Errorf("%s contains %s", page, bad)
			}
		}
		if csp := answer.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "script-src 'self'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: %s", page, csp)
		}
	}
}

func TestNoTextInLogAndTrail(t *testing.T) {
	h, s, log := start(t, Access{Token: token}, sample("c1"))
	c := client(t, h.URL, "ann")
	do(t, c, "GET", h.URL+"/call?id=c1", "")
	do(t, c, "PUT", h.URL+"/api/reading?id=c1", `{"spans":[{"seq":2,"start":6,"end":99,"type":"PERSON_NAME"}],"notes":"Halpert"}`)
	do(t, c, "PUT", h.URL+"/api/reading?id=c1", `{"Halpert"`)
	do(t, c, "PUT", h.URL+"/api/reading?id=c1", `{"spans":[{"seq":2,"start":6,"end":13,"type":"PERSON_NAME"}],"done":true}`)
	do(t, c, "GET", h.URL+"/export/annotated.jsonl", "")
	trail, err := s.Trail(t.Context(), "", 10)
	if err != nil {
		t.Fatal(err)
	}
	if all := fmt.Sprint(trail); strings.Contains(all+log.String(), "Halpert") || !strings.Contains(all, "opened for annotation") || !strings.Contains(all, "exported annotated.jsonl") {
		t.Errorf("%s\n%s", all, log)
	}
}

func TestASavedReadingMayBeSentAgain(t *testing.T) {
	h, _, _ := start(t, Access{Token: token}, sample("c1"))
	c := client(t, h.URL, "ann")
	const body = `{"revision":0,"spans":[{"seq":2,"start":6,"end":13,"type":"PERSON_NAME"}]}`
	for range 2 {
		if status, answer := do(t, c, "PUT", h.URL+"/api/reading?id=c1", body); status != 200 || !strings.Contains(answer, `"revision":1`) {
			t.Errorf("%d %s", status, answer)
		}
	}
	if status, _ := do(t, c, "PUT", h.URL+"/api/reading?id=c1", `{"revision":0,"spans":[]}`); status != 409 {
		t.Errorf("another change from the same revision: %d", status)
	}
}

// TestAdjudicationShowsDifferences also shows that an annotator does not see the other's marks.
func TestAdjudicationShowsDifferences(t *testing.T) {
	h, s, _ := start(t, Access{Token: token, Users: users}, sample("c1"))
	name := review.Span{Place: review.Place{Seq: 2, Start: 6, End: 13}, Type: "PERSON_NAME"}
	place := review.Span{Place: review.Place{Seq: 1, Start: 55, End: 63}, Type: "LOCATION"}
	// Annotators number people as they like: where they differ, the adjudicator says who is who.
	bobs, theirs := name, review.Span{Place: review.Place{Seq: 1, Start: 37, End: 51}, Type: "ORGANIZATION_NAME", Person: "1"}
	bobs.Person = "1"
	for who, spans := range map[string][]review.Span{"ann": {name, place, theirs}, "bob": {bobs, theirs}} {
		if _, err := s.Save(t.Context(), review.Reading{CallID: "c1", Kind: review.Annotation, Annotator: who, Spans: spans, Done: true}); err != nil {
			t.Fatal(err)
		}
	}
	_, page := do(t, client(t, h.URL, "judge"), "GET", h.URL+"/next?kind=adjudication", "")
	if !strings.Contains(page, `"spans":[{"seq":1,"start":37,"end":51,"type":"ORGANIZATION_NAME","person":"1"},{"seq":2,"start":6,"end":13,"type":"PERSON_NAME"}]`) || !strings.Contains(page, "1 of 2 annotators: ann") {
		t.Error("the page does not separate agreement and difference")
	}
	if _, page := do(t, client(t, h.URL, "bob"), "GET", h.URL+"/call?id=c1", ""); strings.Contains(page, "LOCATION\"}") {
		t.Error("the second pass is not blind")
	}
}

// pageState returns the data that the page of a call works with.
func pageState(t *testing.T, page string) (state clientState) {
	t.Helper()
	_, data, _ := strings.Cut(page, `id="state">`)
	data, _, _ = strings.Cut(data, "</script>")
	if err := json.Unmarshal([]byte(data), &state); err != nil {
		t.Fatalf("%v in %.200s", err, page)
	}
	return state
}

// TestAMarkOfAnUnknownInfoTypeIsASuggestion has readings of a later version in the topic. A page that
// put their marks into the reading could never save it.
func TestAMarkOfAnUnknownInfoTypeIsASuggestion(t *testing.T) {
	h, s, _ := start(t, Access{Token: token, Users: users}, sample("c1"))
	later := review.Span{Place: review.Place{Seq: 2, Start: 6, End: 13}, Type: "IRIS_SCAN"}
	known := review.Span{Place: review.Place{Seq: 1, Start: 55, End: 63}, Type: "LOCATION"}
	elsewhere := review.Span{Place: review.Place{Seq: 2, Start: 20, End: 99}, Type: "LOCATION"}
	for _, who := range []string{"ann", "bob"} {
		r := review.Reading{CallID: "c1", Kind: review.Annotation, Annotator: who, Revision: 1, Done: true, Spans: []review.Span{known, later, elsewhere}}
		if err := s.Take(t.Context(), []store.Change{{Reading: r}}); err != nil {
			t.Fatal(err)
		}
	}
	for who, kind := range map[string]review.Kind{"judge": review.Adjudication, "ann": review.Annotation} {
		c := client(t, h.URL, who)
		query := "id=c1&kind=" + string(kind)
		_, page := do(t, c, "GET", h.URL+"/call?"+query, "")
		state := pageState(t, page)
		if len(state.Spans) != 1 || state.Spans[0] != known {
			t.Errorf("%s: the reading is %+v", kind, state.Spans)
		}
		if !slices.ContainsFunc(state.Suggestions, func(g suggestion) bool {
			return g.Place == later.Place && g.Type == later.Type && strings.Contains(g.Why, unknownType)
		}) {
			t.Errorf("%s: the suggestions are %+v", kind, state.Suggestions)
		}
		rejected, err := json.Marshal(map[string]any{"revision": state.Revision, "done": true, "spans": state.Spans, "rejected": []review.Span{later}})
		if err != nil {
			t.Fatal(err)
		}
		if status, answer := do(t, c, "PUT", h.URL+"/api/reading?"+query, string(rejected)); status != 200 {
			t.Errorf("%s: %d %s", kind, status, answer)
		}
	}
	// No text passes for the infoType of a rejected suggestion.
	if status, _ := do(t, client(t, h.URL, "root"), "PUT", h.URL+"/api/reading?id=c1",
		`{"rejected":[{"seq":2,"start":6,"end":13,"type":"Hello Halpert"}]}`); status != 400 {
		t.Errorf("text as an infoType: %d", status)
	}
}

// While the first figures are being computed, no page says that there are none.
func TestFiguresThatAreBeingComputed(t *testing.T) {
	s := New(Options{Log: slog.New(slog.DiscardHandler)})
	for _, page := range []string{"dashboard", "agreement"} {
		w := httptest.NewRecorder()
		s.render(w, httptest.NewRequest(http.MethodGet, "/", nil), page, person{"judge", Adjudicator}, figuresPage{Computing: true})
		if body := w.Body.String(); !strings.Contains(body, "are being computed") || strings.Contains(body, "yet.") {
			t.Errorf("%s: %s", page, body)
		}
	}
}

// TestAnErasedCallLeavesFiguresAndExports has figures that were computed before.
func TestAnErasedCallLeavesFiguresAndExports(t *testing.T) {
	h, s, _ := start(t, Access{Token: token}, sample("c1"), sample("c2"))
	for _, id := range []string{"c1", "c2"} {
		r := review.Reading{CallID: id, Kind: review.Annotation, Annotator: "ann", Done: true, Spans: []review.Span{}}
		if _, err := s.Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	c := client(t, h.URL, "root")
	dashboard := func(want string) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			if _, page := do(t, c, "GET", h.URL+"/dashboard", ""); strings.Contains(page, want) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("the dashboard never has %s", want)
			}
		}
	}
	dashboard("2 readings")
	if status, _ := do(t, c, "POST", h.URL+"/erase", "id=c1&again=c1", "Content-Type", "application/x-www-form-urlencoded"); status != http.StatusOK {
		t.Fatal(status)
	}
	dashboard("1 readings")
	if _, lines := do(t, c, "GET", h.URL+"/export/annotated.jsonl", ""); strings.Contains(lines, `"c1"`) || !strings.Contains(lines, `"c2"`) {
		t.Errorf("the export has %s", lines)
	}
}

// TestTheSecondPassIsBlind: only adjudicators see what others have marked or are unsure of.
func TestTheSecondPassIsBlind(t *testing.T) {
	h, s, _ := start(t, Access{Token: token, Users: users}, sample("c1"))
	r := review.Reading{CallID: "c1", Kind: review.Annotation, Annotator: "ann", Done: true, Spans: []review.Span{
		{Place: review.Place{Seq: 2, Start: 6, End: 13}, Type: "PERSON_NAME", Unsure: true},
	}}
	if _, err := s.Save(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for who, sees := range map[string]bool{"bob": false, "judge": true} {
		c := client(t, h.URL, who)
		if _, page := do(t, c, "GET", h.URL+"/", ""); strings.Contains(page, "1 unsure") != sees || strings.Contains(page, "<option >unsure") != sees {
			t.Errorf("%s sees that ann is unsure: %t", who, !sees)
		}
		if status, _ := do(t, c, "GET", h.URL+"/?state=unsure", ""); (status == 200) != sees {
			t.Errorf("%s filters by unsure: %d", who, status)
		}
	}
}

// Ten times as many calls in the queue make no page more expensive: it reads what it shows.
// Allocations are counted, because times depend on what else the machine does.
func TestLongQueue(t *testing.T) {
	if testing.Short() {
		t.Skip("adds 10,000 calls")
	}
	for name, path := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "review.db") },
		"PostgreSQL": func(t *testing.T) string { return postgrestest.DSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			short := pageCosts(t, path(t), 1000)
			for page, bytes := range pageCosts(t, path(t), 10_000) {
				t.Logf("%-30s %.0f KiB, and %.0f KiB with a tenth of the calls", page, bytes/1024, short[page]/1024)
				if bytes > 2*short[page]+256<<10 {
					t.Errorf("%s grows with the queue", page)
				}
			}
		})
	}
}

// pageCosts returns how many bytes each page allocates with a number of calls.
func pageCosts(t *testing.T, path string, n int) map[string]float64 {
	t.Helper()
	calls := make([]review.Call, n)
	for i := range calls {
		calls[i] = sample(fmt.Sprint("call-", i))
		calls[i].Context = []string{"sales", "meeting"}[i%2]
	}
	h, s, _ := startOn(t, path, Access{Token: token}, calls...)
	for i := range 300 {
		r := review.Reading{CallID: fmt.Sprint("call-", i), Kind: review.Annotation, Annotator: "bob", Done: true, Spans: []review.Span{
			{Place: review.Place{Seq: 2, Start: 6, End: 13}, Type: "PERSON_NAME"},
		}}
		if _, err := s.Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	c := client(t, h.URL, "ann")
	// What is computed in the background would count as an allocation of the page that is measured meanwhile.
	computed := func() bool {
		_, page := do(t, c, "GET", h.URL+"/dashboard", "")
		return !strings.Contains(page, "being computed")
	}
	costs := map[string]float64{}
	for _, page := range []string{
		"/", "/?from=900", "/?context=meeting&state=open", "/?kind=red-team", "/?kind=adjudication", "/next", "/call?id=call-77", "/dashboard", "/agreement", "/admin",
	} {
		for range 2 { // the first time, connections and statements are prepared
			brokertest.Eventually(t, time.Minute, "the figures", computed)
			costs[page] = heap.Allocated(func() {
				if status, _ := do(t, c, "GET", h.URL+page, ""); status != 200 {
					t.Fatalf("%s: %d", page, status)
				}
			})
		}
	}
	return costs
}
