package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sotto/detectors"
)

// script is a service whose outcomes are given.
type script struct {
	mu       sync.Mutex
	requests [][]string
	// answer returns the outcome of the nth request, from 1.
	answer func(ctx context.Context, n int, texts []string) ([]Answer, error)
}

func (*script) Name() string { return "script" }

func (s *script) Inspect(ctx context.Context, texts []string) ([]Answer, error) {
	s.mu.Lock()
	s.requests = append(s.requests, slices.Clone(texts))
	n := len(s.requests)
	s.mu.Unlock()
	return s.answer(ctx, n, texts)
}

// names finds each "Ann".
func names(texts []string) []Answer {
	answers := make([]Answer, len(texts))
	for i, text := range texts {
		if at := strings.Index(text, "Ann"); at >= 0 {
			answers[i].Spans = []Span{{at, at + 3, "PERSON", 0.9}}
		}
	}
	return answers
}

func good(_ context.Context, _ int, texts []string) ([]Answer, error) { return names(texts), nil }

func down(context.Context, int, []string) ([]Answer, error) { return nil, ErrUnavailable }

func newTestTier(s *script, change func(*Options)) *Tier {
	o := Options{Types: PresidioTypes(), PerMinute: 600_000}
	if change != nil {
		change(&o)
	}
	return NewTier(s, o)
}

func TestRequestsHaveUtterancesOfOneCall(t *testing.T) {
	s := &script{answer: good}
	tier := newTestTier(s, func(o *Options) { o.Batch = 2 })
	r := tier.Ask(t.Context(), []Utterance{{"a", "Ann 1"}, {"b", "Ann 2"}, {"a", "so 3"}, {"a", "Ann 4"}, {"b", "so 5"}})
	want := []int{1, 1, 0, 1, 0}
	for i := range r {
		if r[i].Err != nil || len(r[i].Findings) != want[i] {
			t.Errorf("utterance %d: %+v", i, r[i])
		}
	}
	var got []string
	for _, q := range s.requests {
		got = append(got, strings.Join(q, ","))
	}
	slices.Sort(got)
	if want := "[Ann 1,so 3 Ann 2,so 5 Ann 4]"; fmt.Sprint(got) != want {
		t.Errorf("the requests are %v, want %s", got, want)
	}
	if f := r[0].Findings[0]; f.Type != detectors.PersonName || f.Detector != "script" || f.End != 3 {
		t.Errorf("the finding is %+v", f)
	}
}

func TestAnswersAreRemembered(t *testing.T) {
	s := &script{answer: good}
	tier := newTestTier(s, nil)
	for range 3 {
		if r := tier.Ask(t.Context(), []Utterance{{"a", "Ann é"}}); len(r[0].Findings) != 1 {
			t.Fatalf("got %+v", r)
		}
	}
	n := tier.TakeUsage()
	if len(s.requests) != 1 || n.Requests != 1 || n.Answered != 1 || n.Remembered != 2 || n.Bytes != len("Ann é") {
		t.Errorf("%d requests; the usage is %+v", len(s.requests), n)
	}
	if n := tier.TakeUsage(); n.Requests != 0 {
		t.Errorf("the usage is counted twice: %+v", n)
	}
}

func TestForgottenAnswersAreAskedForAgain(t *testing.T) {
	var a answers
	a.init()
	for i := range maxAnswers + 10 {
		a.put(fmt.Sprint(i), nil)
	}
	if _, ok := a.get("0"); ok || len(a.known)+len(a.former) > maxAnswers {
		t.Errorf("%d and %d answers are remembered", len(a.known), len(a.former))
	}
	for i := maxAnswers/2 + 10; i < maxAnswers+10; i++ {
		if _, ok := a.get(fmt.Sprint(i)); !ok {
			t.Errorf("answer %d is forgotten", i)
		}
	}
}

