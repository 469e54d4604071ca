package partition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// passing measures how much time passes in a partition, by the times of its events alone, so that a
// replay of the log measures the same.
//
// The clocks of producers may be hours apart. So the time of an event means something only beside
// earlier times of the same clock. Which clock it is of is not written anywhere, but can be told: a
// clock that was heard before is, by now, close to where its own time has arrived. An event that is
// close to none is of a clock that nobody has heard yet, or comes after a gap; no time counts as
// passed by it. So neither a wrong clock nor the step back to a right one ends a call.
//
// A producer may also have waited, and then send hours of events at once. Time passes no faster by
// them than by another clock that is still heard.
//
// It is a value: a copy is what it was.
type passing struct {
	clocks [maxClocks]clock // the last heard first, those not used zero
	broker clock            // that of the brokers, whose times are taken as they are
}

// clock is that of a group of producers.
type clock struct {
	known bool
	// behind is what to add to its times, and said the latest time that it told, with that added.
	behind, said int64
	// silent counts the events since it was heard, up to silentEvents.
	silent int64
}

const (
	// maxClocks bounds the clocks that are remembered. That which was not heard for longest makes
	// room.
	maxClocks = 16
	// silentEvents is after how many events of others a clock does not hold up time any more.
	silentEvents = 300
	// closeShare: the times of a clock are close if they differ by at most this share of the idle
	// timeout. So an event alone takes a silent call no further than that.
	closeShare = 4
	// latestTime bounds times, so that their sums fit.
	latestTime = 1 << 52
)

// event is the time after an event, by the time of a clock of some producer.
func (p *passing) event(now, at, near int64) int64 {
	at = min(max(at, -latestTime), latestTime)
	if now == 0 && !p.heard() {
		now = at
	}
	for i := range p.clocks {
		p.clocks[i].silent = min(p.clocks[i].silent+1, silentEvents)
	}
	place := p.find(now, at, near)
	c := p.clocks[place]
	if !c.known {
		c = clock{known: true, behind: now - at, said: now}
	}
	next := max(now, at+c.behind)
	for i, o := range p.clocks {
		if i != place && o.known && o.silent < silentEvents {
			next = min(next, max(now, o.said+near))
		}
	}
	c.behind -= max(0, at+c.behind-next) // what it was not believed
	c.said, c.silent = max(c.said, at+c.behind), 0
	copy(p.clocks[1:place+1], p.clocks[:place])
	p.clocks[0] = c
	return next
}

// find returns the place of the clock that a time is of. If it is of none that is known, that is
// the place for a new one, which is zero.
func (p *passing) find(now, at, near int64) int {
	best, distance := -1, near
	for i, c := range p.clocks {
		d := at + c.behind - now
		if d = max(d, -d); c.known && d <= distance && (best < 0 || d < distance) {
			best, distance = i, d
		}
	}
	if best >= 0 {
		return best
	}
	free := slices.IndexFunc(p.clocks[:], func(c clock) bool { return !c.known })
	if free < 0 {
		free = maxClocks - 1
	}
	p.clocks[free] = clock{}
	return free
}

func (p *passing) brokerTime(now, at int64) int64 {
	if !p.broker.known {
		if now == 0 && !p.heard() {
			now = at
		}
		p.broker = clock{known: true, behind: now - at}
	}
	return max(now, at+p.broker.behind)
}

func (p *passing) heard() bool { return p.broker.known || p.clocks[0].known }

func (p *passing) wait(by int64) {
	for i := range p.clocks {
		if p.clocks[i].known {
			p.clocks[i].said += by
		}
	}
}

// text is what parsePassing reads at the same time.
func (p *passing) text(now int64) string {
	var b strings.Builder
	if p.broker.known {
		fmt.Fprintf(&b, "b%d;", p.broker.behind)
	}
	for _, c := range p.clocks {
		if c.known {
			fmt.Fprintf(&b, "%d,%d,%d;", c.behind, now-c.said, c.silent)
		}
	}
	return b.String()
}

// parsePassing reads what text has written. Without a text there is one clock, which is at the
// time: a former release went by the largest event time.
func parsePassing(text string, now int64) (p passing) {
	if text == "" && now != 0 {
		p.clocks[0] = clock{known: true, said: now}
	}
	n := 0
	for field := range strings.SplitSeq(text, ";") {
		if broker, ok := strings.CutPrefix(field, "b"); ok {
			behind, err := strconv.ParseInt(broker, 10, 64)
			p.broker = clock{known: err == nil, behind: behind}
			continue
		}
		var c clock
		if _, err := fmt.Sscanf(field, "%d,%d,%d", &c.behind, &c.said, &c.silent); err != nil || n == maxClocks {
			continue
		}
		c.known, c.said = true, now-c.said
		p.clocks[n] = c
		n++
	}
	return p
}
