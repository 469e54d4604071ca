package remote

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"sotto/detectors"
)

// Options configure a Tier. Zero values are the defaults.
type Options struct {
	// Types map the service's types; required.
	Types *Types
	// Deadline is how long an utterance may wait for its answer, everything included.
	Deadline time.Duration
	// Batch bounds the utterances of a request, BatchBytes their texts; a longer text goes alone.
	Batch, BatchBytes int
	// PerMinute bounds the requests.
	PerMinute int
	// Attempts bounds the attempts at one request.
	Attempts int
}

const (
	// parallel bounds the requests on their way.
	parallel = 16
	// firstBackoff is about the pause before the second attempt.
	firstBackoff = 50 * time.Millisecond
	// againAfter is the pause before AskPatiently asks again.
	againAfter = 500 * time.Millisecond
	// maxAnswers bounds the answers that are remembered; at least half as many are.
	maxAnswers = 8192
)

// Tier asks a Service. It is safe for concurrent use.
type Tier struct {
	service Service
	opts    Options
	rate    *rate.Limiter
	breaker breaker
	slots   chan struct{}
	memory  answers

	mu    sync.Mutex // of usage
	usage Usage
}

// NewTier makes a tier of a service.
func NewTier(s Service, o Options) *Tier {
	o.Deadline = cmp.Or(o.Deadline, 2*time.Second)
	o.Batch = cmp.Or(o.Batch, 32)
	o.BatchBytes = cmp.Or(o.BatchBytes, 256<<10) // Google accepts half a megabyte
	o.PerMinute = cmp.Or(o.PerMinute, 600)
	o.Attempts = cmp.Or(o.Attempts, 3)
	t := &Tier{service: s, opts: o, rate: newRateLimit(o.PerMinute), slots: make(chan struct{}, parallel)}
	t.memory.init()
	return t
}

// Name is the name of the service.
func (t *Tier) Name() string { return t.service.Name() }

// Utterance is a text to be sent.
type Utterance struct {
	// Call groups the utterances of a call: a request has those of one call only.
	Call string
	Text string
}

// Result is what became of an utterance.
type Result struct {
	// Findings have byte offsets and our infoTypes.
	Findings []detectors.Finding
	// Err wraps ErrUnavailable or ErrRefused if there is no answer. Findings may be there
	// nevertheless, if the answer was partial.
	Err error
}

// Ask returns the findings of each utterance, in their order. It returns after the deadline of the
// options at the latest.
func (t *Tier) Ask(ctx context.Context, utterances []Utterance) []Result {
	ctx, cancel := context.WithTimeout(ctx, t.opts.Deadline)
	defer cancel()
	results := make([]Result, len(utterances))
	var wg sync.WaitGroup
	for _, batch := range t.batches(utterances, results) {
		wg.Go(func() { t.askBatch(ctx, utterances, batch, results) })
	}
	wg.Wait()
	return results
}

// AskPatiently is Ask for work that nobody waits for: what the rate does not permit within the
// deadline, and what failed, is asked again. It gives up when nothing was answered for so long.
func (t *Tier) AskPatiently(ctx context.Context, utterances []Utterance, patience time.Duration) []Result {
	results := t.Ask(ctx, utterances)
	for progress := time.Now(); ; {
		var again []int
		for i := range results {
			if errors.Is(results[i].Err, ErrUnavailable) {
				again = append(again, i)
			}
		}
		if len(again) == 0 || time.Since(progress) >= patience || sleep(ctx, againAfter) != nil {
			return results
		}
		rest := make([]Utterance, len(again))
		for k, i := range again {
			rest[k] = utterances[i]
		}
		for k, r := range t.Ask(ctx, rest) {
			if !errors.Is(r.Err, ErrUnavailable) {
				results[again[k]], progress = r, time.Now()
			}
		}
	}
}

// batches groups the utterances of each call whose answers are not known yet.
func (t *Tier) batches(utterances []Utterance, results []Result) [][]int {
	var batches [][]int
	open := map[string]int{} // the call's batch that has room
	size := map[string]int{}
	for i, u := range utterances {
		if f, ok := t.memory.get(u.Text); ok {
			results[i].Findings = f
			t.count(func(n *Usage) { n.Remembered++ })
			continue
		}
		b, ok := open[u.Call]
		if !ok || len(batches[b]) >= t.opts.Batch || size[u.Call]+len(u.Text) > t.opts.BatchBytes {
			b = len(batches)
			batches = append(batches, nil)
			open[u.Call], size[u.Call] = b, 0
		}
		batches[b] = append(batches[b], i)
		size[u.Call] += len(u.Text)
	}
	return batches
}

