// Package access has what the HTTP servers share: certificates and secrets from files that may change while they run, probes and metrics.
package access

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"sotto/internal/boundedfile"
)

const maxFile = 1 << 20

// Certificates are those of a server. The paths are those of the settings CERT_FILE, KEY_FILE and CLIENT_CA_FILE that begin
// with Prefix; without the first one there is no TLS, without the last one no client needs a certificate.
type Certificates struct {
	Prefix                          string
	CertFile, KeyFile, ClientCAFile string
	// Protocols are those that are offered to clients.
	Protocols []string
	current   atomic.Pointer[tls.Config]
}

// Load reads the files. If it fails, what was read before stays in use. The error names the setting.
func (c *Certificates) Load() error {
	if c.CertFile == "" {
		return nil
	}
	cert, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	if err != nil {
		return fmt.Errorf("%sCERT_FILE: %w", c.Prefix, err)
	}
	conf := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: c.Protocols}
	if c.ClientCAFile != "" {
		pem, err := boundedfile.Read(c.ClientCAFile, maxFile)
		if err != nil {
			return fmt.Errorf("%sCLIENT_CA_FILE: %w", c.Prefix, err)
		}
		conf.ClientCAs, conf.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
		if !conf.ClientCAs.AppendCertsFromPEM(pem) {
			return fmt.Errorf("%sCLIENT_CA_FILE has no certificate", c.Prefix)
		}
	}
	c.current.Store(conf)
	return nil
}

// TLS returns the configuration of a listener, nil without TLS. Each connection gets what Load read last.
func (c *Certificates) TLS() *tls.Config {
	first := c.current.Load()
	if first == nil {
		return nil
	}
	conf := first.Clone()
	conf.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return c.current.Load(), nil }
	return conf
}

// Watched are the files, to be loaded again when they change.
func (c *Certificates) Watched() boundedfile.Watched {
	return boundedfile.Watched{Name: "certificates", Paths: []string{c.CertFile, c.KeyFile, c.ClientCAFile}, Load: c.Load}
}

// minSecret is how long a secret must be, in bytes.
const minSecret = 16

// Secrets reads the secrets of a file, at least one: each in a line of its own, except empty lines and those that begin with #.
// The error says nothing of them.
func Secrets(path string) (secrets []string, err error) {
	data, err := boundedfile.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	for n, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if len(line) < minSecret {
			return nil, fmt.Errorf("line %d is shorter than %d characters", n+1, minSecret)
		}
		secrets = append(secrets, line)
	}
	if len(secrets) == 0 {
		return nil, errors.New("nothing is in the file; make a secret with 'openssl rand -hex 32'")
	}
	return secrets, nil
}
