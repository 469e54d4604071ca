package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"sotto/config"
	"sotto/internal/access"
)

// authenticator decides who may use the service: who has a token, a client certificate, or both if
// the settings name both.
type authenticator struct {
	tokenFile string
	// Tokens and certificates are read by themselves: a broken file of the ones must not keep the others from
	// taking effect.
	tokens       atomic.Pointer[[][sha256.Size]byte]
	certificates access.Certificates
}

func newAuthenticator(s *config.Settings) (*authenticator, error) {
	a := &authenticator{tokenFile: s.ServeTokenFile, certificates: access.Certificates{
		Prefix: config.EnvPrefix + "SERVE_TLS_", CertFile: s.ServeTLSCertFile, KeyFile: s.ServeTLSKeyFile, ClientCAFile: s.ServeClientCAFile,
		Protocols: []string{"h2", "http/1.1"},
	}}
	return a, errors.Join(a.loadTokens(), a.certificates.Load())
}

// loadTokens reads the tokens. If it fails, what was read before stays.
func (a *authenticator) loadTokens() error {
	if a.tokenFile == "" {
		return nil
	}
	secrets, err := access.Secrets(a.tokenFile)
	if err != nil {
		return fmt.Errorf("%sSERVE_TOKEN_FILE: %w", config.EnvPrefix, err)
	}
	tokens := make([][sha256.Size]byte, len(secrets))
	for i, s := range secrets {
		tokens[i] = sha256.Sum256([]byte(s))
	}
	a.tokens.Store(&tokens)
	return nil
}

func (a *authenticator) required() bool {
	return a.tokenFile != "" || a.certificates.ClientCAFile != ""
}

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
