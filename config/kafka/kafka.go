// Package kafka builds from the settings what only programs of the stream need: clients of the brokers, with TLS and
// SASL, and the codec with its Schema Registry.
package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
)

// settings are those of a program, with what is read from the files that they name.
type settings struct{ *config.Settings }

// CheckFiles reads the files that the settings name, as a start would, and reports every problem at once.
func CheckFiles(s *config.Settings) error {
	bad := []error{s.CheckFiles()}
	own := settings{s}
	if s.TLSEnable {
		_, err := own.tlsConfig()
		bad = append(bad, err)
	}
	_, err := own.saslMechanism()
	bad = append(bad, err)
	if s.SchemaRegistryUser != "" {
		bad = append(bad, own.checkRegistryLogin())
	}
	return errors.Join(bad...)
}

// recheckReplica is how long a client reads from a follower before it asks the leader again for the
// closest replica. Only then does it notice that the follower is gone, so its own 30 minutes are too long.
const recheckReplica = 10 * time.Second

// Options returns the options of a client of the brokers: their addresses, TLS and SASL, the rack
// that it reads in, and how it compresses.
func Options(s *config.Settings) ([]kgo.Opt, error) {
	security, err := Security(s)
	codec := map[string]kgo.CompressionCodec{
		"gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}[s.Compression] // none is the zero value
	return append(security,
		kgo.SeedBrokers(s.Brokers...),
		kgo.Rack(s.Rack),
		kgo.RecheckPreferredReplicaInterval(recheckReplica),
		kgo.ProducerBatchCompression(codec, kgo.NoCompression()),
	), err
}

// NewClient returns a client of the brokers with further options.
func NewClient(s *config.Settings, more ...kgo.Opt) (*kgo.Client, error) {
	opts, err := Options(s)
	if err != nil {
		return nil, err
	}
	return kgo.NewClient(append(opts, more...)...)
}

// Security returns the client options for TLS and SASL. Secrets and
// certificates in files are read again for each connection, so that rotated
// ones take effect without a restart.
func Security(s *config.Settings) ([]kgo.Opt, error) {
	own := settings{s}
	var opts []kgo.Opt
	if s.TLSEnable {
		if _, err := own.tlsConfig(); err != nil {
			return nil, err
		}
		opts = append(opts, kgo.Dialer(own.dialTLS))
	}
	mechanism, err := own.saslMechanism()
	if err != nil || mechanism == nil {
		return opts, err
	}
	return append(opts, kgo.SASL(mechanism)), nil
}

// CloseWith closes a client when ctx ends, and returns a function that closes it at once. Without it, a record that
// a broker may have is sent again without end, whatever the context says that it was produced with. The client may
// be closed once only: two calls of Close at the same time are a data race.
func CloseWith(ctx context.Context, cl *kgo.Client) func() {
	end := sync.OnceFunc(cl.Close)
	stop := context.AfterFunc(ctx, end)
	return func() {
		stop()
		end()
	}
}

// Principal describes the user that the brokers see, as an ACL names it where that is known here.
func Principal(s *config.Settings) string {
	switch s.SASLMechanism {
	case "":
	case "oauthbearer":
		return "the user of the token in " + s.SASLTokenFile
	case "aws-msk-iam":
		return "the AWS role"
	default:
		user, _, _ := settings{s}.saslLogin() // who cannot read it does not log in
		return "User:" + user
	}
	if conf, err := (settings{s}).tlsConfig(); s.TLSEnable && err == nil && conf.GetClientCertificate != nil {
		if own, err := conf.GetClientCertificate(nil); err == nil && own.Leaf != nil {
			return "User:" + own.Leaf.Subject.String()
		}
	}
	return "User:ANONYMOUS"
}

const dialTimeout = 10 * time.Second

func (s settings) dialTLS(ctx context.Context, network, addr string) (net.Conn, error) {
	conf, err := s.tlsConfig()
	if err != nil {
		return nil, err
	}
	d := tls.Dialer{NetDialer: &net.Dialer{Timeout: dialTimeout}, Config: conf}
	return d.DialContext(ctx, network, addr)
}

func (s settings) tlsConfig() (*tls.Config, error) {
	conf := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.TLSCAFile != "" {
		pem, err := os.ReadFile(s.TLSCAFile)
		if err != nil {
			return nil, config.InSetting("KAFKA_TLS_CA_FILE", err)
		}
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%sKAFKA_TLS_CA_FILE: contains no certificate in PEM format", config.EnvPrefix)
		}
	}
	if s.TLSCertFile != "" {
		own, err := tls.LoadX509KeyPair(s.TLSCertFile, s.TLSKeyFile)
		if err != nil {
			return nil, config.InSetting("KAFKA_TLS_CERT_FILE", err)
		}
		// Even if the broker does not list its authority.
		conf.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &own, nil }
	}
	return conf, nil
}
