package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"sotto/anonymize"
	"sotto/schemas"
	"sotto/serve/presidio"
)

func TestEveryEndpointIsDescribed(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	var described, served []string
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			described = append(described, method+" "+path)
		}
	}
	for _, r := range (&Server{}).routes() {
		served = append(served, r.pattern)
	}
	slices.Sort(described)
	slices.Sort(served)
	if !slices.Equal(described, served) {
		t.Errorf("described %v\nserved    %v", described, served)
	}
}

func TestText(t *testing.T) {
	r := start(t)
	var got textResponse
	r.post("/v1/anonymize", `{"text":"Hi, this is Ines Quimby, my number is 604 555 0134."}`, http.StatusOK, &got)
	if want := "Hi, this is [PERSON_NAME_1], my number is [PHONE_NUMBER_1]."; got.Text != want {
		t.Errorf("got %q", got.Text)
	}
	if len(got.Entities) != 2 || got.Entities[0].RawStart != nil || got.Policy != policyOf(t, "high") || got.Strategy == "" {
		t.Errorf("%+v", got)
	}
	r.post("/v1/anonymize", `{"text":"Hi, this is Ines Quimby.","raw_offsets":true}`, http.StatusOK, &got)
	if e := got.Entities[0]; e.RawStart == nil || *e.RawStart != 12 || *e.RawEnd != 23 {
		t.Errorf("raw positions: %+v", e)
	}
	r.post("/v1/anonymize", `{"text":""}`, http.StatusOK, &got)
	if got.Text != "" {
		t.Errorf("an empty text became %q", got.Text)
	}
}

// What is said late is masked early, unless the conversation is read as the stream reads it.
func TestConversationIsReadTwice(t *testing.T) {
	r := start(t)
	body := `{"context":"sales","utterances":[
		{"speaker":{"id":"a","role":"AGENT"},"text":"the latch side is fine"},
		{"speaker":{"id":"c","label":"Rosa Latch","role":"CUSTOMER"},"text":"My name is Rosa Latch."}]%s}`
	var got conversationResponse
	r.post("/v1/anonymize", strings.Replace(body, "%s", "", 1), http.StatusOK, &got)
	if got.Utterances[0].Text != "the [PERSON_NAME_1] side is fine" || got.Utterances[1].Speaker.ID != "s2" || got.Utterances[1].Seq != 2 {
		t.Errorf("%+v", got.Utterances)
	}
	if got.Call == nil || got.Call.Utterances != 2 || !got.Call.Release || got.Call.Entities["PERSON_NAME"] != 1 {
		t.Errorf("summary %+v", got.Call)
	}
	r.post("/v1/anonymize", strings.Replace(body, "%s", `,"live":true`, 1), http.StatusOK, &got)
	if got.Utterances[0].Text != "the latch side is fine" {
		t.Errorf("live: %+v", got.Utterances[0])
	}
}

func TestParticipantsAreKnown(t *testing.T) {
	r := start(t)
	var got conversationResponse
	r.post("/v1/anonymize", `{"participants":[{"names":["Wrenfield"]}],"utterances":[{"text":"did wrenfield call"}]}`, http.StatusOK, &got)
	if got.Utterances[0].Text != "did [PERSON_NAME_1] call" {
		t.Errorf("got %q", got.Utterances[0].Text)
	}
}

func TestOtherLanguages(t *testing.T) {
	const body = `{"text":"Me llamo Inés Quimby y vivo en Madrid desde hace muchos años con mi familia"}`
	var got textResponse
	start(t, "OTHER_LANGUAGES=hold").post("/v1/anonymize", body, http.StatusOK, &got)
	if !got.Held || got.Text != "" {
		t.Errorf("held: %+v", got)
	}
	got = textResponse{}
	start(t).post("/v1/anonymize", body, http.StatusOK, &got)
	if got.Held || got.Language != "" || strings.Contains(got.Text, "Quimby") {
		t.Errorf("masked: %+v", got)
	}
	// As in the stream, the language that a request names counts, and the text is not released.
	const named = `{"text":"The weather is pleasant in the garden","language":"es-MX"}`
	start(t).post("/v1/anonymize", named, http.StatusOK, &got)
	if !strings.Contains(got.Text, "[SPELLED_WORD]") || got.Call == nil || got.Call.Release || !strings.Contains(got.Call.Reason, "(es)") {
		t.Errorf("named: %+v, %+v", got, got.Call)
	}
	start(t, "OTHER_LANGUAGES=hold").post("/v1/anonymize", named, http.StatusOK, &got)
	if !got.Held || got.Text != "" || got.Call.Release {
		t.Errorf("named and held: %+v, %+v", got, got.Call)
	}
}

