// Command sotto-demo is 'sotto demo' alone, which 'make demo' builds: it needs the fewest packages.
package main

import (
	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/cmd/internal/demo"
)

func main() {
	cli.Main(func(sys cli.System) []*cobra.Command { return []*cobra.Command{demo.New(sys)} })
}
