package files

import (
	"context"
	"errors"

	"sotto/anonymize"
	"sotto/detectors/remote"
	"sotto/schemas"
)

// input anonymizes the events of an input and writes them in its order.
type input struct {
	job   *Job
	calls *calls
	write func(*schemas.CleanEvent, []anonymize.Explanation) (ok bool, err error)
	n     Counts
}

func (in *input) take(ctx context.Context, ev *schemas.RawEvent, number int) error {
	c := in.calls.get(ev.CallID)
	if c == nil {
		in.job.bad(&in.n, number, problemLate)
		return nil
	}
	answers, err := in.job.Remote.Answers(ctx, in.job.Engine, []*schemas.RawEvent{ev})
	if errors.Is(err, remote.ErrUnavailable) {
		return err
	}
	if err != nil {
		in.job.bad(&in.n, number, problemRemote)
		return nil
	}
	out, problem := in.apply(c, ev, answers[0])
	if problem != "" {
		in.job.bad(&in.n, number, problem)
		return nil
	}
	ok, err := in.write(&out.Clean, out.Explanations)
	if !ok && err == nil {
		in.job.bad(&in.n, number, problemPanic)
		return nil
	}
	in.n.Events++
	return err
}

func (in *input) apply(c *openCall, ev *schemas.RawEvent, answer *anonymize.RemoteAnswer) (out anonymize.Output, problem string) {
	defer func() {
		if recover() != nil { // its value may contain text
			problem = problemPanic
		}
	}()
	p := in.job.Engine.Prepare(ev)
	p.Remote = answer
	if in.job.Explain {
		p.Explain = new([]anonymize.Explanation)
	}
	if out = anonymize.Resume(in.job.Engine, c.State).Apply(p); out.Held {
		return out, problemOtherLanguage
	}
	c.Observe(&in.calls.doc, &out)
	if ev.Type == schemas.End {
		out.Clean.Call = c.Summary(in.job.Engine, in.job.Gate)
		in.calls.end(c)
	}
	if in.job.Publish != nil {
		in.job.Publish(ev, &out.Clean)
	}
	return out, ""
}
