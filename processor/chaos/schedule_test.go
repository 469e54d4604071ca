package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// envChaosSeed names the environment variable that repeats a schedule.
const envChaosSeed = "SOTTO_TEST_SEED"

// chaosSeed returns the seed from SOTTO_TEST_SEED or draws one, and logs it.
func chaosSeed(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if s := os.Getenv(envChaosSeed); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("%s must be a number: %v", envChaosSeed, err)
		}
	}
	t.Logf("repeat this with %s=%d", envChaosSeed, seed)
	return seed
}

// chaosAction is one kind of disturbance.
type chaosAction struct {
	Name string
	// Times is how often a run performs it.
	Times int
	// Do performs it. It takes all random choices from rng.
	Do func(ctx context.Context, rng *rand.Rand) error
}

// chaosSchedule performs every action its number of times, in random order, with a random pause before
// each. The seed determines the order, the pauses and the choices of the actions, unless these
// depend on how the actions went.
type chaosSchedule struct {
	Seed    uint64
	Actions []chaosAction
	// MinPause and MaxPause bound the pauses, inclusive.
	MinPause, MaxPause time.Duration
	// Logf, if set, is called before each step.
	Logf func(format string, args ...any)
}

// Run performs the steps one after the other. It ends with the first error, which names seed and
// step, or with the context.
func (s chaosSchedule) Run(ctx context.Context) error {
	rng := rand.New(rand.NewPCG(s.Seed, 0))
	steps := s.steps(rng)
	for i, a := range steps {
		pause := s.MinPause + time.Duration(rng.Int64N(int64(max(0, s.MaxPause-s.MinPause)+1)))
		if s.Logf != nil {
			s.Logf("step %d of %d: %s after %v", i+1, len(steps), a.Name, pause.Round(time.Millisecond))
		}
		// Each step has its own random source: how much one draws does not change the next.
		own := rand.New(rand.NewPCG(s.Seed, uint64(i)+1))
		err := wait(ctx, pause)
		if err == nil {
			err = a.Do(ctx, own)
		}
		if err != nil {
			return fmt.Errorf("seed %d, step %d of %d, %s: %w", s.Seed, i+1, len(steps), a.Name, err)
		}
	}
	return nil
}

func (s chaosSchedule) steps(rng *rand.Rand) []chaosAction {
	var steps []chaosAction
	for _, a := range s.Actions {
		steps = append(steps, slices.Repeat([]chaosAction{a}, a.Times)...)
	}
	rng.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	return steps
}

// stepsOf runs a schedule and returns its steps and what each step drew.
func stepsOf(t *testing.T, seed uint64) []string {
	t.Helper()
	var done []string
	note := func(name string) chaosAction {
		return chaosAction{Name: name, Times: map[string]int{"kill": 5, "stop": 2}[name], Do: func(_ context.Context, rng *rand.Rand) error {
			done = append(done, fmt.Sprint(name, rng.IntN(1000)))
			return nil
		}}
	}
	s := chaosSchedule{Seed: seed, Actions: []chaosAction{note("kill"), note("stop")}, MaxPause: time.Millisecond}
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return done
}

func TestScheduleIsDecidedByItsSeed(t *testing.T) {
	first := stepsOf(t, 1)
	if !slices.Equal(first, stepsOf(t, 1)) {
		t.Error("the same seed gives different schedules")
	}
	if slices.Equal(first, stepsOf(t, 2)) {
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
	s := chaosSchedule{
		Seed:    42,
		Actions: []chaosAction{{Name: "kill", Times: 3, Do: func(context.Context, *rand.Rand) error { return broken }}},
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
	s := chaosSchedule{
		Actions:  []chaosAction{{Name: "kill", Times: 1, Do: func(context.Context, *rand.Rand) error { return nil }}},
		MinPause: time.Hour, MaxPause: time.Hour,
	}
	if err := s.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestSeedCanBeGiven(t *testing.T) {
	t.Setenv(envChaosSeed, "77")
	if got := chaosSeed(t); got != 77 {
		t.Errorf("the seed is %d", got)
	}
}
