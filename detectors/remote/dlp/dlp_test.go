package dlp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"sotto/anonymize/policy"
	"sotto/detectors"
	"sotto/detectors/remote"
	"sotto/detectors/remote/client"
)

// fakeServer speaks the protocol. It finds e-mail addresses and what the custom infoTypes of the
// request find, in the rows of its table.
type fakeServer struct {
	requests atomic.Int64
	last     atomic.Pointer[request]
	path     atomic.Value
	// fault may replace the answer to the nth request, from 1, or return a status.
	fault faultFunc
}

type faultFunc func(ctx context.Context, n int64, good *result) (*result, int)

var mailForm = regexp.MustCompile(`[a-z]+@[a-z.]+[a-z]`)

const accessToken = "a token"

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.requests.Add(1)
	q := &request{}
	if err := json.NewDecoder(r.Body).Decode(q); err != nil || r.Header.Get("Authorization") != "Bearer "+accessToken {
		http.Error(w, "no request, or no token", http.StatusUnauthorized)
		return
	}
	s.last.Store(q)
	s.path.Store(r.Method + " " + r.URL.Path)
	found := &result{}
	for i, row := range q.Item.Table.Rows {
		text := row.Values[0].String
		add := func(form *regexp.Regexp, infoType, likelihood string) {
			for _, m := range form.FindAllStringIndex(text, -1) {
				found.Findings = append(found.Findings, newFinding(i, len([]rune(text[:m[0]])), len([]rune(text[:m[1]])), infoType, likelihood))
			}
		}
		add(mailForm, "EMAIL_ADDRESS", "VERY_LIKELY")
		for _, c := range q.Config.Custom {
			add(regexp.MustCompile(c.Regex.Pattern), c.InfoType.Name, c.Likelihood)
		}
	}
	if s.fault != nil {
		var code int
		if found, code = s.fault(r.Context(), n, found); code != 0 {
			http.Error(w, "mail ann@example.com", code)
			return
		}
	}
	_ = json.NewEncoder(w).Encode(response{found})
}

func newFinding(row, start, end int, infoType, likelihood string) finding {
	// As Google writes them: 64 bits as a string, and no 0.
	number := func(n int) json.Number {
		if n == 0 {
			return ""
		}
		return json.Number(strconv.Itoa(n))
	}
	f := finding{InfoType: named{infoType}, Likelihood: likelihood}
	f.Location.Codepoints = &span{number(start), number(end)}
	f.Location.Contents = make([]contentLocation, 1)
	f.Location.Contents[0].Record.Table = &tableLocation{number(row)}
	return f
}

// newTier returns a tier that asks a server.
func newTier(t *testing.T, server http.Handler, parent string, change func(*remote.Options)) *remote.Tier {
	t.Helper()
	running := httptest.NewServer(server)
	t.Cleanup(running.Close)
	types := remote.DLPTypes()
	s := newService(running.URL, parent, oauth2.StaticTokenSource(&oauth2.Token{AccessToken: accessToken}), types, policy.Default())
	t.Cleanup(func() { s.Close() })
	o := remote.Options{Types: types, Deadline: 10 * time.Second}
	if change != nil {
		change(&o)
	}
	return remote.NewTier(s, o)
}

// eachServer runs a test on the local server, and on Google's with the user's credentials if
// SOTTO_TEST_DLP_PARENT names a project: see 'make test-dlp'.
func eachServer(t *testing.T, test func(t *testing.T, tier *remote.Tier)) {
	t.Run("local", func(t *testing.T) { test(t, newTier(t, &fakeServer{}, "projects/p", nil)) })
	t.Run("Google", func(t *testing.T) {
		parent := os.Getenv("SOTTO_TEST_DLP_PARENT")
		if parent == "" {
			t.Skip("SOTTO_TEST_DLP_PARENT names no project; see 'make test-dlp'")
		}
		types := remote.DLPTypes()
		s, err := New(t.Context(), "", parent, types, policy.Default())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		test(t, remote.NewTier(s, remote.Options{Types: types, Deadline: 10 * time.Second}))
	})
}

