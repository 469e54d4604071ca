package policy

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"sotto/anonymize/replace"
	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/internal/boundedfile"
	"sotto/schemas"
)

// ruleFile is the form of policy.yaml.
type ruleFile struct {
	Window    *int                    `yaml:"hotword_window"`
	InfoTypes map[string]infoTypeRule `yaml:"info_types"`
	Tenants   map[string]overlayRule  `yaml:"tenants"`
	Custom    []struct {
		Name       string `yaml:"name"`
		Regex      string `yaml:"regex"`
		Likelihood string `yaml:"likelihood"`
	} `yaml:"custom_info_types"`
	Hotwords []struct {
		InfoTypes []string `yaml:"info_types"`
		Hotwords  []string `yaml:"hotwords"`
		Before    *int     `yaml:"window_before"`
		After     *int     `yaml:"window_after"`
		Adjust    int      `yaml:"adjust"`
		Set       string   `yaml:"set"`
	} `yaml:"hotword_rules"`
}

type infoTypeRule struct {
	Enabled       *bool  `yaml:"enabled"`
	MinLikelihood string `yaml:"min_likelihood"`
	Sensitivity   string `yaml:"sensitivity"`
}

// overlayRule is what the file says about the calls of a scope.
type overlayRule struct {
	Sensitivity string                  `yaml:"sensitivity"`
	Strategy    string                  `yaml:"strategy"`
	InfoTypes   map[string]infoTypeRule `yaml:"info_types"`
	Contexts    map[string]overlayRule  `yaml:"contexts"` // of a tenant; they have none
}

// rulesFile is the name of the file with the rules.
const rulesFile = "policy.yaml"

const (
	// maxOverlays bounds the tagger's workspaces, of which each overlay has its own.
	maxOverlays   = 200
	maxRuleFile   = 1 << 20
	maxCustomType = 100
	maxRegex      = 1000
	// In the worst case, an expression takes time in proportion to the text times the
	// instructions that it is compiled to.
	maxProgram  = 2000
	maxPrograms = 10_000 // of all custom infoTypes
	maxRules    = 200
	maxWindow   = 1000
)

