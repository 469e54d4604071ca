package adversary

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"sotto/detectors/remote"
	"sotto/detectors/remote/client"
	"sotto/detectors/remote/llm"
	"sotto/internal/gold"
)

//go:embed people.txt
var peoplePrompt string

//go:embed same.txt
var samePrompt string

const (
	candidates    = 5    // calls among which the adversary looks for the same person
	maxCandidate  = 4000 // bytes of each
	maxReply      = 2000 // tokens of an answer
	retries       = 5
	bytesPerToken = 4 // about, for what is sent; answers are taken to have maxReply/4
)

// Options say whom to ask, and how much.
type Options struct {
	// URL is the base of the interface, Model the name of the model there, and Token returns the key.
	URL, Model string
	Token      func() (string, error)
	// MaxRequests and MaxTokens bound what is asked in this run. Tokens are counted as the server says, and estimated
	// if it says nothing.
	MaxRequests, MaxTokens, Concurrency int
	// Pause is before a request is made again first; it doubles.
	Pause time.Duration
}

// question is one request.
type question struct {
	call    int
	key     string
	link    bool
	content string
	// calls has the IDs of candidates by their words in the question.
	calls map[string]string
}

func (q *question) tokens() int {
	prompt := peoplePrompt
	if q.link {
		prompt = samePrompt
	}
	return (len(prompt)+len(q.content))/bytesPerToken + maxReply/4
}

type turn struct {
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
}

func turns(c *gold.Conversation, most int) (all []turn) {
	for _, u := range c.Utterances {
		if most -= len(u.Text); most < 0 {
			break
		}
		all = append(all, turn{u.Speaker, u.Text})
	}
	return all
}

// questions returns what is asked about calls: the people of each, and which other one is of the same person.
func questions(calls []gold.Conversation, model string) (all []question) {
	of := vectors(textsOf(calls))
	add := func(q question) {
		sum := sha256.Sum256(fmt.Appendf(nil, "%q %t %q %q %q", model, q.link, peoplePrompt, samePrompt, q.content))
		q.key = hex.EncodeToString(sum[:16])
		all = append(all, q)
	}
	for i := range calls {
		own := turns(&calls[i], client.MaxAnswer)
		add(question{call: i, content: string(client.Encode(map[string]any{"call": own}))})
		others, names := map[string][]turn{}, map[string]string{}
		for n, k := range nearest(of[i], of, i, candidates) {
			name := fmt.Sprintf("call %d", n+1)
			others[name], names[name] = turns(&calls[k], maxCandidate), calls[k].ID
		}
		if len(others) > 0 {
			add(question{call: i, link: true, calls: names, content: string(client.Encode(map[string]any{"call": own, "others": others}))})
		}
	}
	return all
}

// Plan returns how many requests there are for calls, without those that are answered, and about how many tokens they have.
func Plan(calls []gold.Conversation, model string, j *Journal) (requests, tokens int) {
	for _, q := range questions(calls, model) {
		if _, done := j.get(q.key); !done {
			requests++
			tokens += q.tokens()
		}
	}
	return requests, tokens
}

// ErrLimit says that a limit ended the run before everything was asked.
var ErrLimit = errors.New("a limit is reached before everything is asked")

type run struct {
	Options
	chats   [2]*llm.Chat // about people, and about the same person
	calls   []gold.Conversation
	journal *Journal

	mu               sync.Mutex
	requests, tokens int
	// answered counts the requests that the server took, rejected those that it did not, the last one with a status.
	answered, rejected, status int
}