// expect checks that a finding is in a text.
func expect(t *testing.T, text string, r remote.Result, value string, infoType detectors.InfoType) {
	t.Helper()
	if r.Err != nil {
		t.Fatalf("%q: %v", text, r.Err)
	}
	for _, f := range r.Findings {
		if text[f.Start:f.End] == value && f.Type == infoType {
			return
		}
	}
	t.Errorf("%q: %s is not found as %s: %+v", text, value, infoType, r.Findings)
}

func TestFindingsAreWhereTheTextSays(t *testing.T) {
	eachServer(t, func(t *testing.T, tier *remote.Tier) {
		texts := []string{
			"mail ann@example.com today", "thank you very much",
			"😀👩‍👩‍👧 e\u0301 \u200b mail bob@example.com 𝒜𝒷", "🇨🇦 \u202e it is spelled A-L-P-H-A okay",
		}
		var all []remote.Utterance
		for _, s := range texts {
			all = append(all, remote.Utterance{Call: "c", Text: s})
		}
		r := tier.Ask(t.Context(), all)
		expect(t, texts[0], r[0], "ann@example.com", detectors.EmailAddress)
		expect(t, texts[2], r[2], "bob@example.com", detectors.EmailAddress)
		expect(t, texts[3], r[3], "A-L-P-H-A", detectors.SpelledWord)
		if r[1].Err != nil || len(r[1].Findings) != 0 {
			t.Errorf("%q: %+v", texts[1], r[1])
		}
		if n := tier.TakeUsage(); n.Requests != 1 {
			t.Errorf("%d requests for the utterances of one call", n.Requests)
		}
	})
}

func TestFaults(t *testing.T) {
	fail := func(code int) faultFunc {
		return func(context.Context, int64, *result) (*result, int) { return nil, code }
	}
	spoil := func(f finding) faultFunc {
		return func(_ context.Context, _ int64, good *result) (*result, int) {
			good.Findings = append(good.Findings, f)
			return good, 0
		}
	}
	nowhere := newFinding(0, 0, 4, "URL", "VERY_LIKELY")
	nowhere.Location.Codepoints = nil
	noRow := newFinding(0, 0, 4, "URL", "VERY_LIKELY")
	noRow.Location.Contents = nil
	noNumber := newFinding(0, 0, 4, "URL", "VERY_LIKELY")
	noNumber.Location.Codepoints.End = "1.5"
	for name, c := range map[string]struct {
		fault faultFunc
		want  error
		found int
	}{
		"quota exhausted": {fail(http.StatusTooManyRequests), remote.ErrUnavailable, 0},
		"unavailable":     {fail(http.StatusServiceUnavailable), remote.ErrUnavailable, 0},
		"internal":        {fail(http.StatusInternalServerError), remote.ErrUnavailable, 0},
		"no credentials":  {fail(http.StatusUnauthorized), remote.ErrUnavailable, 0},
		"no permission":   {fail(http.StatusForbidden), remote.ErrUnavailable, 0},
		"invalid":         {fail(http.StatusBadRequest), remote.ErrRefused, 0},
		"no such place":   {fail(http.StatusNotFound), remote.ErrRefused, 0},
		"elsewhere":       {fail(http.StatusTemporaryRedirect), remote.ErrUnavailable, 0},
		"hangs": {func(ctx context.Context, _ int64, _ *result) (*result, int) {
			<-ctx.Done()
			return nil, http.StatusGatewayTimeout
		}, remote.ErrUnavailable, 0},
		"end behind the text": {spoil(newFinding(0, 5, 99, "URL", "VERY_LIKELY")), remote.ErrMalformed, 0},
		"negative":            {spoil(newFinding(0, -1, 3, "URL", "VERY_LIKELY")), remote.ErrMalformed, 0},
		"the other way":       {spoil(newFinding(0, 4, 2, "URL", "VERY_LIKELY")), remote.ErrMalformed, 0},
		"no range":            {spoil(nowhere), remote.ErrMalformed, 0},
		"no row":              {spoil(noRow), remote.ErrMalformed, 0},
		"no whole number":     {spoil(noNumber), remote.ErrMalformed, 0},
		"another row":         {spoil(newFinding(7, 0, 3, "URL", "VERY_LIKELY")), remote.ErrMalformed, 0},
		"partial": {func(_ context.Context, _ int64, good *result) (*result, int) {
			good.Truncated = true
			return good, 0
		}, remote.ErrPartial, 1},
		"nothing": {func(context.Context, int64, *result) (*result, int) { return nil, 0 }, remote.ErrPartial, 0},
	} {
		t.Run(name, func(t *testing.T) {
			tier := newTier(t, &fakeServer{fault: c.fault}, "projects/p", func(o *remote.Options) { o.Deadline = 400 * time.Millisecond })
			r := tier.Ask(t.Context(), []remote.Utterance{{Text: "mail ann@example.com"}})[0]
			if !errors.Is(r.Err, c.want) || len(r.Findings) != c.found || strings.Contains(r.Err.Error(), "ann@") {
				t.Errorf("got %+v, want %v", r, c.want)
			}
		})
	}
	t.Run("no JSON", func(t *testing.T) {
		page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") })
		r := newTier(t, page, "projects/p", nil).Ask(t.Context(), []remote.Utterance{{Text: "hello"}})[0]
		if !errors.Is(r.Err, remote.ErrRefused) {
			t.Errorf("got %+v", r)
		}
	})
}

