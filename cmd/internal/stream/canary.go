package stream

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/processor"
	"sotto/processor/telemetry"
)

func newCanary(sys cli.System) *cobra.Command {
	var once bool
	var every, timeout time.Duration
	cmd := &cobra.Command{
		Use:   "canary",
		Short: "Send synthetic calls through the stream and check the result",
		Long: "Writes a synthetic call with personal information to the raw topic at an interval\n" +
			"and reads it from the clean topic. Its metrics are served at SOTTO_HTTP_ADDR. With\n" +
			"--once it sends one call and exits with 3 if that does not come out, or not\n" +
			"redacted. The tenant of the calls is \"canary\", so that readers can skip\n" +
			"them.",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if every <= 0 || timeout <= 0 {
				return cli.UsageError("--every and --timeout must be more than 0")
			}
			s, err := cli.LoadSettings(sys)
			if err != nil {
				return err
			}
			ctx, stop := cli.UntilSignal(cmd)
			defer stop()
			log := cli.NewLogger(cmd.ErrOrStderr(), s.LogLevel)
			registry := cli.NewRegistry()
			c, err := processor.NewCanary(ctx, s, registry, log)
			if err != nil {
				return err
			}
			if once {
				err := c.Once(ctx, timeout)
				switch {
				case errors.Is(err, processor.ErrCanaryLeaked), errors.Is(err, processor.ErrCanaryMissing):
					return cli.Exit(cli.Check, err)
				case err != nil:
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), "A synthetic call came out redacted.")
				return err
			}
			mux := http.NewServeMux()
			for _, probe := range []string{"livez", "readyz", "startupz"} {
				mux.HandleFunc("GET /"+probe, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
			}
			mux.Handle("GET /metrics", telemetry.Handler(registry))
			return cli.WithHTTP(s.HTTPAddr, mux, func() error {
				c.Watch(ctx, every, timeout)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&once, "once", false, "send one call and exit")
	cmd.Flags().DurationVar(&every, "every", time.Minute, "interval between calls")
	cmd.Flags().DurationVar(&timeout, "timeout", 30*time.Second, "time within which the call must come out")
	return cli.Logs(cmd)
}
