package schemas

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file keeps a breaking change of a schema from landing. Every released form stays in
// history/, unchanged. The current form must read all of them and be readable by all of them
// (FULL_TRANSITIVE in the terms of the Schema Registry). DESIGN 1.2 adds that no field is removed.

const howToRelease = `A changed schema is a new version. After the change in schemas/%[1]s.avsc (add
optional fields only, with a default):

	cd schemas
	cp %[1]s.avsc history/%[1]s.v%[2]d.avsc
	(cd history && sha256sum %[1]s.v%[2]d.avsc >> SHA256SUMS)
`

func TestHistoryIsNotEdited(t *testing.T) {
	sums, err := os.ReadFile("history/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(sums)) {
		if parts := strings.Fields(line); len(parts) == 2 {
			listed[parts[1]] = parts[0]
		}
	}
	paths, err := filepath.Glob("history/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		if name == "SHA256SUMS" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		switch want, ok := listed[name]; {
		case !ok:
			t.Errorf("%s is not in history/SHA256SUMS: if it is new, (cd schemas/history && sha256sum %s >> SHA256SUMS)", path, name)
		case want != hex.EncodeToString(sum[:]):
			t.Errorf("%s was edited. It is a released form, which records in topics may have been written with: "+
				"restore it with git, and make a new version instead.", path)
		}
		delete(listed, name)
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		t.Errorf("history/%s is gone. Records that were written with it could not be read any more: restore it with git.", name)
	}
}

func TestSchemasAreCompatibleWithTheirHistory(t *testing.T) {
	for _, name := range recordNames {
		current, err := files.ReadFile(name + ".avsc")
		if err != nil {
			t.Fatal(err)
		}
		released, err := fs.Glob(files, "history/"+name+".v*.avsc")
		if err != nil || len(released) == 0 {
			t.Fatalf("%s has no history (%v)", name, err)
		}
		var versions []int
		for _, path := range released {
			v, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(path, "history/"+name+".v"), ".avsc"))
			if err != nil {
				t.Fatalf("%s: the file's name has no version", path)
			}
			versions = append(versions, v)
			text, err := files.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if problems := breaks(parseText(t, string(text)), parseText(t, string(current))); len(problems) > 0 {
				t.Errorf("%s.avsc breaks with %s:\n\t%s\nA field may be added with a default; none may go away or change its type. "+
					"Take the change back, or add a field under a new name.", name, path, strings.Join(problems, "\n\t"))
			}
		}
		slices.Sort(versions)
		latest := versions[len(versions)-1]
		if latest != len(versions) {
			t.Errorf("history/%s.v*.avsc: the versions have a gap: %v", name, versions)
		}
		text, err := files.ReadFile(fmt.Sprintf("history/%s.v%d.avsc", name, latest))
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != string(current) {
			t.Errorf("%s.avsc is not its latest version in history/, so that what is written with it could not be read "+
				"after its next change.\n%s", name, fmt.Sprintf(howToRelease, name, latest+1))
		}
	}
}

// breaks lists what a change from one schema to another breaks.
func breaks(old, current *node) (problems []string) {
	for _, p := range unreadable(current, old, "", map[[2]*node]bool{}) {
		problems = append(problems, "the new form cannot read the old one: "+p)
	}
	for _, p := range unreadable(old, current, "", map[[2]*node]bool{}) {
		problems = append(problems, "the old form cannot read the new one: "+p)
	}
	for _, p := range removed(old, current, "", map[*node]bool{}) {
		problems = append(problems, "DESIGN 1.2: "+p)
	}
	return problems
}

// removed lists what Avro allows and DESIGN 1.2 does not: removed fields, even if they had a
// default; namespaces that changed; and strings that became bytes.
func removed(old, current *node, path string, seen map[*node]bool) (problems []string) {
	if seen[old] {
		return nil
	}
	if old.kind != current.kind {
		// unreadable reports other changes of kind.
		if old.kind == kindString && current.kind == kindBytes || old.kind == kindBytes && current.kind == kindString {
			problems = append(problems, fmt.Sprintf("%s: %s became %s, which is the same in Avro but not in JSON", path, old.kind, current.kind))
		}
		return problems
	}
	seen[old] = true
	if old.name != current.name {
		problems = append(problems, fmt.Sprintf("%s: type %s was renamed to %s", path, old.name, current.name))
	}
	for _, o := range old.fields {
		i := slices.IndexFunc(current.fields, func(c field) bool { return c.name == o.name })
		if i < 0 {
			problems = append(problems, fmt.Sprintf("%s: field was removed", path+"/"+o.name))
			continue
		}
		problems = append(problems, removed(o.node, current.fields[i].node, path+"/"+o.name, seen)...)
	}
	for i := range min(len(old.branches), len(current.branches)) {
		problems = append(problems, removed(old.branches[i], current.branches[i], path, seen)...)
	}
	if old.item != nil {
		problems = append(problems, removed(old.item, current.item, path, seen)...)
	}
	return problems
}

