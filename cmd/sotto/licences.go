package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	notices "sotto"
	"sotto/cmd/internal/cli"
	"sotto/internal/texttable"
)

func newLicences() *cobra.Command {
	return &cobra.Command{
		Use:   "licences",
		Short: "Print the licences of Sotto and of everything that it contains",
		Long: "Prints the licence of Sotto, and the licences and notices of the modules and data\n" +
			"that are part of this program.",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s", notices.Licence, hanging(notices.ThirdPartyNotices))
			return err
		},
	}
}

// hanging wraps a text with hanging indents: continuation lines begin below the first word of
// their line, or below the first word of a list item.
func hanging(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		words := strings.TrimLeft(line, " ")
		indent := len(line) - len(words)
		if strings.HasPrefix(words, "- ") || strings.HasPrefix(words, "| ") {
			indent += 2
		}
		b.WriteString(texttable.Wrap(line, indent))
	}
	return b.String()
}
