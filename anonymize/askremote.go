package anonymize

import (
	"context"
	"fmt"
	"time"

	"sotto/detectors/remote"
	"sotto/schemas"
)

// RemoteAsker asks a remote tier about calls that are there as a whole, such as those of files. The
// stream, where events must not wait, asks by itself. It is safe for concurrent use.
type RemoteAsker struct {
	Tier *remote.Tier
	// MinDoubt is the doubt from which on an utterance is sent; 0 sends all.
	MinDoubt float32
	// Required makes an utterance without a usable answer an error. Without it, the local tiers
	// decide alone, and the clean event says so.
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
