// Command licences lists the licence of every module that the binary and the image contain, on any
// platform. It fails if one is unknown or not permissive, or if THIRD_PARTY_NOTICES, the full texts
// that ship in the binary and in the image, is not up to date. With -w it writes that file.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	write := flag.Bool("w", false, "write THIRD_PARTY_NOTICES")
	flag.Parse()
	if err := run(os.Stdout, ".", *write); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// noticesFile is where the root package embeds the notices from.
const noticesFile = "THIRD_PARTY_NOTICES"

func run(out io.Writer, root string, write bool) error {
	works, err := linked(root)
	if err != nil {
		return err
	}
	for _, w := range works {
		fmt.Fprintf(out, "%-52s %-44s %s\n", w.name, w.version, strings.Join(w.licences(), ", "))
	}
	if err := permissiveOnly(works); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d modules, all under permissive licences\n", len(works))
	fresh, err := notices(root, works)
	if err != nil {
		return err
	}
	file := filepath.Join(root, noticesFile)
	if write {
		return os.WriteFile(file, fresh, 0o644)
	}
	if old, err := os.ReadFile(file); err != nil || !bytes.Equal(old, fresh) {
		return fmt.Errorf("%s is not up to date: run `make notices`", noticesFile)
	}
	return nil
}

// permissiveOnly fails if a module has no licence file, or one that is not known to be permissive.
func permissiveOnly(works []work) error {
	var bad []string
	for _, w := range works {
		if !slices.ContainsFunc(w.texts, func(t licenceText) bool { return !t.notice }) {
			bad = append(bad, w.name+" (no licence file)")
		}
		for _, t := range w.texts {
			if name, ok := classify(t.text); !ok && !t.notice {
				bad = append(bad, fmt.Sprintf("%s (%s: %s)", w.name, t.file, name))
			}
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("no permissive licence found for %s: replace the dependency, "+
			"or teach this check its licence", strings.Join(bad, ", "))
	}
	return nil
}
