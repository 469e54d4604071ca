package processor

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sotto/anonymize"
	"sotto/config"
	"sotto/schemas"
	"sotto/state"
)

func (r *rig) canary(change ...func(*config.Settings)) (*Canary, *prometheus.Registry) {
	r.T.Helper()
	s := r.Set
	for _, f := range change {
		f(&s)
	}
	reg := prometheus.NewRegistry()
	c, err := NewCanary(r.T.Context(), s, reg, slog.New(slog.DiscardHandler))
	if err != nil {
		r.T.Fatal(err)
	}
	return c, reg
}

func runs(t *testing.T, reg *prometheus.Registry, outcome string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "sotto_canary_runs_total" && m.GetLabel()[0].GetValue() == outcome {
				return m.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("no runs that are %s", outcome)
	return 0
}

func TestCanaryComesOutRedacted(t *testing.T) {
	t.Parallel()
	for _, callID := range []string{"keep", "hash"} {
		t.Run(callID, func(t *testing.T) {
			r := newRig(t, 2)
			r.Set.CallID = callID
			r.start("a")
			c, reg := r.canary()
			for range 2 {
				if err := c.Once(t.Context(), 30*time.Second); err != nil {
					t.Fatal(err)
				}
			}
			if n := runs(t, reg, canaryRedacted); n != 2 {
				t.Errorf("%v runs are redacted", n)
			}
		})
	}
}

// The canary exists to detect an engine that finds nothing.
func TestCanaryReportsALeak(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.start("a", func(p *Processor) { p.wrap = func(e engine) engine { return blind{e} } })
	c, reg := r.canary()
	if err := c.Once(t.Context(), 30*time.Second); !errors.Is(err, ErrCanaryLeaked) {
		t.Fatalf("got %v", err)
	}
	if n := runs(t, reg, canaryLeaked); n != 1 {
		t.Errorf("%v runs are leaked", n)
	}
}

type blind struct{ engine }

func (b blind) Apply(c *state.Call, p *anonymize.Prepared) (schemas.CleanEvent, bool) {
	clean, changed := b.engine.Apply(c, p)
	clean.Text, clean.Entities = "hello, my name is WILHELMINA", nil
	return clean, changed
}

func TestCanaryReportsAStandstill(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	c, reg := r.canary()
	err := c.Once(t.Context(), 2*time.Second)
	if !errors.Is(err, ErrCanaryMissing) {
		t.Fatalf("got %v", err)
	}
	for _, secret := range canarySecrets {
		if strings.Contains(err.Error(), secret) {
			t.Error("the error repeats the call")
		}
	}
	if n := runs(t, reg, canaryMissing); n != 1 {
		t.Errorf("%v runs are missing", n)
	}
}

func TestCanaryWatches(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.start("a")
	c, reg := r.canary()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { c.Watch(ctx, 50*time.Millisecond, 20*time.Second); close(done) }()
	eventually(t, "two calls have come out", func() bool { return runs(t, reg, canaryRedacted) >= 2 })
	stop()
	<-done
}
