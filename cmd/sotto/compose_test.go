package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// A compose file can only be tried by hand. This test checks the parts of it that depend on the
// code.
func TestComposeFileFitsTheBinary(t *testing.T) {
	const folder = "../../deploy/compose"
	data, err := os.ReadFile(filepath.Join(folder, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			Image       string
			Command     []string
			Environment map[string]string
			Volumes     []string
		}
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	ours := 0
	for name, s := range file.Services {
		for _, v := range s.Volumes {
			if from, _, _ := strings.Cut(v, ":"); strings.HasPrefix(from, ".") {
				if _, err := os.Stat(filepath.Join(folder, from)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		if s.Image != "sotto" {
			continue
		}
		ours++
		environ := map[string]string{}
		for k, v := range s.Environment {
			environ[k] = v
		}
		environ["SOTTO_STATE_KEY_FILE"] = keyFile(t)
		if o := sotto(t, environ, "", "config", "--check"); o.code != exitDone {
			t.Errorf("%s: %s", name, o.errors)
		}
		if o := sotto(t, nil, "", append(s.Command, "--help")...); o.code != exitDone {
			t.Errorf("%s: %v: %s", name, s.Command, o.errors)
		}
	}
	if ours != 3 {
		t.Errorf("%d services run the image", ours)
	}
}
