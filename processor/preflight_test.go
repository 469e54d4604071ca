package processor

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
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

// preflightFault is something that is wrong, and the checks that find it, and no others.
type preflightFault struct {
	who    string // "" for the stream's user
	change func(*config.Settings)
	clock  time.Duration // by which the clock of this machine is ahead
	want   []string
}

// odd is the start of the names of topics that are not as the stream needs them.
const odd = "calls.odd."

// preflightACLs are the ACLs of the stream, with those of the odd topics, and of users who lack one of them, each
// of another kind, or all.
func preflightACLs(t *testing.T) (acls map[string][]kfake.ACL, faults map[string]preflightFault) {
	acls, faults = documentedACLs(t), map[string]preflightFault{}
	stream := acls["stream"]
	none := preflightFault{who: "stream-none"}
	acls[none.who] = nil
	seen := map[string]bool{}
	for i, acl := range stream {
		resource := strings.ReplaceAll(strings.ToLower(acl.Resource.String()), "_", "-")
		op := map[kmsg.ACLOperation]string{kmsg.ACLOperationDescribeConfigs: "DescribeConfigs", opRead: "Read", opWrite: "Write"}[acl.Operation]
		subject := func(who string) string {
			name := acl.Name
			if acl.Resource == kmsg.ACLResourceTypeTransactionalId {
				name += who + "-preflight"
			}
			return "acl " + op + " on " + resource + " " + name
		}
		none.want = append(none.want, subject(none.who))
		if seen[op+resource] {
			continue
		}
		seen[op+resource] = true
		who := fmt.Sprint("stream-", i)
		acls[who] = slices.Delete(slices.Clone(stream), i, i+1)
		if acl.Resource == kmsg.ACLResourceTypeGroup { // Describe lets the offsets be read
			describe := acl
			describe.Operation = kmsg.ACLOperationDescribe
			acls[who] = append(acls[who], describe)
		}
		faults["no ACL for "+op+" on "+resource] = preflightFault{who: who, want: []string{subject(who)}}
	}
	slices.Sort(none.want)
	faults["no ACLs"] = none
	for _, op := range []kmsg.ACLOperation{opRead, opWrite, kmsg.ACLOperationDescribeConfigs} {
		acls["stream"] = append(acls["stream"], kfake.ACL{Resource: kmsg.ACLResourceTypeTopic, Name: odd, Pattern: kmsg.ACLResourcePatternTypePrefixed, Operation: op, Allow: true})
	}
	return acls, faults
}

// findsFaults runs a preflight with each fault. broker is the ID of the only one.
func findsFaults(t *testing.T, g *guarded, broker int, faults map[string]preflightFault) {
	t.Helper()
	plan := TopicPlan{Partitions: 2, Replication: 1, Raw: time.Hour, Review: true}
	if err := EnsureTopics(t.Context(), g.as("topics"), plan, CreateTopics, func(string) {}); err != nil {
		t.Fatal(err)
	}
	adm := kadm.NewClient(g.root)
	for name, with := range map[string][2]string{"compacted": {"cleanup.policy", "compact"}, "few": {"cleanup.policy", "compact"}, "alone": {"min.insync.replicas", "2"}} {
		partitions := int32(2)
		if name == "few" {
			partitions = 1
		}
		if _, err := adm.CreateTopic(t.Context(), partitions, 1, map[string]*string{with[0]: &with[1]}, odd+name); err != nil {
			t.Fatal(err)
		}
	}
	otherKey := filepath.Join(t.TempDir(), "other.key")
	if err := os.WriteFile(otherKey, []byte("1 "+testKey(9)), 0o600); err != nil {
		t.Fatal(err)
	}
	// There is a state, and the stream runs meanwhile.
	in := g.start()
	g.feed(1)
	g.awaitClean()

	clock := fmt.Sprint("clock broker ", broker)
	const nobody = "127.0.0.1:1"
	every := func(s *config.Settings) {
		s.TopicAudit, s.TopicClean, s.TopicDeadLetter = odd+"missing", odd+"compacted", odd+"alone"
		s.SchemaRegistryURL, s.Codec, s.StateKeyFile = "http://"+nobody, "avro", otherKey
		s.Brokers = append(slices.Clip(s.Brokers), nobody)
	}
	maps.Copy(faults, map[string]preflightFault{
		"nothing":                {},
		"wrong broker":           {change: func(s *config.Settings) { s.Brokers = []string{nobody} }, want: []string{"broker " + nobody}},
		"missing topic":          {change: func(s *config.Settings) { s.TopicAudit = odd + "missing" }, want: []string{"topic " + odd + "missing"}},
		"wrong cleanup policy":   {change: func(s *config.Settings) { s.TopicClean = odd + "compacted" }, want: []string{"topic " + odd + "compacted"}},
		"too few partitions":     {change: func(s *config.Settings) { s.TopicState = odd + "few" }, want: []string{"topic " + odd + "few"}},
		"too few replicas":       {change: func(s *config.Settings) { s.TopicDeadLetter = odd + "alone" }, want: []string{"topic " + odd + "alone"}},
		"registry down":          {change: func(s *config.Settings) { s.SchemaRegistryURL, s.Codec = "http://"+nobody, "avro" }, want: []string{"registry http://" + nobody}},
		"no registry of others":  {change: func(s *config.Settings) { s.SchemaRegistryURL, s.RawFormat = "http://"+nobody, "deepgram" }, want: []string{"mapping deepgram", "registry http://" + nobody}},
		"wrong key":              {change: func(s *config.Settings) { s.StateKeyFile = otherKey }, want: []string{"state-key " + otherKey}},
		"no key":                 {change: func(s *config.Settings) { s.StateKeyFile = "none" }, want: []string{"state-key none"}},
		"clock ahead":            {clock: 10 * time.Minute, want: []string{clock}},
		"clock behind":           {clock: -10 * time.Minute, want: []string{clock}},
		"much in the same start": {clock: 10 * time.Minute, change: every, want: []string{"broker " + nobody, clock, "registry http://" + nobody, "state-key " + otherKey, "topic " + odd + "alone", "topic " + odd + "compacted", "topic " + odd + "missing"}},
	})
	t.Run("faults", func(t *testing.T) {
		for name, f := range faults {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				g.finds(t, f)
			})
		}
	})
	// Nobody who reads committed records sees a probe, and the stream is not disturbed.
	g.feed(2)
	g.awaitClean()
	if err := in.Ready(); err != nil {
		t.Errorf("the stream is not ready: %v", err)
	}
	if log := g.log.String(); strings.Contains(log, "level=WARN") || strings.Contains(log, "level=ERROR") {
		t.Errorf("the stream was disturbed:\n%s", log)
	}
}

