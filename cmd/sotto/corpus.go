package main

import "github.com/spf13/cobra"

func newCorpus(sys system) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "corpus",
		Short: "Work on collections of calls for training",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCorpusAgreement(), newCorpusBlacklist(sys), newCorpusCheck(), newCorpusConvert(), newCorpusExport(sys), newCorpusLM(), newCorpusMask(sys), newCorpusNoise(), newCorpusRecover(), newCorpusTable(), newCorpusUtility())
	return cmd
}
