// Package layers states which package may import which, and checks it. Imports go in one direction:
//
//	cmd -> processor, serve, review -> config -> anonymize -> detectors, state, replace
package layers

import (
	"errors"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rules say for each folder which others its packages may import, outside of tests. A rule holds for
// all packages below the folder, except for those with a rule of their own; packages under one rule
// may import each other. A later folder is never allowed to import an earlier one.
var rules = []rule{
	{"cmd", []string{".", "internal/demo", "internal/batch", "processor", "serve", "review", "eval", "config",
		"anonymize", "intake", "formats", "risk", "corpus", "corpus/topic", "corpus/calls", "corpus/noise", "corpus/gold",
		"detectors/ner/train", "detectors/remote/dlp", "detectors/remote/presidio", "detectors",
		"replace", "state", "schemas", "internal/callgen", "internal/cleandiff"}},
	{"hack", []string{".", "processor", "corpus", "anonymize", "eval", "config", "detectors/ner/train", "detectors", "corpus/words", "corpus/calls", "corpus/gold",
		"schemas"}},
	{"internal/demo", []string{"processor", "config", "risk", "schemas", "corpus/calls", "corpus/gold", "internal/callgen"}},
	{"processor", []string{"config", "corpus/indirect/live", "corpus/words", "anonymize", "intake", "risk", "detectors", "replace", "state", "schemas"}},
	{"serve", []string{"internal/batch", "config", "anonymize", "intake", "formats", "risk", "detectors", "replace", "state", "schemas"}},
	{"review", []string{"config", "anonymize", "formats", "risk", "corpus", "corpus/gold", "detectors", "state", "schemas"}},
	{"internal/batch", []string{"config", "anonymize", "intake", "formats", "risk", "detectors", "state", "schemas"}},
	// The oracle of the tests of the stream: it may import what the stream is made of, and nothing of
	// the stream itself.
	{"internal/testkit/serial", []string{"config", "corpus/words", "anonymize", "intake", "risk", "detectors", "state", "schemas"}},
	{"eval", []string{"config", "anonymize", "formats", "risk", "detectors", "detectors/wordlist", "state", "schemas", "corpus/gold"}},
	{"corpus/topic", []string{"config", "schemas"}},
	{"config", []string{"anonymize", "intake", "risk", "detectors", "replace", "state", "schemas"}},
	{"anonymize", []string{"detectors", "detectors/wordlist", "replace", "state", "schemas"}},
	{"corpus", []string{"risk", "detectors", "replace", "state", "schemas", "corpus/words", "corpus/calls", "corpus/gold"}},
	{"corpus/indirect/live", []string{"state"}},
	{"corpus/words", []string{"detectors"}},
	{"risk", []string{"detectors", "detectors/wordlist", "state", "schemas"}},
	{"corpus/calls", []string{"detectors", "corpus/gold"}},
	{"formats", []string{"schemas", "corpus/gold"}},
	{"intake", []string{"schemas"}},
	{"detectors/ner/train", []string{"detectors", "corpus/noise", "corpus/gold"}},
	{"detectors/remote/dlp", []string{"detectors"}},      // brings gRPC
	{"detectors/remote/presidio", []string{"detectors"}}, // brings HTTP
	{"corpus/noise", []string{"detectors", "detectors/wordlist", "corpus/gold"}},
	{"detectors/wordlist/listtest", []string{"detectors", "detectors/wordlist"}},
	{"detectors", []string{"detectors/wordlist", "state"}},
	{"replace", []string{"detectors/wordlist"}},
	{"state", nil},
	{"internal/testkit", []string{"schemas"}}, // rigs of tests; nothing else imports them
	{"internal/callgen", []string{"schemas", "corpus/gold"}},
	{"internal/cleandiff", []string{"schemas"}},
	{"corpus/gold", nil},
	{"schemas", nil},
	{"detectors/wordlist", nil},
	{"internal", nil}, // small packages that all others may import
	{".", nil},        // the embedded licences
}

type rule struct {
	folder string
	may    []string
}

// importable are the packages that users import. They depend on no Kafka client. The client of the
// Schema Registry, pkg/sr, speaks HTTP only.
var importable = []string{"anonymize", "detectors", "replace", "risk", "schemas", "state"}

func isKafka(path string) bool {
	return strings.HasPrefix(path, "github.com/twmb/franz-go") && path != "github.com/twmb/franz-go/pkg/sr"
}

// ruleOf is the index of the rule for a package, by its path within the module, or -1.
func ruleOf(pkg string) int {
	for ; ; pkg = pkg[:max(strings.LastIndexByte(pkg, '/'), 0)] {
		if i := slices.IndexFunc(rules, func(r rule) bool { return r.folder == pkg }); i >= 0 || pkg == "" {
			return i
		}
	}
}

func allowed(from, to string) bool {
	f, t := ruleOf(from), ruleOf(to)
	return f >= 0 && t >= 0 && (f == t || rules[t].folder == "internal" || slices.Contains(rules[f].may, rules[t].folder))
}

func TestRulesPointDownwards(t *testing.T) {
	for i, r := range rules {
		for _, folder := range r.may {
			j := slices.IndexFunc(rules, func(r rule) bool { return r.folder == folder })
			if j <= i {
				t.Errorf("%s may import %s, which is not further down", r.folder, folder)
			}
		}
	}
}

func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"cmd/sotto", "processor", true},
		{"processor", "config", true},
		{"processor", "processor/otlp", true},
		{"config", "anonymize", true},
		{"anonymize/dialogue", "detectors/spoken", true},
		{"detectors/ner/train", "corpus/gold", true},
		{"state", "internal/wordhash", true},

		{"config", "processor", false},
		{"anonymize", "config", false},
		{"eval", "processor", false},
		{"config", "detectors/remote/dlp", false},
		{"processor", "detectors/remote/dlp", false},
		{"detectors/ids", "anonymize", false},
		{"detectors/ner", "detectors/ner/train", false},
		{"detectors/ner", "corpus/gold", false},
		{"state", "detectors", false},
		{"schemas", "state", false},
		{"processor", "internal/testkit/brokertest", false},
		{"processor", "cmd/sotto", false},
		{"internal/testkit/serial", "processor", false},
		{"internal/wordhash", "detectors", false},
		{"newcomer", "schemas", false},
	} {
		if got := allowed(c.from, c.to); got != c.want {
			t.Errorf("import of %s by %s: got %v", c.to, c.from, got)
		}
	}
}

