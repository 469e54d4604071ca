package kafka

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/config"
)

func TestTheRegistrysPasswordIsReadForEachRequest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	var passwords []string
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, pass, _ := r.BasicAuth()
		passwords = append(passwords, user+"/"+pass)
		if err := os.WriteFile(file, []byte("second\n"), 0o600); err != nil {
			t.Error(err)
		}
		if len(passwords) > 1 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Write([]byte(`{"id": 1}`)) // one schema of several
	}))
	defer registry.Close()
	env := goodEnv(t)
	env["SOTTO_SCHEMA_REGISTRY_URL"], env["SOTTO_SCHEMA_REGISTRY_USER"], env["SOTTO_SCHEMA_REGISTRY_PASSWORD_FILE"] = registry.URL, "sotto", file
	s, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewCodec(t.Context(), &s); err == nil || !strings.Contains(err.Error(), "SCHEMA_REGISTRY_PASSWORD_FILE") {
		t.Errorf("without the file: %v", err)
	}
	if err := os.WriteFile(file, []byte("first\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewCodec(t.Context(), &s); err == nil || strings.Contains(err.Error(), "first") {
		t.Errorf("a registry that refuses gives %v", err)
	}
	if len(passwords) < 2 || passwords[0] != "sotto/first" || passwords[1] != "sotto/second" {
		t.Errorf("the registry got %q", passwords)
	}
}
