package anonymize

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"sotto/schemas"
	"sotto/state"
)

func cpuNow() time.Duration {
	var ru syscall.Rusage
	syscall.Getrusage(1, &ru)
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// sums of per-chunk minima
func TestZZMin(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("ROUNDS"))
	if n == 0 {
		t.Skip()
	}
	runtime.LockOSThread()
	all := newEngine(t, Options{})
	rule := newEngine(t, Options{})
	rule.untagged = true
	var calls [][]*schemas.RawEvent
	for i, c := range corpus(t, conversations...) {
		if i%3 == 0 {
			calls = append(calls, c)
		}
	}
	pat := make([]*regexp.Regexp, len(fortyPatterns))
	for i, p := range fortyPatterns {
		pat[i] = regexp.MustCompile(p)
	}
	const chunk = 40
	k := (len(calls) + chunk - 1) / chunk
	var best [3][]time.Duration
	for m := range best {
		best[m] = make([]time.Duration, k)
	}
	u := 0
	for _, c := range calls {
		u += len(c)
	}
	for r := 0; r < n; r++ {
		for i := 0; i < k; i++ {
			part := calls[i*chunk : min(len(calls), (i+1)*chunk)]
			for m := range best {
				if m == 2 && r >= 2 {
					continue
				}
				t0 := cpuNow()
				for _, events := range part {
					c := state.NewCall()
					for _, ev := range events {
						switch m {
						case 0:
							all.Apply(c, all.Prepare(ev))
						case 1:
							rule.Apply(c, rule.Prepare(ev))
						case 2:
							for _, p := range pat {
								p.FindAllStringIndex(ev.Text, -1)
							}
						}
					}
				}
				if d := cpuNow() - t0; best[m][i] == 0 || d < best[m][i] {
					best[m][i] = d
				}
			}
		}
	}
	var s [3]float64
	for m := range best {
		for _, d := range best[m] {
			s[m] += d.Seconds() * 1000
		}
	}
	fmt.Printf("all %.1f ms (%.2f us/utt) x%.2f | rule %.1f x%.2f | forty %.0f\n", s[0], s[0]*1000/float64(u), s[2]/s[0], s[1], s[2]/s[1], s[2])
}
