// Package demo has the command that shows the stream on one machine.
package demo

import (
	"errors"
	"maps"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/config"
	show "sotto/processor/demo"
)

const maxDemoCalls = 10_000

// New returns the command.
func New(sys cli.System) *cobra.Command {
	var (
		calls    int
		speed    float64
		input    string
		strategy string
	)
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show everything on one machine, with an embedded broker",
		Long: "Starts an embedded broker, plays calls into it, runs the same processor as\n" +
			"'sotto run', shows raw above clean as they go, and ends with what was masked,\n" +
			"what was missed, how many people had one number, and what that means. It fails\n" +
			"unless every raw event came out exactly once. Ctrl-C ends it early. Settings of the\n" +
			"environment apply, except for those of Kafka and the state key.",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case calls < 1 || calls > maxDemoCalls:
				return cli.UsageError("--calls must be 1 to %d", maxDemoCalls)
			case cmd.Flags().Changed("speed") && !(speed > 0 && speed <= 1e6):
				return cli.UsageError("--speed must be more than 0 and at most 1000000; 1 is real time")
			}
			if err := cli.WithoutRemote(&config.Settings{RemoteTier: sys.Environ["SOTTO_REMOTE_TIER"]}, "demo"); err != nil {
				return err
			}
			ctx, stop := cli.UntilSignal(cmd)
			defer stop()
			out := cmd.OutOrStdout()
			terminal := cli.IsTerminal(out)
			c := show.Config{
				Calls: calls, Speed: speed, Environ: sys.Environ, Out: out, Terminal: terminal,
				Colours: terminal && sys.Environ["TERM"] != "dumb" && sys.Environ["NO_COLOR"] == "", // https://no-color.org
			}
			if strategy != "" {
				c.Environ = map[string]string{}
				maps.Copy(c.Environ, sys.Environ)
				c.Environ[config.EnvPrefix+"STRATEGY"] = strategy
			}
			if input != "" {
				f, err := cli.OpenInput(input)
				if err != nil {
					return err
				}
				defer f.Close()
				c.Input, c.InputName = f, input
			}
			err := show.Run(ctx, c)
			if _, wrong := errors.AsType[*show.SettingsError](err); wrong {
				return cli.Exit(cli.Usage, err)
			}
			return err
		},
	}
	cmd.Flags().IntVar(&calls, "calls", 20, "number of calls to generate")
	cmd.Flags().Float64Var(&speed, "speed", 0, "pace of the calls; 1 is real time (default: on a terminal 20 events a second, at most 20 seconds in all; elsewhere as fast as possible)")
	cmd.Flags().StringVar(&input, "input", "", "play the RawEvent lines of `FILE` instead")
	cmd.Flags().StringVar(&strategy, "strategy", "", "how to replace, as SOTTO_STRATEGY: typed-numbered, typed, redact, named, word, entity, or by infoType")
	return cmd
}
