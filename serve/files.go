package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/anonymize"
	"sotto/files"
	"sotto/files/formats"
	"sotto/files/formats/table"
	"sotto/schemas"
)

// fileResult is what became of one file. It has no name, since a name may be personal: the files
// are in the order of the request.
type fileResult struct {
	Format  string `json:"format,omitempty"`
	Content string `json:"content"`
	// Base64 means that the content is encoded, because it is not UTF-8.
	Base64 bool     `json:"base64,omitempty"`
	Notes  []string `json:"notes,omitempty"`
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

// The bounds of the files of a request: how many they are, about how many parts they have together,
// such as lines, cells and values, how many texts one of them has, how many values are masked in one call, and how many
// calls a file of events has.
const (
	maxFiles     = 1000
	maxFileParts = 500_000
	maxFileTurns = 50_000
	maxFileMasks = 130_000
	maxFileCalls = 10_000
)

// files anonymizes the files of a form, each as one or more calls of its own.
func (s *Server) files(w http.ResponseWriter, r *http.Request) error {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return fail(http.StatusUnsupportedMediaType, "the Content-Type must be multipart/form-data, with a file in each part")
	}
	format := r.URL.Query().Get("format")
	if format != "" && !slices.Contains(formats.Names(), format) {
		return fail(http.StatusUnprocessableEntity, "the parameter format is none of %s", strings.Join(formats.Names(), ", "))
	}
	engine, err := s.engineAt(r.URL.Query().Get("sensitivity"))
	if err != nil {
		return err
	}
	body, err := readAll(r)
	if err != nil {
		return err
	}
	if formats.Parts(body) > maxFileParts {
		return errValues
	}
	leave, err := s.slot(r, s.settings.ServeMaxBody)
	if err != nil {
		return err
	}
	defer leave()
	all, err := uploads(multipart.NewReader(bytes.NewReader(body), params["boundary"]))
	if err != nil {
		return err
	}
	resp := filesResponse{Files: []fileResult{}, made: s.made(engine)}
	status, failed := http.StatusOK, ""
	for _, u := range all {
		result, err := s.file(r.Context(), engine, u, format)
		if err != nil {
			return err
		}
		resp.Files = append(resp.Files, result)
		if result.Error != "" || len(result.BadLines) > 0 {
			status, failed = http.StatusMultiStatus, cmp.Or(failed, result.Error)
		}
	}
	if len(all) > 0 && !slices.ContainsFunc(resp.Files, func(f fileResult) bool { return f.Error == "" }) {
		return fail(http.StatusUnprocessableEntity, "no file was anonymized; of the first one: %s", failed)
	}
	return write(w, status, resp)
}

// decodedPerBody is how much larger than a body what a compressed file decodes to may be.
const decodedPerBody = 16

type upload struct {
	name string
	data []byte
}

func uploads(form *multipart.Reader) (all []upload, err error) {
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, bodyError(err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return nil, bodyError(err)
		}
		if len(all) == maxFiles {
			return nil, errValues
		}
		all = append(all, upload{part.FileName(), data})
	}
}

// file anonymizes one file. format is "" to detect it.
func (s *Server) file(ctx context.Context, e anonymize.Anonymizer, u upload, format string) (fileResult, error) {
	result := fileResult{}
	calls := map[string]bool{}
	job := &files.Job{
		Engine: e, Admit: func(e *schemas.RawEvent) string {
			if calls[e.CallID] = true; len(calls) > maxFileCalls {
				return "a request may have the events of 10000 calls"
			}
			return s.intake.Admit(e)
		}, Publish: s.intake.Publish, CallID: s.intake.CallID,
		Gate: s.gate, MaxMasks: maxFileMasks,
		Report: func(line int, problem string) { result.BadLines = append(result.BadLines, badLine{line, problem}) },
	}
	o := formats.Options{Name: u.name, Format: format, Limits: formats.Limits{
		MaxTurns: maxFileTurns, MaxParts: maxFileParts, MaxText: s.settings.ServeMaxBody, MaxDecoded: decodedPerBody * int64(s.settings.ServeMaxBody),
	}}
	var out []byte
	var err error
	if o.Format == "" && utf8.Valid(u.data) {
		o.Format, err = formats.Detect(string(u.data), u.name)
	}
	_, isJSON := errors.AsType[formats.UnknownJSON](err)
	found := files.FileResult{Format: o.Format}
	switch {
	case isJSON: // nor do others know it
	case o.Format == formats.Events: // of one or more calls
		var lines bytes.Buffer
		_, err = job.Events(ctx, bytes.NewReader(u.data), &lines)
		out = lines.Bytes()
	default:
		out, err = job.Anonymize(ctx, u.data, o, &found)
	}
	switch {
	case ctx.Err() != nil:
		return fileResult{}, errTimeout
	case errors.Is(err, formats.ErrUnknown):
		unknown, _ := errors.AsType[formats.UnknownJSON](err)
		return fileResult{Error: "the format of the file is not known" + unknown.Nearest() + "; name it with the parameter format"}, nil
	case errors.Is(err, table.ErrNoText):
		return fileResult{Error: "no column of the table is known to hold the text; name it text"}, nil
	case err != nil: // errors of formats contain nothing of the file
		return fileResult{Error: err.Error()}, nil
	}
	result.Format, result.Notes, result.Content = found.Format, found.Notes, string(out)
	if !utf8.Valid(out) {
		result.Content, result.Base64 = base64.StdEncoding.EncodeToString(out), true
	}
	return result, nil
}
