// Package registry asks a Schema Registry for the schemas of records, and registers those of the events.
package registry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/linkedin/goavro/v2"
	"github.com/twmb/franz-go/pkg/sr"
	"golang.org/x/sync/singleflight"

	"sotto/schemas"
	"sotto/schemas/protobuf"
)

const (
	// fetchTimeout bounds how long a decode waits for the registry.
	fetchTimeout = 5 * time.Second
	// An answer that condemns a record is asked for again after unknownFor, for
	// the sake of a registry that learns of a schema late.
	unknownFor = 30 * time.Second
	// Records that wait for a registry that does not answer ask at most this
	// often.
	unavailableFor = time.Second
	// maxFailures bounds the failed answers that are remembered, since a bad
	// record can name any ID.
	maxFailures = 1024
	// maxReferences bounds the schemas that one schema may refer to.
	maxReferences = 64
)

// Client asks the Schema Registry for writers' schemas and remembers the
// answers. It never puts an ID into an error: an ID is a part of a record, and
// the record may be some text that happens to start as Avro does.
type Client struct {
	client  *sr.Client
	timeout time.Duration
	now     func() time.Time
	// readOnly makes Register only check.
	readOnly bool

	found  sync.Map // uint32 to *schemas.Schema; bounded by what the registry holds
	flight singleflight.Group

	mu     sync.Mutex
	failed map[uint32]failure // a short time ago
}

type failure struct {
	err   error
	until time.Time // when it is to be forgotten
}

// New returns a Client. If it is readOnly, Register registers nothing: it only checks that the Registry answers and
// would accept what is not registered yet. What needs such a schema cannot be written.
func New(client *sr.Client, readOnly bool) *Client {
	return &Client{client: client, readOnly: readOnly, timeout: fetchTimeout, now: time.Now, failed: map[uint32]failure{}}
}

// Schema returns the schema with the ID. Callers that want the same one share
// one request.
func (r *Client) Schema(id uint32) (*schemas.Schema, error) {
	if s, ok := r.found.Load(id); ok {
		return s.(*schemas.Schema), nil
	}
	if id == 0 || id > math.MaxInt32 {
		return nil, &schemas.DecodeError{Reason: schemas.ReasonUnknownSchema} // no registry gives such an ID
	}
	s, err, _ := r.flight.Do(strconv.Itoa(int(id)), func() (any, error) {
		if s, ok := r.found.Load(id); ok {
			return s, nil
		}
		r.mu.Lock()
		f, ok := r.failed[id]
		r.mu.Unlock()
		if ok && !r.now().After(f.until) {
			return nil, f.err
		}
		s, err := r.fetch(int(id))
		if err != nil {
			r.remember(id, err)
			return nil, err
		}
		r.found.Store(id, s)
		return s, nil
	})
	if err != nil {
		return nil, err
	}
	return s.(*schemas.Schema), nil
}

func (r *Client) remember(id uint32, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.failed) >= maxFailures {
		clear(r.failed)
	}
	until := r.now().Add(unknownFor)
	if errors.Is(err, schemas.ErrUnavailable) {
		until = r.now().Add(unavailableFor)
	}
	r.failed[id] = failure{err, until}
}

func (r *Client) fetch(id int) (*schemas.Schema, error) {
	ctx, cancel := context.WithTimeout(context.Background(), r.timeout)
	defer cancel()
	s, err := r.client.SchemaByID(ctx, id)
	if err != nil {
		return nil, fetchError(err)
	}
	return r.usable(ctx, s)
}

// usable returns a schema with which records can be read, or why it is none.
func (r *Client) usable(ctx context.Context, s sr.Schema) (*schemas.Schema, error) {
	switch s.Type {
	case sr.TypeJSON:
		return schemas.JSONSchema(), nil // whatever it refers to
	case sr.TypeAvro, sr.TypeProtobuf:
	default:
		return nil, &schemas.DecodeError{Reason: schemas.ReasonWrongSchema}
	}
	refs := referenced{seen: map[sr.SchemaReference]bool{}, byName: map[string]string{}, named: s.Type == sr.TypeProtobuf}
	if err := r.references(ctx, s.References, &refs); err != nil {
		return nil, err
	}
	read := func() (*schemas.Schema, error) { return parse(s.Schema, refs.texts...) }
	if s.Type == sr.TypeProtobuf {
		read = func() (*schemas.Schema, error) { return protobuf.Parse(s.Schema, refs.byName) }
	}
	parsed, err := read()
	if err != nil {
		return nil, &schemas.DecodeError{Reason: schemas.ReasonWrongSchema}
	}
	return parsed, nil
}

// Latest returns the type of the latest schema of a subject, "" if there is no such subject. It fails if records
// cannot be read with that schema, or if the Registry cannot say so now.
func (r *Client) Latest(ctx context.Context, subject string) (kind string, err error) {
	s, err := r.client.SchemaByVersion(ctx, subject, -1)
	if isNotFound(err, sr.ErrSubjectNotFound, sr.ErrVersionNotFound) {
		return "", nil
	}
	if err != nil {
		return "", unavailable(err)
	}
	kind = s.Type.String()
	if _, err := r.usable(ctx, s.Schema); err != nil {
		return kind, fmt.Errorf("the latest schema of subject %s, of type %s: %w", subject, kind, err)
	}
	return kind, nil
}

