package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
)

// writeOverlay writes copies of the files in which the functions of a module return at once, and the file
// that tells 'go build' to use them; it returns the path of that file.
func writeOverlay(work, module string) (string, error) {
	replaced := map[string]string{}
	for name := range strings.SplitSeq(module, "+") {
		if name == "" {
			continue
		}
		dir, function, ok := strings.Cut(name, ".")
		if !ok {
			return "", fmt.Errorf("%q is not PACKAGE.FUNCTION", name)
		}
		if err := skip(work, dir, function, replaced); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	path := filepath.Join(work, "overlay.json")
	return path, os.WriteFile(path, data, 0o644)
}

// skip makes a function of a package return zero values at once.
func skip(work, dir, function string, replaced map[string]string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		path, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		source := path
		if replaced[path] != "" {
			source = replaced[path]
		}
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		out, found, err := withReturn(text, function)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		copied, err := filepath.Abs(filepath.Join(work, fmt.Sprintf("%x.go", hashOf(path))))
		if err != nil {
			return err
		}
		replaced[path] = copied
		return os.WriteFile(copied, out, 0o644)
	}
	return fmt.Errorf("no function %s in %s", function, dir)
}

// withReturn inserts a return of zero values at the beginning of a function. The rest stays, so that all
// imports are used.
func withReturn(text []byte, function string) (out []byte, found bool, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, 0)
	if err != nil {
		return nil, false, err
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Name.Name != function || f.Body == nil {
			continue
		}
		var zeros []string
		if f.Type.Results != nil {
			for _, r := range f.Type.Results.List {
				t := string(text[set.Position(r.Type.Pos()).Offset:set.Position(r.Type.End()).Offset])
				for range max(1, len(r.Names)) {
					zeros = append(zeros, "*new("+t+")")
				}
			}
		}
		at := set.Position(f.Body.Lbrace).Offset + 1
		statement := " if true { return " + strings.Join(zeros, ", ") + " };"
		return append(append(append([]byte{}, text[:at]...), statement...), text[at:]...), true, nil
	}
	return nil, false, nil
}

func hashOf(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return h.Sum64()
}
