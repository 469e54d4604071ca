package files

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"sotto/anonymize"
	"sotto/anonymize/ending"
	"sotto/detectors"
	"sotto/files/formats/harmless"
	"sotto/files/formats/transcript"
	"sotto/schemas"
	"sotto/state"
)

// CallResult is what became of one call of a document. All of it except for Summary is raw text.
type CallResult struct {
	// ID is that of the file or, in the results of files, the one that its events have.
	ID      string
	Summary *schemas.CallSummary
	Turns   []TurnResult
	// cuts are where in the recording something was masked.
	cuts *redactor
	// events are those of the turns.
	events []*schemas.CleanEvent
}

// TurnResult is a turn beside its anonymized form.
type TurnResult struct {
	Raw string
	anonymize.Output
}

// Document anonymizes the calls of a document and replaces its texts. A call is read twice, so that
// what is learned late is masked early and numbers are in order, unless the job is Live.
//
// The engine must give raw offsets. If the error is not nil, the document must not be written.
func (j *Job) Document(ctx context.Context, d *transcript.Document) ([]CallResult, error) {
	results := make([]CallResult, 0, len(d.Calls))
	for _, c := range d.Calls {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := j.call(ctx, c)
		if err != nil {
			return nil, err
		}
		if j.CallID != nil && c.ID != "" {
			for _, set := range c.SetID {
				set(j.CallID(c.ID))
			}
		}
		results = append(results, r)
	}
	return results, nil
}

// callRun is one call on its way through the engine.
type callRun struct {
	job  *Job
	call *transcript.Call
	// id is that of the call; without one, surrogates are drawn by what was said: files are calls of their own.
	id     string
	events []*schemas.RawEvent
	// texts are what the events are of, in their order.
	texts []textRun
	// answers are what a remote tier said about the events.
	answers []*anonymize.RemoteAnswer
	// lastTurn is the position of the last event that is part of the dialogue.
	lastTurn int
	cuts     redactor
}

// textRun is a text of a call, nil for a label alone, and which events it became.
type textRun struct {
	turn      *transcript.Turn
	from, end int
}

func (j *Job) call(ctx context.Context, c *transcript.Call) (result CallResult, err error) {
	defer func() {
		if recover() != nil { // its value may contain text
			err = errors.New(problemPanic)
		}
	}()
	for _, t := range c.Turns {
		if t.Lexical != "" && max(len(t.Text), len(t.Lexical)) > maxText {
			return result, errors.New(problemLongLexical)
		}
	}
	r, err := newCallRun(ctx, j, c)
	if err != nil {
		return result, err
	}
	if r.answers, err = j.Remote.Answers(ctx, j.Engine, r.events); err != nil {
		return result, err
	}
	memory := state.NewCall()
	if !j.Live {
		if _, err := r.pass(ctx, memory); err != nil {
			return result, err
		}
		memory.Settle()
		memory = memory.Restart()
	}
	outs, err := r.pass(ctx, memory)
	if err != nil {
		return result, err
	}
	if !j.Live && !j.Explain {
		if err := r.finish(ctx, outs, memory); err != nil {
			return result, err
		}
	}
	result.Summary = r.summary(outs, memory)
	whole := r.joined(outs)
	for i, t := range r.texts {
		if t.turn != nil && !t.turn.Plain {
			result.Turns = append(result.Turns, TurnResult{t.turn.Text, whole[i]})
		}
	}
	result.cuts, result.ID = &r.cuts, c.ID
	for i := range outs[:r.lastTurn+1] {
		if outs[i].Clean.Type == schemas.Utterance {
			result.events = append(result.events, &outs[i].Clean)
		}
	}
	return result, r.replace(ctx, whole, memory)
}

// joined returns what became of each text.
func (r *callRun) joined(outs []anonymize.Output) []anonymize.Output {
	whole := make([]anonymize.Output, 0, len(r.texts))
	for _, t := range r.texts {
		whole = append(whole, wholeOutput(r.events[t.from:t.end], outs[t.from:t.end]))
	}
	return whole
}

