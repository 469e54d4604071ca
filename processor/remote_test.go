package processor

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sotto/anonymize"
	"sotto/anonymize/policy"
	"sotto/config"
	"sotto/detectors/remote"
	"sotto/detectors/remote/llm"
	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
	"sotto/state"
)

// eachTier runs a test with each kind of tier: one whose client is the service of the test itself, and
// one with the client of language models and a server that says what that service finds.
func eachTier(t *testing.T, test func(t *testing.T, tier string)) {
	for _, tier := range []string{config.TierPresidio, config.TierLLM} {
		t.Run(tier, func(t *testing.T) { test(t, tier) })
	}
}

// withRemote sets a rig up for a remote tier.
func withRemote(r *rig, tier string) {
	r.Set.RemoteTier, r.Set.RemoteConsent, r.Set.RemoteURL = tier, config.RemoteConsent, "http://localhost:1"
	r.Set.RemoteModel, r.Set.RemoteDeadline, r.Set.RemotePerMinute = "tiny", 300*time.Millisecond, 1_000_000
	if tier == config.TierLLM {
		r.Set.RemoteDeadline = 600 * time.Millisecond
	}
}

func tierOf(r *rig, s remote.Service) *remote.Tier {
	r.T.Helper()
	if r.Set.RemoteTier == config.TierLLM {
		server := httptest.NewServer(chatServer{s})
		client := llm.New(server.URL, "tiny", r.Set.RemoteToken, remote.LLMTypes(), policy.Default())
		r.T.Cleanup(func() { client.Close(); server.CloseClientConnections(); server.Close() })
		s = client
	}
	tier, err := r.Set.NewRemoteTier(s)
	if err != nil {
		r.T.Fatal(err)
	}
	return tier
}

// chatServer is a server of a language model that says what a service finds.
type chatServer struct{ service remote.Service }

func (c chatServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct{ Messages []struct{ Content string } }
	var texts []string
	body, err := io.ReadAll(r.Body) // a server notices that a client has gone when it has read the request
	if err != nil || json.Unmarshal(body, &q) != nil || len(q.Messages) != 2 || json.Unmarshal([]byte(q.Messages[1].Content), &texts) != nil {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	answers, err := c.service.Inspect(r.Context(), texts)
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	type quote struct {
		Quote string `json:"quote"`
		Type  string `json:"type"`
	}
	spans := []quote{}
	for i, a := range answers {
		for _, s := range a.Spans {
			spans = append(spans, quote{string([]rune(texts[i])[s.Start:s.End]), "PERSON_NAME"})
		}
		if a.Err != nil {
			spans = append(spans, quote{"words that nobody said", "PERSON_NAME"})
		}
	}
	content, _ := json.Marshal(map[string]any{"spans": spans})
	answer := map[string]any{"finish_reason": "stop", "message": map[string]any{"content": string(content)}}
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{answer}})
}

// spansOf is what the services of these tests find: each word that ends with "lned" or "man".
func spansOf(text string) []remote.Span {
	var spans []remote.Span
	at := 0
	for _, word := range strings.SplitAfter(text, " ") {
		n := len([]rune(word))
		if w := strings.TrimRight(word, " "); strings.HasSuffix(w, "lned") || strings.HasSuffix(w, "man") {
			spans = append(spans, remote.Span{Start: at, End: at + len([]rune(w)), Type: "PERSON", Score: 0.6})
		}
		at += n
	}
	return spans
}

// shakyService does not answer some of the requests, if it has random numbers.
type shakyService struct {
	mu       sync.Mutex
	rnd      *rand.Rand
	failures int
}

func (*shakyService) Name() string { return "presidio" }

func (s *shakyService) Inspect(_ context.Context, texts []string) ([]remote.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rnd != nil && s.rnd.IntN(20) == 0 {
		s.failures++
		return nil, remote.ErrUnavailable
	}
	var answers []remote.Answer
	for _, text := range texts {
		answers = append(answers, remote.Answer{Spans: spansOf(text)})
	}
	return answers, nil
}

// answered is an engine whose events come with what the service finds in them: the reference for
// the stream with a remote tier.
type answered struct {
	engine
	tier *remote.Tier
}

func (a answered) Prepare(ev *schemas.RawEvent) *anonymize.Prepared {
	p := a.engine.Prepare(ev)
	if ev.Type != schemas.Utterance || ev.Text == "" {
		return p
	}
	r := a.tier.AskPatiently(context.Background(), []remote.Utterance{{Text: ev.Text}}, time.Minute)[0]
	p.Remote = anonymize.NewRemoteAnswer(a.tier.Name(), r.Findings, r.Err)
	return p
}

// With a remote tier, too, any history gives what one thread without failures gives, byte for byte,
// even if the service does not answer now and then.
func TestAnyHistoryWithARemoteTierEqualsASerialRun(t *testing.T) {
	seed := uint64(1)
	if v, err := strconv.ParseUint(os.Getenv("SOTTO_TEST_SEED"), 10, 64); err == nil {
		seed = v
	}
	eachTier(t, func(t *testing.T, tier string) {
		service := &shakyService{rnd: rand.New(rand.NewPCG(seed, 7))}
		playHistory(t, seed, service, tier)
		if service.failures == 0 {
			t.Error("the service never failed: it does not test it")
		}
	})
}

