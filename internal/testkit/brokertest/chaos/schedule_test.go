package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// trace runs a schedule and returns its steps and what each step drew.
func trace(t *testing.T, seed uint64) []string {
	t.Helper()
	var done []string
	note := func(name string) Action {
		return Action{Name: name, Times: map[string]int{"kill": 5, "stop": 2}[name], Do: func(_ context.Context, rng *rand.Rand) error {
			done = append(done, fmt.Sprint(name, rng.IntN(1000)))
			return nil
		}}
	}
	s := Schedule{Seed: seed, Actions: []Action{note("kill"), note("stop")}, MaxPause: time.Millisecond}
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return done
}

func TestScheduleIsDecidedByItsSeed(t *testing.T) {
	first := trace(t, 1)
	if !slices.Equal(first, trace(t, 1)) {
		t.Error("the same seed gives different schedules")
	}
	if slices.Equal(first, trace(t, 2)) {
		t.Error("different seeds give the same schedule")
	}
	kills := 0
	for _, s := range first {
		if strings.HasPrefix(s, "kill") {
			kills++
		}
	}
	if kills != 5 || len(first) != 7 {
		t.Errorf("did %d of 5 kills in %d of 7 steps", kills, len(first))
	}
}

func TestScheduleErrorNamesTheSeed(t *testing.T) {
	broken := errors.New("broken")
	var log []string
	s := Schedule{
		Seed:    42,
		Actions: []Action{{Name: "kill", Times: 3, Do: func(context.Context, *rand.Rand) error { return broken }}},
		Logf:    func(f string, a ...any) { log = append(log, fmt.Sprintf(f, a...)) },
	}
	err := s.Run(t.Context())
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "seed 42, step 1 of 3, kill") {
		t.Errorf("error is %v", err)
	}
	if len(log) != 1 || !strings.HasPrefix(log[0], "step 1 of 3: kill") {
		t.Errorf("log is %q", log)
	}
}

func TestScheduleEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := Schedule{
		Actions:  []Action{{Name: "kill", Times: 1, Do: func(context.Context, *rand.Rand) error { return nil }}},
		MinPause: time.Hour, MaxPause: time.Hour,
	}
	if err := s.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestSeedCanBeGiven(t *testing.T) {
	t.Setenv(EnvSeed, "77")
	if got := Seed(t); got != 77 {
		t.Errorf("Seed = %d", got)
	}
}
