package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"sotto/config"
)

const (
	settingsBegin = "# BEGIN settings\n"
	settingsEnd   = "# END settings\n"
)

// chartKey is a setting's key in the chart: SOTTO_KAFKA_TLS_CA_FILE is
// kafkaTlsCaFile. The chart's template goes the other way.
func chartKey(name string) string {
	var b strings.Builder
	for i, word := range strings.Split(strings.ToLower(strings.TrimPrefix(name, config.EnvPrefix)), "_") {
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		b.WriteString(word)
	}
	return b.String()
}

// chartDefaults are defaults that make sense on one machine only; in the chart
// they must be given.
var chartDefaults = map[string]string{"SOTTO_KAFKA_BROKERS": ""}

// derived names what the chart sets a setting from when its value is empty.
var derived = map[string]string{
	"SOTTO_KAFKA_INSTANCE_ID":             "kafka.staticMembership",
	"SOTTO_KAFKA_TRANSACTIONAL_ID":        "the group and the pod's name",
	"SOTTO_KAFKA_TLS_CA_FILE":             "kafka.tls",
	"SOTTO_KAFKA_TLS_CERT_FILE":           "kafka.tls",
	"SOTTO_KAFKA_TLS_KEY_FILE":            "kafka.tls",
	"SOTTO_KAFKA_SASL_PASSWORD_FILE":      "kafka.sasl",
	"SOTTO_SCHEMA_REGISTRY_PASSWORD_FILE": "schemaRegistry",
	"SOTTO_STATE_KEY_FILE":                "stateKey",
	"SOTTO_DICTIONARY_DIR":                "dictionaries",
}

// chartSettings are the settings that the chart takes: all but the secrets, which it takes as files only, and those for
// the pods of 'sotto serve', 'sotto ingest' or 'sotto review', which it sets from its values serve, ingest and review.
func chartSettings() ([]config.SettingInfo, error) {
	s, err := config.Load(nil)
	if err != nil {
		return nil, err
	}
	var all []config.SettingInfo
	for _, i := range s.Describe() {
		if i.Secret || slices.ContainsFunc([]string{"SOTTO_SERVE_", "SOTTO_INGEST_", "SOTTO_REVIEW_"}, func(p string) bool { return strings.HasPrefix(i.Name, p) }) {
			continue
		}
		if d, ok := chartDefaults[i.Name]; ok {
			i.Default = d
		}
		all = append(all, i)
	}
	return all, nil
}

// literal writes a setting's default as YAML.
func literal(i config.SettingInfo) string {
	switch i.Kind.Kind() {
	case reflect.Bool:
		return i.Default
	case reflect.Int, reflect.Int64, reflect.Float64:
		if i.Kind != reflect.TypeFor[time.Duration]() && i.Default != "" {
			return i.Default
		}
	}
	return strconv.Quote(i.Default)
}

// sentence is the setting's help with a capital, unless it begins with a value: values are written
// as they must be typed.
func sentence(i config.SettingInfo) string {
	first := strings.FieldsFunc(i.Help, func(r rune) bool { return r == ' ' || r == ',' || r == ':' })[0]
	if slices.Contains(i.Enum, first) {
		return i.Help
	}
	return strings.ToUpper(i.Help[:1]) + i.Help[1:]
}

func withSettings(_ string, old []byte) ([]byte, error) {
	all, err := chartSettings()
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("# Written by `go run ./hack/generate` from config/settings.go: every setting\n" +
		"# except secrets, which come from files. Empty means not set.\n" +
		"config:\n")
	for _, section := range config.Sections(all) {
		fmt.Fprintf(&b, "\n  # %s. %s\n\n", section.Title, section.About)
		for _, i := range section.Settings {
			fmt.Fprintf(&b, "  # -- %s. `%s`\n", sentence(i), i.Name)
			if by := derived[i.Name]; by != "" {
				fmt.Fprintf(&b, "  # Empty: from %s.\n", by)
			}
			fmt.Fprintf(&b, "  %s: %s\n", chartKey(i.Name), literal(i))
		}
	}
	return between(old, settingsBegin, settingsEnd, b.String())
}

// durationPattern is what time.ParseDuration takes, without a sign.
const durationPattern = `^(([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+|)$`

func settingSchema(i config.SettingInfo) map[string]any {
	s := map[string]any{"description": i.Help + " (" + i.Name + ")"}
	switch {
	case len(i.Enum) > 0:
		values := []any{}
		if i.Default == "" {
			values = append(values, "")
		}
		for _, v := range i.Enum {
			values = append(values, v)
		}
		s["enum"] = values
	case i.Kind == reflect.TypeFor[time.Duration]():
		s["type"], s["pattern"] = "string", durationPattern
	case i.Kind.Kind() == reflect.Bool:
		s["type"] = "boolean"
	case i.Kind.Kind() == reflect.Int, i.Kind.Kind() == reflect.Int64:
		s["type"], s["minimum"] = "integer", 0
		bound(s, i)
	case i.Kind.Kind() == reflect.Float64:
		s["type"] = "number"
		bound(s, i)
	case i.Kind.Kind() == reflect.Slice:
		s["type"] = []any{"string", "array"}
		s["items"] = map[string]any{"type": "string"}
	default:
		s["type"] = []any{"string"}
		// A share is as likely to be written as a number.
		if _, err := strconv.ParseFloat(i.Default, 64); err == nil {
			s["type"] = []any{"string", "number"}
		}
	}
	return s
}

func bound(schema map[string]any, i config.SettingInfo) {
	for key, limit := range map[string]string{"minimum": i.Min, "maximum": i.Max} {
		if limit != "" {
			schema[key] = json.Number(limit)
		}
	}
}

func withSettingsSchema(_ string, old []byte) ([]byte, error) {
	var schema map[string]any
	if err := json.Unmarshal(old, &schema); err != nil {
		return nil, err
	}
	props, ok := schema["properties"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("has no properties")
	}
	all, err := chartSettings()
	if err != nil {
		return nil, err
	}
	settings := map[string]any{}
	for _, i := range all {
		settings[chartKey(i.Name)] = settingSchema(i)
	}
	props["config"] = map[string]any{
		"description":          "Every setting of Sotto except secrets",
		"type":                 "object",
		"additionalProperties": false,
		"properties":           settings,
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(schema)
	return b.Bytes(), err
}
