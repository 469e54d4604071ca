package processor

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"sort"
	"strings"
	"time"

	"github.com/caarlos0/env/v10"

	"sotto/replace"
	"sotto/state"
)

// EnvPrefix starts the name of every environment variable that Sotto reads.
const EnvPrefix = "SOTTO_"

// Settings are everything that an operator decides. They come from the
// environment, are validated as a whole before anything starts and do not
// change afterwards; only the contents of the files they name may.
type Settings struct {
	Brokers         []string `env:"KAFKA_BROKERS" envDefault:"localhost:9092" help:"Kafka bootstrap brokers, host:port, separated by commas"`
	Group           string   `env:"KAFKA_GROUP" envDefault:"sotto" help:"consumer group; also starts the transactional IDs"`
	InstanceID      string   `env:"KAFKA_INSTANCE_ID" help:"static group membership under this ID, for example the pod name; must be unique among running instances"`
	TransactionalID string   `env:"KAFKA_TRANSACTIONAL_ID" help:"start of the transactional IDs of this instance; stable across restarts, unique among running instances; default: group and instance ID, else group, host name and a random part"`

	TLSEnable   bool   `env:"KAFKA_TLS_ENABLE" envDefault:"false" help:"connect to the brokers by TLS"`
	TLSCAFile   string `env:"KAFKA_TLS_CA_FILE" help:"PEM file with the authorities to trust; read again for each connection; default: the system's"`
	TLSCertFile string `env:"KAFKA_TLS_CERT_FILE" help:"PEM file with the client's certificate, for mutual TLS; read again for each connection"`
	TLSKeyFile  string `env:"KAFKA_TLS_KEY_FILE" help:"PEM file with the client's private key"`

	SASLMechanism    string `env:"KAFKA_SASL_MECHANISM" enum:"plain,scram-sha-256,scram-sha-512,oauthbearer,aws-msk-iam" help:"plain, scram-sha-256, scram-sha-512, oauthbearer or aws-msk-iam; empty for none"`
	SASLUser         string `env:"KAFKA_SASL_USER" help:"SASL user name"`
	SASLPassword     string `env:"KAFKA_SASL_PASSWORD" secret:"true" help:"SASL password; prefer the file"`
	SASLPasswordFile string `env:"KAFKA_SASL_PASSWORD_FILE" help:"file with the SASL password; read again for each connection"`
	SASLTokenFile    string `env:"KAFKA_SASL_TOKEN_FILE" help:"file with the bearer token for oauthbearer, for example a projected service account token; read again for each connection"`

	SessionTimeout     time.Duration `env:"KAFKA_SESSION_TIMEOUT" envDefault:"10s" help:"the group takes a silent member's partitions away after this"`
	RebalanceTimeout   time.Duration `env:"KAFKA_REBALANCE_TIMEOUT" envDefault:"60s" help:"time a member has to finish its transaction when the group rebalances"`
	TransactionTimeout time.Duration `env:"KAFKA_TRANSACTION_TIMEOUT" envDefault:"10s" help:"the broker aborts a transaction that is open for longer; must be over the commit interval"`

	TopicRaw        string `env:"TOPIC_RAW" envDefault:"calls.raw" help:"topic of raw events"`
	TopicClean      string `env:"TOPIC_CLEAN" envDefault:"calls.clean" help:"topic of anonymized events"`
	TopicAudit      string `env:"TOPIC_AUDIT" envDefault:"calls.risk-audit" help:"topic of the sampled calls for the risk audit"`
	TopicState      string `env:"TOPIC_STATE" envDefault:"calls.state" help:"compacted topic of sealed call states; as many partitions as the raw topic"`
	TopicFinal      string `env:"TOPIC_FINAL" help:"topic of the final versions of calls, which the closing pass has reviewed with all that was learnt in them; empty: no closing pass, and no transcript is kept"`
	TopicDeadLetter string `env:"TOPIC_DEAD_LETTER" envDefault:"calls.dead-letter" help:"topic of dead letters"`

	Codec                 string `env:"CODEC" envDefault:"avro" enum:"avro,json" help:"encoding of what is written: avro or json; all known encodings are read"`
	SchemaRegistryURL     string `env:"SCHEMA_REGISTRY_URL" help:"Confluent-compatible Schema Registry; empty: Avro single-object encoding"`
	SchemaRegistryUser    string `env:"SCHEMA_REGISTRY_USER" help:"user name for the Schema Registry"`
	SchemaRegistryPass    string `env:"SCHEMA_REGISTRY_PASSWORD" secret:"true" help:"password for the Schema Registry; prefer the file"`
	SchemaRegistryPwdFile string `env:"SCHEMA_REGISTRY_PASSWORD_FILE" help:"file with the password for the Schema Registry; read again for each request"`

	Sessions       int           `env:"SESSIONS" envDefault:"1" help:"transactional sessions in this process, each a group member; 1 to 16"`
	Workers        int           `env:"WORKERS" envDefault:"0" help:"workers of each session; 0: as many as processors"`
	CommitInterval time.Duration `env:"COMMIT_INTERVAL" envDefault:"200ms" help:"a transaction ends after this time"`
	CommitRecords  int           `env:"COMMIT_RECORDS" envDefault:"20000" help:"a transaction ends after this many raw records, which bounds what is in flight"`

	StateKeyFile   string        `env:"STATE_KEY_FILE" help:"file with the keys that seal call states: a line each, 'version base64(32 bytes)', the first one seals; required"`
	RestoreTimeout time.Duration `env:"RESTORE_TIMEOUT" envDefault:"60s" help:"a restore that makes no progress for this long fails"`

	AuditRate      string  `env:"AUDIT_RATE" envDefault:"0.02" help:"share of calls that go to the audit topic: one number, or default=0.02,sales=0.1 by context"`
	AuditDoubtRate float64 `env:"AUDIT_DOUBT_RATE" envDefault:"0.2" help:"share of calls with an estimated risk of 5 points or more that go to the audit topic; less, by the square of the estimate, of calls with a lower one; 0: by context alone"`

	RiskGate  string `env:"RISK_GATE" envDefault:"warn" enum:"off,warn,enforce" help:"what to do with a call whose estimated risk is over the limit: off, warn (released, its END says why it should not be) or enforce (not released)"`
	RiskLimit string `env:"RISK_LIMIT" envDefault:"5" help:"limit of the estimated risk, in points: one number, or default=5,sales=8 by context"`

	Strategy           string  `env:"STRATEGY" envDefault:"typed-numbered" help:"how personal information is replaced: typed-numbered, typed, redact, named, word or entity; or by infoType, as default=typed,PERSON_NAME=entity"`
	EntityMode         string  `env:"ENTITY_MODE" envDefault:"coherent" enum:"coherent,independent" help:"of the strategy entity: coherent, the same surrogate wherever a call speaks of the same, or independent, a fresh one for each mention, as the privacy lemma needs it"`
	SurrogateNames     string  `env:"SURROGATE_NAMES" envDefault:"any" enum:"any,neutral" help:"first names of surrogates: any, or neutral, which women and men bear"`
	SurrogateFile      string  `env:"SURROGATE_FILE" help:"table of surrogates made by 'sotto corpus table', used for the infoTypes that it holds; default: built-in lists"`
	ReplaceProbability float64 `env:"REPLACE_PROBABILITY" envDefault:"1" help:"share of what was found that is replaced; less than 1 leaves personal information in the output and needs SOTTO_REPLACE_RISK"`
	ReplaceRisk        string  `env:"REPLACE_RISK" enum:"personal-information-stays-in-the-output" help:"personal-information-stays-in-the-output accepts the risk of SOTTO_REPLACE_PROBABILITY under 1"`
	RecallFile         string  `env:"RECALL_FILE" help:"report of 'sotto eval --json': its recall bounds p in the accounting of privacy"`

	CallIdleTimeout time.Duration `env:"CALL_IDLE_TIMEOUT" envDefault:"30m" help:"a call without events for this event time is closed"`
	CallGrace       time.Duration `env:"CALL_GRACE" envDefault:"5m" help:"the state of a closed call is kept for this event time, so that late events continue its numbering"`
	MaxOpenCalls    int           `env:"MAX_OPEN_CALLS" envDefault:"20000" help:"open calls per partition; events of calls beyond it become dead letters"`
	MaxClosedCalls  int           `env:"MAX_CLOSED_CALLS" envDefault:"200000" help:"closed calls remembered per partition, to recognise events that are later than the grace"`
	MaxTextBytes    int           `env:"MAX_TEXT_BYTES" envDefault:"65536" help:"longer texts become dead letters"`
	MaxEntities     int           `env:"MAX_ENTITIES" envDefault:"1000" help:"entities numbered per call; further ones get tags without a number"`
	FinalMaxBytes   int           `env:"FINAL_MAX_BYTES" envDefault:"1048576" help:"bytes that are kept of a call for its final version; a final version that lacks utterances is not released"`
	StateRefresh    int           `env:"STATE_REFRESH_RECORDS" envDefault:"50000" help:"a call's state is written again when its partition has moved this many records, which bounds what a restore reads of the raw topic"`

	HoldBack     int           `env:"HOLD_BACK_UTTERANCES" envDefault:"0" help:"for how many utterances of its call one may wait that ends within a number, a spelling or an address, so that what comes next decides how it is masked; 0: none waits; at most 15"`
	HoldBackTime time.Duration `env:"HOLD_BACK_TIME" envDefault:"5s" help:"an utterance that waits does so for this event time at most; a multiple of 1ms"`

	DictionaryDir    string        `env:"DICTIONARY_DIR" help:"folder with custom dictionaries and exclusion lists; read again when it changes"`
	ModelFile        string        `env:"MODEL_FILE" help:"model of 'sotto train' in the place of the built-in one"`
	DictionaryReload time.Duration `env:"DICTIONARY_RELOAD" envDefault:"5s" help:"how often the dictionary folder is looked at"`

	CallID     string `env:"CALL_ID" envDefault:"keep" enum:"keep,hash" help:"keep: call IDs go out as they are; hash: keyed with the state key"`
	RawOffsets bool   `env:"RAW_OFFSETS" envDefault:"false" help:"write raw positions into the entities of clean events; they tell how long a name was"`

	HTTPAddr     string  `env:"HTTP_ADDR" envDefault:":9100" help:"address of /livez /readyz /startupz /metrics; off for none"`
	PprofAddr    string  `env:"PPROF_ADDR" help:"loopback address of Go's profiles, such as localhost:6060; empty for none: heap profiles are of memory that holds calls"`
	OTLPEndpoint string  `env:"OTLP_ENDPOINT" help:"OpenTelemetry collector that takes traces by OTLP over HTTP, such as http://collector:4318; empty: no traces"`
	TraceRate    float64 `env:"TRACE_RATE" envDefault:"0.01" help:"share of raw records that are traced; a record whose traceparent header says that it is traced, or not, is so"`
	LogLevel     string  `env:"LOG_LEVEL" envDefault:"info" enum:"debug,info,warn,error" help:"debug, info, warn or error"`
}

