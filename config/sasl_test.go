package config

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBearerTokenIsReadForEachConnection(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	env := goodEnv(t)
	env["SOTTO_KAFKA_SASL_MECHANISM"], env["SOTTO_KAFKA_TLS_ENABLE"], env["SOTTO_KAFKA_SASL_TOKEN_FILE"] = "oauthbearer", "true", file
	s, err := Load(env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.saslMechanism(); err == nil || !strings.Contains(err.Error(), "SOTTO_KAFKA_SASL_TOKEN_FILE") {
		t.Errorf("without the file: %v", err)
	}
	for _, token := range []string{"first", "second"} {
		if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := s.saslMechanism()
		if err != nil {
			t.Fatal(err)
		}
		_, sent, err := m.Authenticate(t.Context(), "broker")
		if err != nil || !strings.Contains(string(sent), "Bearer "+token+"\x01") {
			t.Errorf("with %q: %v", token, err)
		}
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

func TestAWSCredentials(t *testing.T) {
	env := func(m map[string]string) func(string) string { return func(k string) string { return m[k] } }
	if _, err := awsSource(env(nil)); err == nil {
		t.Error("a missing source is not an error")
	}
	fetch, err := awsSource(env(map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key"}))
	if err != nil {
		t.Fatal(err)
	}
	if a, err := fetch(t.Context()); err != nil || a.AccessKey != "id" || a.SecretKey != "key" {
		t.Errorf("from the environment: %v", err)
	}

	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("pod\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	answer, status := `{"AccessKeyId": "id", "SecretAccessKey": "hidden", "Token": "session"}`, 200
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "pod" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	}))
	defer srv.Close()
	defer http.DefaultClient.CloseIdleConnections()
	fetch, err = awsSource(env(map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": srv.URL, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": token}))
	if err != nil {
		t.Fatal(err)
	}
	if a, err := fetch(t.Context()); err != nil || a.AccessKey != "id" || a.SessionToken != "session" {
		t.Errorf("from the endpoint: %v", err)
	}
	for _, bad := range []struct {
		status int
		answer string
	}{{500, answer}, {200, "{"}, {200, `{"SecretAccessKey": "hidden"}`}} {
		answer, status = bad.answer, bad.status
		if _, err := fetch(t.Context()); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("status %d: %v", bad.status, err)
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
