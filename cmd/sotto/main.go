// Command sotto anonymizes call transcripts: as a stream from Kafka to Kafka,
// or as files.
package main

import (
	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/cmd/internal/demo"
	"sotto/cmd/internal/stream"
	"sotto/config"
	"sotto/review/store"
)

func main() { cli.Main(commands) }

func commands(sys cli.System) []*cobra.Command {
	// 'config --check' also checks what the stream does not need.
	database := func(s *config.Settings) error {
		_, err := store.DatabaseOf(s)
		return err
	}
	return append(stream.Commands(sys, database),
		demo.New(sys),
		newLicences(),
		newSize(sys),
		newDiff(sys),
		newErase(sys),
		newMapping(sys),
		newAnonymize(sys),
		newServe(sys),
		newEval(sys),
		newRisk(sys),
		newTrain(),
		newReview(sys),
		newCorpus(sys),
	)
}