func TestImportsFollowTheRules(t *testing.T) {
	module, imports := packages(t)
	for from, paths := range imports {
		if ruleOf(from) < 0 {
			t.Errorf("%s has no rule: add one, as far down as it can be", from)
		}
		for _, path := range paths {
			if to := within(module, path); to != "" && !allowed(from, to) {
				t.Errorf("%s must not import %s", from, to)
			}
		}
	}
}

func TestImportablePackagesNeedNoKafka(t *testing.T) {
	module, imports := packages(t)
	var check func(user, pkg string, seen map[string]bool)
	check = func(user, pkg string, seen map[string]bool) {
		seen[pkg] = true
		for _, path := range imports[pkg] {
			if isKafka(path) {
				t.Errorf("%s is for import without Kafka, but %s imports %s", user, pkg, path)
			}
			if to := within(module, path); to != "" && !seen[to] {
				check(user, to, seen)
			}
		}
	}
	for pkg := range imports {
		if top, _, _ := strings.Cut(pkg, "/"); slices.Contains(importable, top) {
			check(pkg, pkg, map[string]bool{})
		}
	}
}

// within is the path of a package within the module, "." for its root and "" outside of it.
func within(module, path string) string {
	if path == module {
		return "."
	}
	rel, ok := strings.CutPrefix(path, module+"/")
	if !ok {
		return ""
	}
	return rel
}

// packages reads the module's path and the imports of each of its packages outside of tests. It
// reads the files itself, unlike `go list`, so that the cache of test results knows them.
func packages(t *testing.T) (module string, imports map[string][]string) {
	t.Helper()
	const root = "../.."
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(mod), "\n")
	module = strings.TrimPrefix(line, "module ")
	imports = map[string][]string{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != root && (name[0] == '.' || name == "testdata" || name == "bin") {
			return filepath.SkipDir
		}
		pkg, err := build.Default.ImportDir(path, 0)
		if none := (*build.NoGoError)(nil); errors.As(err, &none) {
			return nil
		} else if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		imports[filepath.ToSlash(rel)] = pkg.Imports
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(imports) < len(importable) {
		t.Fatalf("only %d packages found", len(imports))
	}
	return module, imports
}
