// Command rename moves the project to another home: it changes the module's path in go.mod and in
// all imports, and the name of the image in the chart and in the release workflow.
//
//	make rename MODULE=example.org/team/sotto IMAGE=registry.example.org/team/sotto
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
	flag.Parse()
	if err := run(".", *module, *image); err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
}

var (
	modulePath = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~-]*(/[A-Za-z0-9._~-]+)*$`)
	imageName  = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+$`)
)

func run(root, module, image string) error {
	switch {
	case module == "" && image == "":
		return errors.New("give MODULE, IMAGE or both")
	case module != "" && !modulePath.MatchString(module):
		return fmt.Errorf("%q is not a module path such as example.org/team/sotto", module)
	case image != "" && !imageName.MatchString(image):
		return fmt.Errorf("%q is not the name of an image such as registry.example.org/team/sotto, without a tag", image)
	}
	if module != "" {
		if err := renameModule(root, module); err != nil {
			return err
		}
	}
	if image != "" {
		return renameImage(root, image)
	}
	return nil
}
