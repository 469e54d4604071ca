// Command typecheck checks the types of packages and of all that they import, for several platforms
// of hack/platforms:
//
//	go run ./hack/typecheck [-platforms 'linux/arm64 darwin/arm64'] ./cmd/sotto
//
// It finds the errors of the compiler's type checker, such as a name, a field or a file that a platform
// lacks, and none of the linker or of assembly. It takes seconds for a platform, where a build with an
// empty cache takes minutes, because it generates no code.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

func main() {
	platforms := flag.String("platforms", "", "the platforms; all of hack/platforms if none is named")
	flag.Parse()
	if err := run(strings.Fields(*platforms), flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "typecheck:", err)
		os.Exit(1)
	}
}

func run(platforms, packages []string, out io.Writer) error {
	if len(platforms) == 0 {
		list, err := os.ReadFile("hack/platforms")
		if err != nil {
			return err
		}
		platforms = strings.Fields(string(list))
	}
	counts, errs := make([]int, len(platforms)), make([]error, len(platforms))
	free := make(chan struct{}, runtime.NumCPU())
	var running sync.WaitGroup
	for i, p := range platforms {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			counts[i], errs[i] = check(".", p, packages)
		})
	}
	running.Wait()
	for i, p := range platforms {
		if errs[i] != nil {
			errs[i] = fmt.Errorf("%s: %w", p, errs[i])
			continue
		}
		fmt.Fprintf(out, "%s: %d packages have no error of types\n", p, counts[i])
	}
	return errors.Join(errs...)
}

// listed is a package as 'go list' prints it.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct{ GoVersion string }
	Error           *struct{ Err string }
}

// check checks the packages in a folder for one platform and returns how many packages those are
// with their imports.
func check(dir, platform string, packages []string) (int, error) {
	system, arch, _ := strings.Cut(platform, "/")
	cmd := exec.Command("go", append([]string{"list", "-e", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Module,Error"}, packages...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	list, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("go list: %w", err)
	}
	c := checker{sizes: types.SizesFor("gc", arch), files: token.NewFileSet(), done: map[string]*types.Package{"unsafe": types.Unsafe}}
	if c.sizes == nil {
		return 0, fmt.Errorf("the platform is not SYSTEM/ARCHITECTURE, or the architecture is not known")
	}
	// A package comes after all that it imports.
	for d := json.NewDecoder(bytes.NewReader(list)); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return len(c.done), nil
		case err != nil:
			return 0, err
		case p.Error != nil:
			return 0, fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err)
		}
		if err := c.check(&p); err != nil {
			return 0, err
		}
	}
}

type checker struct {
	sizes types.Sizes
	files *token.FileSet
	done  map[string]*types.Package
}

func (c *checker) check(p *listed) error {
	if p.ImportPath == "unsafe" {
		return nil
	}
	var syntax []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		syntax = append(syntax, f)
	}
	conf := types.Config{Importer: imports{c.done, p.ImportMap}, Sizes: c.sizes}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	checked, err := conf.Check(p.ImportPath, c.files, syntax, nil)
	if err != nil {
		return err
	}
	c.done[p.ImportPath] = checked
	return nil
}

// imports finds the packages that were checked before.
type imports struct {
	done    map[string]*types.Package
	renamed map[string]string
}

// Import implements types.Importer.
func (i imports) Import(path string) (*types.Package, error) {
	if other := i.renamed[path]; other != "" {
		path = other
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s was not listed", path)
}
