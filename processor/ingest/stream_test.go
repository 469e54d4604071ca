package ingest

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
	"sotto/processor"
	"sotto/schemas"
)

// Webhooks of Twilio, some of them sent twice, come out of the stream as a clean call with its END.
func TestFromWebhooksToACleanCall(t *testing.T) {
	t.Parallel()
	r := vendorRig(t, "twilio")
	for _, m := range samples(t, "twilio") {
		if kindOf(m.Value) == formType {
			r.post(formType, string(m.Value), http.StatusOK)
			r.post(formType, string(m.Value), http.StatusOK)
		}
	}
	key := filepath.Join(t.TempDir(), "state.key")
	if err := os.WriteFile(key, []byte("1 "+base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"SOTTO_KAFKA_BROKERS": strings.Join(r.cluster.Brokers(), ","), "SOTTO_RAW_FORMAT": "twilio", "SOTTO_READING": "fast",
		"SOTTO_CODEC": "json", "SOTTO_HTTP_ADDR": "off", "SOTTO_STATE_KEY_FILE": key}
	for _, e := range r.topics.Env() {
		name, value, _ := strings.Cut(e, "=")
		env[name] = value
	}
	s, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	p, err := processor.New(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	var clean []*kgo.Record
	brokertest.Eventually(t, 30*time.Second, "the END", func() bool {
		clean, err = brokertest.ReadAll(t.Context(), r.cluster, r.topics.Clean, brokertest.Stable)
		return err == nil && len(clean) > 0 && strings.Contains(string(clean[len(clean)-1].Value), `"END"`)
	})
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	codec, err := schemas.NewCodec(t.Context(), schemas.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int64]bool{}
	for _, rec := range clean {
		e, err := codec.DecodeClean(rec.Value)
		if err != nil {
			t.Fatal(err)
		}
		if seen[e.Seq] {
			t.Errorf("number %d is there twice", e.Seq)
		}
		seen[e.Seq] = true
		if strings.Contains(e.Text, "Fennick") {
			t.Error("a name is in the clean text")
		}
	}
	if len(clean) < 4 {
		t.Errorf("%d clean events", len(clean))
	}
}

// The receiver needs the ACLs of docs/security.md, and no others.
func TestDocumentedACLs(t *testing.T) {
	brokertest.OnlyEmbedded(t)
	acls := brokertest.DocumentedACLs(t, "../../docs/security.md")["ingest"]
	if len(acls) == 0 {
		t.Fatal("there are none")
	}
	for missing := -1; missing < len(acls); missing++ {
		own := acls
		if missing >= 0 {
			own = append(append([]kfake.ACL{}, acls[:missing]...), acls[missing+1:]...)
		}
		c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "root", "secret"),
			kfake.User("PLAIN", "ingest", "secret", own...), kfake.SeedTopics(1, "calls.raw"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		s, err := config.Load(environment(t, cluster{c}, brokertest.Topics{Raw: "calls.raw"}, "secret"))
		if err != nil {
			t.Fatal(err)
		}
		w, err := newWriter(&s, nil, kgo.SASL(plain.Auth{User: "ingest", Pass: "secret"}.AsMechanism()))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		err = w.check(ctx)
		if err == nil {
			err = w.cl.ProduceSync(ctx, &kgo.Record{Topic: "calls.raw", Value: []byte("{}")}).FirstErr()
		}
		cancel()
		w.cl.Close()
		if (err == nil) != (missing < 0) {
			t.Errorf("without ACL %d: %v", missing, err)
		}
	}
}

// cluster has the addresses of an embedded broker.
type cluster struct{ *kfake.Cluster }

func (c cluster) Brokers() []string    { return c.ListenAddrs() }
func (c cluster) Name(s string) string { return s }
func (c cluster) Close() error         { return fmt.Errorf("not ours") }