// An error names the field and the reason.
func TestErrorsNameTheField(t *testing.T) {
	r := start(t, "MAX_TEXT_BYTES=200")
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/v1/anonymize", `{"text":5}`, 400, "text must be a string, and the body has number at byte 9"},
		{"/v1/anonymize", `{"utterances":[{"text":"a"},{"text":"b","start_ms":"x"}]}`, 400, "utterances.start_ms must be a whole number"},
		{"/v1/anonymize", `{"text":"a","participants":{}}`, 400, "participants must be a list, and the body has object"},
		{"/v1/anonymize", `{"text":"a","live":1}`, 400, "live must be true or false"},
		{"/v1/anonymize", `[1]`, 400, "the body must be an object, and the body has array"},
		{"/v1/anonymize", `{"text":"a","lang":"en"}`, 400, "a field that openapi.yaml does not describe, before byte"},
		{"/v1/anonymize", `{"text":"a"`, 400, "ends before"},
		{"/v1/anonymize", `{"text":"a"} {}`, 400, "goes on after its JSON object, at byte 13"},
		{"/v1/anonymize", `{"text":"a",}`, 400, "not JSON from byte 13 on"},
		{"/v1/anonymize", `{"utterances":[{"text":"a"},{"text":"` + strings.Repeat("a ", 200) + `"}]}`, 422, "the utterance with the seq 2 is refused: the text"},
		{"/v1/calls/c/utterances", `{}`, 400, "utterances is missing"},
		{"/analyze", `{"text":[1],"language":"en"}`, 400, "text must be a string or a list of strings"},
		{"/analyze", `{"text":"a","language":"en","score_threshold":"x"}`, 400, "score_threshold must be a number"},
		{"/anonymize", `{"text":"abc","analyzer_results":[{"start":0,"end":3}],"anonymizers":{"DEFAULT":{"type":"mask"}}}`, 422, "mask needs masking_char"},
		{"/anonymize", `{"text":"abc","analyzer_results":[{"start":0,"end":3}],"anonymizers":{"DEFAULT":{"type":"hash","hash_type":"md5"}}}`, 422, "hash_type"},
		{"/anonymize", `{"text":"abc","analyzer_results":[],"anonymizers":{"Quimby":5}}`, 400, "must be an object, and the body has number"},
	} {
		var got errorBody
		r.post(c.path, c.body, c.status, &got)
		if !strings.Contains(got.Error, c.want) || strings.Contains(got.Error, "Quimby") {
			t.Errorf("%s: %q, want %q", c.body, got.Error, c.want)
		}
	}
}

func TestOtherMethodsAreNotAllowed(t *testing.T) {
	r := start(t)
	for _, route := range r.server.routes() {
		method, path, _ := strings.Cut(route.pattern, " ")
		other := map[string]string{"GET": "POST", "POST": "GET"}[method]
		resp, err := http.DefaultClient.Do(r.request(other, strings.Replace(path, "{id}", "c", 1), "application/json", ""))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") != method {
			t.Errorf("%s %s: status %d, Allow %q", other, path, resp.StatusCode, resp.Header.Get("Allow"))
		}
	}
}

// Two requests share no surrogates: the first person of one is not the first of another.
func TestRequestsShareNoSurrogates(t *testing.T) {
	r := start(t, "STRATEGY=entity")
	var first, second textResponse
	r.post("/v1/anonymize", `{"text":"This is Ines Quimby."}`, http.StatusOK, &first)
	r.post("/v1/anonymize", `{"text":"This is Tobias Wendover."}`, http.StatusOK, &second)
	if first.Text == second.Text {
		t.Errorf("both became %q", first.Text)
	}
}

