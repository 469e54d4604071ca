package config

// removed says for each setting of former versions, without EnvPrefix, what takes its place.
var removed = map[string]string{
	"AUDIT_DOUBT_RATE":                "it is SOTTO_AUDIT_RISK_RATE",
	"COMMIT_RECORDS":                  "a transaction ends after 20,000 records; SOTTO_COMMIT_INTERVAL ends it earlier",
	"DICTIONARY_RELOAD":               "dictionaries and keys are checked for changes every second",
	"HOLD_BACK_TIME":                  noHoldBack,
	"HOLD_BACK_UTTERANCES":            noHoldBack,
	"KAFKA_REBALANCE_TIMEOUT":         "it is 60 seconds",
	"LATE_EVENTS":                     "late events always become dead letters; a longer SOTTO_CALL_GRACE makes them rarer",
	"MASKING_WORDS_LIMIT":             "shorten the file of SOTTO_MASKING_WORDS_FILE, as 'head -n' does",
	"MAX_AWAKE_CALLS":                 "it is 5,000 per partition; SOTTO_CALL_DORMANT_AFTER decides how soon a call is kept compact",
	"MAX_CALL_ID_BYTES":               fixedLimit,
	"MAX_CLOSED_CALLS":                "all closed calls are remembered for as long as the raw topic keeps their events",
	"MAX_CONTEXT_BYTES":               fixedLimit,
	"MAX_LANGUAGE_BYTES":              fixedLimit,
	"MAX_PARTICIPANTS":                fixedLimit,
	"MAX_PARTICIPANT_VALUES":          fixedLimit,
	"MAX_PARTICIPANT_VALUE_BYTES":     fixedLimit,
	"MAX_SPEAKER_BYTES":               fixedLimit,
	"MAX_TENANT_BYTES":                fixedLimit,
	"REMOTE_ATTEMPTS":                 "a request is made three times at most; SOTTO_REMOTE_DEADLINE bounds the time",
	"REMOTE_BATCH":                    "a request has 32 utterances at most, and one for presidio",
	"REMOTE_PRICE_MILLION_CHARACTERS": prices,
	"REMOTE_PRICE_REQUEST":            prices,
	"REMOTE_SEND":                     "SOTTO_REMOTE_MIN_DOUBT=0 sends all utterances, and a higher value only the doubtful ones",
	"RESTORE_TIMEOUT":                 "a restore fails after 60 seconds without progress",
	"SERVE_CALL_BYTES":                "no new call begins above 256 MiB of call state; SOTTO_MAX_OPEN_CALLS bounds their number",
	"SERVE_CONCURRENCY":               "one request per CPU is worked on at once; GOMAXPROCS changes how many that are",
	"SERVE_MAX_BODY_BYTES":            "the body of a request has 8 MiB at most",
	"SERVE_TIMEOUT":                   "a request has 30 seconds",
	"STATE_REFRESH_RECORDS":           "the state of a call is written again after 50,000 records of its partition",
	"WORKERS":                         "a session has one worker per CPU; GOMAXPROCS changes how many that are",
}

const (
	fixedLimit = "the limit is fixed, as docs/stream.md says; events beyond it become dead letters"
	noHoldBack = "every utterance is decided when it arrives, and nothing replaces the setting"
	prices     = "multiply sotto_remote_requests_total and sotto_remote_bytes_total by the prices in your queries"
)