func TestRetries(t *testing.T) {
	s := &script{answer: func(ctx context.Context, n int, texts []string) ([]Answer, error) {
		if n < 3 {
			return nil, ErrUnavailable
		}
		return names(texts), nil
	}}
	tier := newTestTier(s, nil)
	if r := tier.Ask(t.Context(), []Utterance{{"a", "Ann"}}); r[0].Err != nil || len(r[0].Findings) != 1 {
		t.Errorf("got %+v", r)
	}
	if n := tier.TakeUsage(); n.Requests != 3 || n.Failed != 2 {
		t.Errorf("the usage is %+v", n)
	}
	s = &script{answer: down}
	tier = newTestTier(s, nil)
	if r := tier.Ask(t.Context(), []Utterance{{"a", "Ann"}}); !errors.Is(r[0].Err, ErrUnavailable) || len(s.requests) != 3 {
		t.Errorf("got %+v after %d requests", r, len(s.requests))
	}
}

// A text that the service does not accept does not spoil the others of its request, and is not
// asked about again and again.
func TestOneBadTextDoesNotSpoilTheOthers(t *testing.T) {
	for name, bad := range map[string]func(texts []string) ([]Answer, error){
		"refused": func([]string) ([]Answer, error) { return nil, ErrRefused },
		"malformed": func(texts []string) ([]Answer, error) {
			return spoil(texts, Answer{Spans: []Span{{2, 99, "PERSON", 1}}}), nil
		},
		"partial": func(texts []string) ([]Answer, error) { return spoil(texts, Answer{Err: ErrPartial}), nil },
		"too few": func([]string) ([]Answer, error) { return []Answer{}, nil },
	} {
		s := &script{answer: func(_ context.Context, _ int, texts []string) ([]Answer, error) {
			if slices.Contains(texts, "bad") {
				return bad(texts)
			}
			return names(texts), nil
		}}
		tier := newTestTier(s, nil)
		r := tier.Ask(t.Context(), []Utterance{{"a", "Ann"}, {"a", "bad"}, {"a", "Ann too"}})
		if r[0].Err != nil || r[2].Err != nil || len(r[0].Findings) != 1 || len(r[2].Findings) != 1 {
			t.Errorf("%s: the good texts have %+v and %+v", name, r[0], r[2])
		}
		if !errors.Is(r[1].Err, ErrRefused) || errors.Is(r[1].Err, ErrUnavailable) {
			t.Errorf("%s: the bad text has %v", name, r[1].Err)
		}
		if len(s.requests) > 4 {
			t.Errorf("%s: %d requests", name, len(s.requests))
		}
	}
}

func spoil(texts []string, with Answer) []Answer {
	answers := make([]Answer, len(texts))
	for i := range answers {
		answers[i] = with
	}
	return answers
}

// What a partial answer does contain is masked.
func TestAPartialAnswerCounts(t *testing.T) {
	s := &script{answer: func(_ context.Context, _ int, texts []string) ([]Answer, error) {
		return []Answer{{Spans: []Span{{0, 3, "PERSON", 1}}, Err: ErrPartial}}, nil
	}}
	r := newTestTier(s, nil).Ask(t.Context(), []Utterance{{"a", "Ann and Bob"}})
	if len(r[0].Findings) != 1 || !errors.Is(r[0].Err, ErrPartial) {
		t.Errorf("got %+v", r)
	}
}

