package processor

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/sr"

	"sotto/schemas"
)

// newCodec builds the codec that the settings ask for. With a Schema Registry
// it registers the schemas.
func (s *Settings) newCodec(ctx context.Context) (*schemas.Codec, error) {
	o := schemas.Options{
		Format: s.Codec,
		Topics: schemas.Topics{Raw: s.TopicRaw, Clean: s.TopicClean, Audit: s.TopicAudit, Final: s.TopicFinal, DeadLetter: s.TopicDeadLetter},
	}
	if s.SchemaRegistryURL != "" {
		opts := []sr.ClientOpt{sr.URLs(s.SchemaRegistryURL), sr.UserAgent("sotto")}
		if s.SchemaRegistryUser != "" {
			pass, err := secret(s.SchemaRegistryPass, s.SchemaRegistryPwdFile)
			if err != nil {
				return nil, fmt.Errorf("%sSCHEMA_REGISTRY_PASSWORD_FILE: %w", EnvPrefix, err)
			}
			opts = append(opts, sr.BasicAuth(s.SchemaRegistryUser, pass))
		}
		cl, err := sr.NewClient(opts...)
		if err != nil {
			return nil, fmt.Errorf("%sSCHEMA_REGISTRY_URL: %w", EnvPrefix, err)
		}
		o.Registry = cl
	}
	c, err := schemas.NewCodec(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("the Schema Registry: %w", err)
	}
	return c, nil
}
