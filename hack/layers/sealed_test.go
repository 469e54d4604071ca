package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sealedRow is a row of a table of docs/state.md: struct, key, field.
var sealedRow = regexp.MustCompile("(?m)^\\| `(\\w+\\.\\w+)` \\| (\\d+) \\| `(\\w+)` \\| ")

// docs/state.md names every key under which something is sealed, and nothing else.
func TestTheTableOfTheSealedStateIsComplete(t *testing.T) {
	const root = "../.."
	page, err := os.ReadFile(filepath.Join(root, "docs/state.md"))
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, m := range sealedRow.FindAllStringSubmatch(string(page), -1) {
		documented = append(documented, strings.Join(m[1:], " "))
	}
	files, _ := tracked(t, root)
	var sealed []string
	for _, f := range files {
		if strings.HasSuffix(f, ".go") && !strings.HasSuffix(f, "_test.go") {
			sealed = append(sealed, keysOf(t, filepath.Join(root, f))...)
		}
	}
	if len(sealed) < 50 {
		t.Fatalf("only %d keys are found", len(sealed))
	}
	for _, k := range sealed {
		if !slices.Contains(documented, k) {
			t.Errorf("docs/state.md does not say what %s holds", k)
		}
	}
	for _, k := range documented {
		if !slices.Contains(sealed, k) {
			t.Errorf("docs/state.md names %s, which does not exist", k)
		}
	}
}

// keysOf lists the integer keys of CBOR that the structs of a file have, "package.struct key field".
func keysOf(t *testing.T, file string) (keys []string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), ",keyasint") {
		return nil
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if form, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range form.Fields.List {
				if f.Tag == nil {
					continue
				}
				key, rest, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("cbor"), ",")
				for _, name := range f.Names {
					if strings.Contains(rest, "keyasint") {
						keys = append(keys, parsed.Name.Name+"."+spec.Name.Name+" "+key+" "+name.Name)
					}
				}
			}
		}
		return false
	})
	return keys
}