// SettingInfo describes one setting for people.
type SettingInfo struct {
	Name    string // environment variable
	Help    string
	Default string
	Value   string // "(hidden)" for a secret that is set
	Kind    reflect.Type
	Enum    []string // the values that it may have, where they are few
	Secret  bool
}

// LoadSettings reads the settings from environ (variable to value) and
// validates them. The error tells every problem at once; the settings are then
// returned all the same, so that they can be shown. A SOTTO_ variable that
// names no setting is a problem too, since it is most likely a misspelt one.
func LoadSettings(environ map[string]string) (Settings, error) {
	var s Settings
	var problems []error
	given := make(map[string]string, len(environ))
	known := map[string]bool{}
	for _, name := range settingNames() {
		known[name] = true
	}
	var unknown []string
	for k, v := range environ {
		if !strings.HasPrefix(k, EnvPrefix) {
			continue
		}
		// An empty variable means "not set", as compose files and charts
		// write it.
		if v != "" {
			given[k] = v
		}
		if !known[k] && !strings.HasPrefix(k, EnvPrefix+"TEST_") {
			unknown = append(unknown, k)
		}
	}
	sort.Strings(unknown)
	for _, k := range unknown {
		problems = append(problems, fmt.Errorf("%s is no setting of Sotto: see 'sotto config' for the names", k))
	}
	if err := env.ParseWithOptions(&s, env.Options{Prefix: EnvPrefix, Environment: given}); err != nil {
		var all env.AggregateError
		if errors.As(err, &all) {
			for _, e := range all.Errors {
				problems = append(problems, explainParseError(e))
			}
		} else {
			problems = append(problems, err)
		}
	}
	problems = append(problems, s.validate()...)
	return s, errors.Join(problems...)
}