// askBatch asks about the utterances of a batch. Where the answer about several at once is of no
// use, it asks about each alone, so that one bad text does not spoil the others.
func (t *Tier) askBatch(ctx context.Context, utterances []Utterance, batch []int, results []Result) {
	texts := make([]string, len(batch))
	for k, i := range batch {
		texts[k] = utterances[i].Text
	}
	answers, err := t.request(ctx, texts)
	for k, i := range batch {
		r := &results[i]
		if r.Err = err; err == nil {
			r.Findings, r.Err = findings(texts[k], t.Name(), answers[k].Spans, t.opts.Types)
			r.Err = cmp.Or(r.Err, answers[k].Err)
		}
		switch {
		case r.Err == nil:
			t.memory.put(texts[k], r.Findings)
		case len(batch) > 1 && !errors.Is(r.Err, ErrUnavailable):
			t.askBatch(ctx, utterances, []int{i}, results)
			continue
		}
		t.count(func(n *Usage) { n.outcome(r.Err) })
	}
}

// request makes a request, several times if the service does not answer.
func (t *Tier) request(ctx context.Context, texts []string) (answers []Answer, err error) {
	for attempt := 1; ; attempt++ {
		answers, err = t.attempt(ctx, texts)
		if err == nil || !errors.Is(err, ErrUnavailable) || attempt >= t.opts.Attempts || t.breaker.open() {
			return answers, err
		}
		// Full jitter, so that clients that failed together do not come back together.
		pause := time.Duration(mathrand.Int64N(int64(2 * firstBackoff << (attempt - 1))))
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < pause || sleep(ctx, pause) != nil {
			return nil, err
		}
	}
}

func (t *Tier) attempt(ctx context.Context, texts []string) ([]Answer, error) {
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
	case <-ctx.Done():
		return nil, ErrUnavailable
	}
	if t.rate.Wait(ctx) != nil { // at once if its turn comes after the deadline
		return nil, ErrUnavailable
	}
	if !t.breaker.allow() {
		return nil, fmt.Errorf("%w: it failed too often, the next request comes after a pause", ErrUnavailable)
	}
	bytes := 0
	for _, s := range texts {
		bytes += len(s)
	}
	start := time.Now()
	answers, err := t.service.Inspect(ctx, texts)
	took, result := time.Since(start), answered
	switch {
	case err != nil && ctx.Err() != nil:
		err = fmt.Errorf("%w: no answer within the deadline", ErrUnavailable)
		// A request that began late had little time: the service may be busy, and not down.
		if result = cutOff; took >= t.opts.Deadline/2 {
			result = failed
		}
	case errors.Is(err, ErrUnavailable):
		result = failed
	case err == nil && len(answers) != len(texts):
		err = fmt.Errorf("%w: %d answers to %d texts", ErrRefused, len(answers), len(texts))
	}
	t.breaker.done(result)
	t.count(func(n *Usage) {
		n.Requests++
		n.Bytes += bytes
		if err != nil {
			n.Failed++
		}
	})
	return answers, err
}

// Usage is what was used of a service.
type Usage struct {
	Requests, Failed, Bytes int
	// Answered, Remembered, Unavailable and Refused count utterances: by the service, from memory,
	// and without an answer.
	Answered, Remembered, Unavailable, Refused int
}

func (n *Usage) outcome(err error) {
	switch {
	case err == nil:
		n.Answered++
	case errors.Is(err, ErrUnavailable):
		n.Unavailable++
	default:
		n.Refused++
	}
}

func (t *Tier) count(f func(*Usage)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.usage)
}

// TakeUsage returns what was used since it was called the last time.
func (t *Tier) TakeUsage() (taken Usage) {
	t.count(func(n *Usage) { taken, *n = *n, Usage{} })
	return taken
}

// answers remembers the latest answers, so that what is read again after an aborted transaction is
// not paid for again and a long backlog makes progress under a rate limit. It keeps hashes of the
// texts, under a key of this process.
type answers struct {
	key [32]byte

	mu sync.Mutex
	// known has the latest answers, former as many before them.
	known, former map[[sha256.Size]byte][]detectors.Finding
}

func (a *answers) init() {
	rand.Read(a.key[:]) // never fails since Go 1.24
	a.known = map[[sha256.Size]byte][]detectors.Finding{}
}

func (a *answers) hash(text string) [sha256.Size]byte {
	return sha256.Sum256(append(a.key[:], text...))
}

func (a *answers) get(text string) ([]detectors.Finding, bool) {
	h := a.hash(text)
	a.mu.Lock()
	defer a.mu.Unlock()
	f, ok := a.known[h]
	if !ok {
		f, ok = a.former[h]
	}
	return f, ok
}

func (a *answers) put(text string, f []detectors.Finding) {
	h := a.hash(text)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) == maxAnswers/2 {
		a.former, a.known = a.known, map[[sha256.Size]byte][]detectors.Finding{}
	}
	a.known[h] = f
}