// parse reads a schema that somebody else has written. goavro checks its names and symbols, and what else a reader does
// not need.
func parse(text string, refs ...string) (*schemas.Schema, error) {
	s, err := schemas.ParseSchema(text, refs...)
	if err != nil {
		return nil, err
	}
	// Without the defaults: goavro must not refuse those that other implementations allow.
	_, err = goavro.NewCodec(s.Canonical())
	return s, err
}

// referenced are the texts of the schemas that a schema refers to, each after those that it needs itself, and by their names.
type referenced struct {
	seen   map[sr.SchemaReference]bool
	texts  []string
	byName map[string]string
	// named reports that a schema may be needed by several names: those of Protobuf are imported by them.
	named bool
}

// references collects the schemas that refs name.
func (r *Client) references(ctx context.Context, refs []sr.SchemaReference, to *referenced) error {
	for _, ref := range refs {
		key := ref
		if !to.named {
			key.Name = "" // it differs between referrers, the schema does not
		}
		if to.seen[key] {
			continue
		}
		to.seen[key] = true
		if len(to.seen) > maxReferences {
			return &schemas.DecodeError{Reason: schemas.ReasonWrongSchema}
		}
		// Records outlive the subjects of their schemas.
		s, err := r.client.SchemaByVersion(sr.WithParams(ctx, sr.ShowDeleted), ref.Subject, ref.Version)
		if err != nil {
			return fetchError(err)
		}
		if err := r.references(ctx, s.References, to); err != nil {
			return err
		}
		to.texts = append(to.texts, s.Schema.Schema)
		to.byName[ref.Name] = s.Schema.Schema
	}
	return nil
}

// fetchError returns an error that makes the record a dead letter if the registry knows for certain
// that there is no such schema. Every other failure is a failure of the registry or the network.
func fetchError(err error) error {
	if isNotFound(err, sr.ErrSchemaNotFound, sr.ErrSubjectNotFound, sr.ErrVersionNotFound) {
		return &schemas.DecodeError{Reason: schemas.ReasonUnknownSchema}
	}
	return unavailable(err)
}

// isNotFound reports whether err is one of the registry's own error codes: a bare 404 may come from
// a proxy or a wrong base URL.
func isNotFound(err error, codes ...*sr.Error) bool {
	var answer *sr.ResponseError
	return errors.As(err, &answer) && slices.ContainsFunc(codes, func(e *sr.Error) bool { return e.Code == answer.ErrorCode })
}

// unavailable keeps of err what cannot hold a part of a record or a secret: the
// client's errors quote the URL with the ID, and the registry's message does.
func unavailable(err error) error {
	var answer *sr.ResponseError
	var network *net.OpError
	switch {
	case errors.As(err, &answer):
		return fmt.Errorf("%w: it answered with HTTP status %d and error code %d", schemas.ErrUnavailable, answer.StatusCode, answer.ErrorCode)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: it did not answer in time", schemas.ErrUnavailable)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%w: the request was canceled", schemas.ErrUnavailable)
	case errors.As(err, &network):
		return fmt.Errorf("%w: %w", schemas.ErrUnavailable, network)
	}
	return fmt.Errorf("%w: it could not be reached, or its answer could not be read", schemas.ErrUnavailable)
}

// Register makes sure that the subject has the schema and returns its ID. It
// looks before it writes, so that a registry which is read-only for this
// program will do where somebody else has registered the schema. With onlyNew it
// adds no version to a subject that exists, and returns 0 then. A registry that is readOnly returns 0 for
// every schema that it would accept.
func (r *Client) Register(ctx context.Context, subject, text string, onlyNew bool) (int, error) {
	s := sr.Schema{Schema: text, Type: sr.TypeAvro}
	known, err := r.client.LookupSchema(ctx, subject, s)
	if err == nil {
		return known.ID, nil
	}
	if !isNotFound(err, sr.ErrSubjectNotFound, sr.ErrSchemaNotFound) {
		return 0, fmt.Errorf("cannot look up the schema of subject %s: %w", subject, unavailable(err))
	}
	if onlyNew && !isNotFound(err, sr.ErrSubjectNotFound) {
		return 0, nil
	}
	refused := fmt.Errorf("the Schema Registry refuses the schema of subject %s as incompatible with what is registered there: "+
		"compare them, and the subject's compatibility level", subject)
	if r.readOnly {
		if isNotFound(err, sr.ErrSubjectNotFound) {
			return 0, nil
		}
		result, err := r.client.CheckCompatibility(ctx, subject, -1, s)
		switch {
		case err != nil:
			return 0, fmt.Errorf("cannot check the schema of subject %s: %w", subject, unavailable(err))
		case !result.Is:
			return 0, refused
		}
		return 0, nil
	}
	id, err := r.client.RegisterSchema(ctx, subject, s, -1, -1)
	var answer *sr.ResponseError
	switch {
	case err == nil:
		return id, nil
	case errors.As(err, &answer) && answer.StatusCode == 409:
		return 0, refused
	}
	return 0, fmt.Errorf("cannot register the schema of subject %s: %w", subject, unavailable(err))
}
