package processor

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sotto/config"
	"sotto/internal/testkit/brokertest"
	"sotto/schemas"
)

// guarded is a broker with the ACLs of docs/security.md, each user's settings for it, and a client
// that may do everything.
type guarded struct {
	t    *testing.T
	as   func(who string) config.Settings
	root *kgo.Client
	log  syncBuffer
}

// guardedFake is such an embedded broker, without some of the ACLs.
func guardedFake(t *testing.T, without func(who string, acl kfake.ACL) bool) *guarded {
	t.Helper()
	brokertest.OnlyEmbedded(t)
	opts := []kfake.Opt{kfake.NumBrokers(1), kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "root", "secret")}
	for who, list := range documentedACLs(t) {
		var kept []kfake.ACL
		for _, acl := range list {
			if !without(who, acl) {
				kept = append(kept, acl)
			}
		}
		opts = append(opts, kfake.User("PLAIN", who, "secret", kept...))
	}
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	s := allTopics(t)
	s.Brokers, s.SASLMechanism, s.SASLPassword = c.ListenAddrs(), "plain", "secret"
	return newGuarded(t, func(who string) config.Settings {
		s := s
		s.SASLUser = who
		return s
	}, kgo.SeedBrokers(c.ListenAddrs()...), kgo.SASL(plainRoot))
}

