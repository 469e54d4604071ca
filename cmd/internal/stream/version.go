package stream

import (
	"fmt"

	"sotto/cmd/internal/cli"

	"github.com/spf13/cobra"
)

func newVersion(sys cli.System) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print version, commit and policy hash",
		Long: "Prints the version, the commit it was built from and the hash of the policy.\n" +
			"The hash changes with everything that decides what becomes of a call: the\n" +
			"catalog of infoTypes, hotwords and word lists, lexicon, model, tables of\n" +
			"surrogates, risk weights, your dictionaries and policy.yaml, the settings that\n" +
			"docs/config.md lists, and the version of the rules in code. Two programs with\n" +
			"the same hash give the same clean events for the same raw events in the same\n" +
			"order, where surrogates or hashes are written with the same state key. The\n" +
			"answers of a remote tier, raw positions and topics are not a part of it. See\n" +
			"docs/policy.md.",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := cli.LoadSettings(sys)
			if err != nil {
				return err
			}
			engine, err := cli.NewEngine(settings)
			if err != nil {
				return err
			}
			version, commit := cli.Build()
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "version  %s\ncommit   %s\npolicy   %s\n", version, commit, engine.Policy())
			return err
		},
	}
}