func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answer: func(ctx context.Context, _ int, _ []string) ([]Answer, error) {
			<-ctx.Done()
			return nil, errors.New("the error of a client, with secret text")
		}}
		tier := newTestTier(s, func(o *Options) { o.Deadline, o.Batch = time.Second, 1 })
		var many []Utterance
		for i := range 100 {
			many = append(many, Utterance{"a", fmt.Sprint(i)})
		}
		start := time.Now()
		for _, r := range tier.Ask(t.Context(), many) {
			if !errors.Is(r.Err, ErrUnavailable) || strings.Contains(r.Err.Error(), "secret") {
				t.Fatalf("got %v", r.Err)
			}
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := false
		s := &script{}
		s.answer = func(ctx context.Context, n int, texts []string) ([]Answer, error) {
			if up {
				return good(ctx, n, texts)
			}
			return nil, ErrUnavailable
		}
		tier := newTestTier(s, func(o *Options) { o.Attempts = 1 })
		ask := func() error { return tier.Ask(t.Context(), []Utterance{{"a", "Ann"}})[0].Err }
		for range 10 {
			if ask() == nil {
				t.Fatal("there is an answer")
			}
		}
		if len(s.requests) != breakerFailures || !tier.breaker.open() {
			t.Errorf("%d requests reach a service that is down", len(s.requests))
		}
		time.Sleep(breakerPause)
		_ = ask()
		_ = ask()
		if len(s.requests) != breakerFailures+1 {
			t.Errorf("%d requests after the pause, want one trial", len(s.requests))
		}
		up = true
		time.Sleep(breakerPause)
		if err := ask(); err != nil || tier.breaker.open() {
			t.Errorf("the trial gives %v", err)
		}
	})
}

// A service that answers, but not everything within the deadline, is busy and not down: the requests
// that the deadline cut off shortly after their start do not stop others.
func TestABusyServiceIsAskedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answer: func(ctx context.Context, _ int, texts []string) ([]Answer, error) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(300 * time.Millisecond):
				return names(texts), nil
			}
		}}
		tier := newTestTier(s, func(o *Options) { o.Batch, o.Deadline = 1, time.Second })
		var many []Utterance
		for i := range 10 * parallel {
			many = append(many, Utterance{"a", fmt.Sprint(i)})
		}
		answered := 0
		for _, r := range tier.Ask(t.Context(), many) {
			if r.Err == nil {
				answered++
			}
		}
		if answered != 3*parallel || tier.breaker.open() {
			t.Errorf("%d answers; requests are stopped: %t", answered, tier.breaker.open())
		}
	})
}

// Google's quota is 600 requests a minute in a region, and 10,000 for a project. In no minute are there
// more, not even in the first one, which begins with a burst.
func TestRateLimit(t *testing.T) {
	for _, perMinute := range []int{1, 90, 600, 10_000} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var at []time.Time
			s := &script{answer: func(_ context.Context, _ int, texts []string) ([]Answer, error) {
				mu.Lock()
				defer mu.Unlock()
				at = append(at, time.Now())
				return names(texts), nil
			}}
			tier := newTestTier(s, func(o *Options) { o.PerMinute, o.Batch, o.Deadline = perMinute, 1, 10*time.Minute })
			var many []Utterance
			for i := range 2*perMinute + 1 {
				many = append(many, Utterance{"a", fmt.Sprint(i)})
			}
			start := time.Now()
			for _, r := range tier.Ask(t.Context(), many) {
				if r.Err != nil {
					t.Fatal(r.Err)
				}
			}
			for i := range at[perMinute:] {
				if window := at[i+perMinute].Sub(at[i]); window < time.Minute {
					t.Fatalf("%d requests within %v, of %d a minute", perMinute+1, window, perMinute)
				}
			}
			if took := time.Since(start); took > 2*time.Minute+5*time.Second {
				t.Errorf("%d requests take %v", len(many), took)
			}
		})
	}
}

// What the rate does not permit within the deadline fails at once, and the requests that were made
// count when the same is asked again: a backlog makes progress.
func TestABacklogMakesProgressUnderARateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answer: good}
		tier := newTestTier(s, func(o *Options) { o.PerMinute, o.Batch = 600, 1 })
		var many []Utterance
		for i := range 100 {
			many = append(many, Utterance{"a", fmt.Sprint(i)})
		}
		rounds := 0
		for failed := true; failed; rounds++ {
			if failed = false; rounds > 10 {
				t.Fatal("it does not come to an end")
			}
			for _, r := range tier.Ask(t.Context(), many) {
				failed = failed || r.Err != nil
			}
		}
		if len(s.requests) != 100 || rounds < 3 {
			t.Errorf("%d requests in %d rounds", len(s.requests), rounds)
		}
	})
}
