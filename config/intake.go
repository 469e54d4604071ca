package config

import (
	"errors"
	"fmt"
	"maps"

	"sotto/intake"
	"sotto/schemas"
	"sotto/state"
)

// Limits returns the limits of the fields of raw events.
func (s *Settings) Limits() intake.Limits {
	return intake.Limits{
		CallID: s.MaxCallIDBytes, Context: s.MaxContextBytes, Tenant: s.MaxTenantBytes, Language: s.MaxLanguage,
		Speaker: s.MaxSpeakerBytes, Participants: s.MaxParticipants, Values: s.MaxValues, Value: s.MaxValueBytes,
		Text: s.MaxTextBytes,
	}
}

// Intake returns the rules for raw events. keys returns the current state keys; it is called only if
// SOTTO_TENANT=hash.
func (s *Settings) Intake(keys func() *state.Keyring) intake.Rules {
	m := intake.Metadata{Contexts: map[string]bool{}, Tenants: map[string]bool{}, MaxSeq: s.MaxSeq}
	for _, c := range s.Contexts {
		m.Contexts[c] = true
	}
	for _, byContext := range []ByContext{s.AuditRates(), s.Gate().Limits} {
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
	return intake.Rules{Limits: s.Limits(), Metadata: m}
}

// FileIntake applies the rules for raw events to files, as the stream does to records.
type FileIntake struct {
	rules  intake.Rules
	callID func(string) string
}

// FileIntake returns the rules for files. It fails if the settings need a state key and name none.
func (s *Settings) FileIntake() (*FileIntake, error) {
	var ring *state.Keyring
	if s.CallID == "hash" || s.Tenant == "hash" {
		if s.StateKeyFile == "" {
			return nil, fmt.Errorf("%w: %sCALL_ID=hash and %sTENANT=hash need it", errNoStateKey, EnvPrefix, EnvPrefix)
		}
		var err error
		if ring, err = s.StateKeys(); err != nil {
			return nil, err
		}
	}
	f := &FileIntake{s.Intake(func() *state.Keyring { return ring }), func(id string) string { return id }}
	if s.CallID == "hash" {
		f.callID = func(id string) string { return ring.HashCallIDs(id)[0] }
	}
	return f, nil
}

var errNoStateKey = errors.New(EnvPrefix + "STATE_KEY_FILE is not set")

// Admit returns why an event is refused, "" if it is not, and normalizes its metadata.
func (f *FileIntake) Admit(e *schemas.RawEvent) (problem string) {
	return intake.Details[f.rules.Admit(e, 0)]
}

// CallID returns a call ID as the settings ask for it.
func (f *FileIntake) CallID(id string) string { return f.callID(id) }

// Publish replaces the call ID and the tenant of a clean event as the settings ask for.
func (f *FileIntake) Publish(raw *schemas.RawEvent, clean *schemas.CleanEvent) {
	clean.CallID, clean.Tenant = f.callID(raw.CallID), f.rules.Metadata.Tenant(raw.Tenant)
}
