package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"sotto/config"
	"sotto/internal/boundedfile"
)

// authenticator decides who may use the service: who has a token, a client certificate, or both if
// the settings name both.
type authenticator struct {
	tokenFile, certFile, keyFile, caFile string
	// What the files hold. Tokens and certificates are read by themselves: a broken file of the ones
	// must not keep the others from taking effect.
	tokens       atomic.Pointer[[][sha256.Size]byte]
	certificates atomic.Pointer[tls.Config] // nil without TLS
}

const (
	minToken    = 16
	maxAuthFile = 1 << 20
)

func newAuthenticator(s *config.Settings) (*authenticator, error) {
	a := &authenticator{tokenFile: s.ServeTokenFile, certFile: s.ServeTLSCertFile, keyFile: s.ServeTLSKeyFile, caFile: s.ServeClientCAFile}
	return a, errors.Join(a.loadTokens(), a.loadCertificates())
}

// loadTokens reads the tokens. If it fails, what was read before stays.
func (a *authenticator) loadTokens() error {
	if a.tokenFile == "" {
		return nil
	}
	tokens, err := readTokens(a.tokenFile)
	if err != nil {
		return fmt.Errorf("%sSERVE_TOKEN_FILE: %w", config.EnvPrefix, err)
	}
	a.tokens.Store(&tokens)
	return nil
}

func readTokens(path string) (tokens [][sha256.Size]byte, err error) {
	data, err := boundedfile.Read(path, maxAuthFile)
	if err != nil {
		return nil, err
	}
	for n, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if len(line) < minToken {
			return nil, fmt.Errorf("the token in line %d is shorter than %d characters", n+1, minToken)
		}
		tokens = append(tokens, sha256.Sum256([]byte(line)))
	}
	if len(tokens) == 0 {
		return nil, errors.New("the file has no token; make one with 'openssl rand -hex 32'")
	}
	return tokens, nil
}

// loadCertificates reads the certificates, as loadTokens reads the tokens.
func (a *authenticator) loadCertificates() error {
	if a.certFile == "" {
		return nil
	}
	cert, err := tls.LoadX509KeyPair(a.certFile, a.keyFile)
	if err != nil {
		return fmt.Errorf("%sSERVE_TLS_CERT_FILE: %w", config.EnvPrefix, err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	if a.caFile != "" {
		pem, err := boundedfile.Read(a.caFile, maxAuthFile)
		if err != nil {
			return fmt.Errorf("%sSERVE_TLS_CLIENT_CA_FILE: %w", config.EnvPrefix, err)
		}
		c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
		if !c.ClientCAs.AppendCertsFromPEM(pem) {
			return fmt.Errorf("%sSERVE_TLS_CLIENT_CA_FILE has no certificate", config.EnvPrefix)
		}
	}
	a.certificates.Store(c)
	return nil
}

// tls returns the configuration of the listener, nil without TLS. Each connection gets what the
// files held last.
func (a *authenticator) tls() *tls.Config {
	first := a.certificates.Load()
	if first == nil {
		return nil
	}
	c := first.Clone()
	c.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return a.certificates.Load(), nil }
	return c
}

func (a *authenticator) required() bool { return a.tokenFile != "" || a.caFile != "" }

// allows reports whether a request has a token, if tokens are needed. It compares with all of
// them, in constant time.
func (a *authenticator) allows(r *http.Request) bool {
	if a.tokenFile == "" {
		return true // TLS has verified the certificate, if one is needed
	}
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(kind, "Bearer") {
		return false
	}
	given, found := sha256.Sum256([]byte(strings.TrimSpace(token))), 0
	tokens := *a.tokens.Load()
	for i := range tokens {
		found |= subtle.ConstantTimeCompare(given[:], tokens[i][:])
	}
	return found == 1
}
