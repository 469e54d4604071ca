package eval

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"sotto/anonymize"
	"sotto/detectors"
	"sotto/detectors/lookalike"
	"sotto/internal/gold"
	"sotto/internal/panics"
	"sotto/risk/estimate"
	"sotto/schemas"
)

// Mask is a span that was replaced. Positions are those of the raw text and
// count Unicode code points, end exclusive.
type Mask struct {
	Start, End int
	Type       string
	// ID is the number of the tag, 0 where it has none.
	ID       int
	Detector string
}

// Anonymizer is what is measured. It returns the masks of each utterance of a
// conversation, in the order of the utterances. It is called from several
// goroutines at once.
type Anonymizer interface {
	Anonymize(*gold.Conversation) ([][]Mask, error)
}

// Engine measures an engine as the stream uses it: one state for each call, a START without
// participants, the utterances in order, an END. The engine must return raw
// offsets.
//
// It trusts no offset blindly. Where the clean text is not the raw one with exactly the reported
// spans replaced, the utterance is an error: its masks would say nothing about the output.
func Engine(e *anonymize.Engine) Anonymizer { return RemoteEngine(context.Background(), e, nil) }

// RemoteEngine is Engine with a remote tier, which is asked about each conversation before it goes
// through the engine. A nil asker asks nobody.
func RemoteEngine(ctx context.Context, e *anonymize.Engine, asker *anonymize.RemoteAsker) Anonymizer {
	return engine{Engine: e, ask: func(events []*schemas.RawEvent) ([]*anonymize.RemoteAnswer, error) {
		return asker.Answers(ctx, e, events)
	}}
}

type engine struct {
	*anonymize.Engine
	ask func([]*schemas.RawEvent) ([]*anonymize.RemoteAnswer, error)
	// finished asks for the second reading.
	finished bool
}

// finished returns an anonymizer that reads a finished call once more, if it is an engine.
func finished(a Anonymizer) Anonymizer {
	if e, ok := a.(engine); ok {
		e.finished = true
		return e
	}
	return a
}

func (e engine) Anonymize(c *gold.Conversation) ([][]Mask, error) {
	masks, _, err := e.withEvidence(c)
	return masks, err
}

// evidence is what the stream estimates the risk of a call from.
type evidence struct {
	candidates estimate.CandidateSet
	found      estimate.Found
}

// look takes in the clean events of a call, and the sub-threshold findings of each.
func (v *evidence) look(clean []*schemas.CleanEvent, subthreshold [][]detectors.SubthresholdFinding) {
	var doc detectors.Document
	type numbered struct {
		infoType string
		id       int
	}
	seen := map[numbered]bool{}
	for i, c := range clean {
		v.candidates, _ = v.candidates.Observe(&doc, c.Text, c.Entities, subthreshold[i])
		for _, m := range c.Entities {
			if k := (numbered{m.Type, m.ID}); m.ID != 0 && !seen[k] {
				seen[k] = true
				v.found.Add(m.Type, 1)
			}
		}
	}
}

// weightsOf returns the weights of the risk estimate at the operating point of an engine; nothing else has any.
func weightsOf(a Anonymizer) *estimate.Weights {
	if e, ok := a.(engine); ok {
		return estimate.At(e.Sensitivity("", ""))
	}
	return nil
}

