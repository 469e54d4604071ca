// Package layers checks that a package imports only packages further down in the table of
// docs/architecture.md, which is the only place that says what lies above what.
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

// never are imports that the table permits and that would couple what is kept apart.
var never = []struct{ from, to, because string }{
	{"serve", "processor", "the service needs no Kafka"},
	{"processor", "training/eval", "the stream needs no labelled calls"},
}

// kafkaFree are the packages that users import, and the life of calls in the stream. They depend on
// neither a Kafka client, nor the client of a Schema Registry, nor a library for Avro.
var kafkaFree = []string{"anonymize", "config", "detectors", "files", "processor/partition", "risk", "schemas", "serve", "state"}

// needKafka are packages below them that do. Only programs of the stream import them.
var needKafka = []string{"config/kafka", "schemas/registry"}

func isKafka(path string) bool {
	return strings.HasPrefix(path, "github.com/twmb/franz-go") || strings.HasPrefix(path, "github.com/linkedin/goavro")
}

// table has the packages of each row of docs/architecture.md, from the top.
type table [][]string

func readTable(t *testing.T) (rows table) {
	t.Helper()
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## Packages\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for line := range strings.Lines(text) {
		cell, ok := strings.CutPrefix(line, "| `")
		if !ok {
			continue
		}
		cell, _, _ = strings.Cut(cell, "` | ")
		rows = append(rows, strings.Split(cell, "`, `"))
	}
	return rows
}

// row is the number of the row of a package, -1 for none.
func (rows table) row(pkg string) int {
	for at := pkg; ; at = at[:max(strings.LastIndexByte(at, '/'), 0)] {
		if i := slices.IndexFunc(rows, func(r []string) bool { return slices.Contains(r, at) }); i >= 0 || at == "" {
			return i
		}
	}
}

func TestTheTableNamesWhatExists(t *testing.T) {
	seen := map[string]bool{}
	rows := readTable(t)
	if len(rows) < 20 {
		t.Fatalf("only %d rows are read", len(rows))
	}
	for _, r := range rows {
		for _, pkg := range r {
			if info, err := os.Stat(filepath.Join("../..", pkg)); err != nil || !info.IsDir() || seen[pkg] {
				t.Errorf("%s does not exist, or has two rows", pkg)
			}
			seen[pkg] = true
		}
	}
}

func TestRows(t *testing.T) {
	rows := table{{"a", "b/c"}, {"b"}, {"."}}
	for pkg, want := range map[string]int{"a": 0, "a/x/y": 0, "b/c/d": 0, "b": 1, "b/d": 1, ".": 2, "c": -1, "ab": -1} {
		if got := rows.row(pkg); got != want {
			t.Errorf("%s has row %d, want %d", pkg, got, want)
		}
	}
}

func TestPackagesImportOnlyFurtherDown(t *testing.T) {
	rows := readTable(t)
	module, imports := packages(t)
	for from, paths := range imports {
		r := rows.row(from)
		if r < 0 {
			t.Errorf("%s has no row in docs/architecture.md: add one, as far down as it can be", from)
			continue
		}
		for _, path := range paths {
			to := within(module, path)
			if to != "" && rows.row(to) < r {
				t.Errorf("%s imports %s, which is further up in docs/architecture.md", from, to)
			}
			for _, n := range never {
				if below(from, n.from) && below(to, n.to) {
					t.Errorf("%s imports %s: %s", from, to, n.because)
				}
			}
		}
	}
}

// The test kit is for tests: no program links it, so that it may start brokers and fail tests.
func TestOnlyTestsUseTheTestKit(t *testing.T) {
	const kit = "internal/testkit"
	module, imports := packages(t)
	for from, paths := range imports {
		for _, path := range paths {
			if to := within(module, path); below(to, kit) && !below(from, kit) {
				t.Errorf("%s imports %s outside of tests", from, to)
			}
		}
	}
}

// below reports whether a package is another one or below its folder.
func below(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }

func TestSomePackagesNeedNoKafka(t *testing.T) {
	module, imports := packages(t)
	var check func(user, pkg string, seen map[string]bool)
	check = func(user, pkg string, seen map[string]bool) {
		seen[pkg] = true
		for _, path := range imports[pkg] {
			if isKafka(path) {
				t.Errorf("%s must not need Kafka, but %s imports %s", user, pkg, path)
			}
			if to := within(module, path); to != "" && !seen[to] {
				check(user, to, seen)
			}
		}
	}
	for pkg := range imports {
		has := func(folder string) bool { return below(pkg, folder) }
		if slices.ContainsFunc(kafkaFree, has) && !slices.ContainsFunc(needKafka, has) {
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
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != root {
			return filepath.SkipDir // another module
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
	return module, imports
}
