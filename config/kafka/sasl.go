package kafka

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/aws"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"sotto/config"
)

// saslMechanism returns how the client logs in, nil without SASL. Credentials
// are read again for each connection. They are also read once here, so that a
// missing one is reported before the start.
func (s settings) saslMechanism() (sasl.Mechanism, error) {
	scramAuth := func(context.Context) (scram.Auth, error) {
		user, password, err := s.saslLogin()
		return scram.Auth{User: user, Pass: password}, err
	}
	switch s.SASLMechanism {
	case "plain":
		_, _, err := s.saslLogin()
		return plain.Plain(func(context.Context) (plain.Auth, error) {
			user, password, err := s.saslLogin()
			return plain.Auth{User: user, Pass: password}, err
		}), err
	case "scram-sha-256":
		_, _, err := s.saslLogin()
		return scram.Sha256(scramAuth), err
	case "scram-sha-512":
		_, _, err := s.saslLogin()
		return scram.Sha512(scramAuth), err
	case "oauthbearer":
		token := func(context.Context) (oauth.Auth, error) {
			t, err := config.Secret("", s.SASLTokenFile)
			if err == nil && t == "" {
				err = errors.New("is empty")
			}
			return oauth.Auth{Token: t}, err
		}
		_, err := token(context.Background())
		return oauth.Oauth(token), config.InSetting("KAFKA_SASL_TOKEN_FILE", err)
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

// saslLogin reads user and password. Both files may be replaced between the two reads, so it reads
// until the user is the same before and after: one user's name never goes with another's password.
func (s settings) saslLogin() (user, password string, err error) {
	for {
		before := user
		if user, err = config.Secret(s.SASLUser, s.SASLUserFile); err != nil {
			return "", "", config.InSetting("KAFKA_SASL_USER_FILE", err)
		}
		if user == "" {
			return "", "", fmt.Errorf("%sKAFKA_SASL_USER_FILE: is empty", config.EnvPrefix)
		}
		if user == before {
			return user, password, nil
		}
		if password, err = config.Secret(s.SASLPassword, s.SASLPasswordFile); err != nil {
			return "", "", config.InSetting("KAFKA_SASL_PASSWORD_FILE", err)
		}
	}
}

const awsTimeout = 5 * time.Second

// awsSource returns the source of AWS credentials, according to the variables
// that the AWS libraries read: keys in the environment, a role for the service
// account (IRSA), or the endpoint that EKS Pod Identity and ECS give a container.
func awsSource(getenv func(string) string) (func(context.Context) (aws.Auth, error), error) {
	if key := getenv("AWS_ACCESS_KEY_ID"); key != "" {
		auth := aws.Auth{AccessKey: key, SecretKey: getenv("AWS_SECRET_ACCESS_KEY"), SessionToken: getenv("AWS_SESSION_TOKEN"), UserAgent: "sotto"}
		return func(context.Context) (aws.Auth, error) { return auth, nil }, nil
	}
	if role, token := getenv("AWS_ROLE_ARN"), getenv("AWS_WEB_IDENTITY_TOKEN_FILE"); role != "" && token != "" {
		endpoint := cmp.Or(getenv("AWS_ENDPOINT_URL_STS"), "https://sts."+getenv("AWS_REGION")+".amazonaws.com")
		return func(ctx context.Context) (aws.Auth, error) { return awsWebIdentity(ctx, endpoint, role, token) }, nil
	}
	address := getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI")
	if relative := getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); relative != "" {
		address = "http://169.254.170.2" + relative
	}
	if address == "" {
		return nil, fmt.Errorf("%sKAFKA_SASL_MECHANISM=aws-msk-iam finds no credentials: use EKS Pod Identity, a role of the service account (IRSA) or ECS, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", config.EnvPrefix)
	}
	return func(ctx context.Context) (aws.Auth, error) {
		token, err := config.Secret(getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN"), getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"))
		if err != nil {
			return aws.Auth{}, fmt.Errorf("the token for AWS credentials: %w", err)
		}
		return awsContainer(ctx, address, token)
	}, nil
}

type awsCredentials struct{ AccessKeyId, SecretAccessKey, Token, SessionToken string }

func awsContainer(ctx context.Context, address, token string) (aws.Auth, error) {
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return aws.Auth{}, errors.New("the URL for AWS credentials is not valid")
	}
	if token != "" {
		req.Header.Set("Authorization", token)
	}
	return awsRequest(ctx, req, func(r io.Reader, c *awsCredentials) error { return json.NewDecoder(r).Decode(c) })
}

// awsWebIdentity exchanges the token of the pod's service account for credentials of a role.
func awsWebIdentity(ctx context.Context, endpoint, role, tokenFile string) (aws.Auth, error) {
	token, err := config.Secret("", tokenFile)
	if err != nil {
		return aws.Auth{}, fmt.Errorf("AWS_WEB_IDENTITY_TOKEN_FILE: %w", err)
	}
	form := url.Values{"Action": {"AssumeRoleWithWebIdentity"}, "Version": {"2011-06-15"}, "RoleArn": {role}, "RoleSessionName": {"sotto"}, "WebIdentityToken": {token}}
	req, err := http.NewRequest(http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return aws.Auth{}, errors.New("AWS_ENDPOINT_URL_STS or AWS_REGION gives no valid URL")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return awsRequest(ctx, req, func(r io.Reader, c *awsCredentials) error {
		var answer struct {
			Credentials *awsCredentials `xml:"AssumeRoleWithWebIdentityResult>Credentials"`
		}
		answer.Credentials = c
		return xml.NewDecoder(r).Decode(&answer)
	})
}

// awsRequest makes a request for credentials. No error repeats any part of the response.
func awsRequest(ctx context.Context, req *http.Request, decode func(io.Reader, *awsCredentials) error) (aws.Auth, error) {
	ctx, cancel := context.WithTimeout(ctx, awsTimeout)
	defer cancel()
	resp, err := http.DefaultClient.Do(req.WithContext(ctx))
	if err != nil {
		return aws.Auth{}, fmt.Errorf("AWS credentials: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return aws.Auth{}, fmt.Errorf("AWS credentials: the endpoint returned status %d", resp.StatusCode)
	}
	var got awsCredentials
	if decode(io.LimitReader(resp.Body, 64<<10), &got) != nil || got.AccessKeyId == "" || got.SecretAccessKey == "" {
		return aws.Auth{}, errors.New("AWS credentials: the endpoint returned none")
	}
	return aws.Auth{AccessKey: got.AccessKeyId, SecretKey: got.SecretAccessKey, SessionToken: cmp.Or(got.SessionToken, got.Token), UserAgent: "sotto"}, nil
}
