package stream

import (
	"bufio"
	"fmt"
	"strings"

	"sotto/cmd/internal/cli"

	"github.com/spf13/cobra"
)

func newCallID(sys cli.System) *cobra.Command {
	return &cobra.Command{
		Use:   "call-id",
		Short: "Print the hashed IDs under which calls are in the outputs",
		Long: "Reads call IDs from standard input, one per line, and prints for each the IDs\n" +
			"that SOTTO_CALL_ID=hash makes of it: one for each key in SOTTO_STATE_KEY_FILE, that\n" +
			"of the sealing key first. Whoever must erase a call searches for all of them. The\n" +
			"IDs are not arguments, because they may be personal and other users of the\n" +
			"machine can see arguments.",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := cli.LoadSettings(sys)
			if err != nil {
				return err
			}
			if s.StateKeyFile == "" {
				return cli.UsageError("SOTTO_STATE_KEY_FILE is not set: the hash of a call ID depends on the state key")
			}
			keys, err := s.StateKeys()
			if err != nil {
				return cli.Exit(cli.Usage, err)
			}
			lines := bufio.NewScanner(cmd.InOrStdin())
			for lines.Scan() {
				if id := strings.TrimSuffix(lines.Text(), "\r"); id != "" {
					if _, err := fmt.Fprintln(cmd.OutOrStdout(), strings.Join(keys.HashCallIDs(id), " ")); err != nil {
						return err
					}
				}
			}
			return lines.Err()
		},
	}
}
