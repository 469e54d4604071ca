// Command schemas writes JSON schemas for kubeconform into a folder, from files
// that Go modules bring: the API of Kubernetes from k8s.io/kubernetes, KEDA's and
// the Prometheus operator's custom resources from theirs; these lie in its folder crds
// as they are, for an API server.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// The modules with the schemas.
const (
	kubernetes = "k8s.io/kubernetes@v1.35.4"
	keda       = "github.com/kedacore/keda/v2@v2.18.1"
	operator   = "github.com/prometheus-operator/prometheus-operator@v0.85.0"
)

var crdFiles = map[string][]string{
	keda: {"config/crd/bases/keda.sh_scaledobjects.yaml", "config/crd/bases/keda.sh_triggerauthentications.yaml"},
	operator: {"example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml",
		"example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
		"example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml"},
}

var kinds = map[string]bool{
	"/v1/Service": true, "/v1/ServiceAccount": true, "/v1/ConfigMap": true, "/v1/Pod": true,
	"/v1/PersistentVolumeClaim": true,
	"apps/v1/StatefulSet":       true, "apps/v1/Deployment": true, "batch/v1/Job": true,
	"autoscaling/v2/HorizontalPodAutoscaler": true, "policy/v1/PodDisruptionBudget": true,
	"networking.k8s.io/v1/NetworkPolicy": true, "networking.k8s.io/v1/Ingress": true,
}

type object = map[string]any

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: schemas FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "schemas:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	// The folder is finished when this file is there.
	done := filepath.Join(folder, "complete")
	want := strings.Join(slices.Concat([]string{kubernetes, keda, operator}, slices.Sorted(maps.Keys(kinds)), crdFiles[keda], crdFiles[operator]), "\n")
	if have, err := os.ReadFile(done); err == nil && string(have) == want {
		return nil
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(folder, "crds"), 0o755); err != nil {
		return err
	}
	if err := writeKinds(folder); err != nil {
		return err
	}
	for module, files := range crdFiles {
		dir, err := moduleDir(module)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := writeCRD(folder, filepath.Join(dir, f)); err != nil {
				return fmt.Errorf("%s: %w", f, err)
			}
		}
	}
	return os.WriteFile(done, []byte(want), 0o644)
}

func moduleDir(module string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir() // outside of our module, which has nothing to do with it
	out, err := cmd.Output()
	var info struct{ Dir, Error string }
	if jerr := json.Unmarshal(out, &info); jerr != nil && err == nil {
		err = jerr
	}
	if info.Error != "" {
		err = fmt.Errorf("%s", info.Error)
	}
	if err != nil {
		return "", fmt.Errorf("%s cannot be downloaded: %w", module, err)
	}
	return info.Dir, nil
}

func writeKinds(folder string) error {
	dir, err := moduleDir(kubernetes)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(dir, "api/openapi-spec/swagger.json"))
	if err != nil {
		return err
	}
	var swagger struct{ Definitions map[string]object }
	if err := json.Unmarshal(data, &swagger); err != nil {
		return err
	}
	in := inliner{swagger.Definitions}
	for _, def := range swagger.Definitions {
		list, _ := def["x-kubernetes-group-version-kind"].([]any)
		for _, e := range list {
			gvk, _ := e.(object)
			if kinds[fmt.Sprintf("%s/%s/%s", gvk["group"], gvk["version"], gvk["kind"])] {
				if err := write(folder, gvk["kind"], gvk["version"], in.strict(def)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func writeCRD(folder, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	whole, err := yaml.YAMLToJSON(data)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(file), ".yaml") + ".json"
	if err := os.WriteFile(filepath.Join(folder, "crds", name), whole, 0o644); err != nil {
		return err
	}
	var crd struct {
		Spec struct {
			Names    struct{ Kind string }
			Versions []struct {
				Name   string
				Schema struct {
					OpenAPIV3Schema object `yaml:"openAPIV3Schema"`
				}
			}
		}
	}
	if err := yaml.Unmarshal(data, &crd); err != nil {
		return err
	}
	for _, v := range crd.Spec.Versions {
		if err := write(folder, crd.Spec.Names.Kind, v.Name, inliner{}.strict(v.Schema.OpenAPIV3Schema)); err != nil {
			return err
		}
	}
	return nil
}

func write(folder string, kind, version any, schema any) error {
	data, err := json.Marshal(schema)
	if err != nil {
		return err
	}
	name := strings.ToLower(fmt.Sprintf("%s-%s.json", kind, version))
	return os.WriteFile(filepath.Join(folder, name), data, 0o644)
}

// inliner puts definitions in the place of references to them, since
// kubeconform follows none in local files, and forbids fields that are not
// known.
type inliner struct{ definitions map[string]object }

func (in inliner) strict(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = in.strict(v[i])
		}
		return out
	case object:
		if ref, ok := v["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, "#/definitions/")
			if strings.HasSuffix(name, ".Quantity") {
				return object{"type": []any{"string", "number"}}
			}
			return in.strict(in.definitions[name])
		}
		if v["format"] == "int-or-string" || v["x-kubernetes-int-or-string"] == true {
			return object{"type": []any{"string", "integer"}}
		}
		out := object{}
		for key, value := range v {
			if props, ok := value.(object); ok && key == "properties" {
				all := object{}
				for name, p := range props { // a property may be called $ref or format
					all[name] = in.strict(p)
				}
				out[key] = all
				continue
			}
			out[key] = in.strict(value)
		}
		_, has := v["properties"].(object)
		if _, free := v["additionalProperties"]; has && !free && v["x-kubernetes-preserve-unknown-fields"] != true {
			out["additionalProperties"] = false
		}
		return out
	}
	return v
}
