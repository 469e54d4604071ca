package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/aws"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// saslMechanism returns how the client logs in, nil without SASL. Credentials
// are read again for each connection. They are also read once here, so that a
// missing one is reported before the start.
func (s *Settings) saslMechanism() (sasl.Mechanism, error) {
	password := func() (string, error) { return secret(s.SASLPassword, s.SASLPasswordFile) }
	scramAuth := func(context.Context) (scram.Auth, error) {
		p, err := password()
		return scram.Auth{User: s.SASLUser, Pass: p}, err
	}
	check := func(err error) error {
		if err != nil {
			return fmt.Errorf("%sKAFKA_SASL_PASSWORD_FILE: %w", EnvPrefix, err)
		}
		return nil
	}
	switch s.SASLMechanism {
	case "plain":
		_, err := password()
		return plain.Plain(func(context.Context) (plain.Auth, error) {
			p, err := password()
			return plain.Auth{User: s.SASLUser, Pass: p}, err
		}), check(err)
	case "scram-sha-256":
		_, err := password()
		return scram.Sha256(scramAuth), check(err)
	case "scram-sha-512":
		_, err := password()
		return scram.Sha512(scramAuth), check(err)
	case "oauthbearer":
		token := func() (string, error) {
			t, err := secret("", s.SASLTokenFile)
			if err == nil && t == "" {
				err = errors.New("is empty")
			}
			return t, err
		}
		if _, err := token(); err != nil {
			return nil, fmt.Errorf("%sKAFKA_SASL_TOKEN_FILE: %w", EnvPrefix, err)
		}
		return oauth.Oauth(func(context.Context) (oauth.Auth, error) {
			t, err := token()
			return oauth.Auth{Token: t}, err
		}), nil
	case "aws-msk-iam":
		if _, err := awsSource(os.Getenv); err != nil {
			return nil, err
		}
		return aws.ManagedStreamingIAM(func(ctx context.Context) (aws.Auth, error) {
			fetch, err := awsSource(os.Getenv)
			if err != nil {
				return aws.Auth{}, err
			}
			return fetch(ctx)
		}), nil
	}
	return nil, nil
}

// secret prefers the file. It removes the line end that editors and
// 'kubectl create secret' leave in it.
func secret(value, file string) (string, error) {
	if file == "" {
		return value, nil
	}
	data, err := os.ReadFile(file)
	return strings.TrimRight(string(data), "\r\n"), err
}

// awsTimeout bounds one request for credentials.
const awsTimeout = 5 * time.Second

// awsSource returns the source of AWS credentials, according to the variables
// that the AWS libraries read: keys in the environment, or the endpoint that EKS
// Pod Identity and ECS give a container.
func awsSource(getenv func(string) string) (func(context.Context) (aws.Auth, error), error) {
	if key := getenv("AWS_ACCESS_KEY_ID"); key != "" {
		auth := aws.Auth{AccessKey: key, SecretKey: getenv("AWS_SECRET_ACCESS_KEY"), SessionToken: getenv("AWS_SESSION_TOKEN"), UserAgent: "sotto"}
		return func(context.Context) (aws.Auth, error) { return auth, nil }, nil
	}
	url := getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI")
	if relative := getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); relative != "" {
		url = "http://169.254.170.2" + relative
	}
	if url == "" {
		return nil, fmt.Errorf("%sKAFKA_SASL_MECHANISM=aws-msk-iam finds no credentials: use EKS Pod Identity or ECS, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", EnvPrefix)
	}
	return func(ctx context.Context) (aws.Auth, error) {
		token, err := secret(getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN"), getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"))
		if err != nil {
			return aws.Auth{}, fmt.Errorf("the token for AWS credentials: %w", err)
		}
		return awsContainer(ctx, url, token)
	}, nil
}

// awsContainer requests credentials from a container's endpoint. No error
// repeats any part of the response.
func awsContainer(ctx context.Context, url, token string) (aws.Auth, error) {
	ctx, cancel := context.WithTimeout(ctx, awsTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return aws.Auth{}, errors.New("the URL for AWS credentials is not valid")
	}
	if token != "" {
		req.Header.Set("Authorization", token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return aws.Auth{}, fmt.Errorf("AWS credentials: %w", err)
	}
	defer resp.Body.Close()
	var got struct{ AccessKeyId, SecretAccessKey, Token string }
	if resp.StatusCode != http.StatusOK {
		return aws.Auth{}, fmt.Errorf("AWS credentials: the endpoint returned status %d", resp.StatusCode)
	}
	if json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&got) != nil || got.AccessKeyId == "" || got.SecretAccessKey == "" {
		return aws.Auth{}, errors.New("AWS credentials: the endpoint returned none")
	}
	return aws.Auth{AccessKey: got.AccessKeyId, SecretKey: got.SecretAccessKey, SessionToken: got.Token, UserAgent: "sotto"}, nil
}
