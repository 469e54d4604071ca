package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"sotto/anonymize"
	"sotto/schemas"
	"sotto/serve/presidio"
)

var (
	errNoText     = fail(http.StatusUnprocessableEntity, "No text provided")
	errNoLanguage = fail(http.StatusUnprocessableEntity, "No language provided")
)

// refused turns an error of package presidio into that of a request.
func refused(err error) error {
	if r, ok := errors.AsType[presidio.Refusal](err); ok {
		return fail(http.StatusUnprocessableEntity, "%s", r)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return errTimeout
	}
	return err
}

func (s *Server) presidioAnalyze(w http.ResponseWriter, r *http.Request, body []byte, req *presidio.AnalyzeRequest) error {
	texts, isList, err := textsOf(req.Text)
	if err != nil {
		return err
	}
	if req.Language == "" {
		return errNoLanguage
	}
	engine, err := s.engineAt(req.Sensitivity)
	if err != nil {
		return err
	}
	size := len(body)
	if req.HasExpressions() {
		size = s.settings.ServeMaxBody // they may take long
	}
	leave, err := s.slot(r, size)
	if err != nil {
		return err
	}
	defer leave()
	left := s.answerRoom()
	analyzer, err := presidio.NewAnalyzer(req, &left)
	if err != nil {
		return refused(err)
	}
	results := make([][]presidio.Result, len(texts))
	for i, text := range texts {
		found, err := s.find(r, engine, text, req.Language)
		if err != nil {
			return err
		}
		if results[i], err = analyzer.Results(r.Context(), text, found); err != nil {
			return refused(err)
		}
	}
	if isList {
		return write(w, http.StatusOK, results)
	}
	return write(w, http.StatusOK, results[0])
}

// textsOf reads a string or a list of strings.
func textsOf(given json.RawMessage) (all []string, isList bool, err error) {
	all = []string{""}
	isList = bytes.HasPrefix(bytes.TrimSpace(given), []byte("["))
	switch {
	case isList:
		err = json.Unmarshal(given, &all)
	case len(given) > 0:
		err = json.Unmarshal(given, &all[0])
	}
	switch {
	case err != nil:
		return nil, false, fail(http.StatusBadRequest, "text must be a string or a list of strings")
	case len(all) == 0 || !isList && all[0] == "":
		return nil, false, errNoText
	case len(all) > maxUtterances:
		return nil, false, errValues
	}
	return all, isList, nil
}

// find returns the spans of a text that the engine masks, with their positions in the text.
func (s *Server) find(r *http.Request, engine anonymize.Anonymizer, text, language string) ([]schemas.Entity, error) {
	e := (&about{Language: language}).event("request", 1, schemas.Utterance)
	e.Text = text
	if len(text) > s.settings.MaxTextBytes {
		return nil, errText
	}
	if err := s.admit(e, "the text"); err != nil {
		return nil, err
	}
	c := newConversation()
	outputs, err := s.add(r.Context(), engine, &c, []*schemas.RawEvent{e})
	if err != nil {
		return nil, err
	}
	if outputs[0].Held {
		return nil, fail(http.StatusUnprocessableEntity, "the text is in another language than English, and SOTTO_OTHER_LANGUAGES is hold")
	}
	return outputs[0].Clean.Entities, nil
}

func (s *Server) presidioAnonymize(w http.ResponseWriter, r *http.Request, body []byte, req *presidio.AnonymizeRequest) error {
	if err := req.Check(); err != nil {
		return refused(err)
	}
	leave, err := s.slot(r, len(body))
	if err != nil {
		return err
	}
	defer leave()
	left := s.answerRoom()
	resp, err := presidio.Anonymize(r.Context(), req, &left)
	if err != nil {
		return refused(err)
	}
	return write(w, http.StatusOK, resp)
}

// lists is an endpoint that always answers with a list.
func lists(names []string) handler {
	return func(w http.ResponseWriter, _ *http.Request) error { return write(w, http.StatusOK, names) }
}

// fixed is an endpoint that always answers with a text.
func fixed(kind string, text []byte) handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(text) // into the answer, which keeps it
		return nil
	}
}
