package processor

import (
	"crypto/rand"
	"fmt"
	"os"

	"sotto/anonymize"
	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/replace"
	"sotto/state"
)

// riskAccepted is the value of SOTTO_REPLACE_RISK without which everything that
// was found is replaced.
const riskAccepted = "personal-information-stays-in-the-output"

// NewEngine builds the engine that these settings describe. Errors name the
// setting.
//
// Surrogates are drawn by the state key, so that a replay gives the same. Where
// there is none, as for files, they are drawn by a key that is made up for this
// engine and forgotten: nobody can find out what was drawn, and another run
// draws differently.
func (s *Settings) NewEngine() (*anonymize.Engine, error) {
	plan, err := s.replacement()
	if err != nil {
		return nil, err
	}
	model, err := s.model()
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
	})
	if err != nil {
		return nil, fmt.Errorf("%sDICTIONARY_DIR: %w", EnvPrefix, err)
	}
	return e, nil
}

// model reads the tagger's model, nil for the built-in one.
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
		RiskAccepted: s.ReplaceRisk == riskAccepted,
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
	ring, err := state.LoadKeyring(s.StateKeyFile)
	if err != nil {
		return nil, fmt.Errorf("%sSTATE_KEY_FILE: %w", EnvPrefix, err)
	}
	return ring.ReplacementKey()
}

// PrivacyAccount is the privacy that the settings give for the infoTypes that
// Sotto knows, with the recall of SOTTO_RECALL_FILE where that is set. Errors
// name the setting.
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

// tellPrivacy tells at the start what the replacement promises, in the log and
// as a metric.
func (p *Processor) tellPrivacy() {
	a, err := p.settings.PrivacyAccount()
	if err != nil {
		p.log.Warn("the privacy of the replacement cannot be told", "error", err)
		return
	}
	for _, g := range a.Types {
		p.metrics.epsilon.WithLabelValues(g.Type).Set(g.Epsilon)
	}
	p.log.Info("privacy of the replacement, for each token", "epsilon", a.Epsilon, "probability", a.Probability,
		"recall_measured", a.Measured, "lemma_applies", a.Lemma, "explained_by", "sotto config")
	if a.Probability < 1 {
		p.log.Warn("personal information is left in the output on purpose", "share", 1-a.Probability, "accepted_by", EnvPrefix+"REPLACE_RISK")
	}
}
