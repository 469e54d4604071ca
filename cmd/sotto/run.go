package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"regexp"
	"runtime"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"

	"sotto/config"
	"sotto/processor"
)

func newRun(sys system) *cobra.Command {
	var from, until string
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the stream processor, configured by the environment",
		Long: "Reads raw events from Kafka and writes clean ones, exactly once, until SIGTERM or\n" +
			"SIGINT. It commits what is in flight before it exits. All settings come from the\n" +
			"environment: see 'sotto config'.\n\n" +
			"--from and --until replay the raw records of a span of time and exit. A replay\n" +
			"needs a group and output topics of its own.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := loadSettings(sys)
			if err != nil {
				return err
			}
			if err := s.CheckFiles(); err != nil {
				return &commandError{exitUsage, err}
			}
			replay, err := replayOption(from, until)
			if err != nil {
				return err
			}
			ctx, stop := untilSignal(cmd)
			defer stop()
			log := newLogger(cmd.ErrOrStderr(), s.LogLevel)
			for _, w := range s.Warnings() {
				log.Warn(w)
			}
			return serve(ctx, s, log, replay...)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "replay raw records from this time on, such as 2026-01-31T09:00:00Z")
	cmd.Flags().StringVar(&until, "until", "", "end the replay before this time; now by default")
	return cmd
}

// replayOption returns the option for --from and --until, none if neither is given.
func replayOption(from, until string) ([]processor.Option, error) {
	if from == "" && until == "" {
		return nil, nil
	}
	if from == "" {
		return nil, usageError("--until needs --from")
	}
	end := time.Now()
	start, err := time.Parse(time.RFC3339, from)
	if err == nil && until != "" {
		end, err = time.Parse(time.RFC3339, until)
	}
	if err != nil {
		return nil, usageError("--from and --until must be times such as 2026-01-31T09:00:00Z")
	}
	if !start.Before(end) {
		return nil, usageError("--from must be before --until")
	}
	return []processor.Option{processor.WithReplay(start, end)}, nil
}

// newLogger logs text to a terminal and JSON elsewhere.
func newLogger(w io.Writer, level string) *slog.Logger {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		l = slog.LevelInfo
	}
	opts := &slog.HandlerOptions{Level: l, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration { // JSON would have it in nanoseconds
			a.Value = slog.StringValue(a.Value.Duration().String())
		}
		return a
	}}
	if f, ok := w.(*os.File); ok && term.IsTerminal(f.Fd()) {
		return slog.New(slog.NewTextHandler(w, opts))
	}
	return slog.New(slog.NewJSONHandler(w, opts))
}

// serve runs the processor and, if an address is set, serves its health and
// metrics over HTTP. It returns nil after a graceful stop.
func serve(ctx context.Context, s config.Settings, log *slog.Logger, opts ...processor.Option) error {
	tier, done, err := newRemoteTier(ctx, &s)
	if err != nil {
		return err
	}
	defer done()
	if tier != nil {
		log.Warn("raw text of calls is sent to a remote detection tier", "tier", tier.Name(), "send", s.RemoteSend, "outage", s.RemoteOutage)
	}
	opts = append(opts, processor.WithLogger(log), processor.WithRegistry(newRegistry()), processor.WithRemote(tier))
	p, err := processor.New(ctx, s, opts...)
	if ctx.Err() != nil {
		return nil // stopped before it had started
	}
	if err != nil {
		return err
	}
	work := func() error { return p.Run(ctx) }
	if s.PprofAddr != "" {
		stream := work
		work = func() error { return withHTTP(s.PprofAddr, profiles(), stream) }
	}
	return withHTTP(s.HTTPAddr, p.Handler(), work)
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

// newRegistry returns a registry with the metrics of every process.
func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	version, commit := build()
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "sotto_build_info", Help: "1, with what was built.",
		ConstLabels: prometheus.Labels{"version": version, "commit": commit, "goversion": runtime.Version()}})
	info.Set(1)
	// What is alive after a collection shows a leak sooner than what is allocated.
	live := collectors.WithGoCollectorRuntimeMetrics(collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile("^/gc/heap/live:bytes$")})
	r.MustRegister(info, collectors.NewGoCollector(live), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// withHTTP serves h on addr, unless that is off, until work returns. Health
// answers until then, so that a slow shutdown does not look like a dead process.
func withHTTP(addr string, h http.Handler, work func() error) error {
	if addr == "off" {
		return work()
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("%w; choose another SOTTO_HTTP_ADDR (off for none) or SOTTO_PPROF_ADDR", err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	err = work()
	_ = srv.Close()
	if serr := <-served; err == nil && !errors.Is(serr, http.ErrServerClosed) {
		err = serr
	}
	return err
}
