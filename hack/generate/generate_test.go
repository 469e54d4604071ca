package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"sotto/anonymize/intake/mapping"
	"sotto/config"
)

const root = "../.."

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	for _, o := range outputs {
		old, fresh, err := o.generate(root)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(old, fresh) {
			t.Errorf("%s differs from what the code says: run `make docs`", o.path)
		}
	}
}

// Whoever deletes or renames a mapping deletes its page and its remarks.
func TestPagesOfVendorsAreThoseOfMappings(t *testing.T) {
	all, err := readRemarks(root)
	if err != nil {
		t.Fatal(err)
	}
	for name := range all {
		if _, ok := mapping.Source(name); !ok {
			t.Errorf("%s has remarks about %s, which is no mapping", remarksFile, name)
		}
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs/vendors/*"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("there are no pages about vendors: %v", err)
	}
	for _, page := range pages {
		if _, ok := mapping.Source(strings.TrimSuffix(filepath.Base(page), ".md")); !ok {
			t.Errorf("%s is not about a mapping: delete it", page)
		}
	}
}

// Conditions and paths of mappings are shown as sentences, in which no bar would end the cell of a table.
func TestMappingsInWords(t *testing.T) {
	for condition, want := range map[string]string{
		"type=a | type=b | type=c":        "`type` is `a`, `b` or `c`",
		"x | /x":                          "it has `x`",
		"!a | a=false":                    "(it has no `a` or `a` is `false`)",
		"a!=b*":                           "`a` does not begin with `b`",
		"$record.topicName=*.end | other": "(`topicName` of the record ends in `.end` or it has `other`)",
	} {
		if got := conditionText(condition, true); got != want {
			t.Errorf("%s is %s, want %s", condition, got, want)
		}
	}
	for path, want := range map[string]string{
		"$key":    "the key of the record",
		"a.* | .": "each element of `a` or the document",
		"=x":      "always `x`",
		"/a | =0": "`a` or else `0`",
	} {
		if got := pathText(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// A message keeps the order of its members; its long lists are cut, and base64 is opened.
func TestMessagesAreLaidOut(t *testing.T) {
	long := strings.Repeat("x", messageWidth)
	for message, want := range map[string]string{
		`{"b":1,"a":[{"c":"<&>"},{"c":2}],"d":[1,2]}`: `{"b": 1, "a": [{"c": "<&>"}, …], "d": [1, 2]}`,
		`{"data":"eyJhIjoxfQ=="}`:                     `{"data": base64 of {"a": 1}}`,
		`{"a":"` + long + `","b":{"c":true}}`:         "{\n  \"a\": \"" + long + "\",\n  \"b\": {\"c\": true}\n}",
		"a=" + long + "&b=1":                          "a=" + long + "&\nb=1",
	} {
		if got := messageText([]byte(message)); got != want {
			t.Errorf("%s is\n%s, want\n%s", message, got, want)
		}
	}
}

// The template of the chart derives the name of the variable from the key.
func TestChartKeysMapToTheSettings(t *testing.T) {
	all, err := chartSettings()
	if err != nil {
		t.Fatal(err)
	}
	upper := regexp.MustCompile(`[A-Z]`)
	for _, i := range all {
		key := chartKey(i.Name)
		back := config.EnvPrefix + strings.ToUpper(upper.ReplaceAllString(key, "_$0"))
		if back != i.Name || !regexp.MustCompile(`^[a-z][A-Za-z]*$`).MatchString(key) {
			t.Errorf("%s becomes %s becomes %s", i.Name, key, back)
		}
	}
}

// A setting with a fixed set of values accepts exactly those.
func TestEnumsAreThoseThatAreAccepted(t *testing.T) {
	all, err := chartSettings()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		if len(i.Enum) == 0 {
			continue
		}
		refused := func(value string) bool {
			_, err := config.Load(map[string]string{i.Name: value})
			return err != nil && strings.Contains(err.Error(), i.Name+" must be")
		}
		for _, v := range i.Enum {
			if refused(v) {
				t.Errorf("%s=%s is refused", i.Name, v)
			}
		}
		if !refused("something else") {
			t.Errorf("%s accepts more than its enum", i.Name)
		}
	}
}

// Readers copy values as comments show them.
func TestCommentsWriteValuesAsTheyAreTyped(t *testing.T) {
	for help, want := range map[string]string{
		"plain or none; empty for none": "plain or none; empty for none",
		"plainly a name":                "Plainly a name",
	} {
		if got := sentence(config.SettingInfo{Help: help, Enum: []string{"plain", "none"}}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestEveryValueHasASchemaAndADescription(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "helm/sotto/values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var values map[string]any
	if err := yaml.Unmarshal(data, &values); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "helm/sotto/values.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	described, err := documented(data)
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, v := range described {
		has[v.path] = true
	}
	var walk func(path string, value any, schema map[string]any)
	walk = func(path string, value any, schema map[string]any) {
		props, ok := schema["properties"].(map[string]any)
		if !ok { // free in form: whoever writes it knows its parts
			if !has[path] {
				t.Errorf("%s is not described", path)
			}
			if _, text := value.(string); text && schema["type"] == "integer" {
				t.Errorf("%s is a text, and the schema wants an integer", path)
			}
			return
		}
		if schema["additionalProperties"] != false {
			t.Errorf("%s accepts misspelt values", path)
		}
		parts, _ := value.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(parts)) {
			p, ok := props[key].(map[string]any)
			if !ok {
				t.Errorf("%s.%s has no schema", path, key)
				continue
			}
			walk(strings.TrimPrefix(path+"."+key, "."), parts[key], p)
		}
		for key := range props {
			if _, ok := parts[key]; !ok && key != "global" {
				t.Errorf("%s.%s has a schema and no value", path, key)
			}
		}
	}
	walk("", values, schema)
}

func TestPanelsSayWhatTheyShow(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "helm/sotto/files/dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Type, Title, Description string
			FieldConfig              struct{ Defaults struct{ Unit string } }
			Targets                  []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(data, &dashboard); err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, p := range dashboard.Panels {
		if p.Type == "row" {
			continue
		}
		shown++
		if !strings.HasSuffix(p.Description, ".") || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 {
			t.Errorf("%s: a panel needs a description that is a sentence, a unit and a query", p.Title)
		}
		for _, q := range p.Targets {
			if strings.Contains(q.Expr, "_bucket") && !strings.Contains(q.Expr, " or histogram_") {
				t.Errorf("%s: empty with native histograms: %s", p.Title, q.Expr)
			}
			if !strings.Contains(q.Expr, `namespace=~"$namespace", job=~"$job"`) {
				t.Errorf("%s: not restricted to the chosen namespaces and jobs: %s", p.Title, q.Expr)
			}
		}
	}
	if shown == 0 {
		t.Error("there are no panels")
	}
}