func (e engine) withEvidence(c *gold.Conversation) (masks [][]Mask, v evidence, err error) {
	conversation := anonymize.NewConversation(e.Engine)
	conversation.Add(&schemas.RawEvent{CallID: "eval", Type: schemas.Start, Context: c.Context})
	masks = make([][]Mask, len(c.Utterances))
	subthreshold := make([][]detectors.SubthresholdFinding, len(c.Utterances))
	events := make([]*schemas.RawEvent, len(c.Utterances))
	for i, u := range c.Utterances {
		events[i] = &schemas.RawEvent{
			CallID: "eval", Seq: int64(i + 1), Type: schemas.Utterance, Context: c.Context,
			Speaker: &schemas.Speaker{ID: u.Speaker, Role: schemas.Role(u.Role())}, Text: u.Text,
		}
	}
	answers, err := e.ask(events)
	if err != nil {
		return nil, v, err
	}
	clean := make([]*schemas.CleanEvent, len(events))
	for i, ev := range events {
		p := e.Prepare(ev)
		p.Remote = answers[i]
		out := conversation.Apply(p)
		clean[i], subthreshold[i] = &out.Clean, out.Subthreshold
	}
	if e.finished {
		if err := conversation.Finish(context.Background(), clean); err != nil {
			return nil, v, err
		}
	}
	for i := range clean {
		var problem string
		if masks[i], problem = masksOf(c.Utterances[i].Text, clean[i]); problem != "" {
			return nil, v, fmt.Errorf("utterance %d: %s", i+1, problem)
		}
	}
	conversation.Add(&schemas.RawEvent{CallID: "eval", Seq: int64(len(c.Utterances) + 1), Type: schemas.End, Context: c.Context})
	v.look(clean, subthreshold)
	return masks, v, nil
}

// masksOf takes the masks from a clean event and checks that they explain its
// text, without the marks of escaped look-alikes.
func masksOf(raw string, clean *schemas.CleanEvent) (masks []Mask, problem string) {
	unescaped, marks := lookalike.UnescapeAt(clean.Text)
	before, after := []rune(raw), []rune(unescaped)
	rawAt, cleanAt := 0, 0 // what follows the entities so far
	for _, e := range clean.Entities {
		e.Start -= countBelow(marks, e.Start)
		e.End -= countBelow(marks, e.End)
		if e.RawStart == nil || e.RawEnd == nil {
			return nil, "the engine gives no raw offsets"
		}
		start, end := *e.RawStart, *e.RawEnd
		switch {
		case end <= start || e.End < e.Start:
			return nil, "an entity of the clean event is empty"
		case start < rawAt || e.Start < cleanAt || end > len(before) || e.End > len(after):
			return nil, "entities of the clean event overlap or leave the text"
		case !slices.Equal(before[rawAt:start], after[cleanAt:e.Start]):
			return nil, "the clean text differs from the raw one outside its entities"
		}
		rawAt, cleanAt = end, e.End
		masks = append(masks, Mask{Start: start, End: end, Type: e.Type, ID: e.ID, Detector: e.Detector})
	}
	if !slices.Equal(before[rawAt:], after[cleanAt:]) {
		return nil, "the clean text differs from the raw one outside its entities"
	}
	return masks, ""
}

// countBelow counts the positions, which are in order, that are below a limit.
func countBelow(positions []int, limit int) int {
	n, _ := slices.BinarySearch(positions, limit)
	return n
}

// measureAll measures the conversations in parallel and adds up the results of
// each context in their order, so that equal input gives equal output to the
// last bit.
func measureAll(conversations []gold.Conversation, a Anonymizer, o *Options) (byContext, error) {
	reports := make([]*Report, len(conversations))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range conversations {
		group.Go(func() (err error) {
			if reports[i], err = measure(&conversations[i], a, o); err != nil {
				return fmt.Errorf("line %d, %w", conversations[i].Line, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := byContext{}
	for i, r := range reports {
		all.add(conversations[i].Context, r)
	}
	return all, nil
}

func measure(c *gold.Conversation, a Anonymizer, o *Options) (r *Report, err error) {
	defer func() {
		// The panic's value may quote the conversation: only its place is reported.
		if recover() != nil {
			r, err = nil, fmt.Errorf("the anonymizer panicked at %s", panics.Site(1))
		}
	}()
	var masks [][]Mask
	var seen evidence
	if e, ok := a.(engine); ok {
		masks, seen, err = e.withEvidence(c)
	} else {
		masks, err = a.Anonymize(c)
	}
	if err != nil {
		return nil, err
	}
	if len(masks) != len(c.Utterances) {
		return nil, fmt.Errorf("the anonymizer returned %d utterances of %d", len(masks), len(c.Utterances))
	}
	if p := o.People[c.ID]; p != nil {
		if err := p.Fit(c); err != nil {
			return nil, err
		}
	}
	return reportOn(c, masks, seen, o), nil
}
