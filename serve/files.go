package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path"
	"strings"

	"sotto/internal/batch"
	"sotto/schemas"
)

// fileResult is what became of one file. It has no name, since a name may be personal: the files
// are in the order of the request.
type fileResult struct {
	Format  string `json:"format,omitempty"`
	Content string `json:"content"`
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

// process anonymizes a file of a format.
type process func(j *batch.Job, ctx context.Context, in io.Reader, out io.Writer) (batch.Counts, error)

// formatOf returns how a file is processed by its name, "" if that does not say.
func formatOf(name string) (string, process) {
	switch strings.ToLower(path.Ext(name)) {
	case ".txt":
		return "text", (*batch.Job).Text
	case ".jsonl", ".ndjson":
		return "events", (*batch.Job).Events
	}
	return "", nil
}

// files anonymizes the files of a form, each as one or more calls of its own.
func (s *Server) files(w http.ResponseWriter, r *http.Request) error {
	form, err := r.MultipartReader()
	if err != nil {
		return fail(http.StatusUnsupportedMediaType, "the Content-Type must be multipart/form-data, with a file in each part")
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
		result, err := s.file(r.Context(), u)
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

func (s *Server) file(ctx context.Context, u upload) (fileResult, error) {
	format, process := formatOf(u.name)
	if process == nil {
		return fileResult{Error: "the format is not known by the file's name: use .txt for 'Speaker: words' lines, .jsonl for raw events"}, nil
	}
	result := fileResult{Format: format}
	var out bytes.Buffer
	job := &batch.Job{
		Engine: s.engine(), Admit: s.intake.Admit, Publish: s.intake.Publish,
		Judge:  func(context string, sum *schemas.CallSummary) { s.gate.Judge(context, sum) },
		Report: func(line int, problem string) { result.BadLines = append(result.BadLines, badLine{line, problem}) },
	}
	n, err := process(job, ctx, bytes.NewReader(u.data), &out)
	switch {
	case ctx.Err() != nil:
		return fileResult{}, errTimeout
	case err != nil:
		return fileResult{Format: format, Error: "the file could not be read: is a line too long?"}, nil
	}
	s.metrics.utterances.Add(float64(n.Events))
	result.Content = out.String()
	return result, nil
}
