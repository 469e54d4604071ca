// Package mapping makes raw events of the messages that recognizers and telephony platforms send while
// a call is going on.
//
// A mapping is data: a YAML file that says where a message has what a raw event needs, which messages
// are interim results, which one ends a call, and which are of no use. A record may hold several
// messages, in an array or in what a carrier has wrapped around them. Each message becomes one event,
// one per speaker if its words have speakers, a dead letter, or nothing, and then it is counted why.
//
// What a record becomes depends on the record and the mapping alone, so that a replay gives the same
// events. Where the vendor gives no order, or may send a result again, the call decides: see Mark and
// Window.
package mapping

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"sotto/anonymize/intake"
	"sotto/internal/boundedfile"
	"sotto/schemas"
)

// Event is the name of what Sotto reads without a mapping: its own raw events.
const Event = "event"

// maxFile bounds the bytes of a mapping, and maxMessages the messages of a record.
const (
	maxFile     = 64 << 10
	maxMessages = 1000
)

// What a rule makes of a message.
const (
	isUtterance = "utterance"
	isInterim   = "interim"
	isStart     = "start"
	isEnd       = "end"
	isIgnored   = "ignore"
)

// deadLetter and ignore are what may become of a message that no rule knows, and of a result that was
// revised after its event was published.
const (
	deadLetter = "dead-letter"
	ignore     = "ignore"
)

// Mapping is a mapping that was read. It does not change, and is safe for concurrent use.
type Mapping struct {
	// Name is that of the setting.
	Name     string
	digest   [sha256.Size]byte
	file     File
	unwrap   path
	messages []path
	rules    []rule
}

// File returns the mapping as it was written. It must not be changed.
func (m *Mapping) File() File { return m.file }

// File is the form of a mapping; docs/vendors.md describes it.
type File struct {
	Form     bool                    `yaml:"form"`
	Unwrap   string                  `yaml:"unwrap"`
	Messages []string                `yaml:"messages"`
	Order    string                  `yaml:"order"`
	Roles    map[string]schemas.Role `yaml:"roles"`
	Unknown  string                  `yaml:"unknown"`
	Revised  string                  `yaml:"revised"`
	Fields   FieldPaths              `yaml:",inline"`
	Rules    []FileRule              `yaml:"rules"`
}

// FileRule is a rule of a File: which messages it is for, and what they become.
type FileRule struct {
	When   []string   `yaml:"when"`
	Is     string     `yaml:"is"`
	Fields FieldPaths `yaml:",inline"`
	Words  *WordPaths `yaml:"words"`
}

// FieldPaths are the places of the fields of an event. Those of a rule go before those of the mapping.
type FieldPaths struct {
	Call     string `yaml:"call"`
	ID       string `yaml:"id"`
	Seq      string `yaml:"seq"`
	Text     string `yaml:"text"`
	Lexical  string `yaml:"lexical"`
	Speaker  string `yaml:"speaker"`
	Name     string `yaml:"name"`
	Role     string `yaml:"role"`
	Channel  string `yaml:"channel"`
	Start    string `yaml:"start"`
	End      string `yaml:"end"`
	Duration string `yaml:"duration"`
	Unit     string `yaml:"unit"`
	Time     string `yaml:"time"`
	Language string `yaml:"language"`
	Tenant   string `yaml:"tenant"`
	Context  string `yaml:"context"`
}

// WordPaths say where the words of a message are, and what each has.
type WordPaths struct {
	Path    string `yaml:"path"`
	Text    string `yaml:"text"`
	Speaker string `yaml:"speaker"`
	Start   string `yaml:"start"`
	End     string `yaml:"end"`
}

// rule is a FileRule with its paths.
type rule struct {
	when []condition
	is   string
	fields
	words *wordFields
}

type fields struct {
	id                                                                                                            []path
	call, seq, text, lexical, speaker, name, role, channel, start, end, duration, time, language, tenant, context path
	unit                                                                                                          float64
}

type wordFields struct{ list, text, speaker, start, end path }

// units are how many milliseconds the units of times have.
var units = map[string]float64{"": 1000, "s": 1000, "ms": 1, "us": 1e-3, "ticks": 1e-4}

// lineOf is where the error of a YAML file is, "[line:column] ".
var lineOf = regexp.MustCompile(`^\[\d+:\d+\] `)

// strict reads YAML. The error does not quote it: somebody may have named a transcript by mistake.
func strict(data []byte, to any) error {
	if err := yaml.UnmarshalWithOptions(data, to, yaml.Strict()); err != nil {
		return fmt.Errorf("%sit is no YAML, or has a name there that mappings do not have", lineOf.FindString(err.Error()))
	}
	return nil
}

