package serve

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"

	"sotto/anonymize"
	"sotto/schemas"
)

// anonymizeRequest is the body of POST /v1/anonymize: a text or a conversation.
type anonymizeRequest struct {
	about
	Text         *string               `json:"text"`
	Utterances   []utterance           `json:"utterances"`
	Participants []schemas.Participant `json:"participants"`
	Live         bool                  `json:"live"`
	RawOffsets   bool                  `json:"raw_offsets"`
}

type textResponse struct {
	Text     string           `json:"text"`
	Entities []schemas.Entity `json:"entities"`
	Language string           `json:"language,omitempty"`
	Held     bool             `json:"held,omitempty"`
	// Call says whether the text may be released, as for a conversation.
	Call *schemas.CallSummary `json:"call"`
	made
}

type conversationResponse struct {
	Utterances []cleanUtterance     `json:"utterances"`
	Call       *schemas.CallSummary `json:"call,omitempty"`
	made
}

// made says how a response was made.
type made struct {
	Policy   string `json:"policy"`
	Strategy string `json:"strategy"`
}

func (s *Server) anonymize(w http.ResponseWriter, r *http.Request, body []byte, req *anonymizeRequest) error {
	if (req.Text == nil) == (req.Utterances == nil) {
		return fail(http.StatusUnprocessableEntity, "give either text or utterances")
	}
	if req.Text != nil {
		req.Utterances = []utterance{{Text: *req.Text}}
	}
	if len(req.Utterances) > maxUtterances {
		return errValues
	}
	leave, err := s.slot(r, len(body))
	if err != nil {
		return err
	}
	defer leave()
	engine, err := s.engineAt(req.Sensitivity)
	if err != nil {
		return err
	}
	// Surrogates are drawn by what is said: the calls of two requests have nothing in common.
	sum := sha256.Sum256(body)
	events, err := s.events(req, hex.EncodeToString(sum[:]))
	if err != nil {
		return err
	}
	c := newConversation()
	outputs, err := s.add(r.Context(), engine, &c, events)
	if err != nil {
		return err
	}
	if !req.Live {
		if err := s.closingPass(r.Context(), engine, &c, outputs); err != nil {
			return err
		}
	}
	clean := respond(outputs, req.RawOffsets || s.settings.RawOffsets)
	summary := c.Summary(engine, s.gate)
	if req.Text != nil {
		u := &clean[0]
		return write(w, http.StatusOK, textResponse{u.Text, u.Entities, u.Language, u.Held, summary, s.made(engine)})
	}
	return write(w, http.StatusOK, conversationResponse{clean, summary, s.made(engine)})
}

func (s *Server) events(req *anonymizeRequest, id string) ([]*schemas.RawEvent, error) {
	start := req.event(id, 0, schemas.Start)
	start.Participants = req.Participants
	events := []*schemas.RawEvent{start}
	for i := range req.Utterances {
		u := &req.Utterances[i]
		events = append(events, u.event(id, *cmp.Or(u.Seq, new(int64(i+1))), &req.about))
	}
	err := s.admit(start, "the request")
	if err == nil {
		err = s.admitAll(events[1:])
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(events, func(e *schemas.RawEvent) bool { return e.Interim() }), nil
}

func (s *Server) made(e anonymize.Anonymizer) made { return made{e.Policy(), s.settings.Strategy} }
