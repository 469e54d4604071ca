package serve

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/formats"
	"sotto/formats/table"
	"sotto/internal/batch"
	"sotto/schemas"
)

// fileResult is what became of one file. It has no name, since a name may be personal: the files
// are in the order of the request.
type fileResult struct {
	Format  string `json:"format,omitempty"`
	Content string `json:"content"`
	// Base64 means that the content is encoded, because it is not UTF-8.
	Base64 bool `json:"base64,omitempty"`
	// Notes say what was guessed or removed.
	Notes []string `json:"notes,omitempty"`
	// BadLines are lines that could not be processed and are missing.
	BadLines []badLine `json:"bad_lines,omitempty"`
	Error    string    `json:"error,omitempty"`
}

type badLine struct {
	Line    int    `json:"line"`
	Problem string `json:"problem"`
}

type filesResponse struct {
	Files []fileResult `json:"files"`
	made
}

// files anonymizes the files of a form, each as one or more calls of its own.
func (s *Server) files(w http.ResponseWriter, r *http.Request) error {
	form, err := r.MultipartReader()
	if err != nil {
		return fail(http.StatusUnsupportedMediaType, "the Content-Type must be multipart/form-data, with a file in each part")
	}
	format := r.URL.Query().Get("format")
	if format != "" && !slices.Contains(formats.Names(), format) {
		return fail(http.StatusUnprocessableEntity, "the parameter format is none of %s", strings.Join(formats.Names(), ", "))
	}
	var all []upload
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return bodyError(err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return bodyError(err)
		}
		all = append(all, upload{part.FileName(), data})
	}
	release, err := s.slot(r.Context())
	if err != nil {
		return err
	}
	defer release()
	resp := filesResponse{Files: []fileResult{}, made: s.made()}
	for _, u := range all {
		result, err := s.file(r.Context(), u, format)
		if err != nil {
			return err
		}
		resp.Files = append(resp.Files, result)
	}
	return write(w, http.StatusOK, resp)
}

// upload is a file of a form.
type upload struct {
	name string
	data []byte
}

// file anonymizes one file. format is "" to detect it.
func (s *Server) file(ctx context.Context, u upload, format string) (fileResult, error) {
	result := fileResult{}
	job := &batch.Job{
		Engine: s.engine(), Admit: s.intake.Admit, Publish: s.intake.Publish, CallID: s.intake.CallID,
		Judge:  func(context string, sum *schemas.CallSummary) { s.gate.Judge(context, sum) },
		Report: func(line int, problem string) { result.BadLines = append(result.BadLines, badLine{line, problem}) },
	}
	o := formats.Options{Name: u.name, Format: format}
	if o.Format == "" && utf8.Valid(u.data) {
		if found, err := formats.Detect(string(u.data), u.name); err == nil {
			o.Format = found
		}
	}
	var err error
	if o.Format == formats.Events {
		err = s.eventFile(ctx, job, u.data, &result)
	} else {
		err = s.document(ctx, job, u.data, o, &result)
	}
	switch {
	case ctx.Err() != nil:
		return fileResult{}, errTimeout
	case errors.Is(err, formats.ErrUnknown):
		return fileResult{Error: "the format of the file is not known; name it with the parameter format"}, nil
	case errors.Is(err, table.ErrNoText):
		return fileResult{Error: "no column of the table is known to hold the text; name it text"}, nil
	case err != nil: // errors of formats contain nothing of the file
		return fileResult{Error: err.Error()}, nil
	}
	return result, nil
}

// eventFile anonymizes a file of raw events, of one or more calls.
func (s *Server) eventFile(ctx context.Context, job *batch.Job, data []byte, result *fileResult) error {
	var out bytes.Buffer
	n, err := job.Events(ctx, bytes.NewReader(data), &out)
	s.metrics.utterances.Add(float64(n.Events))
	result.Format, result.Content = formats.Events, out.String()
	return err
}

// document anonymizes a file of any other format.
func (s *Server) document(ctx context.Context, job *batch.Job, data []byte, o formats.Options, result *fileResult) error {
	var found batch.FileResult
	out, err := job.Anonymize(ctx, data, o, &found)
	if err != nil {
		return err
	}
	for i := range found.Calls {
		s.metrics.utterances.Add(float64(len(found.Calls[i].Turns)))
	}
	result.Format, result.Notes, result.Content = found.Format, found.Notes, string(out)
	if !utf8.Valid(out) {
		result.Content, result.Base64 = base64.StdEncoding.EncodeToString(out), true
	}
	return nil
}
