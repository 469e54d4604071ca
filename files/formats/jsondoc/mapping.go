package jsondoc

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"sotto/files/formats/jsontree"
	"sotto/schemas"
)

// mapping says where a JSON document has what was said: the data of a format. Its paths are those of
// jsontree.Node.All; docs/files.md describes them for users.
type mapping struct {
	Name string `yaml:"name"`
	// Detect are conditions that a document of the format meets.
	Detect []string `yaml:"detect"`
	// Calls leads to the calls; without it the document is one call. The other paths begin there.
	Calls string `yaml:"calls"`
	ID    string `yaml:"id"`
	// Roles are the words of the format for the roles of schemas.
	Roles    map[string]schemas.Role `yaml:"roles"`
	Speakers []speakerSource         `yaml:"speakers"`
	// Turns are where turns are. The first source that has any counts, and those that are also there.
	Turns []turnSource `yaml:"turns"`
	// Sorted asks to order the turns by when they begin.
	Sorted  bool           `yaml:"sorted"`
	Repeats []repeatSource `yaml:"repeats"`
	// Labels are further places that name a speaker.
	Labels []string `yaml:"labels"`
	// First are lists of which only the first element stays: hypotheses for one word.
	First []string `yaml:"first"`
	// Keep has the form of values that stay as they are, by their paths from the root.
	Keep map[string]string `yaml:"keep"`
	// Names are names of members that no path has.
	Names []string `yaml:"names"`

	// ownID means that the ID is that of Sotto's own format, and is kept as those of events are.
	ownID bool
	kept  map[string]*regexp.Regexp
	names map[string]bool
}

// speakerSource is a list of speakers: of their names by their IDs, or by when they begin to talk.
type speakerSource struct {
	Path string `yaml:"path"`
	ID   string `yaml:"id"`
	Name string `yaml:"name"`
	Role string `yaml:"role"`
	// Start and Speaker give the speaker of words that begin at a time and do not say it themselves.
	Start   string `yaml:"start"`
	Speaker string `yaml:"speaker"`
}

// turnSource is where turns are, each at a value to which Path leads. The other paths begin there.
type turnSource struct {
	Path string `yaml:"path"`
	// Text is the text; if it leads to several, they are one turn. Without it, the words are the text.
	Text    string `yaml:"text"`
	Lexical string `yaml:"lexical"`
	Speaker string `yaml:"speaker"`
	Name    string `yaml:"name"`
	Role    string `yaml:"role"`
	Channel string `yaml:"channel"`
	Start   string `yaml:"start"`
	End     string `yaml:"end"`
	// Unit is that of times: s, ms or ticks of 100 ns.
	Unit string `yaml:"unit"`
	// Split asks for a turn wherever the speaker of the words changes. Speaker, Start and End are then
	// those of a word.
	Split bool `yaml:"split"`
	// Spaces means that the spaces between the words are words themselves.
	Spaces bool `yaml:"spaces"`
	// Also means turns besides those of the sources before.
	Also bool `yaml:"also"`
	// Aside means texts that are no turns, such as further hypotheses.
	Aside   bool           `yaml:"aside"`
	Words   []wordForm     `yaml:"words"`
	Repeats []repeatSource `yaml:"repeats"`
	// Offsets are positions in the text, in code points.
	Offsets []string `yaml:"offsets"`
}

// repeatSource is where texts and words are said again. The texts of one path are one after the
// other; with Each, those at every value to which it leads are repeats of their own.
type repeatSource struct {
	Each string `yaml:"each"`
	// Channel limits the turns that are repeated to those of a channel.
	Channel string     `yaml:"channel"`
	Texts   []string   `yaml:"texts"`
	Words   []wordForm `yaml:"words"`
}

// units are how many milliseconds the units of times have.
var units = map[string]float64{"": 1000, "s": 1000, "ms": 1, "ticks": 1e-4}

