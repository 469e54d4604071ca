package web

import (
	"net/http"
	"strings"
	"testing"

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