// newCallRun makes the events of a call. The error is that of ctx.
func newCallRun(ctx context.Context, j *Job, c *transcript.Call) (*callRun, error) {
	r := &callRun{job: j, call: c, id: c.ID, cuts: redactor{tags: map[string]string{}, timed: map[*transcript.Turn]bool{}}}
	if r.id == "" {
		r.id = contentID(c)
	}
	if participants := slices.Concat(c.Participants, j.Participants); len(participants) > 0 {
		if err := r.add(ctx, &schemas.RawEvent{Type: schemas.Start, Participants: participants}, nil); err != nil {
			return nil, err
		}
	}
	for _, t := range c.Turns {
		if err := r.add(ctx, turnEvent(t), t); err != nil {
			return nil, err
		}
	}
	r.lastTurn = len(r.events) - 1
	for i := range c.Labels {
		s := c.Labels[i].Speaker
		if err := r.add(ctx, &schemas.RawEvent{Type: schemas.Utterance, Speaker: speakerOf(s)}, nil); err != nil {
			return nil, err
		}
	}
	for _, t := range c.Others {
		if err := r.add(ctx, turnEvent(t), t); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// contentID stands for a call that the file gives no ID.
func contentID(c *transcript.Call) string {
	h := sha256.New()
	for _, t := range slices.Concat(c.Turns, c.Others) {
		fmt.Fprintf(h, "%q %q\n", t.Speaker.Label, t.Text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (r *callRun) add(ctx context.Context, ev *schemas.RawEvent, t *transcript.Turn) error {
	from := len(r.events)
	pieces, err := r.job.cut(ctx, ev)
	if err != nil {
		return err
	}
	for _, piece := range pieces {
		piece.CallID, piece.Seq = r.id, int64(len(r.events)+1)
		r.events = append(r.events, piece)
	}
	r.texts = append(r.texts, textRun{t, from, len(r.events)})
	return nil
}

func turnEvent(t *transcript.Turn) *schemas.RawEvent {
	ev := &schemas.RawEvent{
		Type: schemas.Utterance, Text: t.Text, Speaker: speakerOf(t.Speaker), StartMS: t.StartMS, EndMS: t.EndMS,
	}
	if t.Plain {
		ev.Text = ""
	}
	if t.Lexical != "" {
		ev.Lexical = &t.Lexical
	}
	return ev
}

// speakerOf returns a speaker with an ID and without a remark behind the name, nil if there is none.
func speakerOf(s schemas.Speaker) *schemas.Speaker {
	name, _ := harmless.WithoutRemark(s.Label)
	if s.ID == s.Label {
		s.ID = name
	}
	s.Label = name
	s.ID = cmp.Or(s.ID, s.Label)
	if s.ID == "" && s.Role == "" {
		return nil
	}
	return &s
}

func (r *callRun) pass(ctx context.Context, memory *state.Call) ([]anonymize.Output, error) {
	c := anonymize.Resume(r.job.Engine, memory)
	outs, masks := make([]anonymize.Output, 0, len(r.events)), 0
	for i, ev := range r.events {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i > r.lastTurn {
			memory.EndDialogue()
		}
		p := r.job.Engine.Prepare(ev)
		p.Remote = r.answers[i]
		if r.job.Explain {
			p.Explain = new([]anonymize.Explanation)
		}
		outs = append(outs, c.Apply(p))
		if outs[i].Held {
			return nil, errors.New(problemOtherLanguage)
		}
		if masks += len(outs[i].Clean.Entities); r.job.MaxMasks > 0 && masks > r.job.MaxMasks {
			return nil, errors.New(problemManyMasks)
		}
	}
	return outs, nil
}

// finish masks what a reading of the whole dialogue finds, and gives persons who turned out to be one the same number, there and
// in what is no part of it.
func (r *callRun) finish(ctx context.Context, outs []anonymize.Output, memory *state.Call) error {
	var dialogue []*schemas.CleanEvent
	for i := range outs[:r.lastTurn+1] {
		dialogue = append(dialogue, &outs[i].Clean)
	}
	if err := anonymize.Resume(r.job.Engine, memory).Finish(ctx, dialogue); err != nil {
		return err
	}
	for i := range outs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i > r.lastTurn {
			outs[i].Clean = r.job.Engine.Renumber(memory, &outs[i].Clean)
		}
		outs[i].Clean, _, _ = r.job.Engine.ClosingPass(memory, &outs[i].Clean, nil)
	}
	return nil
}

func (r *callRun) summary(outs []anonymize.Output, memory *state.Call) *schemas.CallSummary {
	c := ending.Tally{State: memory}
	var doc detectors.Document
	for _, t := range r.texts {
		if t.turn == nil || t.turn.Plain {
			continue
		}
		for i := t.from; i < t.end; i++ {
			c.Observe(&doc, &outs[i])
		}
	}
	c.Utterances = int64(len(r.call.Turns))
	return c.Summary(r.job.Engine, r.job.Gate)
}
