// Package config holds the settings of Sotto and builds from them what several
// commands need: the engine, the codec, the options of a Kafka client, the risk
// gate. It imports neither the stream nor a command, so that files and
// evaluation get their engine without the stream.
package config

import (
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"time"

	"github.com/caarlos0/env/v10"
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

	TLSEnable   bool   `env:"KAFKA_TLS_ENABLE" envDefault:"false" help:"connect to the brokers with TLS"`
	TLSCAFile   string `env:"KAFKA_TLS_CA_FILE" help:"PEM file with the certificate authorities to trust; read again for each connection; default: the system's"`
	TLSCertFile string `env:"KAFKA_TLS_CERT_FILE" help:"PEM file with the client's certificate, for mutual TLS; read again for each connection"`
	TLSKeyFile  string `env:"KAFKA_TLS_KEY_FILE" help:"PEM file with the client's private key"`

	SASLMechanism    string `env:"KAFKA_SASL_MECHANISM" enum:"plain,scram-sha-256,scram-sha-512,oauthbearer,aws-msk-iam" help:"plain, scram-sha-256, scram-sha-512, oauthbearer or aws-msk-iam; empty for none"`
	SASLUser         string `env:"KAFKA_SASL_USER" help:"SASL user name"`
	SASLPassword     string `env:"KAFKA_SASL_PASSWORD" secret:"true" help:"SASL password; prefer the file"`
	SASLPasswordFile string `env:"KAFKA_SASL_PASSWORD_FILE" help:"file with the SASL password; read again for each connection"`
	SASLTokenFile    string `env:"KAFKA_SASL_TOKEN_FILE" help:"file with the bearer token for oauthbearer, for example a projected service account token; read again for each connection"`

	SessionTimeout     time.Duration `env:"KAFKA_SESSION_TIMEOUT" envDefault:"10s" help:"the group removes a member that has sent no heartbeat for this long"`
	RebalanceTimeout   time.Duration `env:"KAFKA_REBALANCE_TIMEOUT" envDefault:"60s" help:"time that a member has to end its transaction when the group rebalances"`
	TransactionTimeout time.Duration `env:"KAFKA_TRANSACTION_TIMEOUT" envDefault:"10s" help:"the broker aborts a transaction that is open for longer; at least twice the commit interval"`

	TopicRaw         string `env:"TOPIC_RAW" envDefault:"calls.raw" help:"topic of raw events"`
	TopicClean       string `env:"TOPIC_CLEAN" envDefault:"calls.clean" help:"topic of anonymized events"`
	TopicAudit       string `env:"TOPIC_AUDIT" envDefault:"calls.risk-audit" help:"topic of the sampled calls for the risk audit"`
	TopicState       string `env:"TOPIC_STATE" envDefault:"calls.state" help:"compacted topic of sealed call states; as many partitions as the raw topic"`
	TopicFinal       string `env:"TOPIC_FINAL" help:"topic of the final versions of calls, which the closing pass has reviewed with everything learnt during the call; empty: no closing pass, and no transcript is kept"`
	TopicIndirect    string `env:"TOPIC_INDIRECT" help:"compacted topic of the graph of indirect identifiers, with as many partitions as the raw topic: which words only a few calls use, as keyed digests; needs SOTTO_TOPIC_FINAL; empty: no graph is kept"`
	TopicAnnotations string `env:"TOPIC_ANNOTATIONS" envDefault:"calls.risk-annotations" help:"compacted topic of what people mark in 'sotto review'; it is created when missing"`
	TopicDeadLetter  string `env:"TOPIC_DEAD_LETTER" envDefault:"calls.dead-letter" help:"topic of dead letters"`

	Codec                 string `env:"CODEC" envDefault:"avro" enum:"avro,json" help:"encoding of the output: avro or json; all known encodings are read"`
	SchemaRegistryURL     string `env:"SCHEMA_REGISTRY_URL" help:"Confluent-compatible Schema Registry; empty: Avro single-object encoding"`
	SchemaRegistryUser    string `env:"SCHEMA_REGISTRY_USER" help:"user name for the Schema Registry"`
	SchemaRegistryPass    string `env:"SCHEMA_REGISTRY_PASSWORD" secret:"true" help:"password for the Schema Registry; prefer the file"`
	SchemaRegistryPwdFile string `env:"SCHEMA_REGISTRY_PASSWORD_FILE" help:"file with the password for the Schema Registry; read again for each request"`

	Sessions       int           `env:"SESSIONS" envDefault:"1" help:"transactional sessions in this process, each a group member; 1 to 16"`
	Workers        int           `env:"WORKERS" envDefault:"0" help:"workers of each session; 0: one per CPU"`
	CommitInterval time.Duration `env:"COMMIT_INTERVAL" envDefault:"200ms" help:"time after which a transaction ends"`
	CommitRecords  int           `env:"COMMIT_RECORDS" envDefault:"20000" help:"raw records after which a transaction ends, which bounds what is in flight"`

	StateKeyFile   string        `env:"STATE_KEY_FILE" help:"file with the keys that seal call states, one per line: 'version base64(32 bytes)'; the first one seals; required"`
	RestoreTimeout time.Duration `env:"RESTORE_TIMEOUT" envDefault:"60s" help:"time without progress after which a restore fails"`

	AuditRate      string  `env:"AUDIT_RATE" envDefault:"0.02" help:"share of calls that go to the audit topic: one number, or default=0.02,sales=0.1 by context"`
	AuditDoubtRate float64 `env:"AUDIT_DOUBT_RATE" envDefault:"0.2" help:"share of calls with an estimated risk of 5 points or more that go to the audit topic; the share falls with the square of the estimate; 0: by context alone"`

	RiskGate  string `env:"RISK_GATE" envDefault:"warn" enum:"off,warn,enforce" help:"what to do with a call whose risk may exceed the limit, by the estimate: off, warn (release it, and say in its END why it should not be) or enforce (do not release it)"`
	RiskLimit string `env:"RISK_LIMIT" envDefault:"5" help:"limit of the risk, in points: one number, or default=5,sales=8 by context; one call in twenty like a call at the limit exceeds it"`

	Masking      []string `env:"MASKING" envDefault:"entity" help:"what is masked: entity (what detection finds), or strictly, for users who would rather lose words than leak one: entity,allowlist (and every number, and every word but about 4,200 common ones) or entity,vocab (and every word but about 11,000)"`
	MaskingWords string   `env:"MASKING_WORDS_FILE" help:"with entity,allowlist or entity,vocab: file with the words that stay, one per line, instead of the built-in list"`
	MaskingLimit int      `env:"MASKING_WORDS_LIMIT" envDefault:"0" help:"how many words of SOTTO_MASKING_WORDS_FILE stay, from the first one on; 0: all"`

	Indirect         string `env:"INDIRECT" envDefault:"mark" enum:"mark,mask" help:"with SOTTO_TOPIC_INDIRECT: what to do in the final version of a call with words that too few calls use: mark or mask; the END of the clean events says in both cases where they are"`
	IndirectK        int    `env:"INDIRECT_K" envDefault:"2" help:"how many individuals of a partition must use a word so that it identifies none of them; 2 to 16"`
	IndirectNGram    int    `env:"INDIRECT_NGRAM" envDefault:"1" help:"length of the longest sequences of words that count, 1 to 3; nearly every sequence of three words is used once"`
	IndirectBy       string `env:"INDIRECT_BY" envDefault:"call" enum:"call,speaker" help:"what an individual is: a call, or a speaker of a call"`
	IndirectMinCalls int    `env:"INDIRECT_MIN_CALLS" envDefault:"1000" help:"calls of a partition that must be counted before words are marked"`
	IndirectMaxWords int    `env:"INDIRECT_MAX_WORDS" envDefault:"1000000" help:"words and sequences in memory per partition; those that were used least recently, by too few, are forgotten and count anew"`

	OtherLanguages string `env:"OTHER_LANGUAGES" envDefault:"mask" enum:"mask,hold,pass" help:"turns in languages other than English, by the event's language or by the words: mask (every number and every word but the most frequent ones), hold (they become dead letters) or pass (anonymize them as if they were English, which misses much); calls with such turns are not released, unless it is pass"`

	Strategy           string  `env:"STRATEGY" envDefault:"typed-numbered" help:"how personal information is replaced: typed-numbered, typed, redact, named, word or entity; or by infoType, as default=typed,PERSON_NAME=entity"`
	EntityMode         string  `env:"ENTITY_MODE" envDefault:"coherent" enum:"coherent,independent" help:"for the strategy entity: coherent, one surrogate for every mention of an entity in a call, or independent, a fresh one for each mention, as the privacy lemma requires"`
	SurrogateNames     string  `env:"SURROGATE_NAMES" envDefault:"any" enum:"any,neutral" help:"first names of surrogates: any, or neutral, names that both women and men have"`
	SurrogateFile      string  `env:"SURROGATE_FILE" help:"table of surrogates from 'sotto corpus table', used for the infoTypes in it; default: built-in lists"`
	ReplaceProbability float64 `env:"REPLACE_PROBABILITY" envDefault:"1" help:"share of found spans that is replaced; less than 1 leaves personal information in the output and needs SOTTO_REPLACE_RISK"`
	ReplaceRisk        string  `env:"REPLACE_RISK" enum:"personal-information-stays-in-the-output" help:"personal-information-stays-in-the-output accepts the risk of SOTTO_REPLACE_PROBABILITY below 1"`
	RecallFile         string  `env:"RECALL_FILE" help:"report of 'sotto eval --json' whose recall bounds p in the privacy accounting"`

	RemoteTier         string        `env:"REMOTE_TIER" enum:"presidio,dlp" help:"remote detection tier, which raw text is sent to: presidio (or a service with its interface) or dlp (Google Sensitive Data Protection); empty: none; needs SOTTO_REMOTE_CONSENT"`
	RemoteConsent      string        `env:"REMOTE_CONSENT" enum:"raw-text-leaves-the-process" help:"raw-text-leaves-the-process accepts that SOTTO_REMOTE_TIER sends the raw text of calls to another service"`
	RemoteURL          string        `env:"REMOTE_URL" help:"URL of the Presidio analyzer, without /analyze; for dlp: host:port of another endpoint than Google's global one"`
	RemoteDLPParent    string        `env:"REMOTE_DLP_PARENT" help:"for dlp: the project and perhaps the location that requests are made in, as projects/PROJECT/locations/europe-west1; credentials are Google's application default credentials"`
	RemoteTypesFile    string        `env:"REMOTE_TYPES_FILE" help:"table of which infoType each type of the service is; default: built in; see docs/remote.md"`
	RemoteOutage       string        `env:"REMOTE_OUTAGE" envDefault:"pause" enum:"pause,continue" help:"if the remote tier does not answer: pause (nothing clean goes out until it does) or continue (with the local tiers; the tiers of the events say so)"`
	RemoteSend         string        `env:"REMOTE_SEND" envDefault:"all" enum:"all,doubtful" help:"which utterances are sent: all or doubtful"`
	RemoteMinDoubt     float64       `env:"REMOTE_MIN_DOUBT" envDefault:"0.1" help:"for SOTTO_REMOTE_SEND=doubtful: doubt from which on an utterance is sent, 0 to 1"`
	RemoteDeadline     time.Duration `env:"REMOTE_DEADLINE" envDefault:"2s" help:"time that an utterance may wait for the remote tier, retries included; a transaction waits for it"`
	RemoteBatch        int           `env:"REMOTE_BATCH" envDefault:"32" help:"utterances of a call in one request; the interface of presidio takes one"`
	RemotePerMinute    int           `env:"REMOTE_REQUESTS_PER_MINUTE" envDefault:"600" help:"requests to the remote tier per minute and process"`
	RemoteAttempts     int           `env:"REMOTE_ATTEMPTS" envDefault:"3" help:"attempts at a request to the remote tier"`
	RemotePriceRequest float64       `env:"REMOTE_PRICE_REQUEST" envDefault:"0" help:"price of a request to the remote tier, for sotto_remote_cost_total"`
	RemotePriceMillion float64       `env:"REMOTE_PRICE_MILLION_CHARACTERS" envDefault:"0" help:"price of a million characters sent to the remote tier"`

	CallIdleTimeout time.Duration `env:"CALL_IDLE_TIMEOUT" envDefault:"30m" help:"event time without events after which a call is closed"`
	CallGrace       time.Duration `env:"CALL_GRACE" envDefault:"5m" help:"event time for which the state of a closed call is kept, so that late events continue its numbering"`
	MaxOpenCalls    int           `env:"MAX_OPEN_CALLS" envDefault:"20000" help:"open calls per partition; events of further calls become dead letters"`
	DormantAfter    time.Duration `env:"CALL_DORMANT_AFTER" envDefault:"2m" help:"event time without events after which the state of an open call is kept compact and sealed in memory, until its next event"`
	MaxAwakeCalls   int           `env:"MAX_AWAKE_CALLS" envDefault:"5000" help:"calls per partition whose state is kept ready in memory; of more, those without recent events are kept sealed, whatever SOTTO_CALL_DORMANT_AFTER says"`
	MaxClosedCalls  int           `env:"MAX_CLOSED_CALLS" envDefault:"200000" help:"closed calls remembered per partition for the fastest recognition of events that arrive after the grace period; older ones take 8 bytes each, for as long as the raw topic keeps their events"`
	MaxTextBytes    int           `env:"MAX_TEXT_BYTES" envDefault:"65536" help:"bytes of a text; longer texts become dead letters"`
	MaxCallIDBytes  int           `env:"MAX_CALL_ID_BYTES" envDefault:"256" help:"bytes of a call ID; events with longer ones become dead letters"`
	MaxContextBytes int           `env:"MAX_CONTEXT_BYTES" envDefault:"64" help:"bytes of a context; events with longer ones become dead letters"`
	MaxTenantBytes  int           `env:"MAX_TENANT_BYTES" envDefault:"64" help:"bytes of a tenant; events with longer ones become dead letters"`
	MaxLanguage     int           `env:"MAX_LANGUAGE_BYTES" envDefault:"35" help:"bytes of a language tag; events with longer ones become dead letters"`
	MaxSpeakerBytes int           `env:"MAX_SPEAKER_BYTES" envDefault:"256" help:"bytes of a speaker's ID and label; events with longer ones become dead letters"`
	MaxParticipants int           `env:"MAX_PARTICIPANTS" envDefault:"64" help:"participants of a START; events with more become dead letters"`
	MaxValues       int           `env:"MAX_PARTICIPANT_VALUES" envDefault:"32" help:"values of a participant; events with more become dead letters"`
	MaxValueBytes   int           `env:"MAX_PARTICIPANT_VALUE_BYTES" envDefault:"256" help:"bytes of a participant's value; events with longer ones become dead letters"`
	MaxEntities     int           `env:"MAX_ENTITIES" envDefault:"1000" help:"entities numbered per call; further entities get tags without a number"`
	FinalMaxBytes   int           `env:"FINAL_MAX_BYTES" envDefault:"1048576" help:"bytes kept of a call for its final version; a final version that lacks utterances is not released"`
	StateRefresh    int           `env:"STATE_REFRESH_RECORDS" envDefault:"50000" help:"records of its partition after which a call's state is written again, which bounds what a restore reads of the raw topic"`

	HoldBack     int           `env:"HOLD_BACK_UTTERANCES" envDefault:"0" help:"for how many later utterances of the call an utterance that ends within a number, a spelling or an address is deferred, so that they can decide how it is masked; 0: none is deferred; at most 15"`
	HoldBackTime time.Duration `env:"HOLD_BACK_TIME" envDefault:"5s" help:"event time for which such an utterance is deferred at most; a multiple of 1ms"`

	DictionaryDir    string        `env:"DICTIONARY_DIR" help:"folder with custom dictionaries and exclusion lists; read again when it changes"`
	ModelFile        string        `env:"MODEL_FILE" help:"model from 'sotto train' to use instead of the built-in one"`
	DictionaryReload time.Duration `env:"DICTIONARY_RELOAD" envDefault:"5s" help:"how often the dictionary folder and the key file are checked for changes"`

	Contexts    []string `env:"CONTEXTS" envDefault:"customer_support,sales,meeting,one_to_one,voicemail" help:"contexts that are written to the outputs, separated by commas; those of SOTTO_AUDIT_RATE and SOTTO_RISK_LIMIT are added; all others become 'other'"`
	Tenants     []string `env:"TENANTS" help:"tenants that are written to the outputs, separated by commas; see SOTTO_TENANT for all others"`
	Tenant      string   `env:"TENANT" envDefault:"other" enum:"other,hash" help:"tenants that SOTTO_TENANTS does not list become 'other', or are hashed with the state key"`
	MaxSeq      int64    `env:"MAX_SEQ" envDefault:"99999999" help:"largest sequence number; the default keeps out phone, card and social insurance numbers; events with larger ones become dead letters"`
	LateEvents  string   `env:"LATE_EVENTS" envDefault:"dead-letter" enum:"dead-letter" help:"events that arrive after the grace period of their call become dead letters; anonymize is refused, because the values that only the START or earlier utterances knew are gone by then"`
	KeyMismatch string   `env:"KEY_MISMATCH" envDefault:"dead-letter" enum:"dead-letter,accept" help:"raw records whose key is not their call ID, so that the call may be split over partitions: dead-letter or accept; both are counted"`

	CallID     string `env:"CALL_ID" envDefault:"keep" enum:"keep,hash" help:"keep: call IDs are written unchanged; hash: hashed with the state key"`
	RawOffsets bool   `env:"RAW_OFFSETS" envDefault:"false" help:"write raw positions into the entities of clean events; they reveal how long a name was"`

	HTTPAddr          string        `env:"HTTP_ADDR" envDefault:":9100" help:"address of /livez /readyz /startupz /metrics; off for none"`
	ServeAddr         string        `env:"SERVE_ADDR" envDefault:"127.0.0.1:8080" help:"address on which 'sotto serve' listens; other addresses than loopback need SOTTO_SERVE_TOKEN_FILE or SOTTO_SERVE_TLS_CLIENT_CA_FILE"`
	ServeHealthAddr   string        `env:"SERVE_HEALTH_ADDR" envDefault:"127.0.0.1:9101" help:"address of /livez /readyz /startupz /metrics of 'sotto serve'; off for none"`
	ServeTokenFile    string        `env:"SERVE_TOKEN_FILE" help:"file with the bearer tokens that 'sotto serve' accepts, one per line, of at least 16 characters; read again when it changes"`
	ServeTLSCertFile  string        `env:"SERVE_TLS_CERT_FILE" help:"PEM file with the certificate of 'sotto serve'; read again when it changes; empty: no TLS"`
	ServeTLSKeyFile   string        `env:"SERVE_TLS_KEY_FILE" help:"PEM file with the private key of 'sotto serve'"`
	ServeClientCAFile string        `env:"SERVE_TLS_CLIENT_CA_FILE" help:"PEM file with the certificate authorities whose client certificates 'sotto serve' requires; read again when it changes"`
	ServeOpen         bool          `env:"SERVE_UNAUTHENTICATED" envDefault:"false" help:"let 'sotto serve' listen on any address without authentication"`
	ServeMaxBody      int           `env:"SERVE_MAX_BODY_BYTES" envDefault:"8388608" help:"bytes of the body of a request to 'sotto serve'"`
	ServeTimeout      time.Duration `env:"SERVE_TIMEOUT" envDefault:"30s" help:"time for one request to 'sotto serve', and for those in flight when it stops"`
	ServeConcurrency  int           `env:"SERVE_CONCURRENCY" envDefault:"0" help:"requests that 'sotto serve' works on at once; up to 32 times as many wait; 0: one per CPU"`
	ServeCallBytes    int           `env:"SERVE_CALL_BYTES" envDefault:"268435456" help:"bytes of call state in 'sotto serve' above which no new call begins"`

	ReviewDatabaseDSN       string `env:"REVIEW_DATABASE" secret:"true" help:"PostgreSQL database that keeps the calls and annotations of 'sotto review', so that several may serve, as postgres://user:password@host/database?sslmode=verify-full; empty: the file of --store; prefer SOTTO_REVIEW_DATABASE_FILE"`
	ReviewDatabaseFile      string `env:"REVIEW_DATABASE_FILE" help:"file with SOTTO_REVIEW_DATABASE; the password in it is read again for each connection"`
	ReviewDatabasePlaintext bool   `env:"REVIEW_DATABASE_PLAINTEXT" envDefault:"false" help:"permit a SOTTO_REVIEW_DATABASE on another machine without TLS that verifies the server"`

	PprofAddr    string  `env:"PPROF_ADDR" help:"loopback address for Go profiles, such as localhost:6060; empty for none; a heap profile shows memory that holds calls"`
	OTLPEndpoint string  `env:"OTLP_ENDPOINT" help:"OpenTelemetry collector that accepts traces by OTLP over HTTP, such as http://collector:4318; empty: no traces"`
	TraceRate    float64 `env:"TRACE_RATE" envDefault:"0.01" help:"share of raw records that are traced; a traceparent header on a record overrides it"`
	LogLevel     string  `env:"LOG_LEVEL" envDefault:"info" enum:"debug,info,warn,error" help:"debug, info, warn or error"`
}

// SettingInfo describes one setting for people.
type SettingInfo struct {
	Name    string // environment variable
	Help    string
	Default string
	Value   string // "(hidden)" for a secret that is set
	Kind    reflect.Type
	Enum    []string // the permitted values, if there are few
	Secret  bool
}

// Load reads the settings from environ (variable to value) and validates them.
// The error reports every problem at once; the settings are returned even then,
// so that they can be shown. A SOTTO_ variable that names no setting is a
// problem too, because it is most likely a misspelt one.
func Load(environ map[string]string) (Settings, error) {
	var s Settings
	var p problems
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
		p = append(p, fmt.Errorf("%s is not a setting: see 'sotto config' for the names", k))
	}
	if err := env.ParseWithOptions(&s, env.Options{Prefix: EnvPrefix, Environment: given}); err != nil {
		var all env.AggregateError
		if errors.As(err, &all) {
			for _, e := range all.Errors {
				p = append(p, explainParseError(e))
			}
		} else {
			p = append(p, err)
		}
	}
	p = append(p, s.Validate())
	return s, errors.Join(p...)
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
		value = hideUserInfo(value)
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