// Parse reads a mapping. The error says everything that is wrong with it.
func Parse(data []byte, name string) (*Mapping, error) {
	m := &Mapping{Name: name, digest: sha256.Sum256(data)}
	f := &m.file
	if err := strict(data, f); err != nil {
		return nil, err
	}
	var p problems
	m.unwrap = p.path("unwrap", f.Unwrap)
	for _, where := range f.Messages {
		m.messages = append(m.messages, p.path("messages", where))
	}
	if len(m.messages) == 0 {
		m.messages = []path{{route{}}}
	}
	p.oneOf("order", f.Order, "", "start")
	p.oneOf("unknown", f.Unknown, "", deadLetter, ignore)
	p.oneOf("revised", f.Revised, "", deadLetter, ignore)
	roles := map[string]schemas.Role{}
	for word, role := range f.Roles {
		p.oneOf("roles", string(role), string(schemas.RoleAgent), string(schemas.RoleCustomer), string(schemas.RoleUnknown))
		roles[strings.ToLower(word)] = role
	}
	f.Roles = roles
	if len(f.Rules) == 0 {
		p.add("rules", "there are none: say under rules what the messages are")
	}
	for i := range f.Rules {
		m.rules = append(m.rules, p.rule(f, &f.Rules[i], i+1))
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return m, nil
}

// problems collects what is wrong with a mapping.
type problems []error

func (p *problems) add(where, problem string) { *p = append(*p, fmt.Errorf("%s: %s", where, problem)) }

func (p *problems) err() error { return errors.Join(*p...) }

func (p *problems) oneOf(where, value string, choices ...string) {
	if !slices.Contains(choices, value) {
		p.add(where, "must be one of "+strings.Join(slices.DeleteFunc(choices, func(s string) bool { return s == "" }), ", "))
	}
}

func (p *problems) path(where, s string) path {
	parsed, err := parsePath(s)
	if err != nil {
		p.add(where, err.Error())
	}
	return parsed
}

func (p *problems) conditions(all []string) (parsed []condition) {
	for _, s := range all {
		c, err := parseCondition(s)
		if err != nil {
			p.add("when", err.Error())
		}
		parsed = append(parsed, c)
	}
	return parsed
}

func (p *problems) rule(f *File, from *FileRule, number int) rule {
	where := fmt.Sprintf("rule %d", number)
	before := len(*p)
	r := rule{when: p.conditions(from.When), is: from.Is, fields: p.fields(&f.Fields, &from.Fields)}
	if r.is == "" {
		r.is = isUtterance
	}
	p.oneOf("is", r.is, isUtterance, isInterim, isStart, isEnd, isIgnored)
	if w := from.Words; w != nil {
		r.words = &wordFields{p.path("words", w.Path), p.path("text", w.Text), p.path("speaker", w.Speaker), p.path("start", w.Start), p.path("end", w.End)}
		if r.words.list == nil || r.words.text == nil {
			p.add("words", "they need a path and a text")
		}
	}
	if r.call == nil && r.is != isIgnored {
		p.add("call", "it is missing; $key is the key of the record")
	}
	if r.is == isUtterance {
		if r.text == nil && r.words == nil {
			p.add("text", "an utterance needs one, or words")
		}
		if f.Order == "start" && r.start == nil && (r.words == nil || r.words.start == nil) {
			p.add("start", "order: start needs it")
		}
	}
	if f.Order != "" && r.seq != nil {
		p.add("seq", "it and order exclude each other")
	}
	for i := before; i < len(*p); i++ {
		(*p)[i] = fmt.Errorf("%s: %w", where, (*p)[i])
	}
	return r
}

func (p *problems) fields(all, own *FieldPaths) fields {
	get := func(name, general, particular string) path { return p.path(name, cmp.Or(particular, general)) }
	factor, ok := units[cmp.Or(own.Unit, all.Unit)]
	if !ok {
		p.add("unit", "must be one of s, ms, us, ticks")
	}
	return fields{
		call: get("call", all.Call, own.Call), id: p.ids(cmp.Or(own.ID, all.ID)), seq: get("seq", all.Seq, own.Seq),
		text: get("text", all.Text, own.Text), lexical: get("lexical", all.Lexical, own.Lexical),
		speaker: get("speaker", all.Speaker, own.Speaker), name: get("name", all.Name, own.Name),
		role: get("role", all.Role, own.Role), channel: get("channel", all.Channel, own.Channel),
		start: get("start", all.Start, own.Start), end: get("end", all.End, own.End), duration: get("duration", all.Duration, own.Duration),
		time: get("time", all.Time, own.Time), language: get("language", all.Language, own.Language),
		tenant: get("tenant", all.Tenant, own.Tenant), context: get("context", all.Context, own.Context), unit: factor,
	}
}

// ids are the paths of an identifier that has several parts, "a + b".
func (p *problems) ids(s string) (all []path) {
	if s == "" {
		return nil
	}
	for part := range strings.SplitSeq(s, " + ") {
		all = append(all, p.path("id", part))
	}
	return all
}

//go:embed mappings
var builtIn embed.FS

// Names are the names of the mappings that are built in.
func Names() (names []string) {
	files, _ := builtIn.ReadDir("mappings") // what is embedded can be read
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return names
}

// Load returns a mapping by its name: that of a file NAME.mapping.yaml in the policy folder, one that
// is built in, or the path of a file. It returns nil for Event.
func Load(name, folder string) (*Mapping, error) {
	if name == Event || name == "" {
		return nil, nil
	}
	if IsPath(name) {
		return read(name, name)
	}
	if folder != "" {
		m, err := read(filepath.Join(folder, name+intake.MappingSuffix), name)
		if !errors.Is(err, fs.ErrNotExist) {
			return m, err
		}
	}
	data, err := builtIn.ReadFile("mappings/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no mapping has this name: there is no %s%s in the policy folder (SOTTO_DICTIONARY_DIR), and built in are %s",
			name, intake.MappingSuffix, strings.Join(append([]string{Event}, Names()...), ", "))
	}
	return Parse(data, name)
}

// IsPath reports whether a name is the path of a file.
func IsPath(name string) bool { return strings.ContainsAny(name, `/\`) }

func read(file, name string) (*Mapping, error) {
	data, err := boundedfile.Read(file, maxFile)
	if err != nil {
		return nil, err
	}
	m, err := Parse(data, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// Digest stands for everything that the mapping decides.
func (m *Mapping) Digest() []byte { return m.digest[:] }
