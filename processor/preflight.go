package processor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"sotto/config"
	"sotto/config/kafka"
	"sotto/processor/partition"
	"sotto/processor/topic"
	"sotto/schemas"
)

// Status is the outcome of a check.
type Status string

// The outcomes. A start warns of what is StatusWarning. StatusSkipped means that the check could not be
// made, and its detail says why.
const (
	StatusOK      Status = "ok"
	StatusWarning Status = "warning"
	StatusFailed  Status = "failed"
	StatusSkipped Status = "skipped"
)

// Finding is the outcome of one check of Preflight.
type Finding struct {
	// Check is one of checks.
	Check string `json:"check"`
	// Subject is what was checked: an address, a user, "Write on topic calls.clean", a topic, a file.
	Subject string `json:"subject"`
	Status  Status `json:"status"`
	Detail  string `json:"detail"`
}

const checkTimeout = 15 * time.Second

// Preflight checks what the stream needs of brokers, user, topics, Schema Registry, state key and clock,
// and reports all of it, whatever fails. It tries each ACL. It writes nothing but records of transactions
// that it aborts, with a transactional ID of its own, so that it may run beside the stream.
func Preflight(ctx context.Context, s config.Settings, opts ...kgo.Opt) []Finding {
	p := &preflight{s: &s, now: time.Now, opts: opts}
	p.run(ctx)
	return p.found
}

type preflight struct {
	s     *config.Settings
	now   func() time.Time
	opts  []kgo.Opt // of every client
	cl    *kgo.Client
	found []Finding
	// blocked is why nothing can be asked of the brokers.
	blocked error
	facts   *topicFacts
}

func (p *preflight) add(check, subject string, status Status, detail string) {
	p.found = append(p.found, Finding{check, subject, status, strings.ReplaceAll(detail, "\n", "; ")})
}

// outcome adds a finding that is ok, with a detail, or failed.
func (p *preflight) outcome(check, subject, detail string, err error) {
	if err != nil {
		p.add(check, subject, StatusFailed, err.Error())
		return
	}
	p.add(check, subject, StatusOK, detail)
}

func (p *preflight) run(ctx context.Context) {
	p.facts = &topicFacts{}
	security, err := kafka.Security(p.s)
	if err == nil {
		p.opts = slices.Concat([]kgo.Opt{
			kgo.SeedBrokers(p.s.Brokers...), kgo.ClientID("sotto-preflight"),
			kgo.RequestRetries(3), kgo.RetryTimeout(checkTimeout), kgo.MetadataMinAge(retryMin), kgo.RetryBackoffFn(retryBackoff),
		}, security, p.opts)
		p.cl, err = kgo.NewClient(p.opts...)
	}
	if err != nil {
		p.blocked = err
		p.add("login", kafka.Principal(p.s), StatusFailed, err.Error())
	} else {
		defer p.cl.Close()
		p.checkBrokers(ctx)
	}
	p.checkRegistry(ctx)
	reads := p.checkReads(ctx)
	p.checkWrites(ctx)
	p.checkTopics()
	p.checkMapping(ctx)
	p.checkStateKey(ctx, reads[p.s.TopicState])
	slices.SortStableFunc(p.found, func(a, b Finding) int { return slices.Index(checks, a.Check) - slices.Index(checks, b.Check) })
}

// checks are in the order of the report.
var checks = []string{"broker", "login", "registry", "acl", "topic", "mapping", "state-key", "clock", "transaction"}

// checkBrokers asks each address of the settings, whether the user may log in, and each broker at the address
// that it advertises.
func (p *preflight) checkBrokers(ctx context.Context) {
	reached, refused := p.checkAddresses(ctx)
	how := "without SASL"
	if p.s.SASLMechanism != "" {
		how = "by " + p.s.SASLMechanism
	}
	if p.s.TLSEnable {
		how += ", over TLS"
	}
	switch {
	case reached:
		p.add("login", kafka.Principal(p.s), StatusOK, how)
	case refused != nil:
		p.blocked = errors.New("the login fails")
		p.add("login", kafka.Principal(p.s), StatusFailed, "the brokers refuse it "+how+": "+refused.Error())
		return
	default:
		p.blocked = errors.New("no broker answers")
		p.add("login", kafka.Principal(p.s), StatusSkipped, p.blocked.Error())
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*checkTimeout)
	defer cancel()
	cluster, err := kadm.NewClient(p.cl).BrokerMetadata(ctx)
	if err == nil {
		for _, b := range cluster.Brokers {
			version, err := versionOf(ctx, p.cl.Broker(int(b.NodeID)))
			p.outcome("broker", fmt.Sprintf("%d at %s", b.NodeID, net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))), version, err)
		}
		p.facts, err = readTopics(ctx, p.cl, p.s)
	}
	if err != nil {
		p.blocked, p.facts = err, &topicFacts{}
	}
}

