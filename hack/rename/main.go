// Command rename moves the project to another home: it changes the module's path in go.mod and in
// all imports, the name of the image in the chart and in the release workflow, and the address of the
// code in the chart and in the labels of the image.
//
//	make rename MODULE=example.org/team/sotto IMAGE=registry.example.org/team/sotto SOURCE=https://example.org/team/sotto
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
)

func main() {
	module := flag.String("module", "", "new module path; empty keeps the present one")
	image := flag.String("image", "", "new image name without a tag; empty keeps the present one")
	source := flag.String("source", "", "new address of the repository, https://...; empty keeps the present one")
	flag.Parse()
	if err := run(".", names{*module, *image, *source}); err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
}

var (
	modulePath = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~-]*(/[A-Za-z0-9._~-]+)*$`)
	imageName  = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+$`)
	sourceURL  = regexp.MustCompile(`^https://[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]+)?(/[A-Za-z0-9._~-]+)+$`)
	// Where the present names are written.
	writtenImage  = regexp.MustCompile(`(?m)^image:\n(?:  .*\n)*?  repository: (\S+)$`)
	writtenSource = regexp.MustCompile(`(?m)^home: (\S+)$`)
)

// names are the new names; an empty one keeps the old name.
type names struct{ module, image, source string }

func run(root string, to names) error {
	switch {
	case to == names{}:
		return errors.New("give MODULE, IMAGE or SOURCE")
	case to.module != "" && !modulePath.MatchString(to.module):
		return fmt.Errorf("%q is not a module path such as example.org/team/sotto", to.module)
	case to.image != "" && !imageName.MatchString(to.image):
		return fmt.Errorf("%q is not the name of an image such as registry.example.org/team/sotto, without a tag", to.image)
	case to.source != "" && !sourceURL.MatchString(to.source):
		return fmt.Errorf("%q is not an address such as https://example.org/team/sotto", to.source)
	}
	if to.module != "" {
		if err := renameModule(root, to.module); err != nil {
			return err
		}
	}
	for _, r := range []struct {
		to, file string
		written  *regexp.Regexp
	}{
		{to.image, "helm/sotto/values.yaml", writtenImage},
		{to.source, "helm/sotto/Chart.yaml", writtenSource},
	} {
		if r.to == "" {
			continue
		}
		if err := renameText(root, r.file, r.written, r.to); err != nil {
			return err
		}
	}
	return nil
}