// Whatever is wrong with a request, neither the response nor the log shows anything of it.
func TestBadRequestsAreRefusedWithoutTheirText(t *testing.T) {
	const secret = "Quillfeather"
	set := settings(t, "MAX_TEXT_BYTES=200")
	set.ServeMaxBody = 2048
	r := startWith(t, set)
	long := strings.Repeat(secret+" ", 40)
	for _, c := range []struct {
		path, kind, body string
		want             int
	}{
		{"/v1/anonymize", "application/json", secret, 400},
		{"/v1/anonymize", "application/json", `{"text":"` + secret, 400},
		{"/v1/anonymize", "application/json", `{"text":{"` + secret + `":1}}`, 400},
		{"/v1/anonymize", "application/json", `{"` + secret + `":1}`, 400},
		{"/v1/anonymize", "application/json", `{"text":"` + secret + "\xff\"}", 400},
		{"/v1/anonymize", "application/json", `{"text":"x"} {"text":"` + secret + `"}`, 400},
		{"/v1/anonymize", "text/plain", `{"text":"` + secret + `"}`, 415},
		{"/v1/anonymize", "", secret, 415},
		{"/v1/anonymize", "application/json", `{"text":"` + secret + `","utterances":[]}`, 422},
		{"/v1/anonymize", "application/json", `{}`, 422},
		{"/v1/anonymize", "application/json", `{"text":"` + long + `"}`, 422},
		{"/v1/anonymize", "application/json", `{"text":"` + strings.Repeat(long, 10) + `"}`, 413},
		{"/v1/anonymize", "application/json", `{"utterances":[{"text":"x","speaker":{"id":"` + long + `"}}]}`, 422},
		{"/v1/calls/" + secret + "/utterances", "application/json", `{}`, 400},
		{"/v1/calls/" + secret + "/utterances", "application/json", `{"utterances":[{"text":"` + long + `"}]}`, 422},
		{"/v1/calls/" + secret + "/end", "application/json", ``, 404},
		{"/v1/calls/" + strings.Repeat(secret, 40) + "/utterances", "application/json", `{"utterances":[]}`, 422},
		{"/analyze", "application/json", `{"text":"` + secret + `"}`, 422},
		{"/analyze", "application/json", `{"text":["` + secret + `",1],"language":"en"}`, 400},
		{"/analyze", "application/json", `{"text":"` + long + `","language":"en"}`, 413},
		{"/analyze", "application/json", `{"text":"x","language":"en","entities":["` + secret + `"]}`, 422},
		{"/analyze", "application/json", `{"text":"x","language":"en","ad_hoc_recognizers":[{"supported_entity":"Z","patterns":[{"regex":"(` + secret + `"}]}]}`, 422},
		{"/anonymize", "application/json", `{"text":"` + secret + `"}`, 422},
		{"/anonymize", "application/json", `{"text":"` + secret + `","analyzer_results":[{"start":3,"end":300}]}`, 422},
		{"/anonymize", "application/json", `{"text":"` + secret + `","analyzer_results":[{"start":0,"end":3}],"anonymizers":{"DEFAULT":{"type":"` + secret + `"}}}`, 422},
		{"/v1/files", "application/json", secret, 415},
		{"/v1/files", "multipart/form-data; boundary=x", "--x\r\n" + secret, 400},
		{"/" + secret, "application/json", `{}`, 404},
	} {
		req := r.request("POST", c.path, c.kind, c.body)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		var e errorBody
		if resp.StatusCode != c.want || json.Unmarshal(body, &e) != nil || e.Error == "" {
			t.Errorf("%.40s %.60s: status %d, want %d: %s", c.path, c.body, resp.StatusCode, c.want, body)
		}
		r.quiet(secret, string(body))
	}
	if n, _ := r.server.calls.usage(); n != 0 {
		t.Errorf("refused requests left %d calls", n)
	}
}

