// Package config holds the settings of Sotto and builds from them what several
// commands need: the engine, the codec, the options of a Kafka client, the risk
// gate. It imports neither the stream nor a command, so that files and
// evaluation get their engine without the stream.
package config

import "time"

// EnvPrefix starts the name of every environment variable that Sotto reads.
const EnvPrefix = "SOTTO_"

// Settings are everything that an operator decides. They come from the
// environment, are validated as a whole before anything starts and do not
// change afterwards; only the contents of the files they name may.
//
// A new setting is a field with these tags, and nothing else:
//
//   - env: the variable without EnvPrefix; envDefault: its default
//   - group: connection, topics, privacy, limits or tuning
//   - basic: one of the ten that everybody decides about
//   - policy: what of it is a part of the policy hash, if it is; see PolicyValue
//   - range: the least and the largest value, as in 1..16; either may be missing
//   - enum: the choices, as in off|warn (why)|enforce; "" is one if there is no default
//   - secret: "value" if it is one, "file" if it names the file of one
//   - help: what it means, without the range and the choices
type Settings struct {
	Brokers         []string `env:"KAFKA_BROKERS" group:"connection" basic:"true" envDefault:"localhost:9092" help:"Kafka bootstrap brokers, host:port, separated by commas"`
	Group           string   `env:"KAFKA_GROUP" group:"connection" envDefault:"sotto" help:"consumer group; also starts the transactional IDs"`
	InstanceID      string   `env:"KAFKA_INSTANCE_ID" group:"connection" help:"static group membership under this ID, for example the pod name; must be unique among running instances"`
	TransactionalID string   `env:"KAFKA_TRANSACTIONAL_ID" group:"connection" help:"start of the transactional IDs of this instance; stable across restarts, unique among running instances; default: group and instance ID, else group, host name and a random part"`

	Rack        string `env:"KAFKA_RACK" group:"connection" help:"availability zone of this process, as in broker.rack: records are read from a replica in it (docs/scaling.md)"`
	Compression string `env:"KAFKA_COMPRESSION" group:"tuning" envDefault:"snappy" enum:"none|gzip|snappy|lz4|zstd" help:"compression of what is written; docs/scaling.md has the sizes"`

	TLSEnable   bool   `env:"KAFKA_TLS_ENABLE" group:"connection" basic:"true" envDefault:"false" help:"connect to the brokers with TLS"`
	TLSCAFile   string `env:"KAFKA_TLS_CA_FILE" group:"connection" help:"PEM file with the certificate authorities to trust; read again for each connection; default: the system's"`
	TLSCertFile string `env:"KAFKA_TLS_CERT_FILE" group:"connection" help:"PEM file with the client's certificate, for mutual TLS; read again for each connection"`
	TLSKeyFile  string `env:"KAFKA_TLS_KEY_FILE" group:"connection" secret:"file" help:"PEM file with the client's private key"`

	SASLMechanism    string `env:"KAFKA_SASL_MECHANISM" group:"connection" enum:"plain|scram-sha-256|scram-sha-512|oauthbearer|aws-msk-iam" help:"how to log in to the brokers"`
	SASLUser         string `env:"KAFKA_SASL_USER" group:"connection" help:"SASL user name"`
	SASLUserFile     string `env:"KAFKA_SASL_USER_FILE" group:"connection" help:"file with the SASL user name, for an API key that is rotated with its secret; read again with the password"`
	SASLPassword     string `env:"KAFKA_SASL_PASSWORD" group:"connection" secret:"value" help:"SASL password; prefer the file"`
	SASLPasswordFile string `env:"KAFKA_SASL_PASSWORD_FILE" group:"connection" secret:"file" help:"file with the SASL password; read again for each connection"`
	SASLTokenFile    string `env:"KAFKA_SASL_TOKEN_FILE" group:"connection" secret:"file" help:"file with the bearer token for oauthbearer, for example a projected service account token; read again for each connection"`

	SessionTimeout     time.Duration `env:"KAFKA_SESSION_TIMEOUT" group:"tuning" envDefault:"10s" range:"1s.." help:"the group removes a member that has sent no heartbeat for this long"`
	TransactionTimeout time.Duration `env:"KAFKA_TRANSACTION_TIMEOUT" group:"tuning" envDefault:"10s" help:"the broker aborts a transaction that is open for longer; at least twice the commit interval; readers behind a frozen process wait for it (docs/operating.md)"`

	TopicRaw         string `env:"TOPIC_RAW" group:"topics" basic:"true" envDefault:"calls.raw" help:"topic of raw events"`
	TopicClean       string `env:"TOPIC_CLEAN" group:"topics" basic:"true" envDefault:"calls.clean" help:"topic of anonymized events"`
	TopicAudit       string `env:"TOPIC_AUDIT" group:"topics" envDefault:"calls.risk-audit" help:"topic of the sampled calls for the risk audit"`
	TopicState       string `env:"TOPIC_STATE" group:"topics" envDefault:"calls.state" help:"compacted topic of sealed call states; as many partitions as the raw topic"`
	TopicFinal       string `env:"TOPIC_FINAL" policy:"set" group:"topics" help:"topic of the final versions of calls, masked with everything that was learned during the call; empty: no closing pass, and no transcript is kept"`
	TopicIndirect    string `env:"TOPIC_INDIRECT" policy:"set" group:"topics" help:"compacted topic of the graph of indirect identifiers, with as many partitions as the raw topic: which words only a few calls use, as keyed digests; needs SOTTO_TOPIC_FINAL; empty: no graph is kept"`
	TopicAnnotations string `env:"TOPIC_ANNOTATIONS" group:"topics" envDefault:"calls.risk-annotations" help:"compacted topic of the annotations that people make in 'sotto review'; it is created when missing"`
	TopicDeadLetter  string `env:"TOPIC_DEAD_LETTER" group:"topics" envDefault:"calls.dead-letter" help:"topic of dead letters"`

	RawFormat             string `env:"RAW_FORMAT" policy:"file" group:"topics" envDefault:"event" help:"what the raw topic holds: event (Sotto's own raw events), or messages of a recognizer or a telephony platform, by a mapping (docs/vendors.md): the name of one that is built in, such as deepgram, or of NAME.mapping.yaml in SOTTO_DICTIONARY_DIR, or the path of a file"`
	Codec                 string `env:"CODEC" group:"topics" basic:"true" envDefault:"avro" enum:"avro|json" help:"encoding of the output (all known encodings are read)"`
	SchemaRegistryURL     string `env:"SCHEMA_REGISTRY_URL" group:"connection" help:"Confluent-compatible Schema Registry, for what is written in Avro and for messages of others that name their schema; empty: Avro single-object encoding"`
	SchemaRegistryUser    string `env:"SCHEMA_REGISTRY_USER" group:"connection" help:"user name for the Schema Registry"`
	SchemaRegistryPass    string `env:"SCHEMA_REGISTRY_PASSWORD" group:"connection" secret:"value" help:"password for the Schema Registry; prefer the file"`
	SchemaRegistryPwdFile string `env:"SCHEMA_REGISTRY_PASSWORD_FILE" group:"connection" secret:"file" help:"file with the password for the Schema Registry; read again for each request"`

	Sessions       int           `env:"SESSIONS" group:"tuning" envDefault:"1" range:"1..16" help:"transactional sessions in this process, each a group member"`
	CommitInterval time.Duration `env:"COMMIT_INTERVAL" group:"tuning" envDefault:"200ms" range:"5ms..30s" help:"time after which a transaction ends"`

	StateKeyFile     string `env:"STATE_KEY_FILE" group:"privacy" basic:"true" secret:"file" help:"file with the keys that seal call states, one per line: 'version base64(32 bytes)'; the first one seals; required"`
	StateKeyReadable bool   `env:"STATE_KEY_READABLE" group:"privacy" envDefault:"false" help:"accept a state key file that everybody on this machine may read or change, as some volumes mount it"`

	AuditRate     string  `env:"AUDIT_RATE" policy:"value" group:"privacy" envDefault:"0.02" help:"share of calls that go to the audit topic: one number, or default=0.02,sales=0.1 by context"`
	AuditRiskRate float64 `env:"AUDIT_RISK_RATE" group:"privacy" envDefault:"0.2" range:"0..1" help:"share of calls with an estimated risk of 5 points or more that go to the audit topic; the share falls with the square of the estimate; 0: by context alone"`

	RiskGate  string `env:"RISK_GATE" policy:"value" group:"privacy" basic:"true" envDefault:"warn" enum:"off|warn (release it, and say in its END why it should not be)|enforce (do not release it)" help:"what to do with a call whose risk may exceed the limit, by the estimate"`
	RiskLimit string `env:"RISK_LIMIT" policy:"value" group:"privacy" envDefault:"5" help:"limit of the risk, in points: one number, or default=5,sales=8 by context; one call in twenty like a call at the limit exceeds it"`

	Masking      string `env:"MASKING" policy:"value" group:"privacy" envDefault:"entity" enum:"entity (what detection finds)|entity,allowlist (and every number, and every word but about 4,200 common ones)|entity,vocab (and every word but about 11,000)" help:"what is masked (strictly with a list, for users who would rather lose words than leak one)"`
	MaskingWords string `env:"MASKING_WORDS_FILE" policy:"file" group:"privacy" help:"with entity,allowlist or entity,vocab: file with the words that stay, one per line, instead of the built-in list"`

	Indirect         string `env:"INDIRECT" policy:"value" group:"privacy" envDefault:"mark" enum:"mark|mask" help:"with SOTTO_TOPIC_INDIRECT: what to do in the final version of a call with words that too few calls use (the END of the clean events says in both cases where they are)"`
	IndirectK        int    `env:"INDIRECT_K" policy:"value" group:"privacy" envDefault:"2" range:"2..16" help:"how many individuals of a partition must use a word so that it identifies none of them"`
	IndirectNGram    int    `env:"INDIRECT_NGRAM" policy:"value" group:"privacy" envDefault:"1" range:"1..3" help:"length of the longest sequences of words that count; nearly every sequence of three words is used once"`
	IndirectBy       string `env:"INDIRECT_BY" policy:"value" group:"privacy" envDefault:"call" enum:"call|speaker (of a call)" help:"what an individual is"`
	IndirectMinCalls int    `env:"INDIRECT_MIN_CALLS" policy:"value" group:"privacy" envDefault:"1000" range:"0.." help:"calls of a partition that must be counted before words are marked"`
	IndirectMaxWords int    `env:"INDIRECT_MAX_WORDS" policy:"value" group:"limits" envDefault:"1000000" range:"1.." help:"words and sequences in memory per partition; those that were used least recently, by too few, are forgotten and count anew"`

	OtherLanguages string `env:"OTHER_LANGUAGES" policy:"value" group:"privacy" envDefault:"mask" enum:"mask (every number and every word but the most frequent ones)|hold (they become dead letters)|pass (anonymize them as if they were English, which misses much)" help:"what to do with turns in languages other than English, by the event's language or by the words (calls with such turns are not released, unless they pass)"`

	Strategy           string  `env:"STRATEGY" policy:"value" group:"privacy" basic:"true" envDefault:"typed-numbered" help:"how personal information is replaced: typed-numbered, typed, redact, named, word or entity; or by infoType, as default=typed,PERSON_NAME=entity"`
	EntityMode         string  `env:"ENTITY_MODE" policy:"value" group:"privacy" envDefault:"coherent" enum:"coherent (one surrogate for every mention of an entity in a call)|independent (a fresh one for each mention, as the privacy lemma requires)" help:"for the strategy entity"`
	SurrogateNames     string  `env:"SURROGATE_NAMES" policy:"value" group:"privacy" envDefault:"any" enum:"any|neutral (names that both women and men have)" help:"first names of surrogates"`
	SurrogateFile      string  `env:"SURROGATE_FILE" policy:"file" group:"privacy" help:"table of surrogates from 'sotto corpus table', used for the infoTypes in it; default: built-in lists"`
	ReplaceProbability float64 `env:"REPLACE_PROBABILITY" policy:"value" group:"privacy" envDefault:"1" help:"share of found spans that is replaced; less than 1 leaves personal information in the output and needs SOTTO_REPLACE_RISK"`
	ReplaceRisk        string  `env:"REPLACE_RISK" group:"privacy" enum:"personal-information-stays-in-the-output" help:"accepts the risk of SOTTO_REPLACE_PROBABILITY below 1"`
	RecallFile         string  `env:"RECALL_FILE" group:"privacy" help:"report of 'sotto eval --json' whose recall bounds p in the privacy accounting"`

	RemoteTier      string        `env:"REMOTE_TIER" policy:"value" group:"privacy" enum:"presidio (or a service with its interface)|dlp (Google Sensitive Data Protection)|llm (a language model with OpenAI's chat interface)" help:"remote detection tier, which raw text is sent to, with SOTTO_REMOTE_CONSENT"`
	RemoteConsent   string        `env:"REMOTE_CONSENT" group:"privacy" enum:"raw-text-leaves-the-process" help:"accepts that SOTTO_REMOTE_TIER sends the raw text of calls to another service"`
	RemoteURL       string        `env:"REMOTE_URL" group:"connection" help:"URL of the Presidio analyzer, without /analyze; for llm: the base URL, such as http://vllm:8000/v1; for dlp: host:port of another endpoint than Google's global one"`
	RemoteModel     string        `env:"REMOTE_MODEL" policy:"value" group:"privacy" help:"for llm: name of the model, as its server has it"`
	RemoteTokenFile string        `env:"REMOTE_TOKEN_FILE" group:"connection" secret:"file" help:"for llm: file with the API key, if the server needs one; read again for each request"`
	RemoteDLPParent string        `env:"REMOTE_DLP_PARENT" group:"connection" help:"for dlp: the project and perhaps the location that requests are made in, as projects/PROJECT/locations/europe-west1; credentials are Google's application default credentials"`
	RemoteTypesFile string        `env:"REMOTE_TYPES_FILE" policy:"file" group:"privacy" help:"table of which infoType each type of the service is; default: built in; see docs/remote.md"`
	RemoteOutage    string        `env:"REMOTE_OUTAGE" policy:"value" group:"privacy" envDefault:"pause" enum:"pause (nothing clean goes out until it does)|continue (with the local tier; the tiers of the events say so)" help:"if the remote tier does not answer"`
	RemoteMinDoubt  float64       `env:"REMOTE_MIN_DOUBT" policy:"value" group:"privacy" envDefault:"0" range:"0..1" help:"doubt from which on an utterance is sent to the remote tier; 0: all are sent"`
	RemoteDeadline  time.Duration `env:"REMOTE_DEADLINE" group:"limits" envDefault:"2s" range:"10ms.." help:"time that an utterance may wait for the remote tier, retries included; a transaction waits for it"`
	RemotePerMinute int           `env:"REMOTE_REQUESTS_PER_MINUTE" group:"limits" envDefault:"600" range:"1..1000000" help:"requests to the remote tier per minute and process"`

	CallIdleTimeout time.Duration `env:"CALL_IDLE_TIMEOUT" policy:"value" group:"limits" basic:"true" envDefault:"30m" range:"1s.." help:"time without events after which a call is closed, as far as the events tell it (docs/stream.md)"`
	CallGrace       time.Duration `env:"CALL_GRACE" policy:"value" group:"limits" envDefault:"5m" range:"0s.." help:"time for which the state of a closed call is kept, so that late events continue its numbering"`
	MaxOpenCalls    int           `env:"MAX_OPEN_CALLS" policy:"value" group:"limits" envDefault:"20000" range:"1..10000000" help:"open calls per partition; events of further calls become dead letters"`
	DormantAfter    time.Duration `env:"CALL_DORMANT_AFTER" group:"tuning" envDefault:"2m" range:"0s.." help:"time without events after which the state of an open call is kept compact and sealed in memory, until its next event"`
	MaxTextBytes    int           `env:"MAX_TEXT_BYTES" policy:"value" group:"limits" envDefault:"65536" range:"1..262144" help:"bytes of a text; longer texts become dead letters"`
	MaxEntities     int           `env:"MAX_ENTITIES" policy:"value" group:"limits" envDefault:"1000" range:"1..3000" help:"entities numbered per call; further entities get tags without a number"`
	FinalMaxBytes   int           `env:"FINAL_MAX_BYTES" policy:"value" group:"limits" envDefault:"1048576" range:"1..67108864" help:"bytes kept of a call for its final version; a final version that lacks utterances is not released"`

	Sensitivity   string `env:"SENSITIVITY" policy:"value" group:"privacy" envDefault:"high" enum:"balanced|high|maximum" help:"how likely a value must be to be masked, which weighs what is missed against what is masked without need (docs/tagger.md has the figures)"`
	Reading       string `env:"READING" policy:"value" group:"privacy" envDefault:"encoder" enum:"encoder|fast" help:"who reads the calls: a pretrained encoder together with the tagger, or the tagger alone, which costs a fraction and finds less (docs/tagger.md)"`
	ReadFinished  bool   `env:"READ_FINISHED" policy:"value" group:"privacy" envDefault:"true" help:"read a finished call once more, as a whole, and mask what the live reading left: in final versions, files, and whole conversations of 'sotto serve'"`
	DictionaryDir string `env:"DICTIONARY_DIR" policy:"file" group:"privacy" basic:"true" help:"folder with custom dictionaries and exclusion lists; read again when it changes"`
	ModelFile     string `env:"MODEL_FILE" policy:"file" group:"privacy" help:"model from 'sotto train' (docs/encoder.md) or 'sotto train tagger' to use instead of the built-in one"`

	Contexts    []string `env:"CONTEXTS" policy:"value" group:"privacy" envDefault:"customer_support,sales,meeting,one_to_one,voicemail" help:"contexts that are written to the outputs, separated by commas; those of SOTTO_AUDIT_RATE and SOTTO_RISK_LIMIT are added; all others become 'other'"`
	Tenants     []string `env:"TENANTS" policy:"value" group:"privacy" help:"tenants that are written to the outputs, separated by commas; see SOTTO_TENANT for all others"`
	Tenant      string   `env:"TENANT" policy:"value" group:"privacy" envDefault:"other" enum:"other|hash (with the state key)" help:"what tenants become that SOTTO_TENANTS does not list"`
	MaxSeq      int64    `env:"MAX_SEQ" policy:"value" group:"limits" envDefault:"99999999" range:"1.." help:"largest sequence number; the default keeps out phone, card and social insurance numbers; events with larger ones become dead letters"`
	KeyMismatch string   `env:"KEY_MISMATCH" policy:"value" group:"topics" envDefault:"dead-letter" enum:"dead-letter|accept" help:"what to do with raw records whose key is not their call ID, so that the call may be split over partitions"`

	CallID     string `env:"CALL_ID" policy:"value" group:"privacy" envDefault:"keep" enum:"keep|hash (with the state key)" help:"how call IDs are written"`
	RawOffsets bool   `env:"RAW_OFFSETS" group:"privacy" envDefault:"false" help:"write raw positions into the entities of the stream's clean events, as 'sotto anonymize' always does; they reveal how long a name was"`

	HTTPAddr          string `env:"HTTP_ADDR" group:"connection" envDefault:":9100" help:"address of /livez /readyz /startupz /metrics; off for none"`
	ServeAddr         string `env:"SERVE_ADDR" group:"connection" envDefault:"127.0.0.1:8080" help:"address on which 'sotto serve' listens; other addresses than loopback need SOTTO_SERVE_TOKEN_FILE or SOTTO_SERVE_TLS_CLIENT_CA_FILE"`
	ServeHealthAddr   string `env:"SERVE_HEALTH_ADDR" group:"connection" envDefault:"127.0.0.1:9101" help:"address of /livez /readyz /startupz /metrics of 'sotto serve'; off for none"`
	ServeTokenFile    string `env:"SERVE_TOKEN_FILE" group:"connection" secret:"file" help:"file with the bearer tokens that 'sotto serve' accepts, one per line, of at least 16 characters; read again when it changes"`
	ServeTLSCertFile  string `env:"SERVE_TLS_CERT_FILE" group:"connection" help:"PEM file with the certificate of 'sotto serve'; read again when it changes; empty: no TLS"`
	ServeTLSKeyFile   string `env:"SERVE_TLS_KEY_FILE" group:"connection" secret:"file" help:"PEM file with the private key of 'sotto serve'"`
	ServeClientCAFile string `env:"SERVE_TLS_CLIENT_CA_FILE" group:"connection" help:"PEM file with the certificate authorities whose client certificates 'sotto serve' requires; read again when it changes"`
	ServeOpen         bool   `env:"SERVE_UNAUTHENTICATED" group:"connection" envDefault:"false" help:"let 'sotto serve' listen on any address without authentication"`

	IngestAddr         string `env:"INGEST_ADDR" group:"connection" envDefault:"127.0.0.1:8443" help:"address on which 'sotto ingest' receives webhooks"`
	IngestSignature    string `env:"INGEST_SIGNATURE" group:"connection" enum:"twilio|zoom|retell|vapi|vonage|dialpad|ringcentral|standard (Standard Webhooks, as OpenAI signs)|hmac (HMAC-SHA256 of the body)|secret (the secret itself, in a header)" help:"how a webhook shows who sends it, with SOTTO_INGEST_SECRET_FILE"`
	IngestSecretFile   string `env:"INGEST_SECRET_FILE" group:"connection" secret:"file" help:"file with the secrets for SOTTO_INGEST_SIGNATURE, one per line, of at least 16 characters, each of which is accepted; read again when it changes"`
	IngestHeader       string `env:"INGEST_HEADER" group:"connection" help:"for hmac: header with the signature and, behind a comma, the one with the time in seconds if that is signed before the body, with a dot between; for secret: header with the secret, by default Authorization, with Bearer"`
	IngestURL          string `env:"INGEST_URL" group:"connection" help:"for twilio: what stands before the path in the URL that the vendor was given, as https://hooks.example.com; Twilio signs the URL"`
	IngestMaxBytes     int    `env:"INGEST_MAX_BYTES" group:"limits" envDefault:"0" range:"0.." help:"bytes of a webhook; 0: as many as the stream reads, which is 6 times SOTTO_MAX_TEXT_BYTES and 256 KiB, and no more is permitted; the raw topic's max.message.bytes must be 16 KiB more"`
	IngestKey          string `env:"INGEST_KEY" group:"topics" help:"for formats whose messages have no ID of their call, such as zoom: a path in the language of mappings that leads to it, or $header.NAME for a header of the request (docs/ingest.md)"`
	IngestTLSCertFile  string `env:"INGEST_TLS_CERT_FILE" group:"connection" help:"PEM file with the certificate of 'sotto ingest'; read again when it changes; empty: no TLS"`
	IngestTLSKeyFile   string `env:"INGEST_TLS_KEY_FILE" group:"connection" secret:"file" help:"PEM file with the private key of 'sotto ingest'"`
	IngestClientCAFile string `env:"INGEST_TLS_CLIENT_CA_FILE" group:"connection" help:"PEM file with the certificate authorities whose client certificates 'sotto ingest' requires; read again when it changes"`

	ReviewDatabaseDSN       string `env:"REVIEW_DATABASE" group:"connection" secret:"value" help:"PostgreSQL database that keeps the calls and annotations of 'sotto review', so that several may serve, as postgres://user:password@host/database?sslmode=verify-full; empty: the file of --store; prefer SOTTO_REVIEW_DATABASE_FILE"`
	ReviewDatabaseFile      string `env:"REVIEW_DATABASE_FILE" group:"connection" secret:"file" help:"file with SOTTO_REVIEW_DATABASE; the password in it is read again for each connection"`
	ReviewDatabasePlaintext bool   `env:"REVIEW_DATABASE_PLAINTEXT" group:"connection" envDefault:"false" help:"permit a SOTTO_REVIEW_DATABASE on another machine without TLS that verifies the server"`

	PprofAddr    string  `env:"PPROF_ADDR" group:"tuning" help:"loopback address for Go profiles, such as localhost:6060; empty for none; a heap profile shows memory that holds calls"`
	OTLPEndpoint string  `env:"OTLP_ENDPOINT" group:"tuning" help:"OpenTelemetry collector that accepts traces by OTLP over HTTP, such as http://collector:4318; empty: no traces"`
	TraceRate    float64 `env:"TRACE_RATE" group:"tuning" envDefault:"0.01" help:"share of raw records that are traced; a traceparent header on a record overrides it"`
	LogLevel     string  `env:"LOG_LEVEL" group:"tuning" envDefault:"info" enum:"debug|info|warn|error" help:"least severe level that is logged"`

	Bounds
}

