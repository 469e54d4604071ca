package topic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"sotto/internal/testkit/brokertest"
	"sotto/review"
	"sotto/review/store"
	"sotto/schemas"
)

const (
	auditTopic      = "calls.risk-audit"
	annotationTopic = "calls.risk-annotations"
)

// underACLs lets a user with the ACLs read a call, send a reading of it, and rebuild the store. The
// topics are there, as 'sotto topics ensure --review' makes them.
func underACLs(t *testing.T, acls []kfake.ACL, timeout time.Duration) error {
	t.Helper()
	brokertest.OnlyEmbedded(t)
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.EnableACLs(),
		kfake.Superuser("PLAIN", "root", "secret"), kfake.User("PLAIN", "review", "secret", acls...))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	as := func(user string) []kgo.Opt {
		return []kgo.Opt{
			kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.SASL(plain.Auth{User: user, Pass: "secret"}.AsMechanism()), kgo.RetryTimeout(2 * time.Second),
		}
	}
	root, err := kgo.NewClient(as("root")...)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := kadm.NewClient(root).CreateTopics(ctx, 1, 1, nil, auditTopic, annotationTopic); err != nil {
		t.Fatal(err)
	}
	if err := root.ProduceSync(ctx, sampled(t, auditTopic, "c1")...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	for _, step := range []func(*store.Store) bool{
		func(s *store.Store) bool {
			if _, err := s.Call(ctx, "c1"); err != nil {
				return false
			}
			r := review.Reading{CallID: "c1", Kind: review.Annotation, Annotator: "ann", Done: true}
			if _, err := s.Save(ctx, r); err != nil && !errors.Is(err, store.ErrConflict) {
				return false
			}
			unsent, err := s.Unsent(ctx, 1)
			return err == nil && len(unsent) == 0
		},
		func(s *store.Store) bool {
			r, err := s.Reading(ctx, "c1", review.Annotation, "ann")
			return err == nil && r.Done
		},
	} {
		if err := runUntil(ctx, t, as("review"), step); err != nil {
			return err
		}
	}
	return nil
}

// runUntil exchanges with a new store until a condition holds.
func runUntil(ctx context.Context, t *testing.T, client []kgo.Opt, holds func(*store.Store) bool) error {
	t.Helper()
	s, err := store.Open(ctx, filepath.Join(t.TempDir(), "review.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	codec, err := schemas.NewCodec(ctx, schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		done <- Run(running, s, Options{Audit: auditTopic, Annotations: annotationTopic, Codec: codec, Log: slog.New(slog.DiscardHandler), Client: client})
	}()
	for !holds(s) {
		select {
		case err := <-done:
			stop()
			return errors.Join(errors.New("the exchange has ended"), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	stop()
	return <-done
}

// sampled returns the records of a call in the audit topic.
func sampled(t *testing.T, topic, id string) (records []*kgo.Record) {
	t.Helper()
	for seq, typ := range []schemas.EventType{schemas.Utterance, schemas.End} {
		value, err := json.Marshal(schemas.AuditEvent{
			CleanEvent: schemas.CleanEvent{CallID: id, Seq: int64(seq + 1), Type: typ, Text: "hello Halpert", Entities: []schemas.Entity{}},
			Sampling:   schemas.Sampling{Rate: 0.1, Reason: "uniform"},
		})
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, &kgo.Record{Topic: topic, Key: []byte(id), Value: value})
	}
	return records
}

func documentedACLs(t *testing.T) []kfake.ACL {
	t.Helper()
	acls := brokertest.DocumentedACLs(t, "../../docs/security.md")["review"]
	if len(acls) == 0 {
		t.Fatal("the table has no ACLs of the review page")
	}
	return acls
}

func TestDocumentedACLsAreEnough(t *testing.T) {
	t.Parallel()
	if err := underACLs(t, documentedACLs(t), patience); err != nil {
		t.Fatal(err)
	}
}

func TestDocumentedACLsAreAllNeeded(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for outputs that must not come")
	}
	all := documentedACLs(t)
	for i, acl := range all {
		t.Run(fmt.Sprintf("without %s on %s", acl.Operation, acl.Name), func(t *testing.T) {
			t.Parallel()
			if err := underACLs(t, slices.Delete(slices.Clone(all), i, i+1), 3*time.Second); err == nil {
				t.Error("the exchange works without this ACL")
			}
		})
	}
}