// hasUnits reports whether the units of the turns, and of the words of each, are known.
func (t *turnSource) hasUnits() bool {
	isKnown := func(unit string) bool { _, ok := units[unit]; return ok }
	lists := slices.Clone(t.Words)
	for _, r := range t.Repeats {
		lists = append(lists, r.Words...)
	}
	return isKnown(t.Unit) && !slices.ContainsFunc(lists, func(w wordForm) bool { return !isKnown(w.Unit) })
}

// lineOf is where the error of a YAML file is, "[line:column] ".
var lineOf = regexp.MustCompile(`^\[\d+:\d+\] `)

func readMapping(data []byte, name string) (*mapping, error) {
	m := &mapping{Name: name, kept: map[string]*regexp.Regexp{}, names: map[string]bool{}}
	if err := yaml.UnmarshalWithOptions(data, m, yaml.Strict()); err != nil {
		// The error quotes the file, which may be a transcript that was taken for a mapping.
		return nil, fmt.Errorf("%sit is no YAML, or has a name there that mappings do not have", lineOf.FindString(err.Error()))
	}
	if len(m.Turns) == 0 {
		return nil, errors.New("it has no turns; say under turns where they are")
	}
	for i := range m.Turns {
		t := &m.Turns[i]
		if !t.hasUnits() {
			return nil, errors.New("turns: a unit is none of s, ms and ticks")
		}
		if t.Path == "" || t.Text == "" && len(t.Words) == 0 || t.Split && len(t.Words) != 1 {
			return nil, errors.New("turns: each needs a path, and a text or words; split needs one list of words")
		}
	}
	names := append(m.detectNames(), m.Names...)
	for where, form := range m.Keep {
		r, err := regexp.Compile(`^(?:` + form + `)$`)
		if err != nil {
			return nil, errors.New("keep: a form is no regular expression")
		}
		m.kept[where] = r
		names = append(names, strings.Split(where, ".")...)
	}
	for _, n := range names {
		m.names[n] = true
	}
	return m, nil
}

//go:embed mappings
var mappingFiles embed.FS

// mappings are those of the formats that are known, by their names.
var mappings = sync.OnceValue(func() []*mapping {
	files, _ := mappingFiles.ReadDir("mappings") // what is embedded can be read
	var all []*mapping
	for _, f := range files {
		data, _ := mappingFiles.ReadFile(path.Join("mappings", f.Name()))
		m, err := readMapping(data, strings.TrimSuffix(f.Name(), ".yaml"))
		if err != nil {
			panic(fmt.Errorf("%s: %w", f.Name(), err))
		}
		all = append(all, m)
	}
	return all
})

func (m *mapping) detects(root *jsontree.Node) bool {
	return len(m.Detect) > 0 && !slices.ContainsFunc(m.Detect, func(c string) bool { return !m.meets(root, c) })
}

// meets reports whether a document meets a condition; "!" before it means that it must not.
func (m *mapping) meets(root *jsontree.Node, condition string) bool {
	condition, not := strings.CutPrefix(condition, "!")
	return root.Meets(condition) != not
}

// share returns how much of what a document of the format has is in another one: what it is known by, and its texts.
func (m *mapping) share(root *jsontree.Node) float64 {
	found, all := 0, 1
	for _, c := range m.Detect {
		if strings.HasPrefix(c, "!") {
			continue
		}
		if all++; root.Meets(c) {
			found++
		}
	}
	call := root.Pick(cmp.Or(m.Calls, "."))
	if slices.ContainsFunc(m.Turns, func(t turnSource) bool {
		return t.Text != "" && slices.ContainsFunc(call.All(t.Path), func(at jsontree.Match) bool { return at.Pick(t.Text).IsText() })
	}) {
		found++
	}
	return float64(found) / float64(all)
}

// detectNames are the names that the conditions and the paths of turns mention.
func (m *mapping) detectNames() []string {
	paths := slices.Clone(m.Detect)
	for i := range m.Turns {
		paths = append(paths, m.Turns[i].Path, m.Turns[i].Text)
	}
	names := strings.FieldsFunc(strings.Join(paths, " "), func(r rune) bool { return strings.ContainsRune(" .|=*!0123456789", r) })
	slices.Sort(names)
	return slices.Compact(names)
}
