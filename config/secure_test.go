package config

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// check loads settings and checks the files of the engine.
func check(env map[string]string) (Settings, error) {
	s, err := Load(env)
	if err == nil {
		err = s.CheckFiles()
	}
	return s, err
}

func secretFile(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil { // whatever the umask is
		t.Fatal(err)
	}
	return file
}

func TestInsecureTransportIsRefused(t *testing.T) {
	const zeros = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	const key = "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="
	for name, tc := range map[string]struct {
		env  map[string]string
		want string // in the error; empty: accepted
	}{
		"PLAIN without TLS": {map[string]string{
			"SOTTO_KAFKA_BROKERS": "kafka:9092", "SOTTO_KAFKA_SASL_MECHANISM": "plain", "SOTTO_KAFKA_SASL_USER": "u", "SOTTO_KAFKA_SASL_PASSWORD": "p",
		}, "SOTTO_KAFKA_TLS_ENABLE"},
		"PLAIN without TLS on this machine": {map[string]string{
			"SOTTO_KAFKA_SASL_MECHANISM": "plain", "SOTTO_KAFKA_SASL_USER": "u", "SOTTO_KAFKA_SASL_PASSWORD": "p",
		}, ""},
		"PLAIN with TLS": {map[string]string{
			"SOTTO_KAFKA_BROKERS": "kafka:9092", "SOTTO_KAFKA_SASL_MECHANISM": "plain", "SOTTO_KAFKA_SASL_USER": "u", "SOTTO_KAFKA_SASL_PASSWORD": "p",
			"SOTTO_KAFKA_TLS_ENABLE": "true",
		}, ""},
		"a CA file without TLS": {map[string]string{"SOTTO_KAFKA_TLS_CA_FILE": secretFile(t, "", 0o600)}, "SOTTO_KAFKA_TLS_CA_FILE has no effect"},
		"a client certificate without TLS": {map[string]string{
			"SOTTO_KAFKA_TLS_CERT_FILE": "/c", "SOTTO_KAFKA_TLS_KEY_FILE": "/k",
		}, "SOTTO_KAFKA_TLS_CERT_FILE has no effect"},
		"a key that everybody can read": {map[string]string{"SOTTO_STATE_KEY_FILE": secretFile(t, "1 "+key, 0o644)}, "SOTTO_STATE_KEY_FILE: everybody on this machine"},
		"a key that everybody can read, permitted": {map[string]string{
			"SOTTO_STATE_KEY_FILE": secretFile(t, "1 "+key, 0o644), "SOTTO_STATE_KEY_READABLE": "true",
		}, ""},
		"a key of a group":              {map[string]string{"SOTTO_STATE_KEY_FILE": secretFile(t, "1 "+key, 0o440)}, ""},
		"a key of zeros":                {map[string]string{"SOTTO_STATE_KEY_FILE": secretFile(t, "1 "+zeros, 0o600)}, "all zeros"},
		"one secret under two versions": {map[string]string{"SOTTO_STATE_KEY_FILE": secretFile(t, "2 "+key+"\n1 "+key, 0o600)}, "version 1 has the same key as version 2"},
		"a password in a broker":        {map[string]string{"SOTTO_KAFKA_BROKERS": "kafka-0:9092,user:hush@kafka-1:9092"}, "SOTTO_KAFKA_BROKERS"},
		"a password in the registry":    {map[string]string{"SOTTO_SCHEMA_REGISTRY_URL": "https://user:hush@registry:8081"}, "SOTTO_SCHEMA_REGISTRY_URL must not contain"},
		"a database and a file": {map[string]string{
			"SOTTO_REVIEW_DATABASE": "postgres://u:hush@localhost/sotto", "SOTTO_REVIEW_DATABASE_FILE": secretFile(t, "postgres://u:hush@localhost/sotto", 0o600),
		}, "exclude each other"},
		"a registry that is no URL": {map[string]string{"SOTTO_SCHEMA_REGISTRY_URL": "registry:8081"}, "SOTTO_SCHEMA_REGISTRY_URL must be"},
	} {
		t.Run(name, func(t *testing.T) {
			env := goodEnv(t)
			maps.Copy(env, tc.env)
			s, err := check(env)
			switch {
			case tc.want == "" && err != nil:
				t.Fatal(err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			if err != nil && (strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), key)) {
				t.Errorf("the error shows a secret: %v", err)
			}
			for _, i := range s.Describe() {
				if strings.Contains(i.Value, "hush") {
					t.Errorf("%s shows a secret: %s", i.Name, i.Value)
				}
			}
		})
	}
}

