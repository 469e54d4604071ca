// Command generate writes what follows from the code: the settings in the
// chart's values and their schema, the chart's README,
// docs/metrics.md, docs/infotypes.md, the pages about vendors, the picture of 'make demo' in the README, and the counts of the
// labelled calls in their datasheet and in training/corpora/README.md. Its test fails when one of them differs from what it would
// write.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// output is a generated file: its path from the root of the repository and
// what it must hold, given what it and the others hold now.
type output struct {
	path  string
	write func(root string, old []byte) ([]byte, error)
}

// The README is made from the values, so it comes after them.
var outputs = append([]output{
	{"helm/sotto/values.yaml", withSettings},
	{"helm/sotto/values.schema.json", withSettingsSchema},
	{"helm/sotto/README.md", chartReadme},
	{"docs/metrics.md", metricsPage},
	{"training/corpora/calls/DATASHEET.md", withCounts},
	{"training/corpora/README.md", withTotal},
	{"docs/infotypes.md", infoTypesPage},
	{"docs/scaling.md", withSizes},
	{"docs/demo.svg", demoPicture},
}, vendorPages()...)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	for _, o := range outputs {
		old, fresh, err := o.generate(root)
		if err != nil {
			return err
		}
		if bytes.Equal(old, fresh) {
			continue
		}
		if err := os.WriteFile(filepath.Join(root, o.path), fresh, 0o644); err != nil {
			return err
		}
		fmt.Println("wrote", o.path)
	}
	return nil
}

func (o *output) generate(root string) (old, fresh []byte, err error) {
	old, err = os.ReadFile(filepath.Join(root, o.path))
	if err != nil && !os.IsNotExist(err) {
		return nil, nil, err
	}
	fresh, err = o.write(root, old)
	if err != nil {
		err = fmt.Errorf("%s: %w", o.path, err)
	}
	return old, fresh, err
}
