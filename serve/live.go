package serve

import (
	"crypto/sha256"
	"net/http"
	"slices"
	"unicode/utf8"

	"sotto/anonymize"
	"sotto/anonymize/intake"
	"sotto/schemas"
)

// startRequest is the body of POST /v1/calls/{id}/start.
type startRequest struct {
	about
	Participants []schemas.Participant `json:"participants"`
}

// utterancesRequest is the body of POST /v1/calls/{id}/utterances.
type utterancesRequest struct {
	about
	Utterances []utterance `json:"utterances"`
	// Continue refuses the request if the call is not known.
	Continue   bool `json:"continue"`
	RawOffsets bool `json:"raw_offsets"`
}

type callResponse struct {
	// New says that the call began with this request.
	New bool `json:"new"`
	conversationResponse
}

// startCall takes what is known of the participants of a call before anybody speaks.
func (s *Server) startCall(w http.ResponseWriter, r *http.Request, body []byte, req *startRequest) error {
	return s.inCall(w, r, false, func(id string, one *liveCall) (*callResponse, error) {
		start := req.event(id, 0, schemas.Start)
		start.Participants = req.Participants
		if err := one.learn(req.about, s.settings.Sensitivity); err != nil {
			return nil, err
		}
		if err := s.admit(start, "the start of the call"); err != nil {
			return nil, err
		}
		return s.advance(r, one, len(body), []*schemas.RawEvent{start}, false, false)
	})
}

// addUtterances anonymizes the next utterances of a call.
func (s *Server) addUtterances(w http.ResponseWriter, r *http.Request, body []byte, req *utterancesRequest) error {
	switch {
	case req.Utterances == nil:
		return fail(http.StatusBadRequest, "utterances is missing")
	case len(req.Utterances) > maxUtterances:
		return errValues
	}
	return s.inCall(w, r, req.Continue, func(id string, one *liveCall) (*callResponse, error) {
		if one.last != nil && sha256.Sum256(body) == one.lastOf {
			writeJSON(w, http.StatusOK, one.last)
			return nil, nil
		}
		if err := one.learn(req.about, s.settings.Sensitivity); err != nil {
			return nil, err
		}
		events, err := one.number(id, req.Utterances)
		if err == nil {
			err = s.admitAll(events)
		}
		if err != nil {
			return nil, err
		}
		resp, err := s.advance(r, one, len(body), events, req.RawOffsets || s.settings.RawOffsets, false)
		if err != nil {
			return nil, err
		}
		if n := len(events); n > 0 {
			one.seq = events[n-1].Seq
		}
		// Where a request names all its utterances, the same one again is meant as a repetition.
		if len(req.Utterances) > 0 && !slices.ContainsFunc(req.Utterances, func(u utterance) bool { return u.Seq == nil }) {
			if answer, err := encode(resp); err == nil {
				one.keep(body, answer)
			}
		}
		return resp, nil
	})
}

// endCall ends a call, and returns its summary. The state is kept for
// the grace period.
func (s *Server) endCall(w http.ResponseWriter, r *http.Request) error {
	return s.inCall(w, r, true, func(_ string, one *liveCall) (*callResponse, error) {
		return s.advance(r, one, 0, nil, s.settings.RawOffsets, true)
	})
}

// inCall does something in the turn of a request in its call, and sends the response unless it is
// nil. What a request that fails has said about the call does not count.
func (s *Server) inCall(w http.ResponseWriter, r *http.Request, mustExist bool,
	do func(id string, one *liveCall) (*callResponse, error)) error {
	id := r.PathValue("id")
	if !utf8.ValidString(id) || len(id) > intake.MaxCallID {
		return fail(http.StatusUnprocessableEntity, "the call ID is not valid UTF-8, or longer than %d bytes", intake.MaxCallID)
	}
	one, err := s.calls.take(r.Context(), id, mustExist)
	if err != nil {
		return err
	}
	var resp *callResponse
	defer func() { s.calls.give(one, resp != nil && resp.Call != nil) }()
	before := one.about
	if resp, err = do(id, one); err != nil {
		one.about = before
		return err
	}
	if resp == nil {
		return nil
	}
	return write(w, http.StatusOK, resp)
}

// advance anonymizes events of a call, from a body of so many bytes. over asks for its summary.
func (s *Server) advance(r *http.Request, one *liveCall, bytes int, events []*schemas.RawEvent, rawOffsets, over bool) (*callResponse, error) {
	leave, err := s.slot(r, bytes)
	if err != nil {
		return nil, err
	}
	defer leave()
	engine, err := s.engineAt(one.about.Sensitivity)
	if err != nil {
		return nil, err
	}
	outputs, err := s.add(r.Context(), engine, &one.Tally, events)
	if err != nil {
		return nil, err
	}
	if one.encoded == 0 || slices.ContainsFunc(outputs, func(o anonymize.Output) bool { return o.Changed }) {
		if b, err := one.State.MarshalBinary(); err == nil {
			one.encoded = len(b)
		}
	}
	resp := &callResponse{!one.started, conversationResponse{respond(outputs, rawOffsets), nil, s.made(engine)}}
	one.started = true
	if over {
		resp.Call = one.Summary(engine, s.gate)
	}
	return resp, nil
}
