package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"slices"
	"time"

	"sotto/anonymize"
	"sotto/replace"
	"sotto/state"
)

// shortWord is the form of a context and of a tenant in the outputs.
var shortWord = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,32}$`)

// problems collects everything that is wrong, so that it is reported at once.
type problems []error

// require adds a problem with a setting unless ok.
func (p *problems) require(ok bool, name, format string, args ...any) {
	if !ok {
		*p = append(*p, fmt.Errorf("%s%s %s", EnvPrefix, name, fmt.Sprintf(format, args...)))
	}
}

// parses adds a problem with a setting whose value could not be parsed.
func (p *problems) parses(err error, name string) {
	if err != nil {
		p.require(false, name, "%v", err)
	}
}

// Validate reports everything that is wrong with the values themselves.
// CheckFiles looks at the files.
func (s *Settings) Validate() error {
	var p problems
	s.validateKafka(&p)
	s.validateSecurity(&p)
	s.validateTransport(&p)
	s.validateTopics(&p)
	s.validateIndirect(&p)
	s.validateStream(&p)
	s.validateCalls(&p)
	s.validateReplacement(&p)
	s.validateRisk(&p)
	s.validateRemote(&p)
	s.validateOperation(&p)
	s.validateServe(&p)
	s.validateReview(&p)
	return errors.Join(p...)
}

func (s *Settings) validateKafka(p *problems) {
	p.require(len(s.Brokers) > 0, "KAFKA_BROKERS", "is empty: give at least one host:port")
	p.require(s.Group != "", "KAFKA_GROUP", "is empty")
	p.require(s.TransactionTimeout >= 2*s.CommitInterval && s.TransactionTimeout >= time.Second, "KAFKA_TRANSACTION_TIMEOUT",
		"must be at least 1s and twice SOTTO_COMMIT_INTERVAL, or the broker aborts transactions in progress")
	p.require(s.SessionTimeout >= time.Second, "KAFKA_SESSION_TIMEOUT", "must be at least 1s")
	p.require(s.RebalanceTimeout >= s.CommitInterval, "KAFKA_REBALANCE_TIMEOUT", "must be at least SOTTO_COMMIT_INTERVAL")
}

func (s *Settings) validateSecurity(p *problems) {
	switch s.SASLMechanism {
	case "":
	case "oauthbearer":
		p.require(s.SASLTokenFile != "", "KAFKA_SASL_TOKEN_FILE", "is needed with SOTTO_KAFKA_SASL_MECHANISM=oauthbearer")
		p.require(s.TLSEnable, "KAFKA_TLS_ENABLE", "is needed with SOTTO_KAFKA_SASL_MECHANISM=oauthbearer, or anybody on the network could take the token")
	case "aws-msk-iam":
		p.require(s.TLSEnable, "KAFKA_TLS_ENABLE", "is needed with SOTTO_KAFKA_SASL_MECHANISM=aws-msk-iam")
	case "plain", "scram-sha-256", "scram-sha-512":
		p.require(s.SASLUser != "", "KAFKA_SASL_USER", "is needed with SOTTO_KAFKA_SASL_MECHANISM")
		p.require(s.SASLPassword != "" || s.SASLPasswordFile != "", "KAFKA_SASL_PASSWORD_FILE", "is needed with SOTTO_KAFKA_SASL_MECHANISM")
	default:
		p.require(false, "KAFKA_SASL_MECHANISM", "must be plain, scram-sha-256, scram-sha-512, oauthbearer or aws-msk-iam")
	}
	p.require((s.TLSCertFile == "") == (s.TLSKeyFile == ""), "KAFKA_TLS_CERT_FILE", "and SOTTO_KAFKA_TLS_KEY_FILE must be set together")
}

func (s *Settings) validateTopics(p *problems) {
	taken := map[string]string{}
	for _, t := range []struct{ name, topic string }{
		{"TOPIC_RAW", s.TopicRaw}, {"TOPIC_CLEAN", s.TopicClean}, {"TOPIC_AUDIT", s.TopicAudit},
		{"TOPIC_STATE", s.TopicState}, {"TOPIC_DEAD_LETTER", s.TopicDeadLetter}, {"TOPIC_FINAL", s.TopicFinal},
		{"TOPIC_INDIRECT", s.TopicIndirect},
		{"TOPIC_ANNOTATIONS", s.TopicAnnotations},
	} {
		if t.topic == "" && (t.name == "TOPIC_FINAL" || t.name == "TOPIC_INDIRECT") {
			continue
		}
		p.require(t.topic != "", t.name, "is empty")
		other, duplicate := taken[t.topic]
		p.require(!duplicate, t.name, "is the same topic as %s%s: each needs its own", EnvPrefix, other)
		taken[t.topic] = t.name
	}
	p.require(s.Codec == "avro" || s.Codec == "json", "CODEC", "must be avro or json")
	p.require(s.Codec == "avro" || s.SchemaRegistryURL == "", "SCHEMA_REGISTRY_URL", "needs SOTTO_CODEC=avro")
}

func (s *Settings) validateStream(p *problems) {
	p.require(s.Sessions >= 1 && s.Sessions <= 16, "SESSIONS", "must be 1 to 16")
	p.require(s.Workers >= 0 && s.Workers <= 256, "WORKERS", "must be 0 to 256")
	p.require(s.CommitInterval >= 5*time.Millisecond, "COMMIT_INTERVAL", "must be at least 5ms")
	p.require(s.CommitRecords >= 1, "COMMIT_RECORDS", "must be at least 1")
	p.require(s.RestoreTimeout > 0, "RESTORE_TIMEOUT", "must be more than 0")
	p.require(s.StateRefresh >= 1, "STATE_REFRESH_RECORDS", "must be at least 1")
}

func (s *Settings) validateCalls(p *problems) {
	p.require(s.CallIdleTimeout > 0, "CALL_IDLE_TIMEOUT", "must be more than 0")
	p.require(s.CallGrace >= 0, "CALL_GRACE", "must not be negative")
	p.require(s.MaxOpenCalls >= 1, "MAX_OPEN_CALLS", "must be at least 1")
	p.require(s.DormantAfter >= 0, "CALL_DORMANT_AFTER", "must not be negative")
	p.require(s.MaxAwakeCalls >= 1, "MAX_AWAKE_CALLS", "must be at least 1")
	p.require(s.MaxClosedCalls >= 1, "MAX_CLOSED_CALLS", "must be at least 1")
	p.require(s.MaxTextBytes >= 1 && s.MaxTextBytes <= 256<<10, "MAX_TEXT_BYTES", "must be 1 to 262144, so that a clean event fits a Kafka message of 1 MiB")
	s.validateLimits(p)
	p.require(s.MaxEntities >= 1 && s.MaxEntities <= 3000, "MAX_ENTITIES", "must be 1 to 3000, so that a state fits a Kafka message of 1 MiB")
	p.require(s.FinalMaxBytes >= 1 && s.FinalMaxBytes <= 64<<20, "FINAL_MAX_BYTES", "must be 1 to 67108864")
	p.require(s.HoldBack >= 0 && s.HoldBack < state.MaxDeferred, "HOLD_BACK_UTTERANCES", "must be 0 to %d", state.MaxDeferred-1)
	p.require(s.HoldBackTime >= time.Millisecond && s.HoldBackTime%time.Millisecond == 0, "HOLD_BACK_TIME", "must be at least 1ms, in whole milliseconds")
	p.require(s.HoldBack == 0 || s.HoldBackTime < s.CallIdleTimeout, "HOLD_BACK_TIME", "must be less than SOTTO_CALL_IDLE_TIMEOUT")
	p.require(s.Tenant == "other" || s.Tenant == "hash", "TENANT", "must be other or hash")
	p.require(s.MaxSeq >= 1, "MAX_SEQ", "must be at least 1")
	p.require(s.LateEvents == "dead-letter", "LATE_EVENTS",
		"must be dead-letter: anonymized late events would show values that only the START of their call knew; a longer SOTTO_CALL_GRACE makes late events rarer")
	p.require(s.KeyMismatch == "dead-letter" || s.KeyMismatch == "accept", "KEY_MISMATCH", "must be dead-letter or accept")
	for _, list := range []struct {
		name   string
		values []string
	}{{"CONTEXTS", s.Contexts}, {"TENANTS", s.Tenants}} {
		for _, v := range list.values {
			p.require(shortWord.MatchString(v), list.name, "must list words of letters, digits, '_', '-' and '.', of at most 32 characters")
		}
	}
	p.require(s.CallID == "keep" || s.CallID == "hash", "CALL_ID", "must be keep or hash")
}

// validateLimits keeps every event, and the dead letter of one that is refused, within a Kafka
// message.
func (s *Settings) validateLimits(p *problems) {
	for _, l := range []struct {
		value int
		name  string
		most  int
	}{
		{s.MaxCallIDBytes, "MAX_CALL_ID_BYTES", 4096}, {s.MaxContextBytes, "MAX_CONTEXT_BYTES", 1024},
		{s.MaxTenantBytes, "MAX_TENANT_BYTES", 1024}, {s.MaxLanguage, "MAX_LANGUAGE_BYTES", 256},
		{s.MaxSpeakerBytes, "MAX_SPEAKER_BYTES", 4096}, {s.MaxParticipants, "MAX_PARTICIPANTS", 1024},
		{s.MaxValues, "MAX_PARTICIPANT_VALUES", 1024}, {s.MaxValueBytes, "MAX_PARTICIPANT_VALUE_BYTES", 4096},
	} {
		p.require(l.value >= 1 && l.value <= l.most, l.name, "must be 1 to %d", l.most)
	}
}

func (s *Settings) validateReplacement(p *problems) {
	_, err := replace.ParseChoice(s.Strategy)
	p.parses(err, "STRATEGY")
	p.require(s.EntityMode == "coherent" || s.EntityMode == "independent", "ENTITY_MODE", "must be coherent or independent")
	p.require(s.SurrogateNames == "any" || s.SurrogateNames == "neutral", "SURROGATE_NAMES", "must be any or neutral")
	p.require(s.ReplaceProbability > 0 && s.ReplaceProbability <= 1, "REPLACE_PROBABILITY", "must be more than 0 and at most 1")
	p.require(!(s.ReplaceProbability < 1) || s.ReplaceRisk == RiskAccepted, "REPLACE_PROBABILITY",
		"under 1 leaves personal information in the output: to accept that, set SOTTO_REPLACE_RISK=%s", RiskAccepted)
	p.require(s.ReplaceRisk == "" || s.ReplaceRisk == RiskAccepted, "REPLACE_RISK", "must be %s or empty", RiskAccepted)
}

func (s *Settings) validateRisk(p *problems) {
	list, err := s.strictList()
	p.parses(err, "MASKING")
	p.require(s.MaskingWords == "" || list != "", "MASKING_WORDS_FILE", "needs SOTTO_MASKING=entity,allowlist or entity,vocab")
	p.require(s.MaskingLimit >= 0 && (s.MaskingLimit == 0 || s.MaskingWords != ""), "MASKING_WORDS_LIMIT", "must be 0, or at least 1 with SOTTO_MASKING_WORDS_FILE")
	_, err = parseAuditRates(s.AuditRate)
	p.parses(err, "AUDIT_RATE")
	p.require(s.AuditDoubtRate >= 0 && s.AuditDoubtRate <= 1, "AUDIT_DOUBT_RATE", "must be 0 to 1")
	p.require(s.OtherLanguages == string(anonymize.MaskOther) || s.OtherLanguages == string(anonymize.HoldOther) ||
		s.OtherLanguages == string(anonymize.PassOther), "OTHER_LANGUAGES", "must be mask, hold or pass")
	p.require(s.RiskGate == GateOff || s.RiskGate == GateWarn || s.RiskGate == GateEnforce, "RISK_GATE", "must be off, warn or enforce")
	_, err = parseRiskLimits(s.RiskLimit)
	p.parses(err, "RISK_LIMIT")
}

func (s *Settings) validateOperation(p *problems) {
	p.require(s.DictionaryReload >= 100*time.Millisecond, "DICTIONARY_RELOAD", "must be at least 100ms")
	p.require(s.PprofAddr == "" || isLoopback(s.PprofAddr), "PPROF_ADDR", "must be on a loopback address, such as localhost:6060")
	p.require(s.OTLPEndpoint == "" || isCollector(s.OTLPEndpoint), "OTLP_ENDPOINT", "must be the URL of a collector, such as http://collector:4318, without a user or a query")
	p.require(s.TraceRate > 0 && s.TraceRate <= 1, "TRACE_RATE", "must be more than 0 and at most 1; for no traces leave SOTTO_OTLP_ENDPOINT empty")
	var level slog.Level
	p.require(level.UnmarshalText([]byte(s.LogLevel)) == nil, "LOG_LEVEL", "must be debug, info, warn or error")
}

func (s *Settings) validateServe(p *problems) {
	authenticated := s.ServeTokenFile != "" || s.ServeClientCAFile != ""
	p.require(isLoopback(s.ServeAddr) || authenticated || s.ServeOpen, "SERVE_ADDR",
		"is not a loopback address, such as 127.0.0.1:8080: set SOTTO_SERVE_TOKEN_FILE or SOTTO_SERVE_TLS_CLIENT_CA_FILE, "+
			"or SOTTO_SERVE_UNAUTHENTICATED=true to let everybody in who reaches it")
	p.require((s.ServeTLSCertFile == "") == (s.ServeTLSKeyFile == ""), "SERVE_TLS_CERT_FILE", "and SOTTO_SERVE_TLS_KEY_FILE must be set together")
	p.require(s.ServeClientCAFile == "" || s.ServeTLSCertFile != "", "SERVE_TLS_CLIENT_CA_FILE", "needs SOTTO_SERVE_TLS_CERT_FILE")
	p.require(s.ServeMaxBody >= 1024 && s.ServeMaxBody <= 1<<30, "SERVE_MAX_BODY_BYTES", "must be 1024 to 1073741824")
	p.require(s.ServeTimeout >= time.Second, "SERVE_TIMEOUT", "must be at least 1s")
	p.require(s.ServeConcurrency >= 0 && s.ServeConcurrency <= 4096, "SERVE_CONCURRENCY", "must be 0 to 4096")
	p.require(s.ServeCallBytes >= 1<<20, "SERVE_CALL_BYTES", "must be at least 1048576")
}

func (s *Settings) validateReview(p *problems) {
	p.require(s.ReviewDatabaseDSN == "" || s.ReviewDatabaseFile == "", "REVIEW_DATABASE", "and SOTTO_REVIEW_DATABASE_FILE exclude each other")
	if s.ReviewDatabaseDSN != "" && s.ReviewDatabaseFile == "" {
		if _, err := s.ReviewDatabase(); err != nil {
			*p = append(*p, err)
		}
	}
}

// LoopbackOnly reports whether only this machine can reach 'sotto serve'.
func (s *Settings) LoopbackOnly() bool { return isLoopback(s.ServeAddr) }

// CheckFiles reads the files that the settings name, as a start would, and
// reports every problem at once.
func (s *Settings) CheckFiles() error {
	var bad []error
	// Several things are made from the same file: each problem is reported once.
	note := func(err error) {
		if err != nil && !slices.ContainsFunc(bad, func(b error) bool { return b.Error() == err.Error() }) {
			bad = append(bad, err)
		}
	}
	if s.StateKeyFile == "" {
		note(fmt.Errorf("%sSTATE_KEY_FILE is not set: call states cannot be sealed without a key; make one with 'head -c 32 /dev/urandom | base64 > state.key'", EnvPrefix))
	} else {
		_, err := s.StateKeys()
		note(err)
	}
	_, err := s.NewEngine()
	note(err)
	_, err = s.PrivacyAccount()
	note(err)
	_, err = s.RemoteTypes()
	note(err)
	_, err = s.KafkaSecurity()
	note(err)
	if s.ReviewDatabaseFile != "" {
		_, err = s.ReviewDatabase()
		note(err)
	}
	return errors.Join(bad...)
}

// StateKeys reads the keys that seal call states. The error names the setting.
func (s *Settings) StateKeys() (*state.Keyring, error) {
	ring, err := state.LoadKeyring(s.StateKeyFile)
	if err != nil {
		return nil, fmt.Errorf("%sSTATE_KEY_FILE: %w", EnvPrefix, err)
	}
	return ring, nil
}

// isLoopback reports whether only this machine can reach an address to listen
// on.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// isCollector reports whether a URL can be that of an OpenTelemetry collector.
func isCollector(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == ""
}
