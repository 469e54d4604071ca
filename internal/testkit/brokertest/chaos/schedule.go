// Package chaos disturbs the stream and checks its output. It has processes that are killed by a
// random schedule, and a checker that compares the input in the raw topic with the output.
package chaos

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// EnvSeed names the environment variable that repeats a schedule.
const EnvSeed = "SOTTO_TEST_SEED"

// Seed returns the seed from SOTTO_TEST_SEED or draws one, and logs it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if s := os.Getenv(EnvSeed); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("%s must be a number: %v", EnvSeed, err)
		}
	}
	t.Logf("repeat this with %s=%d", EnvSeed, seed)
	return seed
}

// Action is one kind of disturbance.
type Action struct {
	Name string
	// Times is how often a run performs it.
	Times int
	// Do performs it. It takes all random choices from rng.
	Do func(ctx context.Context, rng *rand.Rand) error
}

// Schedule performs every action its number of times, in random order, with a random pause before
// each. The seed determines the order, the pauses and the choices of the actions, unless these
// depend on how the actions went.
type Schedule struct {
	Seed    uint64
	Actions []Action
	// MinPause and MaxPause bound the pauses, inclusive.
	MinPause, MaxPause time.Duration
	// Logf, if set, is called before each step.
	Logf func(format string, args ...any)
}

// Run performs the steps one after the other. It ends with the first error, which names seed and
// step, or with the context.
func (s Schedule) Run(ctx context.Context) error {
	rng := rand.New(rand.NewPCG(s.Seed, 0))
	steps := s.steps(rng)
	for i, a := range steps {
		pause := s.MinPause + time.Duration(rng.Int64N(int64(max(0, s.MaxPause-s.MinPause)+1)))
		if s.Logf != nil {
			s.Logf("step %d of %d: %s after %v", i+1, len(steps), a.Name, pause.Round(time.Millisecond))
		}
		// Each step has its own random source: how much one draws does not change the next.
		own := rand.New(rand.NewPCG(s.Seed, uint64(i)+1))
		err := sleep(ctx, pause)
		if err == nil {
			err = a.Do(ctx, own)
		}
		if err != nil {
			return fmt.Errorf("seed %d, step %d of %d, %s: %w", s.Seed, i+1, len(steps), a.Name, err)
		}
	}
	return nil
}

func (s Schedule) steps(rng *rand.Rand) []Action {
	var steps []Action
	for _, a := range s.Actions {
		steps = append(steps, slices.Repeat([]Action{a}, a.Times)...)
	}
	rng.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	return steps
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return cmp.Or(context.Cause(ctx), ctx.Err())
	}
}
