package erasure

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
)

// underACLs erases an open call as a user with these ACLs.
func underACLs(t *testing.T, acls []kfake.ACL) error {
	t.Helper()
	brokertest.OnlyEmbedded(t)
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.EnableACLs(),
		kfake.Superuser("PLAIN", "root", "secret"), kfake.User("PLAIN", "erase", "secret", acls...))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	s, err := config.Load(map[string]string{
		"SOTTO_CODEC": "json", "SOTTO_TOPIC_FINAL": "calls.final", "SOTTO_KAFKA_SASL_MECHANISM": "plain", "SOTTO_KAFKA_SASL_USER": "erase",
		"SOTTO_KAFKA_SASL_PASSWORD": "secret", "SOTTO_STATE_KEY_FILE": "none",
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Brokers, s.StateKeyFile = cluster.ListenAddrs(), ""
	root, err := kgo.NewClient(kgo.SeedBrokers(s.Brokers...), kgo.SASL(plain.Auth{User: "root", Pass: "secret"}.AsMechanism()))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	compact := "compact"
	for _, topic := range []string{s.TopicRaw, s.TopicClean, s.TopicFinal, s.TopicAudit, s.TopicDeadLetter, s.TopicState, s.TopicAnnotations} {
		settings := map[string]*string{}
		if topic == s.TopicState || topic == s.TopicAnnotations {
			settings["cleanup.policy"] = &compact
		}
		if _, err := kadm.NewClient(root).CreateTopic(t.Context(), 1, 1, settings, topic); err != nil {
			t.Fatal(err)
		}
		record := &kgo.Record{Topic: topic, Key: []byte(victim), Value: []byte("sealed")}
		if err := root.ProduceSync(t.Context(), record).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	record, err := Run(t.Context(), Options{Settings: &s, Calls: []string{victim}, Open: true, Now: time.Now})
	if err == nil && len(record.Calls[0].Copies) != 7 {
		return fmt.Errorf("it found %+v", record.Calls[0].Copies)
	}
	return err
}

func TestDocumentedACLsAreEnoughAndNeeded(t *testing.T) {
	t.Parallel()
	all := brokertest.DocumentedACLs(t, "../../docs/security.md")["erase"]
	if err := underACLs(t, all); err != nil {
		t.Fatal(err)
	}
	for i, acl := range all {
		t.Run(fmt.Sprintf("without %s on %s", acl.Operation, acl.Name), func(t *testing.T) {
			t.Parallel()
			if err := underACLs(t, slices.Delete(slices.Clone(all), i, i+1)); err == nil {
				t.Error("it works without this ACL")
			}
		})
	}
}
