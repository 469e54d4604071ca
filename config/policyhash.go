package config

import (
	"crypto/sha256"
	"fmt"

	"sotto/detectors/ner"
	"sotto/risk/estimate"
)

// The values of the tag policy: what of a setting is a part of the policy hash.
const (
	// PolicyValue is the value.
	PolicyValue = "value"
	// PolicySet is whether there is a value: which one decides nothing.
	PolicySet = "set"
	// PolicyFile is the contents of the file or the folder that the setting names.
	PolicyFile = "file"
)

// settingsDigest is a hash of the settings that affect the events, by their tags. The engine
// hashes the files itself, but for the types of a remote tier, which it does not know. Which calls are
// released depends on the weights of the risk estimate as well.
func (s *Settings) settingsDigest() (string, error) {
	h := sha256.New()
	points := []ner.Sensitivity{ner.Sensitivity(s.Sensitivity)}
	if s.DictionaryDir != "" {
		points = append(points, ner.Sensitivities()...) // tenants may have others
	}
	for _, p := range points {
		fmt.Fprintf(h, "risk estimate %x\n", estimate.At(p).Digest())
	}
	types, err := s.RemoteTypes()
	if err != nil {
		return "", err
	}
	if types != nil {
		fmt.Fprintf(h, "remote types %x\n", types.Digest())
	}
	for f, v := range s.settings {
		switch f.Tag.Get("policy") {
		case PolicyValue:
			fmt.Fprintf(h, "%s %#v\n", f.Tag.Get("env"), v)
		case PolicySet:
			fmt.Fprintf(h, "%s %t\n", f.Tag.Get("env"), !v.IsZero())
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}
