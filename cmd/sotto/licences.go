package main

import (
	"fmt"

	"github.com/spf13/cobra"

	notices "sotto"
)

func newLicences() *cobra.Command {
	return &cobra.Command{
		Use:   "licences",
		Short: "Print the licences of Sotto and of everything that it contains",
		Long: "Prints the licence of Sotto, and the licences and notices of the modules and data\n" +
			"that are part of this program.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s", notices.Licence, notices.ThirdPartyNotices)
			return err
		},
	}
}
