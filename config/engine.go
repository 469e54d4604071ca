package config

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"sotto/anonymize"
	"sotto/anonymize/replace"
	"sotto/detectors"
	"sotto/detectors/allowlist"
	"sotto/detectors/encoder"
	"sotto/detectors/ner"
	"sotto/internal/boundedfile"
	"sotto/risk/estimate"
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
	keep, err := s.keep()
	if err != nil {
		return nil, err
	}
	settings, err := s.settingsDigest()
	if err != nil {
		return nil, err
	}
	var folder fs.FS
	if s.DictionaryDir != "" {
		folder = boundedfile.Dir(s.DictionaryDir)
	}
	o := anonymize.Options{
		Policy:      folder,
		Sensitivity: ner.Sensitivity(s.Sensitivity),
		Fast:        s.Reading == "fast",
		ReadOnce:    !s.ReadFinished,
		RawOffsets:  s.RawOffsets,
		MaxEntities: s.MaxEntities,
		Replace:     plan,

		RemoteTiers:    s.RemoteTier,
		Settings:       settings,
		OtherLanguages: anonymize.OtherLanguages(s.OtherLanguages),
		Keep:           keep,
	}
	if err := s.readModel(&o); err != nil {
		return nil, err
	}
	e, err := anonymize.New(o)
	return e, InSetting("DICTIONARY_DIR", err)
}

// NewEngines builds an engine for each operating point, by its name. They differ in what SENSITIVITY decides
// alone, and share the rest.
func (s *Settings) NewEngines() (map[string]*anonymize.Engine, error) {
	first, err := s.NewEngine()
	if err != nil {
		return nil, err
	}
	all := map[string]*anonymize.Engine{}
	for _, point := range ner.Sensitivities() {
		other := *s
		other.Sensitivity = string(point)
		settings, err := other.settingsDigest()
		if err != nil {
			return nil, err
		}
		if all[other.Sensitivity], err = first.At(point, settings); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// strictList returns the list that strict masking uses, "" for none.
func (s *Settings) strictList() string {
	_, list, _ := strings.Cut(s.Masking, ",")
	return list
}

// keep makes the list of the words that strict masking keeps; nil means that it is off.
func (s *Settings) keep() (*allowlist.List, error) {
	switch name := s.strictList(); {
	case name == "":
		return nil, nil
	case s.MaskingWords == "":
		return allowlist.Builtin(name)
	}
	l, err := allowlist.ReadFile(s.MaskingWords, 0)
	return l, InSetting("MASKING_WORDS_FILE", err)
}

// readModel sets the models that read, if they are not the built-in ones: the tagger's, or the last layer of the encoder.
func (s *Settings) readModel(o *anonymize.Options) error {
	if s.ModelFile == "" {
		return nil
	}
	data, err := os.ReadFile(s.ModelFile)
	if err != nil {
		return InSetting("MODEL_FILE", err)
	}
	switch layer := bytes.HasPrefix(data, []byte(encoder.HeadMagic)); {
	case layer && o.Fast:
		err = errors.New("it is a last layer of the encoder, which SOTTO_READING=fast leaves out")
	case layer:
		var model *encoder.Model
		if model, err = encoder.Builtin().Adapt(data); err == nil {
			o.Encoder = model.NewReader()
		}
	default:
		o.Model, err = ner.Decode(data)
	}
	return InSetting("MODEL_FILE", err)
}

func (s *Settings) replacement() (*replace.Plan, error) {
	c := replace.Config{
		Independent:  s.EntityMode == "independent",
		Probability:  s.ReplaceProbability,
		RiskAccepted: s.ReplaceRisk == RiskAccepted,
		Neutral:      s.SurrogateNames == "neutral",
	}
	var err error
	if c.Choice, err = replace.ParseChoice(s.Strategy); err != nil {
		return nil, InSetting("STRATEGY", err)
	}
	if s.SurrogateFile != "" {
		if c.Tables, err = replace.LoadTables(s.SurrogateFile); err != nil {
			return nil, InSetting("SURROGATE_FILE", err)
		}
	}
	if c.Key, err = s.replacementKey(); err != nil {
		return nil, err
	}
	plan, err := replace.New(c)
	return plan, InSetting("REPLACE_PROBABILITY", err)
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
	return ring.ReplacementKey(), nil
}

// PrivacyAccount returns the privacy that the settings give for every infoType,
// with the recall of SOTTO_RECALL_FILE if that is set. Errors name the setting.
func (s *Settings) PrivacyAccount() (replace.Account, error) {
	plan, err := s.replacement()
	if err != nil {
		return replace.Account{}, err
	}
	recall, err := s.recall()
	if err != nil {
		return replace.Account{}, err
	}
	var types []string
	for _, t := range detectors.InfoTypes() {
		types = append(types, string(t))
	}
	return plan.Account(types, recall), nil
}

func (s *Settings) recall() (*replace.Recall, error) {
	if s.RecallFile == "" {
		return nil, nil
	}
	return fromFile("RECALL_FILE", s.RecallFile, func(data []byte) (*replace.Recall, error) { return replace.ReadRecall(bytes.NewReader(data)) })
}

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
	m, err := s.RawMapping()
	if err != nil {
		return "", err
	}
	if m != nil {
		fmt.Fprintf(h, "raw format %x\n", m.Digest())
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

// Values of SOTTO_INDIRECT and SOTTO_INDIRECT_BY.
const (
	MarkIndirect = "mark"
	MaskIndirect = "mask"

	ByCall    = "call"
	BySpeaker = "speaker"
)
