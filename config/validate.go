package config

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"sotto/anonymize"
	"sotto/anonymize/replace"
	"sotto/schemas"
	"sotto/state/sealing"
)

// problems collects everything that is wrong, so that it is reported at once.
type problems []error

func (p *problems) require(ok bool, name, format string, args ...any) {
	if !ok {
		*p = append(*p, fmt.Errorf("%s%s %s", EnvPrefix, name, fmt.Sprintf(format, args...)))
	}
}

// parses adds a problem with a setting whose value could not be parsed.
func (p *problems) parses(err error, name string) { p.require(err == nil, name, "%v", err) }

// Validate reports everything that is wrong with the values themselves.
// CheckFiles looks at the files.
func (s *Settings) Validate() error {
	var p problems
	for _, i := range s.Describe() {
		if bad := i.problem(); bad != "" {
			p = append(p, fmt.Errorf("%s %s", i.Name, bad))
		}
	}
	s.validateKafka(&p)
	s.validateTransport(&p)
	s.validateNames(&p)
	s.validatePrivacy(&p)
	s.validateRemote(&p)
	s.validateOperation(&p)
	s.validateIngest(&p)
	p.require(s.ReviewDatabaseDSN == "" || s.ReviewDatabaseFile == "", "REVIEW_DATABASE", "and SOTTO_REVIEW_DATABASE_FILE exclude each other")
	return errors.Join(p...)
}

func (s *Settings) validateKafka(p *problems) {
	p.require(len(s.Brokers) > 0, "KAFKA_BROKERS", "is empty: give at least one host:port")
	p.require(s.Group != "" && strings.TrimSpace(s.Group) == s.Group, "KAFKA_GROUP", "is empty, or begins or ends with a blank")
	p.require(s.TransactionTimeout >= 2*s.CommitInterval && s.TransactionTimeout >= time.Second, "KAFKA_TRANSACTION_TIMEOUT",
		"must be at least 1s and twice SOTTO_COMMIT_INTERVAL, or the broker aborts transactions in progress")
	switch s.SASLMechanism {
	case "":
	case "oauthbearer":
		p.require(s.SASLTokenFile != "", "KAFKA_SASL_TOKEN_FILE", "is needed with SOTTO_KAFKA_SASL_MECHANISM=oauthbearer")
		p.require(s.TLSEnable, "KAFKA_TLS_ENABLE", "is needed with SOTTO_KAFKA_SASL_MECHANISM=oauthbearer, or anybody on the network could take the token")
	case "aws-msk-iam":
		p.require(s.TLSEnable, "KAFKA_TLS_ENABLE", "is needed with SOTTO_KAFKA_SASL_MECHANISM=aws-msk-iam")
	case "plain", "scram-sha-256", "scram-sha-512":
		p.require(s.SASLUser != "" || s.SASLUserFile != "", "KAFKA_SASL_USER", "or SOTTO_KAFKA_SASL_USER_FILE is needed with SOTTO_KAFKA_SASL_MECHANISM")
		p.require(s.SASLPassword != "" || s.SASLPasswordFile != "", "KAFKA_SASL_PASSWORD_FILE", "is needed with SOTTO_KAFKA_SASL_MECHANISM")
	}
	p.require((s.TLSCertFile == "") == (s.TLSKeyFile == ""), "KAFKA_TLS_CERT_FILE", "and SOTTO_KAFKA_TLS_KEY_FILE must be set together")
}

func (s *Settings) validateNames(p *problems) {
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
	p.require(s.TopicIndirect == "" || s.TopicFinal != "", "TOPIC_INDIRECT", "needs SOTTO_TOPIC_FINAL: the words of a call are known when its final version is written")
	p.require(s.Codec == "avro" || s.SchemaRegistryURL == "" || !s.RawIsOurs(), "SCHEMA_REGISTRY_URL", "needs SOTTO_CODEC=avro, or messages of others (SOTTO_RAW_FORMAT), whose schemas it has")
	for _, list := range []struct {
		name   string
		values []string
		max    int
	}{{"CONTEXTS", s.Contexts, schemas.MaxContext}, {"TENANTS", s.Tenants, schemas.MaxTenant}} {
		for _, v := range list.values {
			p.require(schemas.IsWord(v, list.max), list.name, "must list words of letters, digits, '_', '-' and '.', of at most %d characters", list.max)
		}
	}
}

func (s *Settings) validatePrivacy(p *problems) {
	_, err := replace.ParseChoice(s.Strategy)
	p.parses(err, "STRATEGY")
	p.require(s.ReplaceProbability > 0 && s.ReplaceProbability <= 1, "REPLACE_PROBABILITY", "must be more than 0 and at most 1")
	p.require(!(s.ReplaceProbability < 1) || s.ReplaceRisk == RiskAccepted, "REPLACE_PROBABILITY",
		"under 1 leaves personal information in the output: to accept that, set SOTTO_REPLACE_RISK=%s", RiskAccepted)
	p.require(s.MaskingWords == "" || s.strictList() != "", "MASKING_WORDS_FILE", "needs SOTTO_MASKING=entity,allowlist or entity,vocab")
	_, err = parseAuditRates(s.AuditRate)
	p.parses(err, "AUDIT_RATE")
	_, err = parseRiskLimits(s.RiskLimit)
	p.parses(err, "RISK_LIMIT")
}