// Run asks about the calls what the journal does not know yet. It returns an answer for each call, empty where there is none, with how
// many answers were no answers. With ErrLimit, and with any other error, the answers so far are in the journal.
func Run(ctx context.Context, o Options, calls []gold.Conversation, j *Journal) (answers []Answer, refused int, err error) {
	r := &run{Options: o, calls: calls, journal: j}
	list := func() map[string]any { return map[string]any{"type": "array", "items": text} }
	evidence := llm.Closed(map[string]any{"about": text, "quote": text}, "about", "quote")
	speaker := map[string]any{"speaker": text, "relations": list(), "evidence": map[string]any{"type": "array", "items": evidence}}
	for _, a := range Attributes {
		if a != "relations" {
			speaker[a] = text
		}
	}
	tag := llm.Closed(map[string]any{"tag": text, "value": text, "evidence": list()}, "tag", "value", "evidence")
	people := llm.Closed(map[string]any{
		"speakers": map[string]any{"type": "array", "items": llm.Closed(speaker, slices.Sorted(maps.Keys(speaker))...)},
		"tags":     map[string]any{"type": "array", "items": tag},
	}, "speakers", "tags")
	same := llm.Closed(map[string]any{"same_person": text, "evidence": list()}, "same_person", "evidence")
	r.chats = [2]*llm.Chat{llm.NewChat(o.URL, o.Model, o.Token, peoplePrompt, llm.Form("people", people), maxReply), llm.NewChat(o.URL, o.Model, o.Token, samePrompt, llm.Form("same_person", same), maxReply)}
	defer func() { _ = errors.Join(r.chats[0].Close(), r.chats[1].Close()) }()
	all := questions(calls, o.Model)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, o.Concurrency))
	for _, q := range all {
		if _, done := j.get(q.key); !done && ctx.Err() == nil {
			group.Go(func() error { return r.ask(ctx, &q) })
		}
	}
	err = group.Wait()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = ErrLimit
	case err == nil && r.rejected > 0 && r.answered == 0:
		err = rejection(r.status)
	}
	answers, refused = make([]Answer, len(calls)), r.rejected
	for _, q := range all {
		record, done := j.get(q.key)
		a := &answers[q.call]
		asked := a.asked
		if done {
			asked[part(q.link)] = true
		}
		switch {
		case !done:
		case record.Answer == nil:
			refused++
		case q.link:
			a.Same, a.Evidence, a.Misquoted = record.Answer.Same, append(a.Evidence, record.Answer.Evidence...), a.Misquoted+record.Answer.Misquoted
		default:
			*a = *record.Answer
		}
		a.asked = asked
	}
	return answers, refused, err
}

// part is which of the two questions about a call this is.
func part(link bool) int {
	if link {
		return 1
	}
	return 0
}

func rejection(status int) error {
	return fmt.Errorf("the server answers with status %d; check the URL, --model and --key-file", status)
}

// count notes whether the server took a request.
func (r *run) count(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if status == http.StatusOK {
		r.answered++
	} else {
		r.rejected, r.status = r.rejected+1, status
	}
}

var text = map[string]any{"type": "string"}

// take reserves a request.
func (r *run) take(q *question) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.requests >= r.MaxRequests || r.tokens+q.tokens() > r.MaxTokens {
		return ErrLimit
	}
	r.requests++
	r.tokens += q.tokens()
	return nil
}

// used replaces the estimate of a request by what the server has counted.
func (r *run) used(q *question, tokens int) {
	if tokens > 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.tokens += tokens - q.tokens()
	}
}

func (r *run) ask(ctx context.Context, q *question) error {
	chat := r.chats[part(q.link)]
	for try := 0; ; try++ {
		if err := r.take(q); err != nil {
			return err
		}
		said, err := chat.Ask(ctx, q.content)
		r.used(q, said.Tokens)
		switch {
		case err == nil || said.Status == http.StatusOK && (errors.Is(err, remote.ErrRefused) || errors.Is(err, remote.ErrPartial)):
			r.count(http.StatusOK)
			return r.keep(q, said.Content, err)
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, remote.ErrRefused): // too long for the model, perhaps: others may not be, and a later run asks again
			r.count(said.Status)
			return nil
		case said.Status != 0 && said.Status != http.StatusTooManyRequests && said.Status < http.StatusInternalServerError:
			return rejection(said.Status)
		case try == retries:
			return fmt.Errorf("the server does not answer, also after %d repetitions (status %d); run the command again to go on", retries, said.Status)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(r.Pause << try):
		}
	}
}

// keep adds the answer to the journal. One that has not the form is kept as none, and not asked for again.
func (r *run) keep(q *question, content string, err error) error {
	record := Record{Key: q.key}
	if err == nil {
		if q.link {
			record.Answer, err = readLink(&r.calls[q.call], q.calls, content)
		} else {
			record.Answer, err = read(&r.calls[q.call], content)
		}
	}
	if err != nil {
		record.Answer = nil
	}
	return r.journal.add(record)
}

// Probe asks the server about a harmless word. It is an error if the server does not answer.
func Probe(ctx context.Context, o Options) error {
	chat := llm.NewChat(o.URL, o.Model, o.Token, "Answer with one word.", nil, 16)
	defer func() { _ = chat.Close() }()
	said, err := chat.Ask(ctx, "hello")
	if errors.Is(err, remote.ErrUnavailable) || said.Status != http.StatusOK {
		return fmt.Errorf("the server does not answer (status %d); check the URL, --model and --key-file", said.Status)
	}
	return nil
}