// Bounds are what no operator needs to decide. Tests change them.
type Bounds struct {
	Workers          int           // of each session; 0: one per CPU
	StateRefresh     int           // records of its partition after which a call's state is written again, which bounds what a restore reads of the raw topic
	CommitRecords    int           // raw records after which a transaction ends, which bounds what is in flight
	RebalanceTimeout time.Duration // time that a member has to end its transaction when the group rebalances
	RestoreTimeout   time.Duration // time without progress after which a restore fails
	Reload           time.Duration // how often the dictionary folder and the key file are checked for changes
	MaxAwakeCalls    int           // calls per partition whose state is ready in memory; that of more is kept sealed
	MaxClosedCalls   int           // closed calls per partition in the fastest table; older ones take 8 bytes each

	// Of 'sotto serve': the body of a request, its time, how many are worked on at once, and the
	// state of live calls above which no new call begins.
	ServeMaxBody, ServeConcurrency, ServeCallBytes int
	ServeTimeout                                   time.Duration

	// Of 'sotto ingest': the time of a request, its answer included, how far the time of a signature may be from now, how
	// long it goes on after it was told to stop, so that nobody is sent to it any more when it stops, and its connections.
	IngestTimeout, IngestMaxAge, IngestDrain time.Duration
	IngestConnections                        int
}
