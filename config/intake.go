package config

import "sotto/intake"

// Limits returns the limits of the fields of raw events.
func (s *Settings) Limits() intake.Limits {
	return intake.Limits{
		CallID: s.MaxCallIDBytes, Context: s.MaxContextBytes, Tenant: s.MaxTenantBytes, Language: s.MaxLanguage,
		Speaker: s.MaxSpeakerBytes, Participants: s.MaxParticipants, Values: s.MaxValues, Value: s.MaxValueBytes,
		Text: s.MaxTextBytes,
	}
}
