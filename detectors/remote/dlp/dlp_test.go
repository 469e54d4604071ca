package dlp

import (
	"context"
	"errors"
	"net"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/dlp/apiv2/dlppb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"sotto/detectors"
	"sotto/detectors/remote"
)

// fakeServer speaks the protocol. It finds e-mail addresses and what the custom infoTypes of the
// request find, in the rows of its table.
type fakeServer struct {
	dlppb.UnimplementedDlpServiceServer
	requests atomic.Int64
	last     atomic.Pointer[dlppb.InspectContentRequest]
	// fault may replace the answer to the nth request, from 1.
	fault func(ctx context.Context, n int64, good *dlppb.InspectResult) (*dlppb.InspectResult, error)
}

var mailForm = regexp.MustCompile(`[a-z]+@[a-z.]+[a-z]`)

func (s *fakeServer) InspectContent(ctx context.Context, q *dlppb.InspectContentRequest) (*dlppb.InspectContentResponse, error) {
	n := s.requests.Add(1)
	s.last.Store(q)
	if err := checkLimits(q); err != nil {
		return nil, err
	}
	result := &dlppb.InspectResult{}
	for row, r := range q.GetItem().GetTable().GetRows() {
		text := r.GetValues()[0].GetStringValue()
		add := func(form *regexp.Regexp, infoType string, l dlppb.Likelihood) {
			for _, m := range form.FindAllStringIndex(text, -1) {
				result.Findings = append(result.Findings, finding(int64(row), len([]rune(text[:m[0]])), len([]rune(text[:m[1]])), infoType, l))
			}
		}
		add(mailForm, "EMAIL_ADDRESS", dlppb.Likelihood_VERY_LIKELY)
		for _, c := range q.GetInspectConfig().GetCustomInfoTypes() {
			if p := c.GetRegex().GetPattern(); p != "" {
				add(regexp.MustCompile(p), c.GetInfoType().GetName(), c.GetLikelihood())
			}
		}
	}
	if s.fault != nil {
		var err error
		if result, err = s.fault(ctx, n, result); err != nil {
			return nil, err
		}
	}
	return &dlppb.InspectContentResponse{Result: result}, nil
}

func finding(row int64, start, end int, infoType string, l dlppb.Likelihood) *dlppb.Finding {
	return &dlppb.Finding{InfoType: name(infoType), Likelihood: l, Location: &dlppb.Location{
		CodepointRange: &dlppb.Range{Start: int64(start), End: int64(end)},
		ContentLocations: []*dlppb.ContentLocation{{Location: &dlppb.ContentLocation_RecordLocation{RecordLocation: &dlppb.RecordLocation{
			TableLocation: &dlppb.TableLocation{RowIndex: row},
		}}}},
	}}
}

// serve starts the server and returns options to connect to it.
func serve(t *testing.T, s *fakeServer) []option.ClientOption {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	dlppb.RegisterDlpServiceServer(server, s)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	return []option.ClientOption{option.WithEndpoint(l.Addr().String()), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials()))}
}