// explainParseError names the variable rather than the Go field, and does not
// repeat the value, which may be a secret.
func explainParseError(err error) error {
	var pe env.ParseError
	if errors.As(err, &pe) {
		if f, ok := reflect.TypeFor[Settings]().FieldByName(pe.Name); ok {
			return fmt.Errorf("%s%s is not a valid %s", EnvPrefix, f.Tag.Get("env"), pe.Type)
		}
	}
	return err
}

// validate tells all that is wrong with the values themselves. Files are
// looked at by the parts that read them.
func (s *Settings) validate() []error {
	var bad []error
	need := func(ok bool, name, format string, args ...any) {
		if !ok {
			bad = append(bad, fmt.Errorf("%s%s %s", EnvPrefix, name, fmt.Sprintf(format, args...)))
		}
	}
	need(len(s.Brokers) > 0, "KAFKA_BROKERS", "is empty: give at least one host:port")
	need(s.Group != "", "KAFKA_GROUP", "is empty")
	topics := map[string]string{}
	for _, t := range []struct{ name, topic string }{
		{"TOPIC_RAW", s.TopicRaw}, {"TOPIC_CLEAN", s.TopicClean}, {"TOPIC_AUDIT", s.TopicAudit},
		{"TOPIC_STATE", s.TopicState}, {"TOPIC_DEAD_LETTER", s.TopicDeadLetter}, {"TOPIC_FINAL", s.TopicFinal},
	} {
		if t.topic == "" && t.name == "TOPIC_FINAL" {
			continue
		}
		need(t.topic != "", t.name, "is empty")
		other, taken := topics[t.topic]
		need(!taken, t.name, "is the same topic as %s%s: each needs its own", EnvPrefix, other)
		topics[t.topic] = t.name
	}
	need(s.Codec == "avro" || s.Codec == "json", "CODEC", "must be avro or json")
	need(s.Codec == "avro" || s.SchemaRegistryURL == "", "SCHEMA_REGISTRY_URL", "needs SOTTO_CODEC=avro")
	need(s.Sessions >= 1 && s.Sessions <= 16, "SESSIONS", "must be 1 to 16")
	need(s.Workers >= 0 && s.Workers <= 256, "WORKERS", "must be 0 to 256")
	need(s.CommitInterval >= 5*time.Millisecond, "COMMIT_INTERVAL", "must be at least 5ms")
	need(s.TransactionTimeout >= 2*s.CommitInterval && s.TransactionTimeout >= time.Second, "KAFKA_TRANSACTION_TIMEOUT",
		"must be at least 1s and twice SOTTO_COMMIT_INTERVAL, or the broker aborts transactions in progress")
	need(s.SessionTimeout >= time.Second, "KAFKA_SESSION_TIMEOUT", "must be at least 1s")
	need(s.RebalanceTimeout >= s.CommitInterval, "KAFKA_REBALANCE_TIMEOUT", "must be over SOTTO_COMMIT_INTERVAL")
	need(s.CommitRecords >= 1, "COMMIT_RECORDS", "must be at least 1")
	need(s.RestoreTimeout > 0, "RESTORE_TIMEOUT", "must be over 0")
	need(s.CallIdleTimeout > 0, "CALL_IDLE_TIMEOUT", "must be over 0")
	need(s.CallGrace >= 0, "CALL_GRACE", "must not be negative")
	need(s.MaxOpenCalls >= 1, "MAX_OPEN_CALLS", "must be at least 1")
	need(s.MaxClosedCalls >= 1, "MAX_CLOSED_CALLS", "must be at least 1")
	need(s.MaxTextBytes >= 1 && s.MaxTextBytes <= 256<<10, "MAX_TEXT_BYTES", "must be 1 to 262144, so that a clean event fits a Kafka message of 1 MiB")
	need(s.MaxEntities >= 1 && s.MaxEntities <= 3000, "MAX_ENTITIES", "must be 1 to 3000, so that a state fits a Kafka message of 1 MiB")
	need(s.FinalMaxBytes >= 1 && s.FinalMaxBytes <= 64<<20, "FINAL_MAX_BYTES", "must be 1 to 67108864")
	need(s.HoldBack >= 0 && s.HoldBack < state.MaxDeferred, "HOLD_BACK_UTTERANCES", "must be 0 to %d", state.MaxDeferred-1)
	need(s.HoldBackTime >= time.Millisecond && s.HoldBackTime%time.Millisecond == 0, "HOLD_BACK_TIME", "must be at least 1ms, in whole milliseconds")
	need(s.HoldBack == 0 || s.HoldBackTime < s.CallIdleTimeout, "HOLD_BACK_TIME", "must be less than SOTTO_CALL_IDLE_TIMEOUT")
	need(s.StateRefresh >= 1, "STATE_REFRESH_RECORDS", "must be at least 1")
	if _, err := replace.ParseChoice(s.Strategy); err != nil {
		need(false, "STRATEGY", "%v", err)
	}
	need(s.EntityMode == "coherent" || s.EntityMode == "independent", "ENTITY_MODE", "must be coherent or independent")
	need(s.SurrogateNames == "any" || s.SurrogateNames == "neutral", "SURROGATE_NAMES", "must be any or neutral")
	need(s.ReplaceProbability > 0 && s.ReplaceProbability <= 1, "REPLACE_PROBABILITY", "must be over 0 and at most 1")
	need(!(s.ReplaceProbability < 1) || s.ReplaceRisk == riskAccepted, "REPLACE_PROBABILITY",
		"under 1 leaves personal information in the output: to accept that, set SOTTO_REPLACE_RISK=%s", riskAccepted)
	need(s.ReplaceRisk == "" || s.ReplaceRisk == riskAccepted, "REPLACE_RISK", "must be %s or empty", riskAccepted)
	need(s.CallID == "keep" || s.CallID == "hash", "CALL_ID", "must be keep or hash")
	need(s.DictionaryReload >= 100*time.Millisecond, "DICTIONARY_RELOAD", "must be at least 100ms")
	if _, err := parseAuditRates(s.AuditRate); err != nil {
		need(false, "AUDIT_RATE", "%v", err)
	}
	need(s.AuditDoubtRate >= 0 && s.AuditDoubtRate <= 1, "AUDIT_DOUBT_RATE", "must be 0 to 1")
	need(s.RiskGate == gateOff || s.RiskGate == gateWarn || s.RiskGate == gateEnforce, "RISK_GATE", "must be off, warn or enforce")
	if _, err := parseRiskLimits(s.RiskLimit); err != nil {
		need(false, "RISK_LIMIT", "%v", err)
	}
	need(s.PprofAddr == "" || isLoopback(s.PprofAddr), "PPROF_ADDR", "must be on a loopback address, such as localhost:6060")
	need(s.OTLPEndpoint == "" || isCollector(s.OTLPEndpoint), "OTLP_ENDPOINT", "must be the URL of a collector, such as http://collector:4318, without a user or a query")
	need(s.TraceRate > 0 && s.TraceRate <= 1, "TRACE_RATE", "must be over 0 and at most 1; for no traces leave SOTTO_OTLP_ENDPOINT empty")
	if _, err := s.logLevel(); err != nil {
		need(false, "LOG_LEVEL", "must be debug, info, warn or error")
	}
	switch s.SASLMechanism {
	case "":
	case "oauthbearer":
		need(s.SASLTokenFile != "", "KAFKA_SASL_TOKEN_FILE", "is needed with SOTTO_KAFKA_SASL_MECHANISM=oauthbearer")
		need(s.TLSEnable, "KAFKA_TLS_ENABLE", "is needed with SOTTO_KAFKA_SASL_MECHANISM=oauthbearer, or anybody on the way could take the token")
	case "aws-msk-iam":
		need(s.TLSEnable, "KAFKA_TLS_ENABLE", "is needed with SOTTO_KAFKA_SASL_MECHANISM=aws-msk-iam")
	case "plain", "scram-sha-256", "scram-sha-512":
		need(s.SASLUser != "", "KAFKA_SASL_USER", "is needed with SOTTO_KAFKA_SASL_MECHANISM")
		need(s.SASLPassword != "" || s.SASLPasswordFile != "", "KAFKA_SASL_PASSWORD_FILE", "is needed with SOTTO_KAFKA_SASL_MECHANISM")
	default:
		need(false, "KAFKA_SASL_MECHANISM", "must be plain, scram-sha-256, scram-sha-512, oauthbearer or aws-msk-iam")
	}
	need((s.TLSCertFile == "") == (s.TLSKeyFile == ""), "KAFKA_TLS_CERT_FILE", "and SOTTO_KAFKA_TLS_KEY_FILE go together")
	return bad
}

