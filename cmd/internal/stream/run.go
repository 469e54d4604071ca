package stream

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/spf13/cobra"

	"sotto/cmd/internal/cli"
	"sotto/cmd/internal/tier"
	"sotto/config"
	"sotto/config/kafka"
	"sotto/processor"
)

func newRun(sys cli.System) *cobra.Command {
	var from, until string
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the stream processor, configured by the environment",
		Long: "Reads raw events from Kafka and writes clean ones, exactly once, until SIGTERM or\n" +
			"SIGINT. It commits what is in flight before it exits. All settings come from the\n" +
			"environment: see 'sotto config'.\n\n" +
			"--from and --until replay the raw records of a span of time and exit. A replay\n" +
			"needs a group and output topics of its own.",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := cli.LoadSettings(sys)
			if err != nil {
				return err
			}
			if err := kafka.CheckFiles(&s); err != nil {
				return cli.Exit(cli.Usage, err)
			}
			replay, err := replayOption(from, until)
			if err != nil {
				return err
			}
			ctx, stop := cli.UntilSignal(cmd)
			defer stop()
			log := cli.NewLogger(cmd.ErrOrStderr(), s.LogLevel)
			for _, w := range s.Warnings() {
				log.Warn(w)
			}
			return serve(ctx, s, log, replay...)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "replay raw records from this time on, such as 2026-01-31T09:00:00Z")
	cmd.Flags().StringVar(&until, "until", "", "end the replay before this time; now by default")
	return cli.Logs(cmd)
}

func replayOption(from, until string) ([]processor.Option, error) {
	if from == "" && until == "" {
		return nil, nil
	}
	if from == "" {
		return nil, cli.UsageError("--until needs --from")
	}
	end := time.Now()
	start, err := time.Parse(time.RFC3339, from)
	if err == nil && until != "" {
		end, err = time.Parse(time.RFC3339, until)
	}
	if err != nil {
		return nil, cli.UsageError("--from and --until must be times such as 2026-01-31T09:00:00Z")
	}
	if !start.Before(end) {
		return nil, cli.UsageError("--from must be before --until")
	}
	return []processor.Option{processor.WithReplay(start, end)}, nil
}

// serve runs the processor and, if an address is set, serves its health and
// metrics over HTTP. It returns nil after a graceful stop.
func serve(ctx context.Context, s config.Settings, log *slog.Logger, opts ...processor.Option) error {
	remote, done, err := tier.New(ctx, &s)
	if err != nil {
		return err
	}
	defer done()
	if remote != nil {
		log.Warn("raw text of calls is sent to a remote detection tier", "tier", remote.Name(), "min_doubt", s.RemoteMinDoubt, "outage", s.RemoteOutage)
	}
	opts = append(opts, processor.WithLogger(log), processor.WithRegistry(cli.NewRegistry()), processor.WithRemote(remote))
	p, err := processor.New(ctx, s, opts...)
	if ctx.Err() != nil {
		return nil // stopped before it had started
	}
	if err != nil {
		return err
	}
	return cli.WithHTTP(s.HTTPAddr, p.Handler(), func() error {
		return cli.WithHTTP(cmp.Or(s.PprofAddr, "off"), profiles(), func() error { return p.Run(ctx) })
	})
}

// profiles serves Go profiles. The settings permit them on loopback only.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
