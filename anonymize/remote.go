package anonymize

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sotto/detectors"
	"sotto/detectors/remote"
	"sotto/schemas"
	"sotto/state"
)

// RemoteAnswer is what the remote tiers answered about a text. It is immutable.
type RemoteAnswer struct {
	// Tiers are those of the clean event: the local one and each remote one that was asked, and
	// how that went.
	Tiers []string `json:"tiers"`
	// Findings have byte offsets into the text of the event.
	Findings []detectors.Finding `json:"findings,omitempty"`
}

// LocalTier names the detectors of this process in the tiers of a clean event.
const LocalTier = "local"

// NewRemoteAnswer is the answer of a tier that was asked. An error other than ErrUnavailable of
// package remote means that the tier refused.
func NewRemoteAnswer(tier string, found []detectors.Finding, err error) *RemoteAnswer {
	switch {
	case errors.Is(err, remote.ErrUnavailable):
		tier += ":unavailable"
	case err != nil:
		tier += ":refused"
	}
	return &RemoteAnswer{Tiers: []string{LocalTier, tier}, Findings: found}
}

// NotAsked is what is known of a text that no remote tier was asked about.
func NotAsked() *RemoteAnswer { return &RemoteAnswer{Tiers: []string{LocalTier}} }

func (r *RemoteAnswer) found() bool { return r != nil && len(r.Findings) > 0 }

// addRemote adds what remote tiers found to the findings of the text, and returns all of them,
// disjoint, with their entities. The resolver covers everything that any finding covers, so no mask
// goes away.
//
// It comes last. The dialogue, the tagger and the user's hotword rules do not see these findings: an
// answer that only a remote tier recognized would close a question, and the local tier would then
// look less closely at what follows.
func (p *eventPass) addRemote(w *workspace) ([]detectors.Finding, []state.Ref) {
	for _, f := range p.remote.Findings {
		if f, ok := wholeWords(&w.doc, f); ok {
			w.doc.Add(f)
		}
	}
	return p.numberAgain(w, p.disjoint(w))
}

// wholeWords makes a finding begin and end with whole words: services cut words differently, and
// what is left of a word may tell what it was. It reports whether the finding has any word.
func wholeWords(d *detectors.Document, f detectors.Finding) (detectors.Finding, bool) {
	first, last := d.TokenAt(f.Start), d.TokenAt(f.End-1)
	if last == len(d.Tokens) || int(d.Tokens[last].Start) >= f.End {
		last--
	}
	for first <= last && d.Tokens[first].Class == detectors.Punct {
		first++
	}
	for last >= first && d.Tokens[last].Class == detectors.Punct {
		last--
	}
	if first > last {
		return f, false
	}
	f.Start, f.End = int(d.Tokens[first].Start), int(d.Tokens[last].End)
	return f, true
}

// RemoteAsker asks a remote tier about calls that are there as a whole, such as those of files. The
// stream, where events must not wait, asks by itself. It is safe for concurrent use.
type RemoteAsker struct {
	Tier *remote.Tier
	// MinDoubt is the doubt from which on an utterance is sent; 0 sends all.
	MinDoubt float32
	// Required makes an utterance without a usable answer an error. Without it, the local tier
	// decides alone, and the clean event says so.
	Required bool
	// Patience is for how long it asks a service that does not answer.
	Patience time.Duration
}

// Answers returns what Prepared.Remote of each event must be. The events are those of one call, in
// order. A nil asker answers nothing. The error wraps ErrUnavailable or ErrRefused of package remote.
func (a *RemoteAsker) Answers(ctx context.Context, e Anonymizer, events []*schemas.RawEvent) ([]*RemoteAnswer, error) {
	answers := make([]*RemoteAnswer, len(events))
	if a == nil {
		return answers, nil
	}
	var utterances []remote.Utterance
	var sent []int
	asked := false
	for i, ev := range events {
		if ev.Type != schemas.Utterance || ev.Text == "" {
			continue
		}
		if a.MinDoubt > 0 {
			d := e.Doubt(e.Prepare(ev))
			doubt := d.Value(asked)
			asked = d.Asks
			if doubt < a.MinDoubt {
				answers[i] = NotAsked()
				continue
			}
		}
		utterances, sent = append(utterances, remote.Utterance{Text: ev.Text}), append(sent, i)
	}
	for k, r := range a.Tier.AskPatiently(ctx, utterances, a.Patience) {
		if r.Err != nil && a.Required {
			return nil, fmt.Errorf("the remote detection tier gave no answer, and SOTTO_REMOTE_OUTAGE is pause: %w", r.Err)
		}
		answers[sent[k]] = NewRemoteAnswer(a.Tier.Name(), r.Findings, r.Err)
	}
	return answers, nil
}
