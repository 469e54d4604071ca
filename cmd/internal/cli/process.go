package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// NewLogger logs text to a terminal and JSON elsewhere. Logging never blocks for long.
func NewLogger(w io.Writer, level string) *slog.Logger {
	var l slog.Level
	_ = l.UnmarshalText([]byte(level)) // what cannot be read stays the level info
	opts := &slog.HandlerOptions{Level: l, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration { // JSON would have it in nanoseconds
			a.Value = slog.StringValue(a.Value.Duration().String())
		}
		return a
	}}
	if IsTerminal(w) {
		return slog.New(slog.NewTextHandler(w, opts))
	}
	if _, ok := w.(*os.File); ok {
		w = newLogWriter(w)
	}
	return slog.New(slog.NewJSONHandler(w, opts))
}

// IsTerminal reports whether somebody watches what is written.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// NewRegistry returns a registry with the metrics of every process.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	version, commit := Build()
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "sotto_build_info", Help: "1, with what was built.",
		ConstLabels: prometheus.Labels{"version": version, "commit": commit, "goversion": runtime.Version()}})
	info.Set(1)
	// What is alive after a collection shows a leak sooner than what is allocated.
	live := collectors.WithGoCollectorRuntimeMetrics(collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile("^/gc/heap/live:bytes$")})
	r.MustRegister(info, collectors.NewGoCollector(live), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// WithHTTP serves h on addr, unless that is off, until work returns. Health
// answers until then, so that a slow shutdown does not look like a dead process.
func WithHTTP(addr string, h http.Handler, work func() error) error {
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

// The Makefile sets these with -ldflags, from git.
var buildVersion, buildCommit string

// Build returns the version and the commit. What -ldflags did not set is what the Go toolchain
// recorded: the module's version, and the commit of the working tree.
func Build() (version, commit string) {
	version, commit = buildVersion, buildCommit
	if info, ok := debug.ReadBuildInfo(); ok {
		v, c := recorded(info)
		version, commit = cmp.Or(version, v), cmp.Or(commit, c)
	}
	return cmp.Or(version, "unknown"), cmp.Or(commit, "unknown")
}

func recorded(info *debug.BuildInfo) (version, commit string) {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit = settings["vcs.revision"]
	if commit != "" && settings["vcs.modified"] == "true" {
		commit += "-dirty"
	}
	return info.Main.Version, commit
}
