package kafka

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/config"
)

// goodEnv is the smallest environment with which Sotto starts.
func goodEnv(t *testing.T) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "state.key")
	key := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	if err := os.WriteFile(file, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"SOTTO_STATE_KEY_FILE": file}
}

// 'sotto config --check' names every file that a start could not use.
func TestEveryBadFileIsNamed(t *testing.T) {
	env := map[string]string{
		"SOTTO_KAFKA_TLS_ENABLE": "true", "SOTTO_KAFKA_SASL_MECHANISM": "plain", "SOTTO_KAFKA_SASL_USER": "u",
		"SOTTO_SCHEMA_REGISTRY_URL": "https://registry", "SOTTO_SCHEMA_REGISTRY_USER": "u",
		"SOTTO_MASKING": "entity,vocab", "SOTTO_REMOTE_TIER": "presidio", "SOTTO_REMOTE_CONSENT": "raw-text-leaves-the-process",
		"SOTTO_REMOTE_URL": "https://presidio",
	}
	files := []string{"STATE_KEY_FILE", "SURROGATE_FILE", "RECALL_FILE", "MODEL_FILE", "MASKING_WORDS_FILE", "REMOTE_TYPES_FILE", "REMOTE_TOKEN_FILE",
		"DICTIONARY_DIR", "KAFKA_TLS_CA_FILE", "KAFKA_SASL_PASSWORD_FILE", "SCHEMA_REGISTRY_PASSWORD_FILE"}
	for _, name := range files {
		env["SOTTO_"+name] = "/nowhere/" + name
	}
	s, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	err = CheckFiles(&s)
	for _, name := range files {
		if err == nil || !strings.Contains(err.Error(), "SOTTO_"+name+":") {
			t.Errorf("%s is missing in: %v", name, err)
		}
	}
}

func TestACertificateMustBeOne(t *testing.T) {
	env := goodEnv(t)
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, []byte("not a certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	env["SOTTO_KAFKA_TLS_ENABLE"], env["SOTTO_KAFKA_TLS_CA_FILE"] = "true", file
	s, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckFiles(&s); err == nil || !strings.Contains(err.Error(), "SOTTO_KAFKA_TLS_CA_FILE: contains no certificate") {
		t.Errorf("got %v", err)
	}
}