func TestHiddenUserInfoLeavesTheRest(t *testing.T) {
	for value, want := range map[string]string{
		"a:1,u:p@b:2":                   "a:1,(hidden)@b:2",
		"https://u:p@registry:8081/x@y": "https://(hidden)@registry:8081/x@y",
		"kafka:9092":                    "kafka:9092",
		"https://registry/a?key=hush":   "https://registry/a?(hidden)",
		"https://registry/a#hush":       "https://registry/a?(hidden)",
		"what?":                         "what?",
	} {
		if got := hideSecrets(value); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	env := goodEnv(t)
	s, err := check(env)
	if err != nil || len(s.Warnings()) > 0 {
		t.Fatalf("%v %q", err, s.Warnings())
	}
	key, err := os.ReadFile(env["SOTTO_STATE_KEY_FILE"])
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(env, map[string]string{
		"SOTTO_STATE_KEY_FILE": secretFile(t, string(key), 0o644), "SOTTO_STATE_KEY_READABLE": "true", "SOTTO_KAFKA_BROKERS": "kafka:9092",
		"SOTTO_SCHEMA_REGISTRY_URL": "http://registry:8081", "SOTTO_SCHEMA_REGISTRY_USER": "u", "SOTTO_SCHEMA_REGISTRY_PASSWORD": "hush",
		"SOTTO_REVIEW_DATABASE": "postgres://u:hush@db/sotto", "SOTTO_REVIEW_DATABASE_PLAINTEXT": "true",
		"SOTTO_REMOTE_URL": "http://vllm:8000/v1", "SOTTO_REMOTE_TOKEN_FILE": secretFile(t, "hush", 0o600),
	})
	if s, err = check(env); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(s.Warnings(), "\n")
	for _, want := range []string{"SOTTO_REVIEW_DATABASE is in the environment", "SOTTO_REVIEW_DATABASE_PLAINTEXT is true", "SOTTO_STATE_KEY_FILE names a file that everybody", "SOTTO_KAFKA_TLS_ENABLE is false", "SOTTO_SCHEMA_REGISTRY_URL is not https", "SOTTO_REMOTE_URL is not https", "SOTTO_SCHEMA_REGISTRY_PASSWORD is in the environment"} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning %q in\n%s", want, all)
		}
	}
	if strings.Contains(all, "hush") {
		t.Error("a warning shows a secret")
	}
}

// The keys are read for several things.
func TestAProblemOfAFileIsReportedOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.key")
	if err := os.WriteFile(file, []byte("1 "+strings.Repeat("A", 43)+"=\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(map[string]string{"SOTTO_STATE_KEY_FILE": file})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckFiles(); err == nil || strings.Count(err.Error(), "the key is all zeros") != 1 {
		t.Errorf("got %v", err)
	}
}

func TestBearerTokenNeedsTLS(t *testing.T) {
	for _, mechanism := range []string{"oauthbearer", "aws-msk-iam"} {
		env := goodEnv(t)
		env["SOTTO_KAFKA_SASL_MECHANISM"], env["SOTTO_KAFKA_SASL_TOKEN_FILE"] = mechanism, "/token"
		if _, err := Load(env); err == nil || !strings.Contains(err.Error(), "SOTTO_KAFKA_TLS_ENABLE") {
			t.Errorf("%s: %v", mechanism, err)
		}
	}
}

func TestProfilesAreOnLoopbackOnly(t *testing.T) {
	for addr, ok := range map[string]bool{"localhost:6060": true, "127.0.0.1:6060": true, "[::1]:6060": true, ":6060": false, "0.0.0.0:6060": false, "10.0.0.1:6060": false, "x": false} {
		env := goodEnv(t)
		env["SOTTO_PPROF_ADDR"] = addr
		if _, err := Load(env); (err == nil) != ok {
			t.Errorf("%s: %v", addr, err)
		}
	}
}
