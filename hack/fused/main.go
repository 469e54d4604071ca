// Command fused finds products that the compiler fuses with a sum. A fused operation rounds once
// instead of twice:
//
//	go run ./hack/fused ./detectors/... ./anonymize
//
// The compiler does so on arm64, and not on amd64, where not every processor has such an instruction.
// Masks and events must not depend on the processor, because a call may move to another one. An
// explicit conversion of the product, float32(x*y) + z, prevents it (The Go Programming Language
// Specification, "Floating-point operators").
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if err := run(".", os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fused:", err)
		os.Exit(1)
	}
}

// fusedAt matches an instruction of arm64 that multiplies and adds floating-point numbers, in the
// compiler's listing: (file.go:12) FMADDS ...
var fusedAt = regexp.MustCompile(`\(([^()\s]+:\d+)\)\s+FN?M(?:ADD|SUB)[SD]\s`)

// run fails if the packages in a folder have fused products, and names their places.
func run(dir string, packages []string, out io.Writer) error {
	cmd := exec.Command("go", append([]string{"build", "-gcflags=-S"}, packages...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	listing, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("the packages cannot be built for arm64: %w", err)
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	var places []string
	for _, m := range fusedAt.FindAllSubmatch(listing, -1) {
		places = append(places, strings.TrimPrefix(string(m[1]), root+string(filepath.Separator)))
	}
	slices.Sort(places)
	places = slices.Compact(places)
	if len(places) > 0 {
		return fmt.Errorf("products are fused with sums, so that processors round differently; write float32(x*y) + z at\n%s", strings.Join(places, "\n"))
	}
	if !bytes.Contains(listing, []byte("STEXT")) {
		return fmt.Errorf("the compiler listed no code of %v", packages)
	}
	_, err = fmt.Fprintf(out, "no product of %s is fused with a sum\n", strings.Join(packages, " "))
	return err
}
