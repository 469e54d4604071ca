// Command sotto-stream is sotto with the commands of a pod of the stream only, which the small image
// has. It links no database, no OpenID Connect and no Parquet.
package main

import (
	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/cmd/internal/stream"
)

func main() {
	cli.Main(func(sys cli.System) []*cobra.Command { return stream.Commands(sys) })
}