// unreadable lists why a reader with schema r cannot read everything that is written with w (Avro
// 1.12 specification, "Schema Resolution").
func unreadable(r, w *node, path string, seen map[[2]*node]bool) (problems []string) {
	if seen[[2]*node{r, w}] {
		return nil
	}
	seen[[2]*node{r, w}] = true
	say := func(format string, args ...any) {
		at := path
		if at == "" {
			at = "/"
		}
		problems = append(problems, at+": "+fmt.Sprintf(format, args...))
	}
	if w.kind == kindUnion {
		for _, b := range w.branches {
			problems = append(problems, unreadable(r, b, path, seen)...)
		}
		return problems
	}
	if r.kind == kindUnion {
		for _, b := range r.branches {
			if len(unreadable(b, w, path, maps.Clone(seen))) == 0 {
				return nil
			}
		}
		say("no type of the reader's union takes %s", w.kind)
		return problems
	}
	if r.kind != w.kind {
		promoted := map[kind][]kind{
			kindInt: {kindLong, kindFloat, kindDouble}, kindLong: {kindFloat, kindDouble}, kindFloat: {kindDouble},
			kindString: {kindBytes}, kindBytes: {kindString},
		}
		if !slices.Contains(promoted[w.kind], r.kind) {
			say("%s cannot be read as %s", w.kind, r.kind)
		}
		return problems
	}
	if short(r.name) != short(w.name) {
		say("type %s cannot be read as %s", w.name, r.name)
		return problems
	}
	switch r.kind {
	case kindFixed:
		if r.size != w.size {
			say("a fixed of %d bytes cannot be read as one of %d", w.size, r.size)
		}
	case kindEnum:
		for _, s := range w.symbols {
			if !slices.Contains(r.symbols, s) && r.fallback == "" {
				say("the reader does not know symbol %s and has no default", s)
			}
		}
	case kindArray, kindMap:
		return unreadable(r.item, w.item, path, seen)
	case kindRecord:
		for _, f := range r.fields {
			i := slices.IndexFunc(w.fields, func(x field) bool { return x.name == f.name })
			if i >= 0 {
				problems = append(problems, unreadable(f.node, w.fields[i].node, path+"/"+f.name, seen)...)
			} else if !f.hasDefault {
				path := path + "/" + f.name
				problems = append(problems, path+": the writer has no such field, and the reader no default")
			}
		}
	}
	return problems
}

