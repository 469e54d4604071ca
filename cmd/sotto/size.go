package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/operate/sizing"
)

func newSize(sys cli.System) *cobra.Command {
	var calls []int
	l := sizing.Load{}
	cmd := &cobra.Command{
		Use:   "size",
		Short: "Compute what a number of concurrent calls needs",
		Long: "Prints for each number of concurrent calls the partitions, pods, cores, memory and\n" +
			"broker traffic that it needs, with the limits of the current settings. The figures\n" +
			"behind it were measured; docs/scaling.md lists them with their commands.",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, n := range calls {
				if n < 1 {
					return cli.UsageError("--calls must be at least 1")
				}
			}
			if l.WordsPerMinute <= 0 || l.WordsPerUtterance <= 0 || l.CallMinutes <= 0 {
				return cli.UsageError("--words-per-minute, --words-per-utterance and --call-minutes must be more than 0")
			}
			if l.Replication < 1 {
				return cli.UsageError("--replication must be at least 1")
			}
			s, err := cli.LoadSettings(sys)
			if err != nil {
				return err
			}
			l.Grace, l.Dormant, l.OpenCalls, l.CommitRecords, l.AuditShare = s.CallGrace, s.DormantAfter, s.MaxOpenCalls, s.CommitRecords, s.AuditRates().Of("")
			var loads []sizing.Load
			for _, n := range calls {
				one := l
				one.Calls = n
				loads = append(loads, one)
			}
			if err := sizing.WriteTable(cmd.OutOrStdout(), loads); err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "\nCores include half as much again for catching up. Measure on your own hardware:\ndocs/scaling.md.")
			return err
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&calls, "calls", sizing.Examples, "calls at the same time, at the peak; several with commas")
	f.Float64Var(&l.WordsPerMinute, "words-per-minute", sizing.WordsPerMinute, "words of a call per minute, all speakers together")
	f.Float64Var(&l.WordsPerUtterance, "words-per-utterance", sizing.WordsPerUtterance, "words of the mean utterance")
	f.Float64Var(&l.CallMinutes, "call-minutes", sizing.CallMinutes, "length of the mean call")
	f.IntVar(&l.Replication, "replication", 3, "replication factor of the topics")
	return cmd
}
