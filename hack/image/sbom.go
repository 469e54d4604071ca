package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
)

// component is a part of the bill of materials, in the CycloneDX 1.6 form.
type component struct {
	Type     string          `json:"type"`
	Name     string          `json:"name"`
	Version  string          `json:"version"`
	PURL     string          `json:"purl,omitempty"`
	Hashes   []hash          `json:"hashes,omitempty"`
	Licences []licenceChoice `json:"licenses,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// licenceChoice has an SPDX identifier or a name.
type licenceChoice struct {
	License struct {
		ID   string `json:"id,omitempty"`
		Name string `json:"name,omitempty"`
	} `json:"license"`
}

// billOfMaterials lists the modules that are linked into a binary, with the hashes of
// go.sum and their licences by module.
func billOfMaterials(file, version string, licences map[string][]string) ([]byte, error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return nil, err
	}
	parts := []component{{Type: "library", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" + info.GoVersion, Licences: choices(licences[goModule])}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		hashes, err := hashesOf(m)
		if err != nil {
			return nil, err
		}
		parts = append(parts, component{"library", m.Path, m.Version, "pkg:golang/" + m.Path + "@" + m.Version, hashes, choices(licences[m.Path])})
	}
	data, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"component": component{Type: "application", Name: "sotto", Version: version, Licences: choices([]string{"Apache-2.0"})}},
		"components": parts,
	}, "", " ")
	return append(data, '\n'), err
}

// hashesOf returns the hash by which Go verifies a module: SHA-256 over the hashes of its
// files ("h1:" in go.sum).
func hashesOf(m *debug.Module) ([]hash, error) {
	if m.Sum == "" {
		return nil, nil // a folder beside our module
	}
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
	if err != nil {
		return nil, fmt.Errorf("%s: the hash %s does not begin with h1: or is not base64", m.Path, m.Sum)
	}
	return []hash{{"SHA-256", hex.EncodeToString(sum)}}, nil
}

func choices(names []string) []licenceChoice {
	var all []licenceChoice
	for _, n := range names {
		var c licenceChoice
		if strings.Contains(n, " ") {
			c.License.Name = n
		} else {
			c.License.ID = n
		}
		all = append(all, c)
	}
	return all
}

// goModule is the name under which hack/licences lists Go itself.
const goModule = "Go standard library"

// licencesByModule asks hack/licences, which also checks that all of them are permissive.
func licencesByModule() (map[string][]string, error) {
	cmd := exec.Command("go", "run", "./hack/licences")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the licences: %w", err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		// Name, version and licences; Go itself has no version there.
		name := goModule
		names, ok := strings.CutPrefix(line, goModule)
		if !ok {
			f := strings.Fields(line)
			if len(f) < 3 || !strings.HasPrefix(f[1], "v") {
				continue
			}
			name = f[0]
			_, names, _ = strings.Cut(line, " "+f[1]+" ")
		}
		all[name] = strings.Split(strings.TrimSpace(names), ", ")
	}
	return all, nil
}
