package tagger

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
)

// runs is how often the weights are learned from 0 on, each time with other random choices. Their
// mean does better than most of them, and depends less on the seed.
const runs = 3

// learnRuns learns the weights of the features that are numbered. The runs share everything that they
// only read, and take place at once as far as there are processors.
func (t *trainer) learnRuns() {
	var learned [runs]*trainer
	var group errgroup.Group
	var printing sync.Mutex
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n := range runs {
		group.Go(func() error {
			learned[n] = t.run(n, func(line string) {
				printing.Lock()
				defer printing.Unlock()
				fmt.Fprintln(t.Progress, line)
			})
			return nil
		})
	}
	_ = group.Wait() // none fails
	all := newMean(len(t.rows))
	for _, r := range learned {
		all.add(r)
	}
	all.store(t)
	t.squares = learned[0].squares // the steps after pruning are as small as at the end of any run
}

// run learns the weights from 0 on, and prints a line for each pass.
func (t *trainer) run(n int, print func(line string)) *trainer {
	r := *t
	r.workspace, r.rng = workspace{}, random(t.Seed, n)
	r.rows, r.squares = make([]vector, len(t.rows)), make([]vector, len(t.rows))
	for pass := range r.Passes {
		loss, words := r.pass()
		print(fmt.Sprintf("run %d of %d, pass %d of %d: loss %.4f a word (%d words)", n+1, runs, pass+1, r.Passes, loss/float64(max(words, 1)), words))
	}
	return &r
}

func random(seed uint64, run int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x5077_0000_0000_0001+uint64(run)))
}