// stuck is an engine that does not get to the end of any event. It says on reached that it begins one.
type stuck struct {
	engine
	reached chan<- struct{}
	release <-chan struct{}
}

func (s stuck) Apply(c *state.Call, p *anonymize.Prepared) (schemas.CleanEvent, bool) {
	s.reached <- struct{}{}
	<-s.release
	return s.engine.Apply(c, p)
}

// changingService finds something in the first answer to each text and nothing in later ones.
type changingService struct{ calls atomic.Int64 }

func (*changingService) Name() string { return "presidio" }

func (s *changingService) Inspect(_ context.Context, texts []string) ([]remote.Answer, error) {
	answers := make([]remote.Answer, len(texts))
	if s.calls.Add(1) == 1 {
		for i, text := range texts {
			answers[i].Spans = spansOf(text)
		}
	}
	return answers, nil
}

// A process dies after the answer was sealed and before the event was written. Its successor would
// get another answer and does not ask: it uses the one in the state.
func TestTheSealedAnswerCounts(t *testing.T) { eachTier(t, theSealedAnswerCounts) }

func theSealedAnswerCounts(t *testing.T, tier string) {
	r := newRig(t, 1)
	withRemote(r, tier)
	if _, ok := r.Cluster.(*brokertest.Kfake); ok {
		r.Set.SessionTimeout = time.Second
	}
	r.Set.RebalanceTimeout, r.Set.RemoteDeadline = 6*time.Second, 4*time.Second
	service := &changingService{}
	reached, release := make(chan struct{}, 1), make(chan struct{})
	first := r.start("a", func(p *Processor) {
		p.remote = tierOf(r, service)
		p.wrap = func(e engine) engine { return stuck{e, reached, release} }
	})
	r.Feed(r.Raw(0, utterance("c", 1, "agent", "we quorlned that for you")))
	<-reached // it applies only what is in the state
	first.kill()
	close(release)
	second := r.start("b", func(p *Processor) { p.remote = tierOf(r, service) })
	got := r.Clean(r.Await(r.Topics.Clean, 1))
	if want := "we [PERSON_NAME_1] that for you"; got[0].Text != want {
		t.Errorf("got %q, want %q", got[0].Text, want)
	}
	if !slices.Equal(got[0].Tiers, []string{"local", tier}) {
		t.Errorf("the tiers are %v", got[0].Tiers)
	}
	if n := service.calls.Load(); n != 1 {
		t.Errorf("the service was asked %d times", n)
	}
	if err := second.stop(); err != nil {
		t.Error(err)
	}
	if n := len(r.Read(r.Topics.Clean)); n != 1 {
		t.Errorf("there are %d clean events", n)
	}
	for _, topic := range []string{r.Topics.State, r.Topics.Clean} {
		for _, rec := range r.Read(topic) {
			if strings.Contains(string(rec.Value), "quorlned") {
				t.Errorf("a record of %s shows what waited", topic)
			}
		}
	}
}

// switchedService answers only while it is up.
type switchedService struct {
	up    atomic.Bool
	asked atomic.Int64
}

func (*switchedService) Name() string { return "presidio" }

func (s *switchedService) Inspect(ctx context.Context, texts []string) ([]remote.Answer, error) {
	s.asked.Add(1)
	if !s.up.Load() {
		<-ctx.Done() // it hangs
		return nil, ctx.Err()
	}
	answers := make([]remote.Answer, len(texts))
	for i, text := range texts {
		if strings.Contains(text, "unreadable") {
			answers[i].Err = remote.ErrMalformed
			continue
		}
		answers[i].Spans = spansOf(text)
	}
	return answers, nil
}

func TestAnOutagePausesTheStream(t *testing.T) { eachTier(t, anOutagePausesTheStream) }

func anOutagePausesTheStream(t *testing.T, tier string) {
	r := newRig(t, 1)
	withRemote(r, tier)
	r.Set.RemoteDeadline = 500 * time.Millisecond
	service := &switchedService{}
	in := r.start("a", func(p *Processor) { p.remote = tierOf(r, service) })
	r.Feed(r.Raw(0, utterance("c", 1, "agent", "we quorlned that for you")), r.Raw(0, utterance("c", 2, "agent", "unreadable quorlned")))
	eventually(t, "a second attempt", func() bool { return service.asked.Load() > 1 })
	if n := len(r.Read(r.Topics.Clean)); n != 0 {
		t.Fatalf("%d clean events went out without the remote tier", n)
	}
	service.up.Store(true)
	got := r.Clean(r.Await(r.Topics.Clean, 1))
	if want := "we [PERSON_NAME_1] that for you"; got[0].Text != want {
		t.Errorf("got %q, want %q", got[0].Text, want)
	}
	eventually(t, "the dead letter", func() bool { return len(r.DeadLetters()) == 1 })
	if d := r.DeadLetters()[0]; d.Reason != reasonRemoteRefused || d.Offset != 1 {
		t.Errorf("the dead letter is %+v", d)
	}
	if err := in.stop(); err != nil {
		t.Error(err)
	}
}

