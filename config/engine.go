package config

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"

	"sotto/anonymize"
	"sotto/detectors"
	"sotto/detectors/allowlist"
	"sotto/detectors/ner"
	"sotto/replace"
)

// RiskAccepted is the value of SOTTO_REPLACE_RISK that permits leaving found
// spans in the output.
const RiskAccepted = "personal-information-stays-in-the-output"

// NewEngine builds the engine that these settings describe. Errors name the
// setting.
//
// Surrogates are drawn with the state key, so that a replay gives the same ones. Without a state
// key, as for files, a random key is used and not kept: nobody can reconstruct the draws, and
// another run draws differently.
func (s *Settings) NewEngine() (*anonymize.Engine, error) {
	plan, err := s.replacement()
	if err != nil {
		return nil, err
	}
	model, err := s.model()
	if err != nil {
		return nil, err
	}
	keep, err := s.keep()
	if err != nil {
		return nil, err
	}
	remoteTiers, err := s.remotePolicy()
	if err != nil {
		return nil, err
	}
	e, err := anonymize.New(anonymize.Options{
		Model:         model,
		DictionaryDir: s.DictionaryDir,
		RawOffsets:    s.RawOffsets,
		MaxEntities:   s.MaxEntities,
		HoldBack:      s.HoldBack,
		HoldBackTime:  s.HoldBackTime,
		Replace:       plan,

		RemoteTiers:    remoteTiers,
		MaskWords:      s.maskedWords(),
		OtherLanguages: anonymize.OtherLanguages(s.OtherLanguages),
		Keep:           keep,
	})
	if err != nil {
		return nil, fmt.Errorf("%sDICTIONARY_DIR: %w", EnvPrefix, err)
	}
	return e, nil
}

// strictList returns the list that strict masking uses, "" for none.
func (s *Settings) strictList() (string, error) {
	switch {
	case slices.Equal(s.Masking, []string{"entity"}):
		return "", nil
	case len(s.Masking) == 2 && s.Masking[0] == "entity" && (s.Masking[1] == allowlist.Common || s.Masking[1] == allowlist.Vocabulary):
		return s.Masking[1], nil
	}
	return "", errors.New("must be entity, entity,allowlist or entity,vocab")
}

// keep makes the list of the words that strict masking keeps; nil means that it is off.
func (s *Settings) keep() (*allowlist.List, error) {
	name, err := s.strictList()
	if err != nil {
		return nil, fmt.Errorf("%sMASKING: %w", EnvPrefix, err)
	}
	switch {
	case name == "":
		return nil, nil
	case s.MaskingWords == "":
		return allowlist.Builtin(name)
	}
	l, err := allowlist.ReadFile(s.MaskingWords, s.MaskingLimit)
	if err != nil {
		return nil, fmt.Errorf("%sMASKING_WORDS_FILE: %w", EnvPrefix, err)
	}
	return l, nil
}

// model reads the tagger's model; nil means the built-in one.
func (s *Settings) model() (*ner.Model, error) {
	if s.ModelFile == "" {
		return nil, nil
	}
	data, err := os.ReadFile(s.ModelFile)
	if err != nil {
		return nil, fmt.Errorf("%sMODEL_FILE: %w", EnvPrefix, err)
	}
	m, err := ner.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%sMODEL_FILE: %w", EnvPrefix, err)
	}
	return m, nil
}

// replacement makes the plan that the settings describe.
func (s *Settings) replacement() (*replace.Plan, error) {
	c := replace.Config{
		Independent:  s.EntityMode == "independent",
		Probability:  s.ReplaceProbability,
		RiskAccepted: s.ReplaceRisk == RiskAccepted,
		Neutral:      s.SurrogateNames == "neutral",
	}
	var err error
	if c.Choice, err = replace.ParseChoice(s.Strategy); err != nil {
		return nil, fmt.Errorf("%sSTRATEGY: %w", EnvPrefix, err)
	}
	if s.SurrogateFile != "" {
		if c.Tables, err = replace.LoadTables(s.SurrogateFile); err != nil {
			return nil, fmt.Errorf("%sSURROGATE_FILE: %w", EnvPrefix, err)
		}
	}
	if c.Key, err = s.replacementKey(); err != nil {
		return nil, err
	}
	plan, err := replace.New(c)
	if err != nil {
		return nil, fmt.Errorf("%sREPLACE_PROBABILITY: %w", EnvPrefix, err)
	}
	return plan, nil
}

func (s *Settings) replacementKey() ([]byte, error) {
	if s.StateKeyFile == "" {
		key := make([]byte, 32)
		rand.Read(key) // never fails since Go 1.24
		return key, nil
	}
	ring, err := s.StateKeys()
	if err != nil {
		return nil, err
	}
	return ring.ReplacementKey()
}

// PrivacyAccount returns the privacy that the settings give for every infoType,
// with the recall of SOTTO_RECALL_FILE if that is set. Errors name the setting.
func (s *Settings) PrivacyAccount() (replace.Account, error) {
	plan, err := s.replacement()
	if err != nil {
		return replace.Account{}, err
	}
	var recall *replace.Recall
	if s.RecallFile != "" {
		f, err := os.Open(s.RecallFile)
		if err != nil {
			return replace.Account{}, fmt.Errorf("%sRECALL_FILE: %w", EnvPrefix, err)
		}
		defer f.Close()
		if recall, err = replace.ReadRecall(f); err != nil {
			return replace.Account{}, fmt.Errorf("%sRECALL_FILE: %w", EnvPrefix, err)
		}
	}
	var types []string
	for _, t := range detectors.InfoTypes() {
		types = append(types, string(t))
	}
	return plan.Account(types, recall), nil
}