// checkAddresses reports whether a broker answers at one of the addresses of the settings, and why one refused
// the user.
func (p *preflight) checkAddresses(ctx context.Context) (reached bool, refused error) {
	for _, addr := range p.s.Brokers {
		version := ""
		cl, err := kgo.NewClient(append(slices.Clip(p.opts), kgo.SeedBrokers(addr))...)
		if err == nil {
			version, err = versionOf(ctx, cl.SeedBrokers()[0])
			cl.Close()
		}
		switch {
		case isAny(err, kerr.SaslAuthenticationFailed, kerr.UnsupportedSaslMechanism, kerr.IllegalSaslState): // the user
			refused, err = err, nil
		case isCut(err):
			err = fmt.Errorf("it closes the connection, as if only one side used TLS (SOTTO_KAFKA_TLS_ENABLE): %w", err)
		case err == nil:
			reached = true
		}
		p.outcome("broker", addr, strings.TrimSpace("answers "+version), err)
	}
	return reached, refused
}

// versionOf returns the version of a broker by what it can do. It is an error if that is too old for
// transactions that survive a rebalance.
func versionOf(ctx context.Context, b *kgo.Broker) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = "sotto", "0"
	answer, err := b.RetriableRequest(ctx, req)
	if err != nil {
		return "", err
	}
	resp := answer.(*kmsg.ApiVersionsResponse)
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return "", err
	}
	versions := kversion.FromApiVersionsResponse(resp)
	guess := "as Kafka " + versions.VersionGuess()
	if v, ok := versions.LookupMaxKeyVersion(kmsg.NewPtrTxnOffsetCommitRequest().Key()); !ok || v < 3 {
		return "", fmt.Errorf("it answers %s, which is too old: version 2.5 or later is needed", guess)
	}
	return guess, nil
}

