package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sotto/cmd/internal/cli"
)

// The settings that docs/providers.md has for each provider.
func TestSettingsOfProviders(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE") // of a pod with a role
	t.Setenv("AWS_SECRET_ACCESS_KEY", "example")
	page, err := os.ReadFile("../../docs/providers.md")
	if err != nil {
		t.Fatal(err)
	}
	providers := strings.Split(string(page), "\n## ")[1:]
	checked := 0
	for _, section := range providers {
		provider, text, _ := strings.Cut(section, "\n")
		for _, block := range regexp.MustCompile("(?s)```properties\n(.*?)```").FindAllStringSubmatch(text, -1) {
			checked++
			environ := map[string]string{}
			for line := range strings.Lines(block[1]) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
				if strings.HasSuffix(name, "_PASSWORD_FILE") || strings.HasSuffix(name, "_USER_FILE") {
					value = filepath.Join(t.TempDir(), "secret")
					if err := os.WriteFile(value, []byte("secret\n"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				environ[name] = value
			}
			environ["SOTTO_STATE_KEY_FILE"] = keyFile(t)
			delete(environ, "SOTTO_KAFKA_TLS_CA_FILE") // a real certificate would be needed
			if o := sotto(t, environ, "", "config", "--check"); o.code != cli.Done {
				t.Errorf("%s: %s", provider, o.errors)
			}
		}
	}
	if checked != 5 {
		t.Errorf("the page has the settings of %d providers", checked)
	}
}