func TestAnOutageIsMarkedIfTheStreamGoesOn(t *testing.T) {
	eachTier(t, anOutageIsMarkedIfTheStreamGoesOn)
}

func anOutageIsMarkedIfTheStreamGoesOn(t *testing.T, tier string) {
	r := newRig(t, 1)
	withRemote(r, tier)
	r.Set.RemoteOutage, r.Set.RemoteDeadline = config.OutageGoOn, 500*time.Millisecond
	service := &switchedService{}
	in := r.start("a", func(p *Processor) { p.remote = tierOf(r, service) })
	r.Feed(r.Raw(0, utterance("c", 1, "agent", "we quorlned that for you, ann@example.com")))
	got := r.Clean(r.Await(r.Topics.Clean, 1))
	if want := "we quorlned that for you, [EMAIL_ADDRESS_1]"; got[0].Text != want {
		t.Errorf("got %q, want %q", got[0].Text, want)
	}
	if !slices.Equal(got[0].Tiers, []string{"local", tier + ":unavailable"}) {
		t.Errorf("the tiers are %v", got[0].Tiers)
	}
	service.up.Store(true)
	r.Feed(r.Raw(0, utterance("d", 2, "agent", "unreadable quorlned")))
	got = r.Clean(r.Await(r.Topics.Clean, 2))
	if !slices.Equal(got[1].Tiers, []string{"local", tier + ":refused"}) {
		t.Errorf("the tiers are %v", got[1].Tiers)
	}
	if err := in.stop(); err != nil {
		t.Error(err)
	}
}

// swelling makes the output of one text larger than a record may be.
type swelling struct{ engine }

func (s swelling) Apply(c *state.Call, prep *anonymize.Prepared) (schemas.CleanEvent, bool) {
	clean, changed := s.engine.Apply(c, prep)
	if prep.Event.Text == panicMark {
		clean.Text, clean.Entities = strings.Repeat("x", maxRecordBytes+1), []schemas.Entity{}
	}
	return clean, changed
}

// An event whose output is too large when it is released becomes a dead letter and nothing else: it
// is in no version of the call, and leaves no trace in the state.
func TestAStagedEventThatIsTooLarge(t *testing.T) {
	r := newRig(t, 1)
	withRemote(r, config.TierPresidio)
	r.KeepFinals(1)
	service := &switchedService{}
	service.up.Store(true)
	r.start("a", func(p *Processor) {
		p.remote = tierOf(r, service)
		p.wrap = func(e engine) engine { return swelling{e} }
	})
	r.Feed(r.Raw(0, utterance("c", 1, "customer", "we quorlned that")), r.Raw(0, utterance("c", 2, "agent", panicMark)),
		r.Raw(0, utterance("c", 3, "customer", "ask mr zoman")), r.Raw(0, ended("c", 4)))
	clean := r.Clean(r.Await(r.Topics.Clean, 3))
	var got []int64
	for _, e := range clean {
		got = append(got, e.Seq)
	}
	if !slices.Equal(got, []int64{1, 3, 4}) {
		t.Errorf("got the events %v", got)
	}
	if dead := r.DeadLetters(); len(dead) != 1 || dead[0].Offset != 1 || dead[0].Reason != reasonOutputTooLarge {
		t.Errorf("dead letters %+v", dead)
	}
	eventually(t, "the final version without the event", func() bool { return len(r.Read(r.Set.TopicFinal)) == 3 })
}

// A call's events keep their order, whether they are sent or not, to its END.
func TestSelectedUtterancesKeepTheirOrder(t *testing.T) {
	r := newRig(t, 1)
	withRemote(r, config.TierPresidio)
	r.Set.RemoteMinDoubt = 0.01
	service := &switchedService{}
	service.up.Store(true)
	in := r.start("a", func(p *Processor) { p.remote = tierOf(r, service) })
	r.Feed(
		r.Raw(0, utterance("c", 1, "agent", "thanks so much for your help today")),
		r.Raw(0, utterance("c", 2, "agent", "we quorlned that for you")),
		r.Raw(0, utterance("c", 3, "agent", "thanks so much for your help today")),
		r.Raw(0, ended("c", 4)),
		r.Raw(0, utterance("c", 5, "agent", "thanks so much for your help today")),
	)
	got := r.Clean(r.Await(r.Topics.Clean, 5))
	for i, e := range got {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d has the number %d", i, e.Seq)
		}
	}
	if !slices.Equal(got[0].Tiers, []string{"local"}) || !slices.Equal(got[1].Tiers, []string{"local", "presidio"}) {
		t.Errorf("the tiers are %v and %v", got[0].Tiers, got[1].Tiers)
	}
	if got[3].Call == nil || got[3].Call.Utterances != 3 {
		t.Errorf("the END is %+v", got[3].Call)
	}
	if err := in.stop(); err != nil {
		t.Error(err)
	}
}
