package processor

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
)

// secureKafka is an Apache Kafka that accepts only clients with a certificate and gives each user
// the ACLs of docs/security.md. Users log in with SCRAM, PLAIN or a bearer token, which need not be
// signed.
func secureKafka(t *testing.T, a *authority) *brokertest.Kafka {
	t.Helper()
	dir := t.TempDir()
	cert, key := a.issue("broker")
	write := func(name string, data []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	config := map[string]string{
		"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
		// The broker itself and the test use the plain listener.
		"super.users": "User:ANONYMOUS",
	}
	const module = "org.apache.kafka.common.security."
	for name, value := range map[string]string{
		"ssl.keystore.type": "PEM", "ssl.keystore.location": write("broker.pem", append(cert, key...)),
		"ssl.truststore.type": "PEM", "ssl.truststore.location": write("ca.pem", a.pem()), "ssl.client.auth": "required",
		"sasl.enabled.mechanisms":        "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
		"plain.sasl.jaas.config":         module + `plain.PlainLoginModule required user_topics="secret" user_canary="secret" user_corpus="secret";`,
		"oauthbearer.sasl.jaas.config":   module + `oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="any";`,
		"scram-sha-256.sasl.jaas.config": module + "scram.ScramLoginModule required;",
		"scram-sha-512.sasl.jaas.config": module + "scram.ScramLoginModule required;",
	} {
		config["listener.name.secure."+name] = value
	}
	k := brokertest.OpenKafka(t, brokertest.KafkaOptions{Secure: true, Config: config})
	cl, err := kgo.NewClient(kgo.SeedBrokers(k.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	addUser(t, cl, "stream")
	createACLs(t, cl, documentedACLs(t))
	return k
}

// addUser adds a user who logs in by SCRAM.
func addUser(t *testing.T, cl *kgo.Client, user string) {
	t.Helper()
	for _, m := range []kadm.ScramMechanism{kadm.ScramSha256, kadm.ScramSha512} {
		users, err := kadm.NewClient(cl).AlterUserSCRAMs(t.Context(), nil, []kadm.UpsertSCRAM{{User: user, Mechanism: m, Iterations: 4096, Password: "secret"}})
		if err == nil {
			err = users.Error()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func createACLs(t *testing.T, cl *kgo.Client, acls map[string][]kfake.ACL) {
	t.Helper()
	req := kmsg.NewPtrCreateACLsRequest()
	for who, list := range acls {
		for _, acl := range list {
			c := kmsg.NewCreateACLsRequestCreation()
			c.ResourceType, c.ResourceName, c.ResourcePatternType = acl.Resource, acl.Name, acl.Pattern
			c.Principal, c.Host, c.Operation, c.PermissionType = "User:"+who, "*", acl.Operation, kmsg.ACLPermissionTypeAllow
			req.Creations = append(req.Creations, c)
		}
	}
	resp, err := req.RequestWith(t.Context(), cl)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resp.Results {
		if r.ErrorCode != 0 {
			t.Fatalf("an ACL is refused with code %d", r.ErrorCode)
		}
	}
}

// secureSettings are each user's settings for that broker, without a mechanism.
func secureSettings(t *testing.T, a *authority, k *brokertest.Kafka) func(who string) config.Settings {
	t.Helper()
	dir := t.TempDir()
	cert, key := a.issue("client")
	for name, data := range map[string][]byte{"ca.crt": a.pem(), "tls.crt": cert, "tls.key": key, "password": []byte("secret\n"), "token": unsigned("canary")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := allTopics(t)
	s.Brokers, s.TLSEnable, s.SASLPasswordFile = []string{k.SecureAddr()}, true, filepath.Join(dir, "password")
	s.TLSCAFile, s.TLSCertFile, s.TLSKeyFile = filepath.Join(dir, "ca.crt"), filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	s.SASLTokenFile = filepath.Join(dir, "token")
	return func(who string) config.Settings {
		s := s
		s.SASLUser = who
		return s
	}
}

// TestDocumentedACLsAreEnoughOnApacheKafka is TestDocumentedACLsAreEnough with the real authorizer,
// over mutual TLS and with all mechanisms except that of AWS.
func TestDocumentedACLsAreEnoughOnApacheKafka(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, "ours")
	k := secureKafka(t, a)
	as := secureSettings(t, a, k)
	for stream, canary := range map[string]string{"scram-sha-512": "oauthbearer", "scram-sha-256": "plain"} {
		err := eachAs(t, func(who string) config.Settings {
			s := as(who)
			s.SASLMechanism = map[string]string{"stream": stream, "canary": canary, "topics": "plain", "corpus": "plain"}[who]
			return s
		}, []kgo.Opt{kgo.SeedBrokers(k.Addr())}, time.Minute)
		if err != nil {
			t.Errorf("stream by %s, canary by %s: %v", stream, canary, err)
		}
	}

	// The ACLs and certificates are enforced.
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	byPlain := func(who string) config.Settings {
		s := as(who)
		s.SASLMechanism = "plain"
		return s
	}
	plan := TopicPlan{Partitions: 2, Replication: 1, Raw: 2 * time.Hour}
	if err := EnsureTopics(ctx, byPlain("canary"), plan, CreateTopics, func(string) {}, kgo.RetryTimeout(2*time.Second)); err == nil || !strings.Contains(err.Error(), "AUTHORIZATION") {
		t.Errorf("the canary may change topics: %v", err)
	}
	bare := byPlain("topics")
	bare.TLSCertFile, bare.TLSKeyFile = "", ""
	if err := EnsureTopics(ctx, bare, plan, CreateTopics, func(string) {}, kgo.RetryTimeout(2*time.Second)); err == nil {
		t.Error("a client without a certificate is accepted")
	}
}

// unsigned is a bearer token that names a user.
func unsigned(user string) []byte {
	part := func(claims string) string { return base64.RawURLEncoding.EncodeToString([]byte(claims)) }
	now := time.Now().Unix()
	return []byte(part(`{"alg":"none"}`) + "." + part(fmt.Sprintf(`{"sub":%q,"iat":%d,"exp":%d}`, user, now, now+3600)) + ".")
}
