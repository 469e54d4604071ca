package main

import (
	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
)

func newCorpus(sys cli.System) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "corpus",
		Short: "Work on collections of calls for training",
		Args:  cli.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCorpusAgreement(), newCorpusAuditModel(sys), newCorpusBlacklist(sys), newCorpusCanaries(), newCorpusCheck(), newCorpusConvert(), newCorpusExport(sys), newCorpusMask(sys), newCorpusNoise(), newCorpusTable())
	return cmd
}