// Every command of docs/serve.md that sends a request gets a response.
func TestExamplesOfTheDocument(t *testing.T) {
	doc, err := os.ReadFile("../docs/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	r := start(t)
	commands := regexp.MustCompile(`(?s)curl -sf (?:-X POST )?http://127\.0\.0\.1:8080(\S+)([^\n]*\\\n *-d '([^']*)')?`).FindAllStringSubmatch(string(doc), -1)
	if len(commands) != 4 {
		t.Fatalf("%d commands", len(commands))
	}
	var last callResponse
	for _, c := range commands {
		r.post(c[1], c[3], http.StatusOK, nil)
		if strings.HasSuffix(c[1], "/end") {
			r.post(c[1], c[3], http.StatusOK, &last)
		}
	}
	if last.Call == nil || last.Call.Utterances != 2 || last.Call.Entities["PERSON_NAME"] != 1 {
		t.Errorf("the call of the document: %+v", last.Call)
	}
}

func TestPolicy(t *testing.T) {
	var got policyResponse
	start(t).do("GET", "/v1/policy", "", "", http.StatusOK, &got)
	if len(got.InfoTypes) < 40 || got.OtherLanguages != "mask" || got.Limits.TextBytes != 65536 {
		t.Errorf("%d infoTypes, %+v", len(got.InfoTypes), got.Limits)
	}
}

// unclearText returns a text that is masked otherwise at maximum than at balanced, and what becomes of it there.
func unclearText(t *testing.T) (text, masked string) {
	t.Helper()
	s := settings(t)
	engines, err := s.NewEngines()
	if err != nil {
		t.Fatal(err)
	}
	// The second reading must add nothing, so that the text is the same everywhere.
	at := func(sensitivity, text string) (string, bool) {
		event := &schemas.RawEvent{CallID: "c", Seq: 1, Type: schemas.Utterance, Text: text}
		clean := anonymize.NewConversation(engines[sensitivity]).Add(event).Clean
		again, err := engines[sensitivity].Reread(t.Context(), []*schemas.CleanEvent{&clean})
		return clean.Text, err == nil && len(again[0]) == 0
	}
	for _, name := range []string{"pilot", "brook", "sun", "carver", "dale", "hope", "hunter", "mill", "corbin", "lake view", "eagle", "shingles", "four", "nine", "ranger"} {
		for _, text := range []string{"tell %s i said so", "we went to the %s place", "it says %s here", "ask at %s then", "the %s by the door", "so that is %s now", "%s said no"} {
			text = fmt.Sprintf(text, name)
			clear, once := at("balanced", text)
			if masked, again := at("maximum", text); clear == text && masked != text && once && again {
				return text, masked
			}
		}
	}
	t.Fatal("no text is masked at maximum alone; add one that is less clear")
	return "", ""
}

// policyOf is the policy hash that the stream has at an operating point.
func policyOf(t *testing.T, sensitivity string) string {
	t.Helper()
	s := settings(t, "SENSITIVITY="+sensitivity)
	e, err := s.NewEngine()
	if err != nil {
		t.Fatal(err)
	}
	return e.Policy()
}

// A live call follows the policy of its tenant.
func TestALiveCallFollowsThePolicyOfItsTenant(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte("tenants: {acme: {strategy: typed}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, "DICTIONARY_DIR="+dir)
	for tenant, want := range map[string]string{"acme": "write to [EMAIL_ADDRESS]", "bolt": "write to [EMAIL_ADDRESS_1]"} {
		var call callResponse
		r.post("/v1/calls/of-"+tenant+"/start", `{"tenant":"`+tenant+`"}`, http.StatusOK, &call)
		r.post("/v1/calls/of-"+tenant+"/utterances", say("write to pam@example.com"), http.StatusOK, &call)
		if call.Utterances[0].Text != want {
			t.Errorf("%s: %q", tenant, call.Utterances[0].Text)
		}
	}
}

// A request may choose its operating point. What comes out, and under which policy hash, is what the stream
// does with that setting.
func TestARequestChoosesItsSensitivity(t *testing.T) {
	r := start(t, "SENSITIVITY=balanced")
	unclear, masked := unclearText(t)
	for asked, point := range map[string]string{"": "balanced", "balanced": "balanced", "maximum": "maximum"} {
		want := unclear
		if point == "maximum" {
			want = masked
		}
		choice, query := "", ""
		if asked != "" {
			choice, query = `,"sensitivity":"`+asked+`"`, "?sensitivity="+asked
		}
		var text textResponse
		r.post("/v1/anonymize", `{"text":"`+unclear+`"`+choice+`}`, http.StatusOK, &text)
		if text.Text != want || text.Policy != policyOf(t, point) {
			t.Errorf("%q: got %q under %s", asked, text.Text, text.Policy)
		}
		var policy policyResponse
		r.do("GET", "/v1/policy"+query, "", "", http.StatusOK, &policy)
		if policy.Policy != text.Policy || policy.Sensitivity != point {
			t.Errorf("%q: the policy of %s is %s", asked, policy.Sensitivity, policy.Policy)
		}
		var call callResponse
		path := "/v1/calls/of-" + asked
		r.post(path+"/start", `{"context":"sales"`+choice+`}`, http.StatusOK, &call)
		r.post(path+"/utterances", say(unclear), http.StatusOK, &call)
		if call.Utterances[0].Text != want || call.Policy != text.Policy {
			t.Errorf("%q: the call has %q under %s", asked, call.Utterances[0].Text, call.Policy)
		}
		r.post(path+"/utterances", `{"utterances":[{"text":"yes"}],"sensitivity":"high"}`, http.StatusConflict, nil)
		r.post(path+"/utterances", `{"utterances":[{"text":"yes"}],"sensitivity":"`+point+`"}`, http.StatusOK, nil)
		var files filesResponse
		r.do("POST", "/v1/files"+query, "multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nA: "+unclear+"\r\n--x--\r\n", http.StatusOK, &files)
		if !strings.Contains(files.Files[0].Content, want) || files.Policy != text.Policy {
			t.Errorf("%q: the file has %q under %s", asked, files.Files[0].Content, files.Policy)
		}
		var found []presidio.Result
		r.post("/analyze", `{"language":"en","text":"`+unclear+`"`+choice+`}`, http.StatusOK, &found)
		if len(found) > 0 != (point == "maximum") {
			t.Errorf("%q: the analyzer found %d spans", asked, len(found))
		}
	}
	r.post("/v1/anonymize", `{"text":"yes","sensitivity":"most"}`, http.StatusUnprocessableEntity, nil)
}