func newGuarded(t *testing.T, as func(string) config.Settings, root ...kgo.Opt) *guarded {
	t.Helper()
	cl, err := kgo.NewClient(append(root, kgo.ConsumeTopics("calls.clean"), kgo.FetchIsolationLevel(kgo.ReadCommitted()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return &guarded{t: t, as: as, root: cl}
}

// start runs the stream until the end of the test.
func (g *guarded) start(change ...func(*Processor)) *instance {
	g.t.Helper()
	set := g.as("stream")
	set.CommitInterval = 20 * time.Millisecond
	p, err := New(g.t.Context(), set, WithLogger(slog.New(slog.NewTextHandler(&g.log, nil))), func(p *Processor) {
		p.grace = 100 * time.Millisecond
		for _, c := range change {
			c(p)
		}
	})
	if err != nil {
		g.t.Fatal(err)
	}
	in := &instance{Processor: p, done: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	in.cancel = cancel
	go func() {
		defer close(in.done)
		in.err = p.Run(ctx)
	}()
	g.t.Cleanup(func() { in.stop() })
	return in
}

func (g *guarded) ensureTopics() {
	g.t.Helper()
	if err := EnsureTopics(g.t.Context(), g.as("topics"), TopicPlan{Partitions: 1, Replication: 1, Raw: time.Hour, Review: true}, CreateTopics, func(string) {}); err != nil {
		g.t.Fatal(err)
	}
}

func (g *guarded) feed(seq int64) {
	g.t.Helper()
	codec, err := schemas.NewCodec(g.t.Context(), schemas.Options{Format: schemas.FormatJSON})
	if err != nil {
		g.t.Fatal(err)
	}
	v, err := codec.AppendRaw(nil, utterance("c", seq, "x", "this is Rosa Lindqvist speaking"))
	if err != nil {
		g.t.Fatal(err)
	}
	if err := g.root.ProduceSync(g.t.Context(), &kgo.Record{Topic: "calls.raw", Key: []byte("c"), Value: v}).FirstErr(); err != nil {
		g.t.Fatal(err)
	}
}

// awaitClean waits for one clean event.
func (g *guarded) awaitClean() {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), 30*time.Second)
	defer cancel()
	if n := g.root.PollFetches(ctx).NumRecords(); n != 1 {
		g.t.Fatalf("%d clean events, want 1", n)
	}
}

// A stream that may no longer write to the clean topic is not ready, from within half a minute until
// it can write again, however often its session is recreated. The log and /readyz say why.
func notReadyWithoutWrite(t *testing.T, g *guarded) {
	t.Helper()
	g.ensureTopics()
	in := g.start()
	g.feed(1)
	g.awaitClean()
	eventually(t, "the stream to be ready", func() bool { return in.Ready() == nil })

	acl := func(op kmsg.ACLOperation) *kadm.ACLBuilder {
		return kadm.NewACLs().Topics("calls.clean").Allow("User:stream").AllowHosts().ResourcePatternType(kadm.ACLPatternLiteral).Operations(op)
	}
	adm := kadm.NewClient(g.root)
	// The user may still see and read the topic, as the checks of a new session do.
	if _, err := adm.CreateACLs(t.Context(), acl(kmsg.ACLOperationRead)); err != nil {
		t.Fatal(err)
	}
	if deleted, err := adm.DeleteACLs(t.Context(), acl(kmsg.ACLOperationWrite)); err != nil || len(deleted) != 1 || len(deleted[0].Deleted) != 1 {
		t.Fatalf("the ACL is not deleted: %v %+v", err, deleted)
	}
	g.feed(2)
	eventually(t, "the stream not to be ready", func() bool { return in.Ready() != nil })
	for strings.Count(g.log.String(), "the session is recreated") < 3 {
		if _, body := get(in, "/readyz"); strings.Contains(body, `"ok"`) {
			t.Fatalf("ready although nothing can be written:\n%s", g.log.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := in.Live(); err != nil {
		t.Errorf("not live, although a restart would not help: %v", err)
	}
	_, why := get(in, "/readyz")
	for where, text := range map[string]string{"/readyz": why, "the log": g.log.String()} {
		for _, want := range []string{"User:stream", "Write", "calls.clean"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not name %s: %s", where, want, text)
			}
		}
	}
	if line := `level=ERROR msg="a transaction was aborted; its records are read again" session=0 records=1`; !strings.Contains(g.log.String(), line) ||
		!strings.Contains(g.log.String(), "topic=calls.clean operation=Write") {
		t.Errorf("no error in the log names topic and operation:\n%s", g.log.String())
	}

	if _, err := adm.CreateACLs(t.Context(), acl(kmsg.ACLOperationWrite)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the stream to be ready again", func() bool { return in.Ready() == nil })
	g.awaitClean()
}

func TestNotReadyWithoutWrite(t *testing.T) {
	t.Parallel()
	notReadyWithoutWrite(t, guardedFake(t, func(string, kfake.ACL) bool { return false }))
}

// TestNotReadyWithoutWriteOnApacheKafka does it with the real authorizer.
func TestNotReadyWithoutWriteOnApacheKafka(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, "ours")
	k := secureKafka(t, a)
	as := secureSettings(t, a, k)
	g := newGuarded(t, func(who string) config.Settings {
		s := as(who)
		s.SASLMechanism = map[string]string{"stream": "scram-sha-512", "topics": "plain"}[who]
		return s
	}, kgo.SeedBrokers(k.Addr()))
	notReadyWithoutWrite(t, g)
	// The stream as the user of the canary, which may write raw and read clean events.
	g.as = func(string) config.Settings {
		s := as("canary")
		s.SASLMechanism = "plain"
		return s
	}
	namesMissing(t, g.start(), "User:canary", []string{
		"Read on topic calls.raw", "Write on topic calls.clean", "Read on topic calls.state", "Write on topic calls.state",
		"Write on topic calls.final", "Write on topic calls.dead-letter", "Read on group sotto", "Write on transactional-id sotto-",
	}, []string{"Write on topic calls.raw", "Read on topic calls.clean"})
}

// A right that is needed later, such as at the next restore or for the next bad record, is missed at once.
func TestARevokedRightIsNoticed(t *testing.T) {
	t.Parallel()
	g := guardedFake(t, func(string, kfake.ACL) bool { return false })
	g.ensureTopics()
	in := g.start(func(p *Processor) { p.topicsInterval = 200 * time.Millisecond })
	g.feed(1)
	g.awaitClean()
	eventually(t, "the stream to be ready", func() bool { return in.Ready() == nil })
	adm := kadm.NewClient(g.root)
	for _, c := range []struct {
		topic, op string
		acl       kmsg.ACLOperation
	}{{"calls.state", "Read", kmsg.ACLOperationRead}, {"calls.dead-letter", "Write", kmsg.ACLOperationWrite}} {
		acl := kadm.NewACLs().Topics(c.topic).Allow("User:stream").AllowHosts().ResourcePatternType(kadm.ACLPatternLiteral).Operations(c.acl)
		if deleted, err := adm.DeleteACLs(t.Context(), acl); err != nil || len(deleted) != 1 || len(deleted[0].Deleted) != 1 {
			t.Fatalf("the ACL is not deleted: %v %+v", err, deleted)
		}
		want := "User:stream lacks the ACL for " + c.op + " on topic " + c.topic
		eventually(t, want, func() bool {
			err := in.Ready()
			return err != nil && strings.Contains(err.Error(), want)
		})
		if _, err := adm.CreateACLs(t.Context(), acl); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the stream to be ready again", func() bool { return in.Ready() == nil })
	}
}

// namesMissing checks that a start fails with an error that names each ACL, and no other.
func namesMissing(t *testing.T, in *instance, who string, missing, granted []string) {
	t.Helper()
	select {
	case <-in.done:
	case <-time.After(30 * time.Second):
		t.Fatal("the stream runs without an ACL")
	}
	if in.err == nil {
		t.Fatal("no error")
	}
	for _, acl := range missing {
		if want := who + " lacks the ACL for " + acl; !strings.Contains(in.err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, in.err)
		}
	}
	for _, acl := range granted {
		if strings.Contains(in.err.Error(), acl) {
			t.Errorf("the error names %q, which is granted: %v", acl, in.err)
		}
	}
}

// A start without ACLs names all of them at once: who lacks which operation on which resource.
func TestMissingACLsAreNamed(t *testing.T) {
	t.Parallel()
	var all []string
	for _, acl := range documentedACLs(t)["stream"] {
		name := acl.Name
		if acl.Resource == kmsg.ACLResourceTypeTransactionalId {
			name = "sotto-"
		}
		if acl.Operation != kmsg.ACLOperationDescribeConfigs { // without it there is a warning
			op := acl.Operation.String()
			all = append(all, op[:1]+strings.ToLower(op[1:])+" on "+strings.ReplaceAll(strings.ToLower(acl.Resource.String()), "_", "-")+" "+name)
		}
	}
	if len(all) != 11 {
		t.Fatalf("the stream has the ACLs %q", all)
	}
	g := guardedFake(t, func(who string, _ kfake.ACL) bool { return who == "stream" })
	g.ensureTopics()
	namesMissing(t, g.start(), "User:stream", all, nil)

	g = guardedFake(t, func(who string, acl kfake.ACL) bool {
		return who == "stream" && acl.Name == "calls.state" && acl.Operation == kmsg.ACLOperationWrite
	})
	g.ensureTopics()
	namesMissing(t, g.start(), "User:stream", []string{"Write on topic calls.state"}, []string{"Read on", "calls.clean", "transactional-id"})
}
