package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/schemas"
	"sotto/state"
)

func TestReplacementSettings(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"SOTTO_STRATEGY":            {"SOTTO_STRATEGY": "hide"},
		"SOTTO_ENTITY_MODE":         {"SOTTO_ENTITY_MODE": "both"},
		"SOTTO_SURROGATE_NAMES":     {"SOTTO_SURROGATE_NAMES": "nice"},
		"SOTTO_REPLACE_PROBABILITY": {"SOTTO_REPLACE_PROBABILITY": "0"},
		"SOTTO_REPLACE_RISK":        {"SOTTO_REPLACE_RISK": "yes"},
		// A lower probability alone is not enough: the risk must be accepted by name.
		"SOTTO_REPLACE_RISK=personal-information-stays-in-the-output": {"SOTTO_REPLACE_PROBABILITY": "0.9"},
	} {
		all := goodEnv(t)
		for k, v := range env {
			all[k] = v
		}
		if _, err := Load(all); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want an error that names %s", err, name)
		}
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, value := range map[string]string{
		"SOTTO_SURROGATE_FILE": write("bad.tsv", "no table"), "SOTTO_RECALL_FILE": write("bad.json", "{}"),
	} {
		all := goodEnv(t)
		all[name] = value
		s, err := Load(all)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.CheckFiles(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want an error that names %s", err, name)
		}
	}
	all := goodEnv(t)
	all["SOTTO_STRATEGY"], all["SOTTO_ENTITY_MODE"] = "default=typed,LOCATION=entity", "independent"
	all["SOTTO_REPLACE_PROBABILITY"], all["SOTTO_REPLACE_RISK"] = "0.9", RiskAccepted
	all["SOTTO_SURROGATE_FILE"] = write("good.tsv", "sotto surrogates 1\nLOCATION\tvalue\t1\tAlder Falls\nLOCATION\tvalue\t1\tNew Carrow\n")
	all["SOTTO_RECALL_FILE"] = write("good.json", `{"recall": 1, "by_type": {"LOCATION": {"gold": 4, "recall": 0.5}}}`)
	s, err := Load(all)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckFiles(); err != nil {
		t.Fatal(err)
	}
	a, err := s.PrivacyAccount()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range a.Types {
		if g.Type == "LOCATION" && (g.P != 0.45 || g.Values != 2 || g.Source != "corpus" || a.Epsilon != g.Epsilon) {
			t.Errorf("%+v", g)
		}
	}
}

// With a state key a second engine draws the same surrogates; without one it does not.
func TestSurrogatesAreDrawnByTheStateKey(t *testing.T) {
	say := func(env map[string]string) string {
		env["SOTTO_STRATEGY"] = "entity"
		s, err := Load(env)
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.NewEngine()
		if err != nil {
			t.Fatal(err)
		}
		clean, _ := e.Apply(state.NewCall(), e.Prepare(&schemas.RawEvent{
			CallID: "c", Seq: 1, Type: schemas.Utterance, Text: "My name is Ola Testperson and my phone number is 604-555-0134.",
		}))
		return clean.Text
	}
	if a, b := say(goodEnv(t)), say(goodEnv(t)); a != b || strings.Contains(a, "Ola") {
		t.Errorf("got %q and %q", a, b)
	}
	if a, b := say(map[string]string{}), say(map[string]string{}); a == b {
		t.Errorf("two random keys draw the same: %q", a)
	}
}