func (p *preflight) checkRegistry(ctx context.Context) {
	if p.s.SchemaRegistryURL == "" || p.s.Codec != schemas.FormatAvro {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	address := p.s.SchemaRegistryURL
	if u, err := url.Parse(address); err == nil {
		address = u.Redacted()
	}
	p.outcome("registry", address, "it has the schemas, or accepts them", kafka.CheckRegistry(ctx, p.s))
}

func (p *preflight) checkMapping(ctx context.Context) {
	m, err := p.s.RawMapping()
	if m == nil && err == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	detail := "the raw topic is read by it"
	if err == nil {
		var kind string
		if kind, err = kafka.RawSchema(ctx, p.s); kind != "" {
			detail += ", and its latest schema is of type " + kind
		}
	}
	p.outcome("mapping", p.s.RawFormat, detail, err)
}

// acl adds the finding of an ACL that was tried. An error that is no refusal means that it could not be
// tried.
func (p *preflight) acl(operation, resource, name string, err error) {
	status, detail := StatusOK, ""
	switch {
	case isDenied(err):
		status, detail = StatusFailed, kafka.Principal(p.s)+` lacks this ACL; see "Least privilege" in docs/security.md`
	case err != nil:
		status, detail = StatusSkipped, err.Error()
	}
	p.add("acl", operation+" on "+resource+" "+name, status, detail)
}

// checkReads tries everything but to write, and returns the errors of reading by topic.
func (p *preflight) checkReads(ctx context.Context) map[string]error {
	ctx, cancel := context.WithTimeout(ctx, 2*checkTimeout)
	defer cancel()
	reads := map[string]error{}
	for _, r := range topicRights(p.s) {
		absent := p.absent(r.topic)
		if slices.Contains(r.ops, opRead) {
			err := absent
			if err == nil {
				err = p.reader().Try(ctx, r.topic, 0)
			}
			reads[r.topic] = err
			p.acl("Read", "topic", r.topic, err)
		}
		if p.facts.configs[r.topic] != nil {
			absent = nil // Describe alone may be missing
		} else if refused := p.facts.refused[r.topic]; refused != nil {
			absent = refused
		}
		p.acl("DescribeConfigs", "topic", r.topic, absent)
	}
	err := p.blocked
	if err == nil {
		err = groupAccess(ctx, p.cl, p.s)
	}
	p.acl("Read", "group", p.s.Group, err)
	return reads
}

func (p *preflight) absent(topic string) error {
	t, ok := p.facts.meta[topic]
	switch err := kerr.ErrorForCode(t.ErrorCode); {
	case p.blocked != nil:
		return p.blocked
	case !ok || errors.Is(err, kerr.UnknownTopicOrPartition):
		return fmt.Errorf("topic %s %w", topic, errNoTopic)
	default:
		return err
	}
}

// checkTopics says how the topics differ from what the stream needs.
func (p *preflight) checkTopics() {
	for _, r := range topicRights(p.s) {
		name, t := r.topic, p.facts.meta[r.topic]
		if err := p.absent(name); err != nil && !errors.Is(err, errNoTopic) {
			p.add("topic", name, StatusSkipped, err.Error())
			continue
		}
		bad, warnings := p.facts.problems(p.s, name)
		if behind := p.behind(name); behind != nil {
			bad = append(bad, behind)
		}
		config := p.facts.configs[name]
		switch {
		case len(bad) > 0:
			p.add("topic", name, StatusFailed, errors.Join(append(bad, warnings...)...).Error())
		case config == nil:
			p.add("topic", name, StatusSkipped, "its settings cannot be read; the number of its partitions is as it must be")
		case len(warnings) > 0:
			p.add("topic", name, StatusWarning, errors.Join(warnings...).Error())
		default:
			p.add("topic", name, StatusOK, fmt.Sprintf("partitions=%d replicas=%d min.insync.replicas=%s cleanup.policy=%s retention.ms=%s",
				len(t.Partitions), len(t.Partitions[0].Replicas), config["min.insync.replicas"], config["cleanup.policy"], config["retention.ms"]))
		}
	}
}

// behind returns an error if partitions of a topic have no leader, or too few replicas in sync.
func (p *preflight) behind(topic string) error {
	if n := len(p.facts.meta[topic].Partitions) - len(p.writable(topic)); n > 0 {
		least, _ := p.facts.number(topic, "min.insync.replicas")
		return fmt.Errorf("%d partitions of topic %s have no leader, or fewer replicas in sync than min.insync.replicas=%d: start the brokers that are missing, or add replicas", n, topic, least)
	}
	return nil
}

// writable returns the partitions of a topic that have a leader and enough replicas in sync.
func (p *preflight) writable(topic string) (parts []kmsg.MetadataResponseTopicPartition) {
	least, _ := p.facts.number(topic, "min.insync.replicas")
	for _, part := range p.facts.meta[topic].Partitions {
		if part.Leader >= 0 && len(part.ISR) >= int(least) {
			parts = append(parts, part)
		}
	}
	return parts
}

// enoughStates are how many of the latest states of each partition are opened, at least, if there are so many.
const enoughStates = 5

// checkStateKey opens the latest states. unreadable is why the topic cannot be read.
func (p *preflight) checkStateKey(ctx context.Context, unreadable error) {
	ctx, cancel := context.WithTimeout(ctx, 2*checkTimeout)
	defer cancel()
	file := cmp.Or(p.s.StateKeyFile, "none")
	keys, err := p.s.StateKeys()
	if err == nil && unreadable != nil {
		p.add("state-key", file, StatusSkipped, "no states can be read: "+unreadable.Error())
		return
	}
	opened := 0
	bad := []error{err}
	for _, part := range p.facts.meta[p.s.TopicState].Partitions {
		if err != nil {
			break
		}
		states, err := p.latestStates(ctx, part.Partition)
		for key, sealed := range states {
			if err == nil {
				_, err = keys.Open(key, sealed)
				opened++
			}
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("partition %d of topic %s: %w", part.Partition, p.s.TopicState, err))
		}
	}
	p.outcome("state-key", file, fmt.Sprintf("it opens the latest records of states (%d)", opened), errors.Join(bad...))
}

func (p *preflight) reader() *topic.Reader { return &topic.Reader{Client: p.cl, Stall: checkTimeout} }

// latestStates returns sealed records by their keys. Of each key it is the last one, as in a restore.
func (p *preflight) latestStates(ctx context.Context, part int32) (map[string][]byte, error) {
	r := p.reader()
	end, _, err := r.End(ctx, p.s.TopicState, part)
	states := map[string][]byte{}
	// Most offsets may be tombstones, claims and ends of transactions.
	for from, span := end, int64(100); err == nil && from > 0 && len(states) < enoughStates; span *= 10 {
		from = max(0, end-span)
		err = r.Read(ctx, p.s.TopicState, part, from, end, func(rec *kgo.Record) error {
			key := string(rec.Key)
			if _, claim := partition.ParseClaimKey(key); claim {
				return nil // nobody opens it
			}
			if states[key] = rec.Value; rec.Value == nil {
				delete(states, key)
			}
			return nil
		})
	}
	return states, err
}
