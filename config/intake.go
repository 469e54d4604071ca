package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"

	"sotto/anonymize/intake"
	"sotto/anonymize/intake/mapping"
	"sotto/schemas"
	"sotto/state/sealing"
)

// Intake returns the rules for raw events. keys returns the current state keys; it is called only if
// SOTTO_TENANT=hash.
func (s *Settings) Intake(keys func() *sealing.Keyring) intake.Rules {
	m := intake.Metadata{Contexts: map[string]bool{}, Tenants: map[string]bool{}}
	for _, c := range s.Contexts {
		m.Contexts[c] = true
	}
	for _, byContext := range []ByContext{s.AuditRates(), s.RiskLimits()} {
		for c := range maps.Keys(byContext.Named) {
			m.Contexts[c] = true
		}
	}
	for _, t := range s.Tenants {
		m.Tenants[t] = true
	}
	if s.Tenant == "hash" {
		m.HashTenant = func(tenant string) string { return keys().HashTenant(tenant) }
	}
	return intake.Rules{MaxText: s.MaxTextBytes, MaxSeq: s.MaxSeq, Metadata: m}
}

// RawMapping returns the mapping of the raw topic, nil if it holds Sotto's own events. The error names the
// setting.
func (s *Settings) RawMapping() (*mapping.Mapping, error) {
	m, err := mapping.Load(s.RawFormat, s.DictionaryDir)
	if err == nil && m != nil && m.MaxSeq() > s.MaxSeq {
		err = fmt.Errorf("the mapping numbers events by their times, up to %d: %sMAX_SEQ must not be less", m.MaxSeq(), EnvPrefix)
	}
	return m, InSetting("RAW_FORMAT", err)
}

// RawIsOurs reports whether the raw topic holds Sotto's own events, and is not somebody else's.
func (s *Settings) RawIsOurs() bool { return s.RawFormat == "" || s.RawFormat == mapping.Event }

// RawMappingFile returns the path of the mapping if the settings name one.
func (s *Settings) RawMappingFile() []string {
	if mapping.IsPath(s.RawFormat) {
		return []string{s.RawFormat}
	}
	return nil
}

// FileIntake applies the rules for raw events to files, as the stream does to records.
type FileIntake struct {
	rules  intake.Rules
	hashed *sealing.Keyring // of call IDs; nil keeps them
	digest string
}

// FileIntake returns the rules for files. It fails if the settings need a state key and name none.
func (s *Settings) FileIntake() (*FileIntake, error) {
	var ring *sealing.Keyring
	var key []byte
	if s.StateKeyFile != "" {
		var err error
		if ring, err = s.StateKeys(); err != nil {
			return nil, err
		}
		key = ring.ReplacementKey()
	} else if s.CallID == "hash" || s.Tenant == "hash" {
		return nil, fmt.Errorf("%w: %sCALL_ID=hash and %sTENANT=hash need it", errNoStateKey, EnvPrefix, EnvPrefix)
	}
	f := &FileIntake{rules: s.Intake(func() *sealing.Keyring { return ring })}
	if s.CallID == "hash" {
		f.hashed = ring
	}
	f.digest = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%x %s", key, f.CallID("a call"))))
	return f, nil
}

// Digest stands for what decides the output of a file and is no part of the policy hash: the state
// key, and how call IDs are written. Nobody can learn the key from it.
func (f *FileIntake) Digest() string { return f.digest }

var errNoStateKey = errors.New(EnvPrefix + "STATE_KEY_FILE is not set")

// Admit returns why an event is refused, "" if it is not, and normalizes its metadata.
func (f *FileIntake) Admit(e *schemas.RawEvent) (problem string) {
	return schemas.Explain(f.rules.Admit(e, 0))
}

// CallID returns a call ID as the settings ask for it.
func (f *FileIntake) CallID(id string) string {
	if f.hashed == nil {
		return id
	}
	return f.hashed.HashCallIDs(id)[0]
}

// Publish replaces the call ID and the tenant of a clean event as the settings ask for.
func (f *FileIntake) Publish(raw *schemas.RawEvent, clean *schemas.CleanEvent) {
	clean.CallID, clean.Tenant = f.CallID(raw.CallID), f.rules.Metadata.Tenant(raw.Tenant)
}