func (s *Settings) validateOperation(p *problems) {
	for _, a := range []struct{ name, addr string }{{"HTTP_ADDR", s.HTTPAddr}, {"SERVE_HEALTH_ADDR", s.ServeHealthAddr}} {
		_, port, err := net.SplitHostPort(a.addr)
		p.require(a.addr == "off" || err == nil && port != "", a.name, "must be host:port or :port, such as :9100, or off")
	}
	p.require(s.PprofAddr == "" || isLoopback(s.PprofAddr), "PPROF_ADDR", "must be on a loopback address, such as localhost:6060")
	p.require(s.OTLPEndpoint == "" || isService(s.OTLPEndpoint), "OTLP_ENDPOINT", "must be the URL of a collector, such as http://collector:4318, without a user or a query")
	p.require(s.TraceRate > 0 && s.TraceRate <= 1, "TRACE_RATE", "must be more than 0 and at most 1; for no traces leave SOTTO_OTLP_ENDPOINT empty")
	authenticated := s.ServeTokenFile != "" || s.ServeClientCAFile != ""
	p.require(isLoopback(s.ServeAddr) || authenticated || s.ServeOpen, "SERVE_ADDR",
		"is not a loopback address, such as 127.0.0.1:8080: set SOTTO_SERVE_TOKEN_FILE or SOTTO_SERVE_TLS_CLIENT_CA_FILE, "+
			"or SOTTO_SERVE_UNAUTHENTICATED=true to let everybody in who reaches it")
	p.require((s.ServeTLSCertFile == "") == (s.ServeTLSKeyFile == ""), "SERVE_TLS_CERT_FILE", "and SOTTO_SERVE_TLS_KEY_FILE must be set together")
	p.require(s.ServeClientCAFile == "" || s.ServeTLSCertFile != "", "SERVE_TLS_CLIENT_CA_FILE", "needs SOTTO_SERVE_TLS_CERT_FILE")
}

// ReviewDatabaseSetting is the name of the setting with the database of 'sotto review', "" if a file
// keeps what it needs.
func (s *Settings) ReviewDatabaseSetting() string {
	switch {
	case s.ReviewDatabaseFile != "":
		return EnvPrefix + "REVIEW_DATABASE_FILE"
	case s.ReviewDatabaseDSN != "":
		return EnvPrefix + "REVIEW_DATABASE"
	}
	return ""
}

// ReviewDatabase reads the address of that database. The error names the setting.
func (s *Settings) ReviewDatabase() (string, error) {
	dsn, err := Secret(s.ReviewDatabaseDSN, s.ReviewDatabaseFile)
	if err != nil {
		return "", fmt.Errorf("%s %w", s.ReviewDatabaseSetting(), err)
	}
	return dsn, nil
}

// LoopbackOnly reports whether only this machine can reach 'sotto serve'.
func (s *Settings) LoopbackOnly() bool { return isLoopback(s.ServeAddr) }

// CheckFiles reads the files that the settings of the engine name, as a start would, and
// reports every problem at once. CheckFiles of package config/kafka also reads those of the connections.
func (s *Settings) CheckFiles() error {
	var bad []error
	// Several things are made from the same file: each problem is reported once.
	note := func(err error) {
		if err != nil && !slices.ContainsFunc(bad, func(b error) bool { return b.Error() == err.Error() }) {
			bad = append(bad, err)
		}
	}
	if s.StateKeyFile == "" {
		note(fmt.Errorf("%sSTATE_KEY_FILE is not set: call states cannot be sealed without a key; make one with '(umask 077; head -c 32 /dev/urandom | base64 > state.key)'", EnvPrefix))
	} else {
		note(problemOf(s.StateKeys()))
	}
	// The engine needs all of these, and stops at the first problem.
	note(problemOf(s.replacement()))
	note(s.readModel(&anonymize.Options{Fast: s.Reading == "fast"}))
	note(problemOf(s.keep()))
	note(problemOf(s.recall()))
	note(problemOf(s.RemoteTypes()))
	note(problemOf(s.RemoteToken()))
	note(problemOf(s.Policy()))
	note(problemOf(s.RawMapping()))
	if len(bad) == 0 {
		note(problemOf(s.NewEngine()))
	}
	return errors.Join(bad...)
}

func problemOf[T any](_ T, err error) error { return err }

// fromFile parses the file that a setting names. Errors name the setting.
func fromFile[T any](setting, file string, parse func([]byte) (T, error)) (made T, err error) {
	data, err := os.ReadFile(file)
	if err == nil {
		made, err = parse(data)
	}
	return made, InSetting(setting, err)
}

// InSetting names the setting that an error is about; nil stays nil.
func InSetting(name string, err error) error {
	if err != nil {
		err = fmt.Errorf("%s%s: %w", EnvPrefix, name, err)
	}
	return err
}

// Secret returns a value, or what is in a file, which it prefers. It removes the line end that editors and
// 'kubectl create secret' leave in it.
func Secret(value, file string) (string, error) {
	if file == "" {
		return value, nil
	}
	data, err := os.ReadFile(file)
	return strings.TrimRight(string(data), "\r\n"), err
}

// StateKeys reads the keys that seal call states. The error names the setting.
func (s *Settings) StateKeys() (*sealing.Keyring, error) {
	if mode, open := openToAll(s.StateKeyFile); open && !s.StateKeyReadable {
		return nil, fmt.Errorf("%sSTATE_KEY_FILE: everybody on this machine may read or change it (mode %04o): use chmod 0440 or stricter and make a new key, "+
			"or set %sSTATE_KEY_READABLE=true if nobody else can reach it", EnvPrefix, mode, EnvPrefix)
	}
	ring, err := sealing.LoadKeyring(s.StateKeyFile)
	return ring, InSetting("STATE_KEY_FILE", err)
}

// isLoopback reports whether only this machine can reach an address to listen
// on.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && isLocal(host)
}

// isLocal reports whether a host is this machine.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
