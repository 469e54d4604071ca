// Package dlp asks Google Sensitive Data Protection, formerly Cloud Data Loss Prevention, which the
// paper that Sotto follows was built on. It brings gRPC with it, so that only the program itself
// imports it.
package dlp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	dlpapi "cloud.google.com/go/dlp/apiv2"
	"cloud.google.com/go/dlp/apiv2/dlppb"
	"google.golang.org/api/option"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"sotto/detectors"
	"sotto/detectors/remote"
)

// Service inspects texts with the official client. It is safe for concurrent use.
type Service struct {
	client *dlpapi.Client
	parent string
	config *dlppb.InspectConfig
}

// New connects with Google's application default credentials, unless the options say otherwise. The
// parent is projects/PROJECT, perhaps with /locations/LOCATION. Close ends the connection.
func New(ctx context.Context, parent string, types *remote.Types, rules *remote.Rules, opts ...option.ClientOption) (*Service, error) {
	// The client could log requests, which hold raw text, if an environment variable asks for it.
	opts = append([]option.ClientOption{option.WithLogger(slog.New(slog.DiscardHandler)), option.WithTelemetryDisabled()}, opts...)
	client, err := dlpapi.NewClient(ctx, opts...)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to Google Sensitive Data Protection: %w", err)
	}
	client.CallOptions.InspectContent = nil // the tier retries
	return &Service{client, parent, inspectConfig(types, rules)}, nil
}

// Close ends the connection.
func (s *Service) Close() error { return s.client.Close() }

// Name implements remote.Service.
func (*Service) Name() string { return "dlp" }

// textColumn is the only column of the tables that are sent.
const textColumn = "text"

// Inspect implements remote.Service. It sends the texts as the rows of a table.
func (s *Service) Inspect(ctx context.Context, texts []string) ([]remote.Answer, error) {
	table := &dlppb.Table{Headers: []*dlppb.FieldId{{Name: textColumn}}}
	for _, text := range texts {
		cell := &dlppb.Value{Type: &dlppb.Value_StringValue{StringValue: text}}
		table.Rows = append(table.Rows, &dlppb.Table_Row{Values: []*dlppb.Value{cell}})
	}
	resp, err := s.client.InspectContent(ctx, &dlppb.InspectContentRequest{
		Parent: s.parent, InspectConfig: s.config,
		Item: &dlppb.ContentItem{DataItem: &dlppb.ContentItem_Table{Table: table}},
	})
	if err != nil {
		return nil, requestError(err)
	}
	return answers(resp.GetResult(), len(texts)), nil
}

// requestError keeps the code of an error. Its message may quote the request.
func requestError(err error) error {
	code := status.Code(err)
	switch code {
	case codes.InvalidArgument, codes.OutOfRange, codes.FailedPrecondition, codes.NotFound, codes.Unimplemented:
		return fmt.Errorf("%w: %v", remote.ErrRefused, code)
	case codes.Unknown:
		if errors.Is(err, context.DeadlineExceeded) {
			code = codes.DeadlineExceeded
		}
	}
	return fmt.Errorf("%w: %v", remote.ErrUnavailable, code)
}

// answers deals the findings of a table to its rows. If a finding is in no row, the table that the
// service means is not the one that was sent.
func answers(result *dlppb.InspectResult, rows int) []remote.Answer {
	all := make([]remote.Answer, rows)
	fail := func(err error) {
		for i := range all {
			all[i].Err = err
		}
	}
	if result == nil {
		fail(remote.ErrPartial)
		return all
	}
	if result.GetFindingsTruncated() {
		fail(remote.ErrPartial)
	}
	for _, f := range result.GetFindings() {
		row, ok := rowOf(f)
		at := f.GetLocation().GetCodepointRange()
		if !ok || row < 0 || row >= int64(rows) || at == nil {
			clear(all)
			fail(remote.ErrMalformed)
			return all
		}
		all[row].Spans = append(all[row].Spans, remote.Span{
			Start: int(at.GetStart()), End: int(at.GetEnd()), Type: f.GetInfoType().GetName(), Score: score(f.GetLikelihood()),
		})
	}
	return all
}

func rowOf(f *dlppb.Finding) (row int64, ok bool) {
	for _, l := range f.GetLocation().GetContentLocations() {
		if t := l.GetRecordLocation().GetTableLocation(); t != nil {
			return t.GetRowIndex(), true
		}
	}
	return 0, false
}

// score returns the middle of a likelihood.
func score(l dlppb.Likelihood) float32 {
	if l < dlppb.Likelihood_VERY_UNLIKELY || l > dlppb.Likelihood_VERY_LIKELY {
		l = dlppb.Likelihood_POSSIBLE
	}
	return detectors.ScoreOf(detectors.Likelihood(l))
}
