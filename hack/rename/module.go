package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// renameModule changes go.mod, and in Go files the imports and the other strings that name a package
// of the module.
func renameModule(root, to string) error {
	file := filepath.Join(root, "go.mod")
	mod, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	line := regexp.MustCompile(`(?m)^module (\S+)$`)
	found := line.FindSubmatch(mod)
	if found == nil {
		return errors.New("go.mod has no line with the module's path")
	}
	from := string(found[1])
	err = eachFile(root, func(path string) error {
		if filepath.Ext(path) != ".go" {
			return nil
		}
		return rewrite(path, func(text []byte) ([]byte, error) { return renameInGo(root, text, from, to) })
	})
	if err != nil {
		return err
	}
	return os.WriteFile(file, line.ReplaceAll(mod, []byte("module "+to)), 0o644)
}

// renameInGo changes the strings of a Go file.
func renameInGo(root string, text []byte, from, to string) ([]byte, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, "", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	imports := map[*ast.BasicLit]bool{}
	for _, i := range parsed.Imports {
		imports[i.Path] = true
	}
	type edit struct {
		start, end int
		text       string
	}
	var edits []edit
	ast.Inspect(parsed, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		value, err := strconv.Unquote(lit.Value)
		rest, within := strings.CutPrefix(value, from)
		if err != nil || !within {
			return true
		}
		if imports[lit] && (rest == "" || rest[0] == '/') || namesPackage(root, rest) {
			start := set.Position(lit.Pos()).Offset
			edits = append(edits, edit{start, start + len(lit.Value), strconv.Quote(to + rest)})
		}
		return true
	})
	if len(edits) == 0 {
		return text, nil
	}
	for _, e := range slices.Backward(edits) {
		text = slices.Concat(text[:e.start], []byte(e.text), text[e.end:])
	}
	return format.Source(text)
}

// namesPackage reports whether what follows the module's path in a string begins with the folder of
// a package: "/cmd/sotto", or "/processor.(*session).run".
func namesPackage(root, rest string) bool {
	folder, ok := strings.CutPrefix(rest, "/")
	if !ok {
		return false
	}
	folder, _, _ = strings.Cut(folder, ".")
	if strings.ContainsAny(folder, " \t\n") || !filepath.IsLocal(folder) {
		return false
	}
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*.go"))
	return err == nil && len(files) > 0
}

// renameText changes a name, which a file gives in the first group of a pattern, wherever it is
// written as a whole, or with a path after it.
func renameText(root, file string, written *regexp.Regexp, to string) error {
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return err
	}
	found := written.FindSubmatch(text)
	if found == nil {
		return fmt.Errorf("%s does not have the present name", file)
	}
	// Neither a part of a longer name, nor one that begins with it.
	from := regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(string(found[1])) + `($|[^\w-])`)
	for _, dir := range []string{"helm", "docs", "deploy", ".github"} {
		err := eachFile(filepath.Join(root, dir), func(path string) error {
			return rewrite(path, func(text []byte) ([]byte, error) {
				return from.ReplaceAll(text, []byte("${1}"+to+"${2}")), nil
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachFile visits the project's files, but not what builds leave behind.
func eachFile(root string, visit func(path string) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", ".cache", "bin"}, d.Name()):
			return filepath.SkipDir
		case d.Type().IsRegular():
			return visit(path)
		}
		return nil
	})
}

func rewrite(path string, change func([]byte) ([]byte, error)) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	fresh, err := change(old)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if bytes.Equal(old, fresh) {
		return nil
	}
	return os.WriteFile(path, fresh, 0o644)
}
