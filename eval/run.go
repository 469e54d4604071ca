package eval

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"sotto/anonymize"
	"sotto/corpus/gold"
	"sotto/detectors"
	"sotto/detectors/lookalike"
	"sotto/internal/panics"
	"sotto/schemas"
	"sotto/state"
)

// Mask is a span that was replaced. Positions are those of the raw text and
// count Unicode code points, end exclusive.
type Mask struct {
	Start, End int
	Type       string
	// ID is the number of the tag, 0 where it has none.
	ID       int
	Detector string
	Score    float64
}

// Anonymizer is what is measured. It returns the masks of each utterance of a
// conversation, in the order of the utterances. It is called from several
// goroutines at once.
type Anonymizer interface {
	Anonymize(*gold.Conversation) ([][]Mask, error)
}

// Engine measures an engine as the stream uses it: one state for each call, a START without
// participants, the utterances in order, an END. With hold-back, utterances are deferred as they
// are there, except for the time limit, since labelled conversations have no times. The engine
// must return raw offsets.
//
// It trusts no offset blindly. Where the clean text is not the raw one with exactly the reported
// spans replaced, the utterance is an error: its masks would say nothing about the output.
func Engine(e *anonymize.Engine) Anonymizer { return RemoteEngine(context.Background(), e, nil) }

// RemoteEngine is Engine with a remote tier, which is asked about each conversation before it goes
// through the engine. A nil asker asks nobody.
func RemoteEngine(ctx context.Context, e *anonymize.Engine, asker *anonymize.RemoteAsker) Anonymizer {
	return engine{e, func(events []*schemas.RawEvent) ([]*anonymize.RemoteAnswer, error) {
		return asker.Answers(ctx, e, events)
	}}
}

type engine struct {
	*anonymize.Engine
	ask func([]*schemas.RawEvent) ([]*anonymize.RemoteAnswer, error)
}

func (e engine) Anonymize(c *gold.Conversation) ([][]Mask, error) {
	masks, _, err := e.withSubthreshold(c)
	return masks, err
}

// subthresholdAnonymizer is an Anonymizer that also returns the sub-threshold findings of each
// utterance.
type subthresholdAnonymizer interface {
	withSubthreshold(*gold.Conversation) ([][]Mask, [][]detectors.SubthresholdFinding, error)
}

func anonymizeWithSubthreshold(a Anonymizer, c *gold.Conversation) ([][]Mask, [][]detectors.SubthresholdFinding, error) {
	if d, ok := a.(subthresholdAnonymizer); ok {
		return d.withSubthreshold(c)
	}
	masks, err := a.Anonymize(c)
	return masks, make([][]detectors.SubthresholdFinding, len(c.Utterances)), err
}

func (e engine) withSubthreshold(c *gold.Conversation) ([][]Mask, [][]detectors.SubthresholdFinding, error) {
	conversation := anonymize.NewConversation(e.Engine)
	conversation.Add(&schemas.RawEvent{CallID: "eval", Type: schemas.Start, Context: c.Context})
	masks := make([][]Mask, len(c.Utterances))
	subthreshold := make([][]detectors.SubthresholdFinding, len(c.Utterances))
	take := func(outputs []anonymize.Output) error {
		for i := range outputs {
			out := &outputs[i]
			n := out.Clean.Seq - 1
			var problem string
			if masks[n], problem = masksOf(c.Utterances[n].Text, &out.Clean); problem != "" {
				return fmt.Errorf("utterance %d: %s", n+1, problem)
			}
			subthreshold[n] = out.Subthreshold
		}
		return nil
	}
	events := make([]*schemas.RawEvent, len(c.Utterances))
	for i, u := range c.Utterances {
		events[i] = &schemas.RawEvent{
			CallID: "eval", Seq: int64(i + 1), Type: schemas.Utterance, Context: c.Context,
			Speaker: &schemas.Speaker{ID: u.Speaker, Role: schemas.Role(u.Role())}, Text: u.Text,
		}
	}
	answers, err := e.ask(events)
	if err != nil {
		return nil, nil, err
	}
	for i, ev := range events {
		p := e.Prepare(ev)
		p.Remote = answers[i]
		released, _ := conversation.Accept(p, state.RecordPosition{})
		var outputs []anonymize.Output
		for _, r := range released {
			outputs = append(outputs, conversation.Apply(r))
		}
		if err := take(outputs); err != nil {
			return nil, nil, err
		}
	}
	if err := take(conversation.Flush()); err != nil {
		return nil, nil, err
	}
	conversation.Add(&schemas.RawEvent{CallID: "eval", Seq: int64(len(c.Utterances) + 1), Type: schemas.End, Context: c.Context})
	return masks, subthreshold, nil
}

