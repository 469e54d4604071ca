package serve

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"sotto/anonymize"
	"sotto/anonymize/ending"
	"sotto/detectors"
	"sotto/schemas"
	"sotto/state"
)

// maxUtterances is how many utterances, or texts, a request may have: those of a call of many
// hours.
const maxUtterances = 10_000

type utterance struct {
	Seq         *int64           `json:"seq"`
	Speaker     *schemas.Speaker `json:"speaker"`
	Text        string           `json:"text"`
	Lexical     *string          `json:"lexical"`
	Final       *bool            `json:"final"`
	Language    string           `json:"language"`
	StartMS     *int64           `json:"start_ms"`
	EndMS       *int64           `json:"end_ms"`
	TimestampMS int64            `json:"timestamp_ms"`
}

// event returns the raw event of an utterance.
func (u *utterance) event(callID string, seq int64, about *about) *schemas.RawEvent {
	e := about.event(callID, seq, schemas.Utterance)
	e.Speaker, e.Text, e.Lexical, e.Final = u.Speaker, u.Text, u.Lexical, u.Final
	e.StartMS, e.EndMS, e.TimestampMS = u.StartMS, u.EndMS, u.TimestampMS
	e.Language = cmp.Or(u.Language, e.Language)
	return e
}

// about is what a request says about its call.
type about struct {
	Context  string `json:"context"`
	Tenant   string `json:"tenant"`
	Language string `json:"language"`
	// Sensitivity is the operating point, "" for that of the settings.
	Sensitivity string `json:"sensitivity"`
}

func (a *about) event(callID string, seq int64, kind schemas.EventType) *schemas.RawEvent {
	return &schemas.RawEvent{CallID: callID, Seq: seq, Type: kind, Context: a.Context, Tenant: a.Tenant, Language: a.Language}
}

// cleanUtterance is an utterance of a response.
type cleanUtterance struct {
	Seq         int64            `json:"seq"`
	Speaker     *schemas.Speaker `json:"speaker,omitempty"`
	Text        string           `json:"text"`
	Entities    []schemas.Entity `json:"entities"`
	Language    string           `json:"language,omitempty"`
	Held        bool             `json:"held,omitempty"`
	StartMS     *int64           `json:"start_ms,omitempty"`
	EndMS       *int64           `json:"end_ms,omitempty"`
	TimestampMS int64            `json:"timestamp_ms,omitempty"`
}

// respond returns the utterances among anonymized events. rawOffsets keeps the positions in the
// raw text.
func respond(outputs []anonymize.Output, rawOffsets bool) []cleanUtterance {
	all := []cleanUtterance{}
	for i := range outputs {
		c := &outputs[i].Clean
		if c.Type != schemas.Utterance {
			continue
		}
		u := cleanUtterance{
			Seq: c.Seq, Speaker: c.Speaker, Text: c.Text, Entities: c.Entities, Language: c.Language, Held: outputs[i].Held,
			StartMS: c.StartMS, EndMS: c.EndMS, TimestampMS: c.TimestampMS,
		}
		if !rawOffsets {
			for k := range u.Entities {
				u.Entities[k].RawStart, u.Entities[k].RawEnd = nil, nil
			}
		}
		all = append(all, u)
	}
	return all
}

func newConversation() ending.Tally { return ending.Tally{State: state.NewCall()} }

// add anonymizes events in order. If it fails, the conversation is as it was before.
func (s *Server) add(ctx context.Context, e anonymize.Anonymizer, c *ending.Tally, events []*schemas.RawEvent) (outputs []anonymize.Output, err error) {
	before := *c
	before.State = c.State.Clone()
	defer func() {
		if err != nil {
			*c, outputs = before, nil
		}
	}()
	defer s.recovered("the engine panicked on a request, which is refused", errEngine, &err)
	call := anonymize.Resume(e, c.State)
	left := s.answerRoom()
	var doc detectors.Document
	for _, event := range events {
		if ctx.Err() != nil {
			return nil, errTimeout
		}
		if event.Interim() {
			continue
		}
		out := call.Add(event)
		left -= room(len(out.Clean.Entities) * entityBytes)
		if err := left.Take(out.Clean.Text); err != nil {
			return nil, err
		}
		c.Observe(&doc, &out)
		outputs = append(outputs, out)
	}
	return outputs, nil
}

// closingPass masks what was learned after an event. It is the second pass over a call.
func (s *Server) closingPass(ctx context.Context, e anonymize.Anonymizer, c *ending.Tally, outputs []anonymize.Output) (err error) {
	defer s.recovered("the engine panicked on a request, which is refused", errEngine, &err)
	events := make([]*schemas.CleanEvent, len(outputs))
	for i := range outputs {
		events[i] = &outputs[i].Clean
	}
	if anonymize.Resume(e, c.State).Finish(ctx, events) != nil {
		return errTimeout
	}
	return nil
}

// admit checks an event, of which name tells the client where it is in the request, as the stream does.
func (s *Server) admit(e *schemas.RawEvent, name string) error {
	if problem := s.intake.Admit(e); problem != "" {
		return fail(http.StatusUnprocessableEntity, "%s is refused: %s", name, problem)
	}
	return nil
}

// admitAll is admit for the utterances of a request.
func (s *Server) admitAll(events []*schemas.RawEvent) error {
	for _, e := range events {
		if err := s.admit(e, fmt.Sprintf("the utterance with the seq %d", e.Seq)); err != nil {
			return err
		}
	}
	return nil
}