// CheckFiles reads the files that the settings name, as a start would, and
// tells every problem at once.
func (s *Settings) CheckFiles() error {
	var bad []error
	if s.StateKeyFile == "" {
		bad = append(bad, fmt.Errorf("%sSTATE_KEY_FILE is not set: without a key no state can be kept; make one with 'head -c 32 /dev/urandom | base64 > state.key'", EnvPrefix))
	} else if _, err := state.LoadKeyring(s.StateKeyFile); err != nil {
		bad = append(bad, fmt.Errorf("%sSTATE_KEY_FILE: %w", EnvPrefix, err))
	}
	if _, err := s.NewEngine(); err != nil {
		bad = append(bad, err)
	}
	if _, err := s.PrivacyAccount(); err != nil {
		bad = append(bad, err)
	}
	if _, err := s.kafkaSecurity(); err != nil {
		bad = append(bad, err)
	}
	return errors.Join(bad...)
}

// Describe lists every setting in the order of the struct.
func (s *Settings) Describe() []SettingInfo {
	v := reflect.ValueOf(*s)
	t := v.Type()
	infos := make([]SettingInfo, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		value := fmt.Sprint(v.Field(i).Interface())
		if list, ok := v.Field(i).Interface().([]string); ok {
			value = strings.Join(list, ",")
		}
		if f.Tag.Get("secret") != "" && value != "" {
			value = "(hidden)"
		}
		infos = append(infos, SettingInfo{
			Name:    EnvPrefix + f.Tag.Get("env"),
			Help:    f.Tag.Get("help"),
			Default: f.Tag.Get("envDefault"),
			Value:   value,
			Kind:    f.Type,
			Enum:    enum(f),
			Secret:  f.Tag.Get("secret") != "",
		})
	}
	return infos
}

func enum(f reflect.StructField) []string {
	if v := f.Tag.Get("enum"); v != "" {
		return strings.Split(v, ",")
	}
	return nil
}

func settingNames() []string {
	t := reflect.TypeFor[Settings]()
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = EnvPrefix + t.Field(i).Tag.Get("env")
	}
	return names
}

func (s *Settings) logLevel() (slog.Level, error) {
	var l slog.Level
	err := l.UnmarshalText([]byte(s.LogLevel))
	return l, err
}