// readRules reads policy.yaml in the policy folder. Without the file, the rules are the
// default. An error names file and line.
func readRules(folder fs.FS, known func(detectors.InfoType) bool) (*rules, map[Scope]*Overlay, error) {
	path := boundedfile.Where(folder, rulesFile)
	data, err := boundedfile.ReadIn(folder, rulesFile, maxRuleFile)
	if errors.Is(err, fs.ErrNotExist) {
		return defaultRules(), nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if err := guard(path, data); err != nil {
		return nil, nil, err
	}
	var f ruleFile
	decoder := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	err = decoder.Decode(&f)
	if err == nil && !errors.Is(decoder.Decode(new(any)), io.EOF) {
		return nil, nil, fmt.Errorf("%s: more than one document; put all into the first", path)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		var at yaml.Error
		if errors.As(err, &at) && at.GetToken() != nil {
			return nil, nil, fmt.Errorf("%s:%d: %s", path, at.GetToken().Position.Line, at.GetMessage())
		}
		return nil, nil, fmt.Errorf("%s: %s", path, strings.TrimSpace(yaml.FormatError(err, false, false)))
	}
	b := ruleBuilder{file: &f, data: data, path: path, known: known, rules: defaultRules()}
	sum := sha256.Sum256(data)
	b.rules.digest = sum[:]
	for _, step := range []func() error{b.window, b.custom, b.types, b.hotwords, b.tenants} {
		if err := step(); err != nil {
			return nil, nil, err
		}
	}
	return b.rules, b.overlays, nil
}

// ruleBuilder turns a file into rules, or into an error with its line.
type ruleBuilder struct {
	file  *ruleFile
	data  []byte
	path  string
	known func(detectors.InfoType) bool
	rules *rules
	// overlays are made of the rules once these are complete.
	overlays map[Scope]*Overlay
}

// fail is an error at the place that a YAML path names.
func (b *ruleBuilder) fail(at, format string, args ...any) error {
	line := 0
	if p, err := yaml.PathString(at); err == nil {
		if node, err := p.ReadNode(bytes.NewReader(b.data)); err == nil && node.GetToken() != nil {
			line = node.GetToken().Position.Line
		}
	}
	return fmt.Errorf("%s:%d: %s", b.path, line, fmt.Sprintf(format, args...))
}

func (b *ruleBuilder) infoType(name, at string) (detectors.InfoType, error) {
	t := detectors.InfoType(name)
	if b.known(t) || slices.ContainsFunc(b.rules.custom, func(c customType) bool { return c.name == t }) {
		return t, nil
	}
	return "", b.fail(at, "%q is not an infoType", name)
}

func (b *ruleBuilder) likelihood(name, at string) (detectors.Likelihood, error) {
	for l := detectors.VeryUnlikely; l <= detectors.VeryLikely; l++ {
		if l.String() == name {
			return l, nil
		}
	}
	return 0, b.fail(at, "%q is not a likelihood: VERY_UNLIKELY, UNLIKELY, POSSIBLE, LIKELY or VERY_LIKELY", name)
}

// readWindow takes over a number of characters if it is given.
func (b *ruleBuilder) readWindow(into, given *int, at string) error {
	if given == nil {
		return nil
	}
	if *given < 0 || *given > maxWindow {
		return b.fail(at, "a window is 0 to %d characters", maxWindow)
	}
	*into = *given
	return nil
}

func (b *ruleBuilder) window() error {
	return b.readWindow(&b.rules.window, b.file.Window, "$.hotword_window")
}

func (b *ruleBuilder) custom() error {
	if len(b.file.Custom) > maxCustomType {
		return b.fail("$.custom_info_types", "more than %d custom infoTypes", maxCustomType)
	}
	total := 0
	for i, c := range b.file.Custom {
		at := fmt.Sprintf("$.custom_info_types[%d]", i)
		if !typeForm.MatchString(c.Name) {
			return b.fail(at, "a custom infoType needs a name in capitals, as EMPLOYEE_NUMBER")
		}
		if len(c.Regex) > maxRegex {
			return b.fail(at+".regex", "the expression is longer than %d characters", maxRegex)
		}
		re, err := regexp.Compile(c.Regex)
		if err != nil {
			return b.fail(at+".regex", "not a regular expression of RE2: %v", err)
		}
		if c.Regex == "" || re.MatchString("") {
			return b.fail(at, "the expression must not match the empty text")
		}
		size := programSize(c.Regex)
		if total += size; total > maxPrograms || size > maxProgram {
			return b.fail(at+".regex", "the expression takes too long: it has %d instructions when it is compiled, at most %d are allowed, and %d for all; "+
				"use smaller repetitions", size, maxProgram, maxPrograms)
		}
		x := customType{name: detectors.InfoType(c.Name), regex: re, likelihood: detectors.Likely}
		if c.Likelihood != "" {
			if x.likelihood, err = b.likelihood(c.Likelihood, at+".likelihood"); err != nil {
				return err
			}
		}
		b.rules.custom = append(b.rules.custom, x)
	}
	return nil
}

// programSize returns the number of instructions of a valid expression when it is compiled.
func programSize(expr string) int {
	parsed, _ := syntax.Parse(expr, syntax.Perl)
	prog, _ := syntax.Compile(parsed.Simplify())
	return len(prog.Inst)
}

func (b *ruleBuilder) types() error { return b.typesOf(b.rules, b.file.InfoTypes, "$.info_types.") }

// typesOf adds to rules what a list of infoTypes says, which stands at a YAML path.
func (b *ruleBuilder) typesOf(r *rules, list map[string]infoTypeRule, path string) error {
	for _, name := range slices.Sorted(maps.Keys(list)) {
		x := list[name]
		at := path + name
		t, err := b.infoType(name, at)
		if err != nil {
			return err
		}
		if x.Enabled != nil {
			r.enabled[t] = *x.Enabled
		}
		if x.MinLikelihood != "" {
			if r.least[t], err = b.likelihood(x.MinLikelihood, at+".min_likelihood"); err != nil {
				return err
			}
		}
		if x.Sensitivity != "" {
			if r.points[t], err = b.sensitivityOf(t, x.Sensitivity, at+".sensitivity"); err != nil {
				return err
			}
		}
	}
	return nil
}

// sensitivityOf returns the operating point that an infoType has of its own.
func (b *ruleBuilder) sensitivityOf(t detectors.InfoType, name, at string) (ner.Sensitivity, error) {
	s, err := b.sensitivity(name, at)
	if err != nil {
		return s, err
	}
	thresholds, _ := ner.ThresholdsOf(s, true)
	switch instead, ok := thresholds.Move(t, s); {
	case !ok && (instead == "" || t.Row() == nil):
		return s, b.fail(at, "%s is found by rules alone, at any sensitivity", t)
	case !ok:
		return s, b.fail(at, "%s has no sensitivity of its own; that of %s decides", t, instead)
	}
	return s, nil
}

func (b *ruleBuilder) sensitivity(name, at string) (ner.Sensitivity, error) {
	s := ner.Sensitivity(name)
	if _, ok := ner.ThresholdsOf(s, true); !ok {
		return s, b.fail(at, "%q is not a sensitivity: balanced, high or maximum", name)
	}
	return s, nil
}

// tenants makes an overlay of the rules for each tenant, and one of that for each of its contexts.
func (b *ruleBuilder) tenants() error {
	b.overlays = map[Scope]*Overlay{}
	for _, tenant := range slices.Sorted(maps.Keys(b.file.Tenants)) {
		x := b.file.Tenants[tenant]
		at := "$.tenants.'" + tenant + "'"
		if !schemas.IsWord(tenant, schemas.MaxTenant) {
			return b.fail("$.tenants", "the name of a tenant must be 1 to %d of A-Z, a-z, 0-9, _, - and .", schemas.MaxTenant)
		}
		own, err := b.overlay(&Overlay{Policy: &Policy{rules: b.rules}}, x, at)
		if err != nil {
			return err
		}
		b.overlays[Scope{tenant, ""}] = own
		for _, context := range slices.Sorted(maps.Keys(x.Contexts)) {
			// The closing pass knows the context from the clean event alone.
			if !schemas.IsWord(context, schemas.MaxContext) {
				return b.fail(at+".contexts", "the name of a context must be 1 to %d of A-Z, a-z, 0-9, _, - and .", schemas.MaxContext)
			}
			if x.Contexts[context].Contexts != nil {
				return b.fail(at+".contexts.'"+context+"'.contexts", "a context has no contexts")
			}
			if b.overlays[Scope{tenant, context}], err = b.overlay(own, x.Contexts[context], at+".contexts.'"+context+"'"); err != nil {
				return err
			}
		}
	}
	if len(b.overlays) > maxOverlays {
		return b.fail("$.tenants", "more than %d tenants and contexts of tenants", maxOverlays)
	}
	return nil
}

// overlay returns what a rule makes of the policy that it changes, which stays as it is.
func (b *ruleBuilder) overlay(of *Overlay, x overlayRule, at string) (*Overlay, error) {
	r := *of.rules
	r.enabled, r.least, r.points = maps.Clone(r.enabled), maps.Clone(r.least), maps.Clone(r.points)
	if err := b.typesOf(&r, x.InfoTypes, at+".info_types."); err != nil {
		return nil, err
	}
	o := &Overlay{Policy: &Policy{rules: &r}, Sensitivity: of.Sensitivity, Strategy: of.Strategy}
	var err error
	if x.Sensitivity != "" {
		if o.Sensitivity, err = b.sensitivity(x.Sensitivity, at+".sensitivity"); err != nil {
			return nil, err
		}
	}
	if x.Strategy != "" {
		choice, err := replace.ParseChoice(x.Strategy)
		if err != nil {
			return nil, b.fail(at+".strategy", "%v", err)
		}
		o.Strategy = &choice
	}
	return o, nil
}

func (b *ruleBuilder) hotwords() error {
	if len(b.file.Hotwords) > maxRules {
		return b.fail("$.hotword_rules", "more than %d hotword rules", maxRules)
	}
	for i, h := range b.file.Hotwords {
		at := fmt.Sprintf("$.hotword_rules[%d]", i)
		r := hotwordRule{
			types: map[detectors.InfoType]bool{}, before: b.rules.window, after: 0, change: h.Adjust,
		}
		for _, name := range h.InfoTypes {
			t, err := b.infoType(name, at+".info_types")
			if err != nil {
				return err
			}
			r.types[t] = true
		}
		var err error
		if r.words, err = newPhrases(h.Hotwords); err != nil {
			return b.fail(at+".hotwords", "%v", err)
		}
		if err := b.readWindow(&r.before, h.Before, at+".window_before"); err != nil {
			return err
		}
		if err := b.readWindow(&r.after, h.After, at+".window_after"); err != nil {
			return err
		}
		switch {
		case len(r.types) == 0 || len(h.Hotwords) == 0:
			return b.fail(at, "a hotword rule needs info_types and hotwords")
		case (h.Adjust == 0) == (h.Set == ""), h.Adjust < -4, h.Adjust > 4:
			return b.fail(at, "a hotword rule needs either adjust, -4 to 4, or set")
		case h.Set != "":
			if r.fixed, err = b.likelihood(h.Set, at+".set"); err != nil {
				return err
			}
		}
		b.rules.hot = append(b.rules.hot, r)
	}
	return nil
}