// finds runs a preflight, until a broker knows ACLs and topics, and checks what it finds.
func (g *guarded) finds(t *testing.T, f preflightFault) {
	t.Helper()
	who, id := f.who, "sotto-"+f.who
	if who == "" { // several at once
		who, id = "stream", "sotto-"+path.Base(t.Name())
	}
	s := g.as(who)
	s.TransactionalID = id
	if f.change != nil {
		f.change(&s)
	}
	var found []Finding
	failed := func() (names []string) {
		p := &preflight{s: &s, now: func() time.Time { return time.Now().Add(f.clock) }}
		p.run(t.Context())
		found = p.found
		for _, x := range found {
			if x.Status == StatusFailed {
				names = append(names, x.Check+" "+x.Subject)
			}
			if x.Detail == "" && x.Status != StatusOK {
				t.Errorf("no reason: %+v", x)
			}
		}
		slices.Sort(names)
		return names
	}
	for until := time.Now().Add(30 * time.Second); ; {
		got := failed()
		if slices.Equal(got, f.want) {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("it finds %q, want %q:\n%+v", got, f.want, found)
		}
	}
	if skipped := slices.ContainsFunc(found, func(x Finding) bool { return x.Status == StatusSkipped }); skipped && len(f.want) == 0 {
		t.Errorf("checks are skipped although nothing is wrong: %+v", found)
	}
}

func TestPreflightFindsEveryFault(t *testing.T) {
	brokertest.OnlyEmbedded(t)
	t.Parallel()
	acls, faults := preflightACLs(t)
	opts := []kfake.Opt{kfake.NumBrokers(1), kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "root", "secret")}
	for who, list := range acls {
		opts = append(opts, kfake.User("PLAIN", who, "secret", list...))
	}
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	s := allTopics(t)
	s.Brokers, s.SASLMechanism, s.SASLPassword = c.ListenAddrs(), "plain", "secret"
	findsFaults(t, newGuarded(t, func(who string) config.Settings {
		s := s
		s.SASLUser = who
		return s
	}, kgo.SeedBrokers(c.ListenAddrs()...), kgo.SASL(plainRoot)), 0, faults)
}

// TestPreflightFindsEveryFaultOnApacheKafka does it with the real authorizer, over mutual TLS.
func TestPreflightFindsEveryFaultOnApacheKafka(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, "ours")
	k := secureKafka(t, a)
	as := secureSettings(t, a, k)
	g := newGuarded(t, func(who string) config.Settings {
		s := as(who)
		s.SASLMechanism = "scram-sha-512"
		if who == "topics" {
			s.SASLMechanism = "plain"
		}
		return s
	}, kgo.SeedBrokers(k.Addr()))
	acls, faults := preflightACLs(t)
	for _, f := range faults {
		addUser(t, g.root, f.who)
	}
	createACLs(t, g.root, acls)
	refused := func(s *config.Settings) { s.SASLPassword, s.SASLPasswordFile = "wrong", "" }
	faults["wrong password"] = preflightFault{change: refused, want: []string{"login User:stream"}}
	findsFaults(t, g, 1, faults)
}
