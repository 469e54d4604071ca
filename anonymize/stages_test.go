package anonymize

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var routeNames = []struct {
	name  string
	route route
}{{"turn", onTurn}, {"form", onForm}, {"label", onLabel}, {"doubt", onDoubt}, {"closing", onClosing}}

// docs/detection.md has the stages in their order, each with the routes that take it.
func TestThePageOfDetectionHasTheStages(t *testing.T) {
	page, err := os.ReadFile("../docs/detection.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `([\\w/]+\\.\\w+)` \\| ([a-z, ]+) \\| .* \\|$").FindAllStringSubmatch(string(page), -1)
	for i, row := range rows {
		if i >= len(stages) {
			t.Errorf("%s is no stage", row[1])
			continue
		}
		if row[1] != stages[i].does {
			t.Fatalf("row %d is %s, and stage %d is %s", i, row[1], i, stages[i].does)
		}
		var names []string
		for _, r := range routeNames {
			if stages[i].on&r.route != 0 {
				names = append(names, r.name)
			}
		}
		if len(names) == len(routeNames) {
			names = []string{"all"}
		}
		if want := strings.Join(names, ", "); row[2] != want {
			t.Errorf("%s: the page says %q, and the stages %q", row[1], row[2], want)
		}
	}
	if len(rows) < len(stages) {
		t.Errorf("the page has %d of %d stages", len(rows), len(stages))
	}
}

// Each stage calls the function that it names.
func TestStagesDoWhatTheyName(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "stages.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]string{} // by the name of the step
	calls := map[string]map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if lit, ok := n.Value.(*ast.CompositeLit); ok && len(lit.Elts) == 3 {
				does := strings.Trim(lit.Elts[0].(*ast.BasicLit).Value, `"`)
				named[n.Key.(*ast.Ident).Name] = does[strings.LastIndexByte(does, '.')+1:]
			}
		case *ast.CaseClause:
			if len(n.List) != 1 {
				return true
			}
			step, ok := n.List[0].(*ast.Ident)
			if !ok {
				return true
			}
			calls[step.Name] = map[string]bool{}
			for _, s := range n.Body {
				ast.Inspect(s, func(n ast.Node) bool {
					if call, ok := n.(*ast.CallExpr); ok {
						switch f := call.Fun.(type) {
						case *ast.Ident:
							calls[step.Name][f.Name] = true
						case *ast.SelectorExpr:
							calls[step.Name][f.Sel.Name] = true
						}
					}
					return true
				})
			}
		}
		return true
	})
	if len(named) != len(stages) {
		t.Fatalf("%d of %d stages are read", len(named), len(stages))
	}
	for step, function := range named {
		if !calls[step][function] {
			t.Errorf("%s does not call %s", step, function)
		}
	}
}

// docs/detection.md has what pattern.Find looks for, in its order.
func TestThePageOfDetectionHasTheFinders(t *testing.T) {
	page, err := os.ReadFile("../docs/detection.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## What has a form\n")
	var documented, called []string
	for _, row := range regexp.MustCompile("(?m)^\\| `detectors/pattern\\.(\\w+)` \\|").FindAllStringSubmatch(text, -1) {
		documented = append(documented, row[1])
	}
	file, err := parser.ParseFile(token.NewFileSet(), "../detectors/pattern/pattern.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		if find, ok := decl.(*ast.FuncDecl); ok && find.Name.Name == "Find" {
			ast.Inspect(find.Body, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 && types.ExprString(call.Args[0]) == "doc" {
					name := types.ExprString(call.Fun)
					called = append(called, name[strings.LastIndexByte(name, '.')+1:])
				}
				return true
			})
		}
	}
	if len(called) < 5 || !slices.Equal(documented, called) {
		t.Errorf("the page has %v, and Find calls %v", documented, called)
	}
}
