package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/processor/sizing"
)

func newSize(sys cli.System) *cobra.Command {
	var calls []int
	var price string
	l := sizing.Load{}
	cmd := &cobra.Command{
		Use:   "size",
		Short: "Compute what a number of concurrent calls needs",
		Long: "Prints for each number of concurrent calls the partitions, pods, cores, memory and\n" +
			"broker traffic that it needs, with the limits of the current settings. With a\n" +
			"retention or prices, also the disk, the traffic between zones, and what a million\n" +
			"minutes of calls cost. The figures behind it were measured; docs/scaling.md lists\n" +
			"them with their commands.",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if slices.ContainsFunc(calls, func(n int) bool { return n < 1 }) {
				return cli.UsageError("--calls must be at least 1")
			}
			if l.WordsPerMinute <= 0 || l.WordsPerUtterance <= 0 || l.CallMinutes <= 0 {
				return cli.UsageError("--words-per-minute, --words-per-utterance and --call-minutes must be more than 0")
			}
			if l.Replication < 1 || l.Zones < 1 || l.Retention < 0 {
				return cli.UsageError("--replication and --zones must be at least 1, and --retention not negative")
			}
			var prices sizing.Prices
			if price != "" {
				var err error
				if prices, err = sizing.ParsePrices(price); err != nil {
					return cli.UsageError("--price: %v", err)
				}
			}
			s, err := cli.LoadSettings(sys)
			if err != nil {
				return err
			}
			l.Settings = &s
			var loads []sizing.Load
			for _, n := range calls {
				l.Calls = n
				loads = append(loads, l)
			}
			if err := sizing.Table(loads).Write(cmd.OutOrStdout()); err != nil {
				return err
			}
			if l.Retention > 0 || prices != nil {
				fmt.Fprintln(cmd.OutOrStdout())
				if err := sizing.WriteCosts(cmd.OutOrStdout(), loads, prices); err != nil {
					return err
				}
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
	f.IntVar(&l.Zones, "zones", 3, "availability zones that brokers and clients are spread over")
	f.DurationVar(&l.Retention, "retention", 0, "retention of raw, clean and audit events, as in 168h")
	f.StringVar(&price, "price", "", "prices, as in disk=0.1,zone=0.02,core=0.05: a GB on a disk for a month, a GB\nbetween zones, an hour of a core")
	return cmd
}
