// Package stream has the commands of a pod of the stream.
package stream

import (
	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/config"
	"sotto/processor/ingest"
)

// Commands returns them. 'config --check' makes the further checks, too.
func Commands(sys cli.System, checks ...func(*config.Settings) error) []*cobra.Command {
	return []*cobra.Command{
		newRun(sys),
		newIngest(sys),
		newTopics(sys),
		newPreflight(sys),
		newCanary(sys),
		newHealthcheck(sys),
		newCallID(sys),
		newConfig(sys, append(checks, ingest.Check)),
		newVersion(sys),
	}
}
