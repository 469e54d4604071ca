package kafka

import (
	"context"
	"fmt"
	"net/http"

	"github.com/twmb/franz-go/pkg/sr"

	"sotto/config"
	"sotto/schemas"
	"sotto/schemas/registry"
)

// NewCodec builds the codec that the settings ask for. With a Schema Registry
// it registers the schemas.
func NewCodec(ctx context.Context, s *config.Settings) (*schemas.Codec, error) {
	return settings{s}.codec(ctx, false)
}

// CheckRegistry checks that the Schema Registry answers and accepts the schemas, without registering any.
func CheckRegistry(ctx context.Context, s *config.Settings) error {
	_, err := settings{s}.codec(ctx, true)
	return err
}

// NewReader builds a codec that reads what the stream reads, and registers nothing.
func NewReader(ctx context.Context, s config.Settings) (*schemas.Codec, error) {
	s.Codec = schemas.FormatJSON
	return NewCodec(ctx, &s)
}

// RawSchema returns of which type the latest schema of the raw topic's subject is, "" if there is none, or no Schema
// Registry. It fails if records cannot be read with it.
func RawSchema(ctx context.Context, s *config.Settings) (kind string, err error) {
	if s.SchemaRegistryURL == "" {
		return "", nil
	}
	client, err := settings{s}.registry(true)
	if err != nil {
		return "", err
	}
	kind, err = client.Latest(ctx, s.TopicRaw+"-value")
	return kind, inRegistry(err)
}

func (s settings) codec(ctx context.Context, readOnly bool) (*schemas.Codec, error) {
	o := schemas.Options{
		Format: s.Codec,
		Topics: schemas.Topics{Raw: s.TopicRaw, Clean: s.TopicClean, Audit: s.TopicAudit, Final: s.TopicFinal, DeadLetter: s.TopicDeadLetter},
	}
	if !s.RawIsOurs() {
		o.Topics.Raw = "" // its subject is that of its producers, also if they come later
	}
	if s.SchemaRegistryURL != "" {
		client, err := s.registry(readOnly)
		if err != nil {
			return nil, err
		}
		o.Registry = client
	}
	c, err := schemas.NewCodec(ctx, o)
	return c, inRegistry(err)
}

func inRegistry(err error) error {
	if err != nil {
		err = fmt.Errorf("the Schema Registry: %w", err)
	}
	return err
}

func (s settings) registry(readOnly bool) (*registry.Client, error) {
	opts := []sr.ClientOpt{sr.URLs(s.SchemaRegistryURL), sr.UserAgent("sotto")}
	if s.SchemaRegistryUser != "" {
		if err := s.checkRegistryLogin(); err != nil {
			return nil, err
		}
		opts = append(opts, sr.PreReq(s.registryLogin))
	}
	cl, err := sr.NewClient(opts...)
	if err != nil {
		return nil, config.InSetting("SCHEMA_REGISTRY_URL", err)
	}
	return registry.New(cl, readOnly), nil
}

func (s settings) checkRegistryLogin() error {
	return s.registryLogin(&http.Request{Header: http.Header{}})
}

// registryLogin adds user and password to a request to the Schema Registry. It
// reads the password file each time, so that a rotated password takes effect.
func (s settings) registryLogin(req *http.Request) error {
	pass, err := config.Secret(s.SchemaRegistryPass, s.SchemaRegistryPwdFile)
	req.SetBasicAuth(s.SchemaRegistryUser, pass)
	return config.InSetting("SCHEMA_REGISTRY_PASSWORD_FILE", err)
}