func newTier(t *testing.T, parent string, rules *remote.Rules, change func(*remote.Options), opts ...option.ClientOption) *remote.Tier {
	t.Helper()
	if rules == nil {
		rules = &remote.Rules{}
	}
	types := remote.DLPTypes().With(rules)
	s, err := New(t.Context(), parent, types, rules, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	o := remote.Options{Types: types, Deadline: 10 * time.Second}
	if change != nil {
		change(&o)
	}
	return remote.NewTier(s, o)
}

// eachServer runs a test on the local server, and on Google's with the user's credentials if
// SOTTO_TEST_DLP_PARENT names a project: see 'make test-dlp'.
func eachServer(t *testing.T, rules *remote.Rules, test func(t *testing.T, tier *remote.Tier)) {
	t.Run("local", func(t *testing.T) { test(t, newTier(t, "projects/p", rules, nil, serve(t, &fakeServer{})...)) })
	t.Run("Google", func(t *testing.T) {
		parent := os.Getenv("SOTTO_TEST_DLP_PARENT")
		if parent == "" {
			t.Skip("SOTTO_TEST_DLP_PARENT names no project; see 'make test-dlp'")
		}
		test(t, newTier(t, parent, rules, nil))
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
	eachServer(t, nil, func(t *testing.T, tier *remote.Tier) {
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

func TestOwnInfoTypesKeepTheirNames(t *testing.T) {
	rules := &remote.Rules{Custom: []remote.CustomType{{Type: "BADGE", Regex: `\bblue [0-9]{1,2}\b`, Likelihood: detectors.Likely}}}
	eachServer(t, rules, func(t *testing.T, tier *remote.Tier) {
		text := "my badge is blue 12"
		expect(t, text, tier.Ask(t.Context(), []remote.Utterance{{Text: text}})[0], "blue 12", "BADGE")
	})
}

func TestFaults(t *testing.T) {
	fail := func(code codes.Code) func(context.Context, int64, *dlppb.InspectResult) (*dlppb.InspectResult, error) {
		return func(context.Context, int64, *dlppb.InspectResult) (*dlppb.InspectResult, error) {
			return nil, status.Error(code, "mail ann@example.com")
		}
	}
	spoil := func(f *dlppb.Finding) func(context.Context, int64, *dlppb.InspectResult) (*dlppb.InspectResult, error) {
		return func(_ context.Context, _ int64, good *dlppb.InspectResult) (*dlppb.InspectResult, error) {
			good.Findings = append(good.Findings, f)
			return good, nil
		}
	}
	nowhere := finding(0, 0, 4, "URL", 5)
	nowhere.Location.CodepointRange = nil
	noRow := finding(0, 0, 4, "URL", 5)
	noRow.Location.ContentLocations = nil
	for name, c := range map[string]struct {
		fault func(context.Context, int64, *dlppb.InspectResult) (*dlppb.InspectResult, error)
		want  error
		found int
	}{
		"quota exhausted": {fail(codes.ResourceExhausted), remote.ErrUnavailable, 0},
		"unavailable":     {fail(codes.Unavailable), remote.ErrUnavailable, 0},
		"internal":        {fail(codes.Internal), remote.ErrUnavailable, 0},
		"no credentials":  {fail(codes.Unauthenticated), remote.ErrUnavailable, 0},
		"no permission":   {fail(codes.PermissionDenied), remote.ErrUnavailable, 0},
		"invalid":         {fail(codes.InvalidArgument), remote.ErrRefused, 0},
		"hangs": {func(ctx context.Context, _ int64, _ *dlppb.InspectResult) (*dlppb.InspectResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, remote.ErrUnavailable, 0},
		"end behind the text": {spoil(finding(0, 5, 99, "URL", 5)), remote.ErrMalformed, 0},
		"negative":            {spoil(finding(0, -1, 3, "URL", 5)), remote.ErrMalformed, 0},
		"the other way":       {spoil(finding(0, 4, 2, "URL", 5)), remote.ErrMalformed, 0},
		"no range":            {spoil(nowhere), remote.ErrMalformed, 0},
		"no row":              {spoil(noRow), remote.ErrMalformed, 0},
		"another row":         {spoil(finding(7, 0, 3, "URL", 5)), remote.ErrMalformed, 0},
		"partial": {func(_ context.Context, _ int64, good *dlppb.InspectResult) (*dlppb.InspectResult, error) {
			good.FindingsTruncated = true
			return good, nil
		}, remote.ErrPartial, 1},
		"nothing": {func(context.Context, int64, *dlppb.InspectResult) (*dlppb.InspectResult, error) { return nil, nil }, remote.ErrPartial, 0},
	} {
		t.Run(name, func(t *testing.T) {
			tier := newTier(t, "projects/p", nil, func(o *remote.Options) { o.Deadline = 400 * time.Millisecond }, serve(t, &fakeServer{fault: c.fault})...)
			r := tier.Ask(t.Context(), []remote.Utterance{{Text: "mail ann@example.com"}})[0]
			if !errors.Is(r.Err, c.want) || len(r.Findings) != c.found || strings.Contains(r.Err.Error(), "ann@") {
				t.Errorf("got %+v, want %v", r, c.want)
			}
		})
	}
}

// A quota that is used up for a moment costs a retry.
func TestAQuotaThatRecovers(t *testing.T) {
	s := &fakeServer{fault: func(_ context.Context, n int64, good *dlppb.InspectResult) (*dlppb.InspectResult, error) {
		if n < 3 {
			return nil, status.Error(codes.ResourceExhausted, "")
		}
		return good, nil
	}}
	tier := newTier(t, "projects/p", nil, nil, serve(t, s)...)
	text := "mail ann@example.com"
	expect(t, text, tier.Ask(t.Context(), []remote.Utterance{{Text: text}})[0], "ann@example.com", detectors.EmailAddress)
	if n := tier.TakeUsage(); n.Requests != 3 || n.Retries != 2 {
		t.Errorf("the usage is %+v", n)
	}
}

// A partial answer about a table leads to questions about its rows.
func TestAPartialTableIsSplit(t *testing.T) {
	s := &fakeServer{fault: func(_ context.Context, n int64, good *dlppb.InspectResult) (*dlppb.InspectResult, error) {
		if n == 1 {
			good.FindingsTruncated, good.Findings = true, good.Findings[:1]
		}
		return good, nil
	}}
	tier := newTier(t, "projects/p", nil, nil, serve(t, s)...)
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
	tier := newTier(t, "projects/p/locations/europe-west1", nil, nil, serve(t, s)...)
	tier.Ask(t.Context(), []remote.Utterance{{Call: "a", Text: "one"}, {Call: "a", Text: "two"}})
	q := s.last.Load()
	if q.GetParent() != "projects/p/locations/europe-west1" || len(q.GetItem().GetTable().GetRows()) != 2 || q.GetInspectConfig().GetIncludeQuote() {
		t.Errorf("the request is %v", q)
	}
}

func names(infoTypes []*dlppb.InfoType) map[string]bool {
	all := map[string]bool{}
	for _, t := range infoTypes {
		all[t.GetName()] = true
	}
	return all
}

// InfoTypes that the paper leaves out are asked for if the policy switches them on.
func TestInfoTypesThatAreOffByDefault(t *testing.T) {
	off := []detectors.InfoType{detectors.Date, detectors.Time, detectors.Gender, detectors.EthnicGroup}
	rules := &remote.Rules{On: map[detectors.InfoType]bool{}}
	for _, t := range off {
		rules.On[t] = true
	}
	asked := names(inspectConfig(remote.DLPTypes().With(rules), rules).GetInfoTypes())
	for _, infoType := range off {
		if !asked[string(infoType)] || remote.DLPTypes().Is(string(infoType)) != infoType {
			t.Errorf("%s is not asked for", infoType)
		}
	}
}

// The policy reaches the service: what is on and off, likelihoods, word lists and hotwords.
func TestConfig(t *testing.T) {
	rules := &remote.Rules{
		On: map[detectors.InfoType]bool{}, Off: map[detectors.InfoType]bool{detectors.URL: true, detectors.Numeric: true},
		Least:  map[detectors.InfoType]detectors.Likelihood{detectors.SSN: detectors.Unlikely},
		Custom: []remote.CustomType{{Type: "BADGE", Regex: "x+", Likelihood: detectors.Unlikely}},
		Dictionaries: []remote.WordList{
			{Type: detectors.OrganizationName, Words: []string{"Dunder Mifflin", "X"}}, {Type: detectors.PersonName, Words: []string{strings.Repeat("x", maxWords)}},
			{Type: detectors.Product, Words: []string{"Paper Clip Pro"}},
		},
		Exclusions: []remote.WordList{{Type: detectors.Location, Words: []string{"Reading"}}},
		Hotwords:   []remote.HotwordRule{{Types: []detectors.InfoType{"BADGE"}, Words: []string{"staff  id", "a.b"}, Before: 20, After: 3, Set: detectors.VeryLikely}},
	}
	c := inspectConfig(remote.DLPTypes().With(rules), rules)
	asked := names(c.GetInfoTypes())
	if asked["URL"] || asked["BADGE"] || asked["SPELLED_WORD"] || asked["DATE"] || !asked["PERSON_NAME"] || !asked["US_SOCIAL_SECURITY_NUMBER"] || len(asked) != 36 {
		t.Errorf("asked for %v", asked)
	}
	own := map[string]*dlppb.CustomInfoType{}
	for _, x := range c.GetCustomInfoTypes() {
		own[x.GetInfoType().GetName()] = x
	}
	if own["NUMERIC"] != nil || own["PERSON_NAME"] != nil || own["BADGE"].GetRegex().GetPattern() != "x+" || own["BADGE"].GetLikelihood() != dlppb.Likelihood_UNLIKELY ||
		!proto.Equal(own["ORGANIZATION_NAME"].GetDictionary(), words([]string{"Dunder Mifflin"})) || own["PRODUCT"].GetDictionary() == nil {
		t.Errorf("own infoTypes %v", own)
	}
	least := map[string]dlppb.Likelihood{}
	for _, l := range c.GetMinLikelihoodPerInfoType() {
		least[l.GetInfoType().GetName()] = l.GetMinLikelihood()
	}
	if least["CANADA_SOCIAL_INSURANCE_NUMBER"] != dlppb.Likelihood_UNLIKELY || least["BADGE"] != dlppb.Likelihood_VERY_UNLIKELY {
		t.Errorf("likelihoods %v", least)
	}
	var excluded, hot int
	for _, set := range c.GetRuleSet() {
		for _, r := range set.GetRules() {
			if x := r.GetExclusionRule(); x != nil && set.GetInfoTypes()[0].GetName() == "LOCATION" && x.GetDictionary().GetWordList().GetWords()[0] == "Reading" {
				excluded++
			}
			if h := r.GetHotwordRule(); h != nil && set.GetInfoTypes()[0].GetName() == "BADGE" {
				hot++
				if h.GetHotwordRegex().GetPattern() != `(?i)\b(?:staff\s+id|a\.b)\b` || h.GetProximity().GetWindowBefore() != 20 || h.GetProximity().GetWindowAfter() != 3 ||
					h.GetLikelihoodAdjustment().GetFixedLikelihood() != dlppb.Likelihood_VERY_LIKELY {
					t.Errorf("the hotword rule is %v", h)
				}
			}
		}
	}
	if excluded != 1 || hot != 1 {
		t.Errorf("%d exclusions and %d hotword rules", excluded, hot)
	}
}