// masksOf takes the masks from a clean event and checks that they explain its
// text, without the marks of escaped look-alikes.
func masksOf(raw string, clean *schemas.CleanEvent) (masks []Mask, problem string) {
	text, marks := lookalike.UnescapeAt(clean.Text)
	rawAt, cleanAt := cursor{text: raw}, cursor{text: text}
	for _, e := range clean.Entities {
		e.Start -= countBelow(marks, e.Start)
		e.End -= countBelow(marks, e.End)
		if e.RawStart == nil || e.RawEnd == nil {
			return nil, "the engine gives no raw offsets"
		}
		if *e.RawEnd <= *e.RawStart || e.End < e.Start {
			return nil, "an entity of the clean event is empty"
		}
		before, ok1 := rawAt.advance(*e.RawStart)
		kept, ok2 := cleanAt.advance(e.Start)
		if !ok1 || !ok2 {
			return nil, "entities of the clean event overlap or leave the text"
		}
		if before != kept {
			return nil, "the clean text differs from the raw one outside its entities"
		}
		if _, ok := rawAt.advance(*e.RawEnd); !ok {
			return nil, "entities of the clean event overlap or leave the text"
		}
		if _, ok := cleanAt.advance(e.End); !ok {
			return nil, "entities of the clean event overlap or leave the text"
		}
		masks = append(masks, Mask{Start: *e.RawStart, End: *e.RawEnd, Type: e.Type, ID: e.ID, Detector: e.Detector, Score: e.Score})
	}
	if rawAt.text[rawAt.at:] != cleanAt.text[cleanAt.at:] {
		return nil, "the clean text differs from the raw one outside its entities"
	}
	return masks, ""
}

// countBelow counts the positions, which are in order, that are below a limit.
func countBelow(positions []int, limit int) int {
	n, _ := slices.BinarySearch(positions, limit)
	return n
}

// cursor walks a text by code points.
type cursor struct {
	text   string
	at     int // byte offset
	points int // code points before at
}

// advance goes to a position in code points and returns what was passed.
func (c *cursor) advance(to int) (string, bool) {
	from := c.at
	if to < c.points {
		return "", false
	}
	for c.points < to {
		if c.at >= len(c.text) {
			return "", false
		}
		_, n := utf8.DecodeRuneInString(c.text[c.at:])
		c.at += n
		c.points++
	}
	return c.text[from:c.at], true
}

// measureAll measures the conversations in parallel and adds up the results of
// each context in their order, so that equal input gives equal output to the
// last bit.
func measureAll(conversations []gold.Conversation, a Anonymizer, o *Options) (tallyByContext, error) {
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	tallies := make([]*tally, len(conversations))
	errs := make([]error, len(conversations))
	var next atomic.Int64
	var failed atomic.Bool
	var wg sync.WaitGroup
	for range min(workers, len(conversations)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(conversations) || failed.Load() {
					return
				}
				tallies[i], errs[i] = measure(&conversations[i], a, o)
				if errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("line %d, %w", conversations[i].Line, err)
		}
	}
	byContext := tallyByContext{}
	for i, t := range tallies {
		byContext.add(conversations[i].Context, t)
	}
	return byContext, nil
}

func measure(c *gold.Conversation, a Anonymizer, o *Options) (t *tally, err error) {
	defer func() {
		// The panic's value may quote the conversation: only its place is reported.
		if recover() != nil {
			t, err = nil, fmt.Errorf("the anonymizer panicked at %s", panics.Site(1))
		}
	}()
	masks, subthreshold, err := anonymizeWithSubthreshold(a, c)
	if err != nil {
		return nil, err
	}
	if len(masks) != len(c.Utterances) {
		return nil, fmt.Errorf("the anonymizer returned %d utterances of %d", len(masks), len(c.Utterances))
	}
	t = newTally()
	t.call(c, masks, subthreshold, o)
	return t, nil
}
