package anonymize

import (
	"errors"

	"sotto/detectors"
	"sotto/detectors/remote"
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
// answer that only a remote tier recognized would close a question, and the local tiers would then
// look less closely at what follows.
func (p *eventPass) addRemote(w *workspace) ([]detectors.Finding, []state.Ref) {
	for _, f := range p.remote.Findings {
		if f, ok := wholeWords(&w.doc, f); ok {
			w.doc.Add(f)
		}
	}
	return p.numberAgain(w, p.resolve(w, p.explainer))
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
