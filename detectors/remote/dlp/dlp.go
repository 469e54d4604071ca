// Package dlp asks Google Sensitive Data Protection, formerly Cloud Data Loss Prevention, which the
// paper that Sotto follows was built on. It speaks the REST interface: Google's own client brings
// gRPC with it, and makes a program 6 MB larger.
package dlp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"sotto/anonymize/policy"
	"sotto/detectors"
	"sotto/detectors/remote"
	"sotto/detectors/remote/client"
)

const (
	globalEndpoint = "dlp.googleapis.com"
	scope          = "https://www.googleapis.com/auth/cloud-platform"
	// tokenTimeout bounds a request for an access token.
	tokenTimeout = 10 * time.Second
)

// Service inspects texts. It is safe for concurrent use.
type Service struct {
	*client.Client
	tokens oauth2.TokenSource
	// payer is the project whose quota is used, for credentials that belong to no project; or "".
	payer  string
	config config
}

// New returns a service with Google's application default credentials. The endpoint is HOST or
// HOST:PORT, "" for Google's global one. The parent is projects/PROJECT, perhaps with
// /locations/LOCATION. Close ends the connections.
func New(ctx context.Context, endpoint, parent string, types *remote.Types, rules *policy.Policy) (*Service, error) {
	if endpoint == "" {
		endpoint = globalEndpoint
	}
	if strings.ContainsAny(endpoint, "/@?#") {
		return nil, errors.New("the endpoint must be HOST or HOST:PORT")
	}
	// The source of tokens keeps the context: it must outlive the start.
	ctx = context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, &http.Client{Timeout: tokenTimeout})
	found, err := google.FindDefaultCredentials(ctx, scope)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to Google Sensitive Data Protection: %w", err)
	}
	s := newService("https://"+endpoint, parent, found.TokenSource, types, rules)
	var file struct {
		Payer string `json:"quota_project_id"`
	}
	if json.Unmarshal(found.JSON, &file) == nil { // there need not be a file
		s.payer = file.Payer
	}
	return s, nil
}

func newService(address, parent string, tokens oauth2.TokenSource, types *remote.Types, rules *policy.Policy) *Service {
	return &Service{
		Client: client.New(address+"/v2/"+parent+"/content:inspect",
			http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge, http.StatusNotImplemented),
		tokens: tokens, config: inspectConfig(types, rules),
	}
}

// Name implements remote.Service.
func (*Service) Name() string { return "dlp" }

// textColumn is the only column of the tables that are sent.
const textColumn = "text"

// Inspect implements remote.Service. It sends the texts as the rows of a table.
func (s *Service) Inspect(ctx context.Context, texts []string) ([]remote.Answer, error) {
	token, err := s.token(ctx)
	if err != nil {
		return nil, err
	}
	header := http.Header{"Authorization": {token.Type() + " " + token.AccessToken}}
	if s.payer != "" {
		header.Set("X-Goog-User-Project", s.payer)
	}
	var r response
	if _, err := s.Post(ctx, header, s.request(texts), &r); err != nil {
		return nil, err
	}
	return answers(r.Result, len(texts)), nil
}

func (s *Service) request(texts []string) *request {
	r := &request{Config: s.config}
	r.Item.Table.Headers = []named{{textColumn}}
	for _, text := range texts {
		r.Item.Table.Rows = append(r.Item.Table.Rows, row{[]value{{text}}})
	}
	return r
}

// token returns an access token. To fetch one takes no context, so that the request does not wait
// longer for it than it may.
func (s *Service) token(ctx context.Context) (*oauth2.Token, error) {
	got := make(chan *oauth2.Token, 1)
	go func() {
		t, _ := s.tokens.Token() // its error may quote what the server of tokens says
		got <- t
	}()
	select {
	case t := <-got:
		if t == nil {
			return nil, fmt.Errorf("%w: no access token", remote.ErrUnavailable)
		}
		return t, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: no access token in time", remote.ErrUnavailable)
	}
}

// answers deals the findings of a table to its rows. If a finding is in no row, the table that the
// service means is not the one that was sent.
func answers(r *result, rows int) []remote.Answer {
	all := make([]remote.Answer, rows)
	fail := func(err error) {
		for i := range all {
			all[i].Err = err
		}
	}
	if r == nil {
		fail(remote.ErrPartial)
		return all
	}
	if r.Truncated {
		fail(remote.ErrPartial)
	}
	for _, f := range r.Findings {
		at, inRow, ok := place(&f)
		if !ok || inRow < 0 || inRow >= rows {
			clear(all)
			fail(remote.ErrMalformed)
			return all
		}
		at.Type, at.Score = f.InfoType.Name, detectors.ScoreOf(likelihoodOf(f.Likelihood))
		all[inRow].Spans = append(all[inRow].Spans, at)
	}
	return all
}

// place returns where a finding is, and in which row.
func place(f *finding) (at remote.Span, inRow int, ok bool) {
	if f.Location.Codepoints == nil {
		return at, 0, false
	}
	for _, l := range f.Location.Contents {
		if l.Record.Table == nil {
			continue
		}
		ok = true
		for to, n := range map[*int]json.Number{
			&at.Start: f.Location.Codepoints.Start, &at.End: f.Location.Codepoints.End, &inRow: l.Record.Table.Row,
		} {
			if n != "" {
				var err error
				*to, err = strconv.Atoi(n.String())
				ok = ok && err == nil
			}
		}
		return at, inRow, ok
	}
	return at, 0, false
}
