package kafka

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/config"
)

func TestBearerTokenIsReadForEachConnection(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	env := goodEnv(t)
	env["SOTTO_KAFKA_SASL_MECHANISM"], env["SOTTO_KAFKA_TLS_ENABLE"], env["SOTTO_KAFKA_SASL_TOKEN_FILE"] = "oauthbearer", "true", file
	s, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (settings{&s}).saslMechanism(); err == nil || !strings.Contains(err.Error(), "SOTTO_KAFKA_SASL_TOKEN_FILE") {
		t.Errorf("without the file: %v", err)
	}
	for _, token := range []string{"first", "second"} {
		if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := settings{&s}.saslMechanism()
		if err != nil {
			t.Fatal(err)
		}
		_, sent, err := m.Authenticate(t.Context(), "broker")
		if err != nil || !strings.Contains(string(sent), "Bearer "+token+"\x01") {
			t.Errorf("with %q: %v", token, err)
		}
	}
}

// An API key is user and password. Kubernetes replaces both files at once, by a link to their folder.
func TestUserAndPasswordAreReadTogether(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"first", "second"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"user": name + " user\n", "password": name + " password\n"} {
			if err := os.WriteFile(filepath.Join(dir, name, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	now := filepath.Join(dir, "now")
	link := func(to string) {
		if err := os.Symlink(to, now+".new"); err != nil {
			t.Error(err)
		}
		if err := os.Rename(now+".new", now); err != nil {
			t.Error(err)
		}
	}
	link("first")
	env := goodEnv(t)
	env["SOTTO_KAFKA_SASL_MECHANISM"], env["SOTTO_KAFKA_TLS_ENABLE"] = "plain", "true"
	env["SOTTO_KAFKA_SASL_USER_FILE"], env["SOTTO_KAFKA_SASL_PASSWORD_FILE"] = filepath.Join(now, "user"), filepath.Join(now, "password")
	s, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	m, err := settings{&s}.saslMechanism()
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		link("first")
		replaced := make(chan struct{})
		go func() { defer close(replaced); link("second") }()
		_, during, err := m.Authenticate(t.Context(), "broker")
		if err != nil || string(during) != "\x00first user\x00first password" && string(during) != "\x00second user\x00second password" {
			t.Fatalf("%q, %v", during, err)
		}
		<-replaced
		if _, after, err := m.Authenticate(t.Context(), "broker"); err != nil || string(after) != "\x00second user\x00second password" {
			t.Fatalf("after the rotation: %q, %v", after, err)
		}
	}
	if who := Principal(&s); who != "User:second user" {
		t.Errorf("the principal is %s", who)
	}
	s.SASLUserFile = filepath.Join(dir, "nowhere")
	if _, err := (settings{&s}).saslMechanism(); err == nil || !strings.Contains(err.Error(), "SOTTO_KAFKA_SASL_USER_FILE") {
		t.Errorf("without the file: %v", err)
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

// IRSA: the token of the service account is read for each request, and gives credentials of the role.
func TestAWSWebIdentity(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	status := http.StatusOK
	sts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("Action") != "AssumeRoleWithWebIdentity" || r.FormValue("RoleArn") != "arn:aws:iam::1:role/sotto" || r.FormValue("RoleSessionName") == "" {
			t.Errorf("the service got %v", r.Form)
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>
			<Credentials><AccessKeyId>id</AccessKeyId><SecretAccessKey>hidden</SecretAccessKey><SessionToken>of %s</SessionToken></Credentials>
			</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`, r.FormValue("WebIdentityToken"))
	}))
	defer sts.Close()
	defer http.DefaultClient.CloseIdleConnections()
	env := map[string]string{"AWS_ROLE_ARN": "arn:aws:iam::1:role/sotto", "AWS_WEB_IDENTITY_TOKEN_FILE": token, "AWS_ENDPOINT_URL_STS": sts.URL}
	fetch, err := awsSource(func(k string) string { return env[k] })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t.Context()); err == nil || !strings.Contains(err.Error(), "AWS_WEB_IDENTITY_TOKEN_FILE") {
		t.Errorf("without the file: %v", err)
	}
	for _, now := range []string{"first", "second"} {
		if err := os.WriteFile(token, []byte(now+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if a, err := fetch(t.Context()); err != nil || a.AccessKey != "id" || a.SecretKey != "hidden" || a.SessionToken != "of "+now {
			t.Errorf("%s: session %q, %v", now, a.SessionToken, err)
		}
	}
	status = http.StatusForbidden
	if _, err := fetch(t.Context()); err == nil || strings.Contains(err.Error(), "hidden") {
		t.Errorf("a service that refuses: %v", err)
	}
}
