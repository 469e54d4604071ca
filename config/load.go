package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v10"
)

// groups are the groups of settings, in the order in which people read them, with what they are
// about.
var groups = []Section{
	{Title: "Ten settings that matter", About: "Everybody decides about these. All others are for those who need them."},
	{Title: "Connection", About: "Brokers, the Schema Registry, databases, and the addresses to listen on."},
	{Title: "Topics", About: "The topics, and the form of the records in them."},
	{Title: "Privacy", About: "What is found and how it is replaced, which metadata stay, and which calls are released."},
	{Title: "Limits", About: "How much of something there may be, and for how long."},
	{Title: "Tuning", About: "Speed, timeouts, and what operators see."},
}

// Section is a group of settings, or the basic ones of all groups.
type Section struct {
	Title, About string
	Settings     []SettingInfo
}

// Sections divides settings. Each is in one section.
func Sections(settings []SettingInfo) []Section {
	all := slices.Clone(groups)
	for _, i := range settings {
		at := 0
		if !i.Basic {
			at = slices.IndexFunc(groups, func(s Section) bool { return strings.ToLower(s.Title) == i.Group })
		}
		all[at].Settings = append(all[at].Settings, i)
	}
	return all
}

// SettingInfo describes one setting for people.
type SettingInfo struct {
	Name     string // environment variable
	Group    string // connection, topics, privacy, limits or tuning
	Basic    bool   // one of those that everybody decides about
	Help     string // what it means, with its range or its choices
	Default  string
	Value    string // "(hidden)" for a secret that is set
	Kind     reflect.Type
	Min, Max string   // as they are written; "" for none
	Enum     []string // the permitted values, if there are few
	Secret   bool
	Policy   string // what of it is a part of the policy hash, "" for nothing; see PolicyValue
}

// Load reads the settings from environ (variable to value) and validates them.
// The error reports every problem at once; the settings are returned even then,
// so that they can be shown. A SOTTO_ variable that names no setting is a
// problem too, because it is most likely a misspelt one.
func Load(environ map[string]string) (Settings, error) {
	s := Settings{Bounds: Bounds{
		StateRefresh: 50_000, CommitRecords: 20_000, RebalanceTimeout: time.Minute, RestoreTimeout: time.Minute, Reload: time.Second,
		MaxAwakeCalls: 5000, MaxClosedCalls: 200_000,
		ServeMaxBody: 8 << 20, ServeConcurrency: runtime.GOMAXPROCS(0), ServeCallBytes: 256 << 20, ServeTimeout: 30 * time.Second,
		IngestTimeout: 10 * time.Second, IngestMaxAge: 5 * time.Minute, IngestDrain: 5 * time.Second, IngestConnections: 1000,
	}}
	var p problems
	given := make(map[string]string, len(environ))
	known := map[string]bool{}
	for _, i := range s.Describe() {
		known[i.Name] = true
	}
	for _, k := range slices.Sorted(maps.Keys(environ)) {
		v := environ[k]
		name, ours := strings.CutPrefix(k, EnvPrefix)
		// An empty variable means "not set", as compose files and charts write it.
		if ours && v != "" {
			given[k] = v
		}
		if ours && v != "" && !known[k] && !strings.HasPrefix(name, "TEST_") {
			p = append(p, fmt.Errorf("%s is not a setting; 'sotto config' prints all, and the changelog says what took the place of former ones", k))
		}
	}
	if err := env.ParseWithOptions(&s, env.Options{Prefix: EnvPrefix, Environment: given}); err != nil {
		if all, ok := errors.AsType[env.AggregateError](err); ok {
			for _, e := range all.Errors {
				p = append(p, explainParseError(e))
			}
		} else {
			p = append(p, err)
		}
	}
	p = append(p, s.Validate())
	return s, errors.Join(p...)
}

// explainParseError names the variable rather than the Go field, and does not
// repeat the value, which may be a secret.
func explainParseError(err error) error {
	if pe, ok := errors.AsType[env.ParseError](err); ok {
		if f, ok := reflect.TypeFor[Settings]().FieldByName(pe.Name); ok {
			return fmt.Errorf("%s%s is not a valid %s", EnvPrefix, f.Tag.Get("env"), pe.Type)
		}
	}
	return err
}

// settings yields the fields that are settings, with their values.
func (s *Settings) settings(yield func(reflect.StructField, reflect.Value) bool) {
	for f, v := range reflect.ValueOf(s).Elem().Fields() {
		if f.Tag.Get("env") != "" && !yield(f, v) {
			return
		}
	}
}

// Describe lists every setting in the order of the struct.
func (s *Settings) Describe() []SettingInfo {
	var infos []SettingInfo
	for f, v := range s.settings {
		value := fmt.Sprint(v.Interface())
		if list, ok := v.Interface().([]string); ok {
			value = strings.Join(list, ",")
		}
		secret := f.Tag.Get("secret") == "value"
		if secret && value != "" {
			value = "(hidden)"
		}
		i := SettingInfo{
			Name: EnvPrefix + f.Tag.Get("env"), Group: f.Tag.Get("group"), Basic: f.Tag.Get("basic") != "",
			Help: f.Tag.Get("help"), Default: f.Tag.Get("envDefault"), Value: hideSecrets(value), Kind: f.Type, Secret: secret,
			Policy: f.Tag.Get("policy"),
		}
		i.Min, i.Max, _ = strings.Cut(f.Tag.Get("range"), "..")
		if choices := f.Tag.Get("enum"); choices != "" {
			all := strings.Split(choices, "|")
			i.Help += ": " + orList(all)
			if i.Default == "" && len(all) > 1 {
				i.Help += "; empty for none"
			}
			for _, c := range all {
				value, _, _ := strings.Cut(c, " (")
				i.Enum = append(i.Enum, value)
			}
		} else if i.Max != "" {
			i.Help += "; " + i.rangeText()
		}
		infos = append(infos, i)
	}
	return infos
}

func orList(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (i *SettingInfo) rangeText() string {
	if i.Max == "" {
		return "at least " + i.Min
	}
	return i.Min + " to " + i.Max
}

// problem is what is wrong with a value by the tags of its setting, "" if nothing is.
func (i *SettingInfo) problem() string {
	if len(i.Enum) > 0 {
		switch {
		case slices.Contains(i.Enum, i.Value), i.Value == "" && i.Default == "":
			return ""
		case i.Default == "":
			return "must be " + orList(i.Enum) + ", or empty"
		}
		return "must be " + orList(i.Enum)
	}
	if i.Min != "" && i.less(i.Value, i.Min) || i.Max != "" && i.less(i.Max, i.Value) {
		return "must be " + i.rangeText()
	}
	return ""
}

// less compares two values of a setting as they are written. NaN is less than everything and more.
func (i *SettingInfo) less(a, b string) bool {
	if i.Kind == reflect.TypeFor[time.Duration]() {
		x, _ := time.ParseDuration(a)
		y, _ := time.ParseDuration(b)
		return x < y
	}
	x, _ := strconv.ParseFloat(a, 64)
	y, _ := strconv.ParseFloat(b, 64)
	return !(x >= y)
}
