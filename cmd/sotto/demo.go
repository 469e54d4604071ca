package main

import (
	"errors"
	"io"
	"maps"
	"os"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"sotto/config"
	"sotto/internal/demo"
)

// maxDemoCalls bounds what the demo holds in memory.
const maxDemoCalls = 10_000

func newDemo(sys system) *cobra.Command {
	var (
		calls    int
		speed    float64
		input    string
		strategy string
		stats    bool
	)
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show everything on one machine, with an embedded broker",
		Long: "Starts an embedded broker, plays calls into it, runs the same processor as\n" +
			"'sotto run', shows raw beside clean as they go, and ends with what was masked,\n" +
			"what was missed and what that means; --stats adds the counts. It fails unless\n" +
			"every raw event came out exactly once. Ctrl-C ends it early. Settings of the\n" +
			"environment apply, except for those of Kafka and the state key.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case calls < 1 || calls > maxDemoCalls:
				return usageError("--calls must be 1 to %d", maxDemoCalls)
			case cmd.Flags().Changed("speed") && !(speed > 0 && speed <= 1e6):
				return usageError("--speed must be more than 0 and at most 1000000; 1 is real time")
			}
			if err := withoutRemote(&config.Settings{RemoteTier: sys.environ["SOTTO_REMOTE_TIER"]}, "demo"); err != nil {
				return err
			}
			ctx, stop := untilSignal(cmd)
			defer stop()
			c := demo.Config{
				Calls: calls, Speed: speed, Stats: stats, Environ: withStrategy(sys.environ, strategy),
				Out: cmd.OutOrStdout(), Width: terminalWidth(cmd.OutOrStdout(), sys.environ),
				NoColor: sys.environ["NO_COLOR"] != "", // https://no-color.org
			}
			if input != "" {
				f, err := openInput(input)
				if err != nil {
					return err
				}
				defer f.Close()
				c.Input, c.InputName = f, input
			}
			err := demo.Run(ctx, c)
			var wrong *demo.SettingsError
			if errors.As(err, &wrong) {
				return &commandError{exitUsage, err}
			}
			return err
		},
	}
	cmd.Flags().IntVar(&calls, "calls", 20, "number of calls to generate")
	cmd.Flags().Float64Var(&speed, "speed", 0, "pace of the calls; 1 is real time (default: on a terminal 20 events a second, at most 20 seconds in all; elsewhere as fast as possible)")
	cmd.Flags().StringVar(&input, "input", "", "play `FILE` instead: RawEvent lines or labelled conversations")
	cmd.Flags().BoolVar(&stats, "stats", false, "end with the counts by infoType and the risk by context, too")
	cmd.Flags().StringVar(&strategy, "strategy", "", "how to replace, as SOTTO_STRATEGY: typed-numbered, typed, redact, named, word, entity, or by infoType")
	return cmd
}

// withStrategy returns the environment with another SOTTO_STRATEGY, if given.
func withStrategy(environ map[string]string, strategy string) map[string]string {
	if strategy == "" {
		return environ
	}
	env := map[string]string{}
	maps.Copy(env, environ)
	env[config.EnvPrefix+"STRATEGY"] = strategy
	return env
}

// terminalWidth returns a function for the columns of the terminal, or nil if out
// is not a terminal whose cursor can be moved.
func terminalWidth(out io.Writer, environ map[string]string) func() int {
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) || environ["TERM"] == "dumb" {
		return nil
	}
	return func() int {
		w, _, err := term.GetSize(f.Fd())
		if err != nil {
			return 80
		}
		return w
	}
}
