package web

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"sotto/review"
)

// TestATokenIsForOneName: what somebody may not do under their name, they cannot do under another.
func TestATokenIsForOneName(t *testing.T) {
	h, _, log := start(t, Access{Token: token, Users: users}, sample("c1"))
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for name, want := range map[string]int{"ann": http.StatusSeeOther, "judge": http.StatusForbidden, "nobody": http.StatusForbidden} {
		form := "name=" + name + "&token=" + tokenOf("ann")
		if status, _ := do(t, c, "POST", h.URL+"/login", form, "Content-Type", "application/x-www-form-urlencoded"); status != want {
			t.Errorf("ann's token as %s: %d, want %d", name, status, want)
		}
	}
	if strings.Contains(log.String(), tokenOf("ann")) {
		t.Error("the log shows a token")
	}
	if _, page := do(t, c, "GET", h.URL+"/login", ""); strings.Contains(page, "<input") {
		t.Error("without an address of one's own, the page asks for a name")
	}
}

// TestPrograms lists, assigns and reads calls as a program does.
func TestPrograms(t *testing.T) {
	h, _, _ := start(t, Access{Token: token, Users: users}, sample("c1"), sample("c2"))
	api := func(who, method, path, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, h.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth(who, tokenOf(who))
		if strings.HasPrefix(path, "/api/assign") {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		return answer.StatusCode, bodyOf(t, answer)
	}
	if status, body := api("judge", "POST", "/api/assign?context=sales", "annotator=ann&calls=1"); status != 200 || !strings.Contains(body, `{"assigned":["c`) {
		t.Errorf("assign: %d %s", status, body)
	}
	if status, body := api("judge", "GET", "/api/calls", ""); status != 200 || !strings.Contains(body, `"total":2`) || strings.Count(body, `"assigned":"ann"`) != 1 ||
		strings.Contains(body, "Halpert") {
		t.Errorf("calls: %d %s", status, body)
	}
	if _, body := api("bob", "GET", "/api/calls", ""); strings.Contains(body, `"assigned"`) {
		t.Errorf("bob sees who reads what: %s", body)
	}
	wrong := `{"revision":0,"done":true,"spans":[],"notes":"a street","wrong":[{"seq":1,"start":8,"end":23,"type":"LOCATION"}]}`
	if status, body := api("ann", "PUT", "/api/reading?id=c1", wrong); status != 200 {
		t.Errorf("save: %d %s", status, body)
	}
	if _, body := api("ann", "GET", "/api/reading?id=c1", ""); !strings.Contains(body, `"wrong":[{"seq":1,"start":8,"end":23,"was":"PERSON_NAME","type":"LOCATION"}]`) || !strings.Contains(body, `"masks":1`) {
		t.Errorf("reading: %s", body)
	}
	if _, body := api("root", "GET", "/export/annotated.jsonl", ""); !strings.Contains(body, `"was":"PERSON_NAME","type":"LOCATION"`) {
		t.Errorf("export: %s", body)
	}
	for name, c := range map[string]struct {
		who, method, path, body string
		want                    int
	}{
		"an annotator assigns":     {"ann", "POST", "/api/assign", "annotator=ann&calls=1", 403},
		"nobody is assigned":       {"judge", "POST", "/api/assign", "annotator=zoe&calls=1", 400},
		"too many are":             {"judge", "POST", "/api/assign", "annotator=ann&calls=501", 400},
		"an annotator adjudicates": {"judge", "POST", "/api/assign?kind=adjudication", "annotator=ann&calls=1", 400},
		"no mask there":            {"bob", "PUT", "/api/reading?id=c1", `{"wrong":[{"seq":1,"start":8,"end":22}]}`, 400},
		"the type that it has":     {"bob", "PUT", "/api/reading?id=c1", `{"wrong":[{"seq":1,"start":8,"end":23,"type":"PERSON_NAME"}]}`, 400},
		"text as a type":           {"bob", "PUT", "/api/reading?id=c1", `{"wrong":[{"seq":1,"start":8,"end":23,"type":"Halpert"}]}`, 400},
	} {
		if status, body := api(c.who, c.method, c.path, c.body); status != c.want || strings.Contains(body, "Halpert") {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
}

func TestRawTextShowsWhatWasMasked(t *testing.T) {
	masks := []review.Mask{{Start: 5, End: 20, Type: "PERSON_NAME"}, {Start: 24, End: 36, Type: "LOCATION"}}
	for raw, want := range map[string]string{
		"I am Ines Quimby of Larkmoor.":  "I am |Ines Quimby=PERSON_NAME| of |Larkmoor=LOCATION|.",
		"I am of of of.":                 "I am |of=PERSON_NAME| of |of=LOCATION|.",
		"Something else was said there.": "Something else was said there.",
	} {
		var got []string
		for _, p := range rawParts(&review.Utterance{Text: "I am [PERSON_NAME_1] of [LOCATION_1].", Raw: raw, Masks: masks}) {
			if p.Mask != "" {
				p.Text += "=" + p.Mask
			}
			got = append(got, p.Text)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q is divided into %q", raw, got)
		}
	}
}

// Raw text is divided as an expression with the masks for wildcards divides it.
func TestRawTextIsDividedAsByAnExpression(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var clean, raw, expression strings.Builder
		expression.WriteString("(?s)^")
		var masks []review.Mask
		for range rapid.IntRange(0, 4).Draw(t, "masks") {
			same := rapid.StringMatching(`[abé]{0,2}`).Draw(t, "same")
			clean.WriteString(same)
			masks = append(masks, review.Mask{Start: utf8.RuneCountInString(clean.String()), End: utf8.RuneCountInString(clean.String()) + 3, Type: "X"})
			clean.WriteString("[X]")
			raw.WriteString(same + rapid.StringMatching(`[abé]{0,2}`).Draw(t, "value"))
			expression.WriteString("(" + regexp.QuoteMeta(same) + ")(.+?)")
		}
		same := rapid.StringMatching(`[abé]{0,2}`).Draw(t, "same")
		clean.WriteString(same)
		raw.WriteString(rapid.SampledFrom([]string{same, "b"}).Draw(t, "end"))
		groups := regexp.MustCompile(expression.String() + "(" + same + ")$").FindStringSubmatch(raw.String())
		want := []part{{Text: raw.String()}}
		if groups != nil {
			want = nil
			for i, g := range groups[1:] {
				if g != "" {
					want = append(want, part{Text: g, Mask: []string{"", "X"}[i%2]})
				}
			}
		}
		if raw.Len() == 0 {
			want = nil
		}
		if got := rawParts(&review.Utterance{Text: clean.String(), Raw: raw.String(), Masks: masks}); !slices.Equal(got, want) {
			t.Fatalf("%q with %q is divided into %v, not %v", raw.String(), clean.String(), got, want)
		}
	})
}

// A turn of many addresses is divided at once: an expression with as many wildcards took most of a minute.
func TestRawTextWithManyMasks(t *testing.T) {
	const n = 9000
	u := review.Utterance{Text: strings.Repeat("[E] ", n), Raw: strings.Repeat("a@b.co ", n)}
	for i := range n {
		u.Masks = append(u.Masks, review.Mask{Start: 4 * i, End: 4*i + 3, Type: "EMAIL_ADDRESS"})
	}
	began := time.Now()
	if got := rawParts(&u); len(got) != 2*n || got[2*n-2].Text != "a@b.co" {
		t.Errorf("%d parts", len(got))
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

// Who has the right token waits for none of those who try wrong ones, and a login is small.
func TestManyWrongLogins(t *testing.T) {
	h, _, _ := start(t, Access{Token: token, Users: users}, sample("c1"))
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	login := func(name, token string) int {
		status, _ := do(t, c, "POST", h.URL+"/login", "name="+name+"&token="+token, "Content-Type", "application/x-www-form-urlencoded")
		return status
	}
	var wrong sync.WaitGroup
	statuses := make(chan int, 10*maxLogins)
	for range cap(statuses) {
		wrong.Go(func() { statuses <- login("ann", "wrong") })
	}
	for len(statuses) == 0 {
		time.Sleep(time.Millisecond)
	}
	if status := login("ann", tokenOf("ann")); status != http.StatusSeeOther {
		t.Errorf("the right token: %d", status)
	}
	if len(statuses) == cap(statuses) {
		t.Error("the right token waits for the wrong ones")
	}
	wrong.Wait()
	close(statuses)
	for status := range statuses {
		if status != http.StatusForbidden {
			t.Errorf("a wrong token: %d", status)
		}
	}
	form := "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + tokenOf("ann") + "\r\n--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nann\r\n--b\r\n" +
		"Content-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n" + strings.Repeat("x", 1<<20) + "\r\n--b--\r\n"
	if status, _ := do(t, c, "POST", h.URL+"/login", form, "Content-Type", "multipart/form-data; boundary=b"); status == http.StatusSeeOther {
		t.Error("a login of a megabyte is read as a whole")
	}
}

// A page of another site does not make somebody take a call, and an ID reads as it is written.
func TestACallIsOpenedFromTheQueue(t *testing.T) {
	h, s, _ := start(t, Access{Token: token, Users: users}, sample("c1"), sample("c\u202e2"))
	ann := client(t, h.URL, "ann")
	for _, site := range []string{"cross-site", "same-site"} {
		if status, _ := do(t, ann, "GET", h.URL+"/call?id=c1", "", "Sec-Fetch-Site", site); status != http.StatusForbidden {
			t.Errorf("%s: %d", site, status)
		}
	}
	if r, err := s.Reading(t.Context(), "c1", review.Annotation, "ann"); err != nil || r.Revision != 0 {
		t.Errorf("the call is taken: %v", err)
	}
	for _, site := range []string{"same-origin", "none"} {
		if status, _ := do(t, ann, "GET", h.URL+"/call?id=c1", "", "Sec-Fetch-Site", site); status != http.StatusOK {
			t.Errorf("%s: %d", site, status)
		}
	}
	if _, page := do(t, ann, "GET", h.URL+"/", ""); strings.Contains(page, "\u202e") || !strings.Contains(page, `c\u202e2`) {
		t.Error("an ID turns the direction of the page")
	}
}
