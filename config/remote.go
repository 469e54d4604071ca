package config

import (
	"net/url"
	"regexp"

	"sotto/anonymize"
	"sotto/anonymize/policy"
	"sotto/detectors/remote"
	"sotto/internal/boundedfile"
)

// The values of the settings of remote tiers.
const (
	TierPresidio  = "presidio"
	TierDLP       = "dlp"
	TierLLM       = "llm"
	RemoteConsent = "raw-text-leaves-the-process"
	OutagePause   = "pause"
	OutageGoOn    = "continue"
)

var dlpParent = regexp.MustCompile(`^projects/[a-z0-9:.-]+(/locations/[a-z0-9-]+)?$`)

func (s *Settings) validateRemote(p *problems) {
	if s.RemoteTier == "" {
		return
	}
	p.require(s.RemoteConsent == RemoteConsent, "REMOTE_TIER", "sends the raw text of calls to another service: to accept that, set SOTTO_REMOTE_CONSENT=%s", RemoteConsent)
	p.require(s.RemoteTier != TierPresidio || isService(s.RemoteURL), "REMOTE_URL", "must be the URL of the analyzer, such as http://presidio:3000, without a user or a query")
	p.require(s.RemoteTier != TierLLM || isService(s.RemoteURL), "REMOTE_URL", "must be the base URL of the chat interface, such as http://vllm:8000/v1, without a user or a query")
	p.require(s.RemoteTier != TierLLM || s.RemoteModel != "", "REMOTE_MODEL", "must be the name of the model, as the server has it")
	p.require(s.RemoteTier != TierDLP || dlpParent.MatchString(s.RemoteDLPParent), "REMOTE_DLP_PARENT", "must be projects/PROJECT or projects/PROJECT/locations/LOCATION")
	p.require(s.RemoteDeadline+s.CommitInterval <= s.TransactionTimeout/2, "REMOTE_DEADLINE",
		"and SOTTO_COMMIT_INTERVAL together must be at most half of SOTTO_KAFKA_TRANSACTION_TIMEOUT, because a transaction waits for both")
}

// isService reports whether a text is the URL of a service, without a user or a query.
func isService(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == ""
}

// IsSafeService reports whether a text is the URL of a service, without a user or a query, such that nobody on the way can read
// what is sent: it begins with https, or is on this machine.
func IsSafeService(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isService(s) && (u.Scheme == "https" || isLocal(u.Hostname()))
}

// RemoteTypes returns the table of the infoTypes of the remote tier; nil without one. The error
// names the setting.
func (s *Settings) RemoteTypes() (*remote.Types, error) {
	switch {
	case s.RemoteTier == "":
		return nil, nil
	case s.RemoteTypesFile != "":
		return fromFile("REMOTE_TYPES_FILE", s.RemoteTypesFile, func(text []byte) (*remote.Types, error) {
			return remote.ParseTypes(s.RemoteTypesFile, string(text))
		})
	case s.RemoteTier == TierDLP:
		return remote.DLPTypes(), nil
	case s.RemoteTier == TierLLM:
		return remote.LLMTypes(), nil
	}
	return remote.PresidioTypes(), nil
}

// RemoteToken returns the API key for a language model, "" for none. It reads the file each time, so
// that a rotated key takes effect.
func (s *Settings) RemoteToken() (string, error) {
	token, err := Secret("", s.RemoteTokenFile)
	return token, InSetting("REMOTE_TOKEN_FILE", err)
}

// Policy returns the policy of the user. The error names the setting.
func (s *Settings) Policy() (*policy.Policy, error) {
	if s.DictionaryDir == "" {
		return policy.Default(), nil
	}
	p, err := policy.Read(boundedfile.Dir(s.DictionaryDir))
	return p, InSetting("DICTIONARY_DIR", err)
}

// NewRemoteTier returns the tier that asks a service as the settings say.
func (s *Settings) NewRemoteTier(service remote.Service) (*remote.Tier, error) {
	types, err := s.RemoteTypes()
	if err != nil {
		return nil, err
	}
	o := remote.Options{Types: types, Deadline: s.RemoteDeadline, PerMinute: s.RemotePerMinute}
	switch s.RemoteTier {
	case TierPresidio:
		o.Batch = 1
	case TierLLM: // small models lose sight of long messages
		o.Batch, o.BatchBytes = 8, 8<<10
	}
	return remote.NewTier(service, o), nil
}

// remotePatience is for how many deadlines a service that does not answer is asked about a file. With
// the default deadline that is longer than the pause of the circuit breaker.
const remotePatience = 5

// NewRemoteAsker returns what asks a tier about calls that are there as a whole; nil without a tier.
func (s *Settings) NewRemoteAsker(tier *remote.Tier) *anonymize.RemoteAsker {
	if tier == nil {
		return nil
	}
	return &anonymize.RemoteAsker{
		Tier: tier, Required: s.RemoteOutage == OutagePause, Patience: remotePatience * s.RemoteDeadline, MinDoubt: float32(s.RemoteMinDoubt),
	}
}