// slowTokens is a server of access tokens that does not answer in time, or not with a token.
type slowTokens struct{ wait chan struct{} }

func (s slowTokens) Token() (*oauth2.Token, error) {
	<-s.wait
	return nil, errors.New("says ann@example.com")
}

func TestWithoutAnAccessToken(t *testing.T) {
	never, now := make(chan struct{}), make(chan struct{})
	close(now)
	defer close(never)
	for name, wait := range map[string]chan struct{}{"too late": never, "refused": now} {
		t.Run(name, func(t *testing.T) {
			s := newService("http://127.0.0.1:1", "projects/p", slowTokens{wait}, remote.DLPTypes(), policy.Default())
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := s.Inspect(ctx, []string{"hello"}); !errors.Is(err, remote.ErrUnavailable) || !strings.Contains(err.Error(), "no access token") || strings.Contains(err.Error(), "ann@") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// A quota that is used up for a moment costs a retry.
func TestAQuotaThatRecovers(t *testing.T) {
	s := &fakeServer{fault: func(_ context.Context, n int64, good *result) (*result, int) {
		if n < 3 {
			return nil, http.StatusTooManyRequests
		}
		return good, 0
	}}
	tier := newTier(t, s, "projects/p", nil)
	text := "mail ann@example.com"
	expect(t, text, tier.Ask(t.Context(), []remote.Utterance{{Text: text}})[0], "ann@example.com", detectors.EmailAddress)
	if n := tier.TakeUsage(); n.Requests != 3 {
		t.Errorf("the usage is %+v", n)
	}
}

// A partial answer about a table leads to questions about its rows.
func TestAPartialTableIsSplit(t *testing.T) {
	s := &fakeServer{fault: func(_ context.Context, n int64, good *result) (*result, int) {
		if n == 1 {
			good.Truncated, good.Findings = true, good.Findings[:1]
		}
		return good, 0
	}}
	tier := newTier(t, s, "projects/p", nil)
	texts := []string{"mail ann@example.com", "mail bob@example.com"}
	for i, r := range tier.Ask(t.Context(), []remote.Utterance{{Text: texts[0]}, {Text: texts[1]}}) {
		expect(t, texts[i], r, texts[i][5:], detectors.EmailAddress)
	}
	if n := s.requests.Load(); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestRequest(t *testing.T) {
	s := &fakeServer{}
	tier := newTier(t, s, "projects/p/locations/europe-west1", nil)
	tier.Ask(t.Context(), []remote.Utterance{{Call: "a", Text: "one"}, {Call: "a", Text: "two"}})
	if path := s.path.Load(); path != "POST /v2/projects/p/locations/europe-west1/content:inspect" || len(s.last.Load().Item.Table.Rows) != 2 {
		t.Errorf("the request is %v %v", path, s.last.Load())
	}
}

// The names of the interface, as its reference writes them.
func TestEncoding(t *testing.T) {
	s := &Service{config: config{
		InfoTypes: []named{{"URL"}}, MinLikelihood: "POSSIBLE", Least: []least{{named{"URL"}, "LIKELY"}}, Limits: findLimits{9},
		Custom:   []customType{{named{"BADGE"}, "LIKELY", regex{"<x+>"}}},
		RuleSets: []ruleSet{{[]named{{"URL"}}, []rule{hotwords}}},
	}}
	const want = `{"inspectConfig":{"infoTypes":[{"name":"URL"}],"minLikelihood":"POSSIBLE",` +
		`"minLikelihoodPerInfoType":[{"infoType":{"name":"URL"},"minLikelihood":"LIKELY"}],"limits":{"maxFindingsPerRequest":9},` +
		`"customInfoTypes":[{"infoType":{"name":"BADGE"},"likelihood":"LIKELY","regex":{"pattern":"<x+>"}}],` +
		`"ruleSet":[{"infoTypes":[{"name":"URL"}],"rules":[` +
		`{"hotwordRule":{"hotwordRegex":{"pattern":"(?i)\\b(?:username|user\\s+name|user\\s+ID|login)\\b"},"proximity":{"windowBefore":100},"likelihoodAdjustment":{"relativeLikelihood":2}}}]}]},` +
		`"item":{"table":{"headers":[{"name":"text"}],"rows":[{"values":[{"stringValue":"a & b"}]}]}}}`
	if got := string(client.Encode(s.request([]string{"a & b"}))); got != want {
		t.Errorf("the request is\n%s\nwant\n%s", got, want)
	}
	const answer = `{"result":{"findings":[{"infoType":{"name":"URL","sensitivityScore":{"score":"SENSITIVITY_LOW"}},"likelihood":"LIKELY",` +
		`"location":{"byteRange":{"start":"2","end":"9"},"codepointRange":{"end":"7"},` +
		`"contentLocations":[{"recordLocation":{"fieldId":{"name":"text"},"tableLocation":{"rowIndex":"1"}}}]},"createTime":"2026-01-31T09:00:00Z"},` +
		`{"infoType":{"name":"URL"},"likelihood":"UNKNOWN","location":{"codepointRange":{"start":"3","end":"4"},` +
		`"contentLocations":[{"recordLocation":{"tableLocation":{}}}]}}]}}`
	var r response
	if err := json.Unmarshal([]byte(answer), &r); err != nil {
		t.Fatal(err)
	}
	got := answers(r.Result, 2)
	first := []remote.Span{{Start: 3, End: 4, Type: "URL", Score: detectors.ScoreOf(detectors.Possible)}}
	second := []remote.Span{{Start: 0, End: 7, Type: "URL", Score: detectors.ScoreOf(detectors.Likely)}}
	if !slices.Equal(got[0].Spans, first) || !slices.Equal(got[1].Spans, second) {
		t.Errorf("the answers are %+v", got)
	}
}

func TestTheEndpointIsNoURL(t *testing.T) {
	if _, err := New(t.Context(), "http://127.0.0.1:1", "projects/p", remote.DLPTypes(), policy.Default()); err == nil || !strings.Contains(err.Error(), "HOST:PORT") {
		t.Errorf("the error is %v", err)
	}
}

// The application default credentials may name the project that pays.
func TestCredentials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credentials.json")
	if err := os.WriteFile(file, []byte(`{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"c","quota_project_id":"payer"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
	s, err := New(t.Context(), "dlp.europe-west1.rep.googleapis.com", "projects/p", remote.DLPTypes(), policy.Default())
	if err != nil || s.payer != "payer" || s.URL != "https://dlp.europe-west1.rep.googleapis.com/v2/projects/p/content:inspect" {
		t.Errorf("%v, %+v", err, s)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file+".none")
	if _, err := New(t.Context(), "", "projects/p", remote.DLPTypes(), policy.Default()); err == nil {
		t.Error("no error without credentials")
	}
}

func names(infoTypes []named) map[string]bool {
	all := map[string]bool{}
	for _, t := range infoTypes {
		all[t.Name] = true
	}
	return all
}

// readPolicy returns the policy of a policy.yaml.
func readPolicy(t *testing.T, text string) *policy.Policy {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := policy.Read(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// InfoTypes that the paper leaves out are asked for if the policy switches them on.
func TestInfoTypesThatAreOffByDefault(t *testing.T) {
	rules := readPolicy(t, "info_types:\n  DATE: {enabled: true}\n  TIME: {enabled: true}\n  GENDER: {enabled: true}\n  ETHNIC_GROUP: {enabled: true}\n")
	asked := names(inspectConfig(remote.DLPTypes(), rules).InfoTypes)
	for _, infoType := range []detectors.InfoType{detectors.Date, detectors.Time, detectors.Gender, detectors.EthnicGroup} {
		if !asked[string(infoType)] || remote.DLPTypes().Is(string(infoType)) != infoType {
			t.Errorf("%s is not asked for", infoType)
		}
	}
}

// The policy decides what the service is asked for, and nothing else of it is sent.
func TestConfig(t *testing.T) {
	c := inspectConfig(remote.DLPTypes(), readPolicy(t, "info_types:\n  URL: {enabled: false}\n  NUMERIC: {enabled: false}\n  SSN: {min_likelihood: UNLIKELY}\n"+
		"custom_info_types:\n  - {name: BADGE, regex: 'blue \\d+'}\nhotword_rules:\n  - {info_types: [SSN], hotwords: [staff id], adjust: 2}\n"))
	asked := names(c.InfoTypes)
	if asked["URL"] || asked["SPELLED_WORD"] || asked["DATE"] || !asked["PERSON_NAME"] || !asked["US_SOCIAL_SECURITY_NUMBER"] || len(asked) != 36 {
		t.Errorf("asked for %d: %v", len(asked), asked)
	}
	var own []string
	for _, x := range c.Custom {
		own = append(own, x.InfoType.Name)
	}
	if !slices.Equal(own, []string{"SPELLED_WORD", "USER_NAME"}) {
		t.Errorf("own infoTypes %v", own)
	}
	likelihoods := map[string]string{}
	for _, l := range c.Least {
		likelihoods[l.InfoType.Name] = l.MinLikelihood
	}
	if likelihoods["CANADA_SOCIAL_INSURANCE_NUMBER"] != "UNLIKELY" || likelihoods["SPELLED_WORD"] != "VERY_UNLIKELY" || likelihoods["USER_NAME"] != "POSSIBLE" {
		t.Errorf("likelihoods %v", likelihoods)
	}
	if len(c.RuleSets) != 1 || len(c.RuleSets[0].InfoTypes) != 3 || strings.Contains(string(client.Encode(&request{Config: c})), "staff") {
		t.Errorf("rules %v", c.RuleSets)
	}
	var sent struct {
		Hotword struct {
			Regex regex `json:"hotwordRegex"`
		} `json:"hotwordRule"`
	}
	if json.Unmarshal(c.RuleSets[0].Rules[0], &sent) != nil || !regexp.MustCompile(sent.Hotword.Regex.Pattern).MatchString("my User  ID is") {
		t.Error("the paper's hotwords are not found")
	}
}
