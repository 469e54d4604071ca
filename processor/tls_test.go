package processor

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"sotto/config"
	"sotto/config/kafka"
	"sotto/internal/testkit/brokertest"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t, key: newKey(t)}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	a.cert = a.sign(template, template, &a.key.PublicKey)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *authority) sign(template, parent *x509.Certificate, key *ecdsa.PublicKey) *x509.Certificate {
	a.t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert
}

// issue returns a certificate for loopback and its key in PEM form.
func (a *authority) issue(name string) (cert, key []byte) {
	a.t.Helper()
	own := newKey(a.t)
	c := a.sign(&x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}, a.cert, &own.PublicKey)
	der, err := x509.MarshalPKCS8PrivateKey(own)
	if err != nil {
		a.t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

// guardedBroker is an embedded broker with mutual TLS and SASL.
type guardedBroker struct {
	addrs []string

	mu    sync.Mutex
	conf  *tls.Config
	conns []net.Conn
}

// trackedListener records the connections, so that the test can close them.
type trackedListener struct {
	net.Listener
	b *guardedBroker
}

func (l trackedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.b.mu.Lock()
		l.b.conns = append(l.b.conns, c)
		l.b.mu.Unlock()
	}
	return c, err
}

// rotate gives the broker a certificate of an authority, makes it request clients' certificates of
// the same authority, and closes all connections.
func (b *guardedBroker) rotate(t *testing.T, a *authority) {
	t.Helper()
	pair, err := tls.X509KeyPair(a.issue("broker"))
	if err != nil {
		t.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AddCert(a.cert)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conf = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients}
	for _, c := range b.conns {
		c.Close()
	}
	b.conns = nil
}

func newGuardedBroker(t *testing.T, a *authority, mechanism string) *guardedBroker {
	t.Helper()
	brokertest.OnlyEmbedded(t)
	b := &guardedBroker{}
	b.rotate(t, a)
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.Superuser(strings.ToUpper(mechanism), "sotto", "pass word"),
		kfake.SeedTopics(2, "calls.raw", "calls.clean", "calls.risk-audit", "calls.dead-letter"),
		kfake.ListenFn(func(network, address string) (net.Listener, error) {
			l, err := net.Listen(network, address)
			return trackedListener{l, b}, err
		}),
		kfake.TLS(&tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.conf, nil
		}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	b.addrs = c.ListenAddrs()
	return b
}

// TestCertificatesAndPasswordsAreReadAgain replaces the authority, the broker's certificate and the
// client's while a stream is running that logs in with each mechanism.
func TestCertificatesAndPasswordsAreReadAgain(t *testing.T) {
	mechanisms := []string{"scram-sha-512", "scram-sha-256", "plain"}
	if testing.Short() {
		mechanisms = mechanisms[:1]
	}
	brokertest.NoLeaks(t)
	for _, mechanism := range mechanisms {
		t.Run(mechanism, func(t *testing.T) {
			t.Parallel()
			old, young := newAuthority(t, "old"), newAuthority(t, "young")
			b := newGuardedBroker(t, old, mechanism)
			dir := t.TempDir()
			write := func(name string, data []byte) string {
				t.Helper()
				file := filepath.Join(dir, name)
				if err := os.WriteFile(file, data, 0o600); err != nil {
					t.Fatal(err)
				}
				return file
			}
			trust := func(a *authority) {
				cert, key := a.issue("client")
				write("ca.crt", a.pem())
				write("tls.crt", cert)
				write("tls.key", key)
			}
			trust(old)
			env := testEnv(t)
			for name, value := range map[string]string{
				"KAFKA_BROKERS": strings.Join(b.addrs, ","), "COMMIT_INTERVAL": "20ms", "KAFKA_TLS_ENABLE": "true",
				"KAFKA_TLS_CA_FILE": filepath.Join(dir, "ca.crt"), "KAFKA_TLS_CERT_FILE": filepath.Join(dir, "tls.crt"), "KAFKA_TLS_KEY_FILE": filepath.Join(dir, "tls.key"),
				"KAFKA_SASL_MECHANISM": mechanism, "KAFKA_SASL_USER": "sotto", "KAFKA_SASL_PASSWORD_FILE": write("password", []byte("pass word\n")),
			} {
				env["SOTTO_"+name] = value
			}
			s, err := config.Load(env)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			soon := kgo.RetryTimeout(2 * time.Second)
			if err := EnsureTopics(ctx, s, TopicPlan{Partitions: 2, Replication: 1}, CreateTopics, func(string) {}, soon); err != nil {
				t.Fatal(err)
			}
			var log syncBuffer
			p, err := New(ctx, s, WithLogger(slog.New(slog.NewTextHandler(&log, nil))), func(p *Processor) { p.grace = time.Second })
			if err != nil {
				t.Fatal(err)
			}
			running, halt := context.WithCancel(ctx)
			done := make(chan error, 1)
			go func() { done <- p.Run(running) }()
			defer func() {
				halt()
				if err := <-done; err != nil {
					t.Error(err)
				}
			}()
			canary := func(timeout time.Duration) error {
				c, err := NewCanary(ctx, s, prometheus.NewRegistry(), slog.New(slog.DiscardHandler), soon)
				if err != nil {
					t.Fatal(err)
				}
				return c.Once(ctx, timeout)
			}
			if err := canary(30 * time.Second); err != nil {
				t.Fatal(err)
			}

			b.rotate(t, young)
			if err := canary(2 * time.Second); err == nil {
				t.Fatal("a broker of an unknown authority is trusted")
			}
			write("password", []byte("wrong"))
			trust(young)
			if err := canary(2 * time.Second); err == nil {
				t.Fatal("a wrong password is accepted")
			}
			write("password", []byte("pass word"))
			// The stream was not restarted.
			if err := canary(30 * time.Second); err != nil {
				t.Fatal(err)
			}
			for _, secret := range []string{"pass word", "PRIVATE"} {
				if strings.Contains(log.String(), secret) {
					t.Errorf("the log shows %q", secret)
				}
			}
		})
	}
}

func TestCertificatesAreCheckedBeforeTheStart(t *testing.T) {
	dir := t.TempDir()
	cert, key := newAuthority(t, "any").issue("client")
	for name, data := range map[string][]byte{"tls.crt": cert, "tls.key": key, "not.pem": []byte("x")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for want, files := range map[string][3]string{
		"":                          {"tls.crt", "tls.crt", "tls.key"},
		"SOTTO_KAFKA_TLS_CA_FILE":   {"not.pem", "", ""},
		"no such file":              {"none", "", ""},
		"SOTTO_KAFKA_TLS_CERT_FILE": {"", "tls.crt", "not.pem"},
	} {
		s := config.Settings{TLSEnable: true}
		for i, field := range []*string{&s.TLSCAFile, &s.TLSCertFile, &s.TLSKeyFile} {
			if files[i] != "" {
				*field = filepath.Join(dir, files[i])
			}
		}
		if _, err := kafka.Security(&s); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", slices.Clone(files[:]), err)
		}
	}
}