func short(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func TestBreaks(t *testing.T) {
	record := func(fields string) string {
		return `{"type": "record", "name": "n.R", "fields": [` + fields + `]}`
	}
	const (
		a     = `{"name": "a", "type": "string"}`
		enumX = `{"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["X"]}}`
		list  = `{"type": "record", "name": "L", "fields": [{"name": "next", "type": ["null", "L"], "default": null}%s]}`
	)
	for name, c := range map[string]struct {
		old, current string
		want         []string // parts of the problems; none: compatible
	}{
		"the same":                    {record(a), record(a), nil},
		"other doc and order":         {record(a + `,{"name": "b", "type": "int"}`), record(`{"name": "b", "type": "int", "doc": "x"},` + a), nil},
		"optional field added":        {record(a), record(a + `,{"name": "b", "type": ["null", "int"], "default": null}`), nil},
		"field with default added":    {record(a), record(a + `,{"name": "b", "type": {"type": "array", "items": "int"}, "default": []}`), nil},
		"field without default added": {record(a), record(a + `,{"name": "b", "type": ["null", "int"]}`), []string{"new form cannot read the old one: /b"}},
		"required field removed":      {record(a + `,{"name": "b", "type": "int"}`), record(a), []string{"old form cannot read the new one: /b", "/b: field was removed"}},
		"optional field removed":      {record(a + `,{"name": "b", "type": "int", "default": 0}`), record(a), []string{"/b: field was removed"}},
		"field renamed":               {record(a), record(`{"name": "b", "type": "string"}`), []string{"read the old one: /b", "read the new one: /a"}},
		"default dropped":             {record(a + `,{"name": "b", "type": "int", "default": 0}`), record(a + `,{"name": "b", "type": "int"}`), nil},
		"int becomes long":            {record(`{"name": "b", "type": "int"}`), record(`{"name": "b", "type": "long"}`), []string{"old form cannot read the new one: /b: long cannot be read as int"}},
		"double becomes float":        {record(`{"name": "b", "type": "double"}`), record(`{"name": "b", "type": "float"}`), []string{"new form cannot read the old one: /b: double cannot be read as float"}},
		"string becomes int":          {record(a), record(`{"name": "a", "type": "int"}`), []string{"string cannot be read as int", "int cannot be read as string"}},
		"required becomes optional":   {record(a), record(`{"name": "a", "type": ["null", "string"], "default": null}`), []string{"old form cannot read the new one: /a: null cannot be read as string"}},
		"optional becomes required":   {record(`{"name": "a", "type": ["null", "string"]}`), record(a), []string{"new form cannot read the old one: /a: null cannot be read as string"}},
		"type added to union":         {record(`{"name": "a", "type": ["null", "string"]}`), record(`{"name": "a", "type": ["null", "string", "int"]}`), []string{"old form cannot read the new one: /a: no type of the reader's union takes int"}},
		"type removed from union":     {record(`{"name": "a", "type": ["null", "int"]}`), record(`{"name": "a", "type": ["null"]}`), []string{"new form cannot read the old one: /a: no type of the reader's union takes int"}},
		"items change":                {`{"type": "array", "items": "string"}`, `{"type": "array", "items": "int"}`, []string{"string cannot be read as int", "int cannot be read as string"}},
		"values change":               {`{"type": "map", "values": "int"}`, `{"type": "map", "values": "long"}`, []string{"old form cannot read the new one: /: long cannot be read as int"}},
		"array becomes map":           {`{"type": "array", "items": "int"}`, `{"type": "map", "values": "int"}`, []string{"array cannot be read as map", "map cannot be read as array"}},
		"record renamed":              {record(a), strings.Replace(record(a), "n.R", "n.S", 1), []string{"n.R cannot be read as n.S", "n.S cannot be read as n.R", "renamed"}},
		"namespace changed":           {record(a), strings.Replace(record(a), "n.R", "m.R", 1), []string{"n.R was renamed to m.R"}},
		"symbol added":                {record(enumX), record(strings.Replace(enumX, `"X"`, `"X", "Y"`, 1)), []string{"old form cannot read the new one: /e: the reader does not know symbol Y"}},
		"symbol removed":              {record(strings.Replace(enumX, `"X"`, `"X", "Y"`, 1)), record(enumX), []string{"new form cannot read the old one: /e: the reader does not know symbol Y"}},
		"symbol added to one with default": {
			record(strings.Replace(enumX, `["X"]`, `["X"], "default": "X"`, 1)),
			record(strings.Replace(enumX, `["X"]`, `["X", "Y"], "default": "X"`, 1)), nil},
		"fixed of another size":       {`{"type": "fixed", "name": "F", "size": 4}`, `{"type": "fixed", "name": "F", "size": 8}`, []string{"4 bytes", "8 bytes"}},
		"recursive, the same":         {fmt.Sprintf(list, ""), fmt.Sprintf(list, ""), nil},
		"recursive, added":            {fmt.Sprintf(list, ""), fmt.Sprintf(list, `, {"name": "x", "type": "int", "default": 1}`), nil},
		"recursive, removed":          {fmt.Sprintf(list, `, {"name": "x", "type": "int"}`), fmt.Sprintf(list, ""), []string{"/x", "/x"}},
		"nested required field added": {record(`{"name": "b", "type": ["null", {"type": "record", "name": "I", "fields": []}]}`), record(`{"name": "b", "type": ["null", {"type": "record", "name": "I", "fields": [{"name": "c", "type": "int"}]}]}`), []string{"new form cannot read the old one: /b"}},
		"nested optional field removed": {
			record(`{"name": "b", "type": ["null", {"type": "record", "name": "I", "fields": [{"name": "c", "type": "int", "default": 0}]}]}`),
			record(`{"name": "b", "type": ["null", {"type": "record", "name": "I", "fields": []}]}`), []string{"/b/c: field was removed"}},
		"string becomes bytes": {record(a), record(`{"name": "a", "type": "bytes"}`), []string{"/a: string became bytes"}},
	} {
		problems := breaks(parseText(t, c.old), parseText(t, c.current))
		for _, want := range c.want {
			if !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, want) }) {
				t.Errorf("%s: no problem with %q among %q", name, want, problems)
			}
		}
		if len(c.want) == 0 && len(problems) > 0 {
			t.Errorf("%s: %q", name, problems)
		}
	}
}
