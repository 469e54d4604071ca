package anonymize

import (
	"cmp"
	"crypto/sha256"
	"go/build"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/internal/ruledata"
)

// notRules are packages whose embedded files decide nothing about what is masked.
var notRules = map[string]string{"schemas": "the encoding of events"}

// formerly are folders that have moved. Their files keep their names in the policy hash, which must not
// change because a folder has another name.
var formerly = map[string]string{"anonymize/replace": "replace", "state/linking": "state"}

// Every file that the engine or a package that it imports embeds is a part of the policy hash, as it is
// on disk, and no other file is: the hash is the same in every program.
func TestEmbeddedFilesArePartOfThePolicy(t *testing.T) {
	embedded := map[string]ruledata.Hash{}
	addEmbedded(t, "anonymize", embedded, map[string]bool{})
	if len(embedded) < 20 {
		t.Fatalf("only %d embedded files found", len(embedded))
	}
	recorded := ruledata.Files()
	for _, file := range slices.Sorted(maps.Keys(embedded)) {
		if hash, ok := recorded[file]; !ok {
			t.Errorf("%s is embedded, and not a part of the policy hash: pass it through package internal/ruledata", file)
		} else if hash != embedded[file] {
			t.Errorf("%s is recorded under its path with another content", file)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(recorded)) {
		if _, ok := embedded[file]; !ok {
			t.Errorf("%s is recorded, and no package that the engine imports embeds it", file)
		}
	}
}

// addEmbedded adds the files that a package and those that it imports embed.
func addEmbedded(t *testing.T, pkg string, files map[string]ruledata.Hash, seen map[string]bool) {
	t.Helper()
	seen[pkg] = true
	dir := filepath.Join("..", filepath.FromSlash(pkg))
	p, err := build.Default.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if notRules[pkg] == "" {
		for _, pattern := range p.EmbedPatterns {
			found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
			if err != nil || len(found) == 0 {
				t.Fatalf("%s embeds %s, which does not exist", pkg, pattern)
			}
			for _, file := range found {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				rel, _ := filepath.Rel(dir, file)
				files[path.Join(cmp.Or(formerly[pkg], pkg), filepath.ToSlash(rel))] = sha256.Sum256(data)
			}
		}
	}
	for _, imported := range p.Imports {
		if inside, ok := strings.CutPrefix(imported, "sotto/"); ok && !seen[inside] {
			addEmbedded(t, inside, files, seen)
		}
	}
}
