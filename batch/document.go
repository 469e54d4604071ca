package batch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"sotto/anonymize"
	"sotto/detectors"
	"sotto/formats/transcript"
	"sotto/schemas"
	"sotto/state"
)

// CallResult is what became of one call of a document. All of it except for Summary is raw text.
type CallResult struct {
	Summary *schemas.CallSummary
	Turns   []TurnResult
	// cuts are where in the recording something was masked.
	cuts *redactor
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
	// texts are what the events are of, nil for those that are of a label alone.
	texts []*transcript.Turn
	// answers are what a remote tier said about the events.
	answers []*anonymize.RemoteAnswer
	// lastTurn is the position of the last event that is part of the dialogue.
	lastTurn int
	cuts     redactor
}

func (j *Job) call(ctx context.Context, c *transcript.Call) (result CallResult, err error) {
	defer func() {
		if recover() != nil { // its value may contain text
			err = errors.New(problemPanic)
		}
	}()
	r := newCallRun(j, c)
	if r.answers, err = j.Remote.Answers(ctx, j.Engine, r.events); err != nil {
		return result, err
	}
	memory := state.NewCall()
	if !j.Live {
		if _, err := r.pass(ctx, memory); err != nil {
			return result, err
		}
		memory = memory.Restart()
	}
	outs, err := r.pass(ctx, memory)
	if err != nil {
		return result, err
	}
	if !j.Live && !j.Explain {
		r.finish(outs, memory)
	}
	result = r.result(outs, memory)
	result.cuts = &r.cuts
	return result, r.replace(outs, memory)
}

func newCallRun(j *Job, c *transcript.Call) *callRun {
	r := &callRun{job: j, call: c, id: c.ID, cuts: redactor{tags: map[string]string{}, timed: map[*transcript.Turn]bool{}}}
	if r.id == "" {
		r.id = contentID(c)
	}
	if participants := slices.Concat(c.Participants, j.Participants); len(participants) > 0 {
		r.add(&schemas.RawEvent{Type: schemas.Start, Participants: participants}, nil)
	}
	for _, t := range c.Turns {
		r.add(turnEvent(t), t)
	}
	r.lastTurn = len(r.events) - 1
	for i := range c.Labels {
		s := c.Labels[i].Speaker
		r.add(&schemas.RawEvent{Type: schemas.Utterance, Speaker: speakerOf(s)}, nil)
	}
	for _, t := range c.Others {
		r.add(turnEvent(t), t)
	}
	return r
}

// contentID stands for a call that the file gives no ID.
func contentID(c *transcript.Call) string {
	h := sha256.New()
	for _, t := range slices.Concat(c.Turns, c.Others) {
		fmt.Fprintf(h, "%q %q\n", t.Speaker.Label, t.Text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (r *callRun) add(ev *schemas.RawEvent, t *transcript.Turn) {
	ev.CallID, ev.Seq = r.id, int64(len(r.events)+1)
	r.events, r.texts = append(r.events, ev), append(r.texts, t)
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

// speakerOf returns a speaker with an ID, nil if there is none.
func speakerOf(s schemas.Speaker) *schemas.Speaker {
	s.ID = cmp.Or(s.ID, s.Label)
	if s.ID == "" && s.Role == "" {
		return nil
	}
	return &s
}

func (r *callRun) pass(ctx context.Context, memory *state.Call) ([]anonymize.Output, error) {
	c := anonymize.Resume(r.job.Engine, memory)
	outs := make([]anonymize.Output, 0, len(r.events))
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
	}
	return outs, nil
}

// finish masks what a reading of the whole dialogue finds, there and in what is no part of it.
func (r *callRun) finish(outs []anonymize.Output, memory *state.Call) {
	var dialogue []*schemas.CleanEvent
	for i := range outs[:r.lastTurn+1] {
		dialogue = append(dialogue, &outs[i].Clean)
	}
	anonymize.Resume(r.job.Engine, memory).Finish(dialogue)
	for i := range outs {
		outs[i].Clean, _, _ = r.job.Engine.ClosingPass(memory, &outs[i].Clean, nil)
	}
}

func (r *callRun) result(outs []anonymize.Output, memory *state.Call) CallResult {
	c := Call{State: memory}
	var doc detectors.Document
	var result CallResult
	for i := range outs {
		t := r.texts[i]
		if t == nil || t.Plain {
			continue
		}
		c.Observe(&doc, &outs[i])
		result.Turns = append(result.Turns, TurnResult{t.Text, outs[i]})
	}
	c.utterances = int64(len(r.call.Turns))
	result.Summary = c.Summary(r.job.Engine, r.job.Judge)
	return result
}
