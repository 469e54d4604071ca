package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sotto/detectors/ner"
)

// others are legal values other than the default, where one more or one letter more is none.
var others = map[string]any{
	"Masking": "entity,vocab", "Strategy": "typed", "RemoteTier": TierDLP, "LogLevel": "debug",
	"ReplaceRisk": RiskAccepted,
}

// A setting with the tag policy changes the policy hash, by its value, by its presence, or by what
// stands in the file that it names. No other setting does.
func TestPolicyHashHasTheSettingsOfTheTag(t *testing.T) {
	dir := t.TempDir()
	files := map[string][2]string{
		"MaskingWords":    {"the\n", "the\na\n"},
		"SurrogateFile":   {"sotto surrogates 1\nLOCATION\tvalue\t1\tAlder Falls\n", "sotto surrogates 1\nLOCATION\tvalue\t1\tNew Carrow\n"},
		"RemoteTypesFile": {"* GENERIC_ID\n", "* PERSON_NAME\n"},
		"DictionaryDir":   {"harbor one\n", "harbor two\n"},
		"RawFormat":       {"call: $key\nrules: [{is: end}]\n", "call: $key\nrules: [{is: start}]\n"},
	}
	for f := range reflect.TypeFor[Settings]().Fields() {
		if f.Tag.Get("env") == "" {
			continue // it is a constant
		}
		before := policySettings(t)
		tag := f.Tag.Get("policy")
		switch tag {
		case PolicyFile:
			if f.Name == "ModelFile" {
				continue // TestPolicyHashHasTheModel
			}
			content, ok := files[f.Name]
			if !ok {
				t.Errorf("%s: this test has no contents for it", f.Name)
				continue
			}
			a, same, b := before, before, before
			setField(&a, f.Name, writeFor(t, dir, f.Name, "a", content[0]))
			setField(&same, f.Name, writeFor(t, dir, f.Name, "same", content[0]))
			setField(&b, f.Name, writeFor(t, dir, f.Name, "b", content[1]))
			if x := policyOf(t, a); x == policyOf(t, b) || x == policyOf(t, before) {
				t.Errorf("%s: the hash does not depend on the content", f.Name)
			} else if x != policyOf(t, same) {
				t.Errorf("%s: the hash depends on more than the content", f.Name)
			}
		case PolicyValue, PolicySet, "":
			after := before
			v := reflect.ValueOf(&after).Elem().FieldByIndex(f.Index)
			v.Set(reflect.ValueOf(another(f, v)))
			if f.Name == "StateKeyFile" {
				after.StateKeyFile = goodEnv(t)["SOTTO_STATE_KEY_FILE"]
			}
			if got := policyOf(t, after) != policyOf(t, before); got != (tag != "") {
				t.Errorf("%s has the tag policy:%q, and the hash changes with it: %v", f.Name, tag, got)
			}
			if tag == PolicySet {
				renamed := after
				setField(&renamed, f.Name, "another.name")
				if policyOf(t, renamed) != policyOf(t, after) {
					t.Errorf("%s: the hash depends on more than whether it is set", f.Name)
				}
			}
		default:
			t.Errorf("%s has the tag policy:%q, which is none", f.Name, tag)
		}
	}
}

func TestPolicyHashHasTheModel(t *testing.T) {
	var seen []string
	for _, bias := range []float32{0, 1} {
		data, err := ner.Encode(&ner.Weights{
			Coarse: make([]float32, 1<<19), CoarseBias: bias, Asked: make([][16]float32, 1), Vocabulary: make([]uint64, 1<<13),
		})
		if err != nil {
			t.Fatal(err)
		}
		s := policySettings(t)
		s.ModelFile = filepath.Join(t.TempDir(), "model")
		if err := os.WriteFile(s.ModelFile, data, 0o600); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, policyOf(t, s))
	}
	if seen[0] == seen[1] || slices.Contains(seen, policyOf(t, policySettings(t))) {
		t.Error("the hash does not depend on the model")
	}
}

// policySettings are settings with which each setting of a file is used.
func policySettings(t *testing.T) Settings {
	t.Helper()
	s, err := Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.ReplaceRisk, s.RemoteTier, s.Masking = RiskAccepted, TierPresidio, "entity,allowlist"
	return s
}

func policyOf(t *testing.T, s Settings) string {
	t.Helper()
	e, err := s.NewEngine()
	if err != nil {
		t.Fatal(err)
	}
	return e.Policy()
}

func setField(s *Settings, name, value string) {
	reflect.ValueOf(s).Elem().FieldByName(name).SetString(value)
}

// writeFor writes a file, for a folder the file of a dictionary, and returns what the setting names.
func writeFor(t *testing.T, dir, field, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, field+name)
	file := path
	if field == "DictionaryDir" {
		file = filepath.Join(path, "PRODUCT.dictionary.txt")
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// another returns another value of a setting.
func another(f reflect.StructField, v reflect.Value) any {
	if other, ok := others[f.Name]; ok {
		return other
	}
	for c := range strings.SplitSeq(f.Tag.Get("enum"), "|") {
		if value, _, _ := strings.Cut(c, " ("); c != "" && value != v.String() {
			return value
		}
	}
	switch x := v.Interface().(type) {
	case bool:
		return !x
	case int:
		return x + 1
	case int64:
		return x + 1
	case float64:
		return x/2 + 0.01
	case time.Duration:
		return x + time.Second
	case []string:
		return append(slices.Clone(x), "another")
	}
	return v.String() + "x"
}

// An engine of NewEngines is the one that the setting alone gives.
func TestEnginesOfAllPoints(t *testing.T) {
	s := policySettings(t)
	engines, err := s.NewEngines()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, point := range ner.Sensitivities() {
		s.Sensitivity = string(point)
		e := engines[s.Sensitivity]
		if e == nil || e.Sensitivity("", "") != point || e.Policy() != policyOf(t, s) {
			t.Errorf("%s: the engine is not that of the setting", point)
			continue
		}
		seen[e.Policy()] = true
	}
	if len(seen) != len(engines) || len(engines) != len(ner.Sensitivities()) {
		t.Errorf("%d engines with %d hashes", len(engines), len(seen))
	}
}
