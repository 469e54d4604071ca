package config

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// goodEnv is the smallest environment with which Sotto starts.
func goodEnv(t *testing.T) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "state.key")
	key := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	if err := os.WriteFile(file, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"SOTTO_STATE_KEY_FILE": file, "HOME": "/nowhere"}
}

func TestDefaultsAreValid(t *testing.T) {
	s, err := Load(goodEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckFiles(); err != nil {
		t.Fatal(err)
	}
	if s.TopicRaw != "calls.raw" || s.TopicAudit != "calls.risk-audit" || s.Codec != "avro" {
		t.Errorf("defaults of the contract differ: %+v", s)
	}
}

func TestEachBadSettingIsNamed(t *testing.T) {
	for name, value := range map[string]string{
		"SOTTO_SESSIONS":                  "99",
		"SOTTO_INDIRECT_K":                "many",
		"SOTTO_KAFKA_COMPRESSION":         "brotli",
		"SOTTO_COMMIT_INTERVAL":           "1ms",
		"SOTTO_KAFKA_TRANSACTION_TIMEOUT": "300ms",
		"SOTTO_CODEC":                     "xml",
		"SOTTO_KAFKA_GROUP":               "  ",
		"SOTTO_AUDIT_RATE":                "sales=2",
		"SOTTO_CALL_ID":                   "drop",
		"SOTTO_LOG_LEVEL":                 "loud",
		"SOTTO_KAFKA_SASL_MECHANISM":      "gssapi",
		"SOTTO_MAX_TEXT_BYTES":            "0",
		"SOTTO_TOPIC_CLEAN":               "calls.raw",
		"SOTTO_KAFKA_TLS_CERT_FILE":       "/only/one",
		"SOTTO_HTTP_ADDR":                 "127.0.0.1",
		"SOTTO_TOPIC_RWA":                 "misspelt",
		"SOTTO_HOLD_BACK_UTTERANCES":      "2", // of a former release
	} {
		t.Run(name, func(t *testing.T) {
			env := goodEnv(t)
			env[name] = value
			if _, err := Load(env); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v, want an error that names %s", err, name)
			}
		})
	}
}

// What operators meet: ten settings that matter, and about 110 in all, each in a group, and every
// default within what its tags permit.
func TestSettingsAreFewAndGrouped(t *testing.T) {
	s, err := Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	all, sections := s.Describe(), Sections(s.Describe())
	if len(all) > 111 || len(sections[0].Settings) != 10 {
		t.Errorf("%d settings, of which %d matter", len(all), len(sections[0].Settings))
	}
	for _, section := range sections {
		if len(section.Settings) == 0 {
			t.Errorf("no settings in %q", section.Title)
		}
	}
	for _, i := range all {
		if bad := i.problem(); bad != "" {
			t.Errorf("the default of %s %s", i.Name, bad)
		}
	}
}

func TestRangesAndChoicesAreChecked(t *testing.T) {
	for name, values := range map[string][2][]string{ // accepted, refused
		"SESSIONS":             {{"1", "16"}, {"0", "17"}},
		"REMOTE_MIN_DOUBT":     {{"0", "1"}, {"-0.1", "1.1", "NaN"}},
		"CALL_GRACE":           {{"0s", "240h"}, {"-1s"}},
		"CALL_IDLE_TIMEOUT":    {{"1s", "240h"}, {"1ms"}},
		"COMMIT_INTERVAL":      {{"5ms", "5s"}, {"1m"}},
		"MAX_OPEN_CALLS":       {{"1", "2000000"}, {"0", "2000000000"}},
		"KAFKA_SASL_MECHANISM": {{""}, {"none", "PLAIN"}},
		"MASKING":              {{"entity,vocab"}, {"vocab", "entity, vocab"}},
	} {
		for i, list := range values {
			for _, v := range list {
				_, err := Load(map[string]string{EnvPrefix + name: v})
				if refused := err != nil && strings.Contains(err.Error(), EnvPrefix+name+" must be"); refused != (i == 1) {
					t.Errorf("%s=%s: %v", name, v, err)
				}
			}
		}
	}
}

func TestAllProblemsAreReportedAtOnce(t *testing.T) {
	env := goodEnv(t)
	env["SOTTO_SESSIONS"], env["SOTTO_CODEC"], env["SOTTO_INDIRECT_K"] = "0", "xml", "x"
	_, err := Load(env)
	for _, name := range []string{"SOTTO_SESSIONS", "SOTTO_CODEC", "SOTTO_INDIRECT_K"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is missing in: %v", name, err)
		}
	}
}

func TestSecretsAreHidden(t *testing.T) {
	env := goodEnv(t)
	env["SOTTO_KAFKA_SASL_MECHANISM"], env["SOTTO_KAFKA_SASL_USER"], env["SOTTO_KAFKA_SASL_PASSWORD"] = "scram-sha-512", "u", "tell nobody"
	s, err := Load(env)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range s.Describe() {
		if strings.Contains(i.Value, "tell nobody") {
			t.Errorf("%s shows the secret", i.Name)
		}
		if i.Help == "" {
			t.Errorf("%s has no help", i.Name)
		}
	}
	env["SOTTO_KAFKA_SASL_PASSWORD"] = "tell nobody"
	env["SOTTO_SESSIONS"] = "tell nobody"
	if _, err := Load(env); err == nil || strings.Contains(err.Error(), "tell nobody") {
		t.Errorf("an error repeats a value: %v", err)
	}
}

func TestMissingFilesAreNamed(t *testing.T) {
	s, err := Load(map[string]string{"SOTTO_DICTIONARY_DIR": "/nowhere/dict"})
	if err != nil {
		t.Fatal(err)
	}
	err = s.CheckFiles()
	for _, name := range []string{"SOTTO_STATE_KEY_FILE", "SOTTO_DICTIONARY_DIR"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is missing in: %v", name, err)
		}
	}
}

func TestAuditRates(t *testing.T) {
	r, err := parseAuditRates("default=0.02, sales=0.5,meeting=0")
	if err != nil {
		t.Fatal(err)
	}
	for context, want := range map[string]float64{"sales": 0.5, "meeting": 0, "voicemail": 0.02, "": 0.02} {
		if got := r.Of(context); got != want {
			t.Errorf("rate(%q) = %v, want %v", context, got, want)
		}
	}
	for _, bad := range []string{"", "x", "-1", "1.1", "NaN", "a=b", "a=0.1,b", "a=0.1,0.2"} {
		if _, err := parseAuditRates(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
