package partition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// passing advances the event time of a partition, as a watermark does: by the times of events alone,
// so that a replay of the log has the same times.
//
// The clocks of producers may be hours apart, so the time of an event is compared with earlier times
// of the same clock only. No event says which clock that is. It is the known one that is nearest, with
// its offset added, to the time of the partition, if it is within a window. A time outside of the
// windows of all clocks is the first of a new one, or follows a gap: it sets the offset of its clock,
// and event time does not advance. So neither a wrong clock nor its correction ends a call.
//
// A producer may have been cut off, and then send hours of events at once. They advance event time no
// faster than the other clocks that are still heard.
//
// A copy of the struct is a snapshot.
type passing struct {
	clocks [maxClocks]clock // the last heard first, those not used zero
	broker clock            // that of the brokers, whose times are taken as they are
}

// clock is that of a group of producers.
type clock struct {
	known bool
	// behind is its offset, which is added to its times, and said its latest time with the offset.
	behind, said int64
	// silent counts the events of other clocks since its last one, up to silentEvents.
	silent int64
}

const (
	// maxClocks bounds the clocks that are remembered. The one that was heard least recently is
	// forgotten.
	maxClocks = 16
	// silentEvents is after how many events of others a clock no longer holds event time back.
	silentEvents = 300
	// closeShare is the window of a clock: a fraction of the idle timeout. So a single event never
	// uses up the idle timeout of a silent call.
	closeShare = 4
	// latestTime bounds times, so that their sums fit.
	latestTime = 1 << 52
)

// event returns the event time of the partition after an event at the time at of some producer's clock.
// near is the window of a clock.
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
	c.behind -= max(0, at+c.behind-next) // by how much other clocks held it back
	c.said, c.silent = max(c.said, at+c.behind), 0
	copy(p.clocks[1:place+1], p.clocks[:place])
	p.clocks[0] = c
	return next
}

// find returns the index of the clock that a time is of: the nearest one with the time in its window.
// Without one it is the index of a new clock, for which the one heard least recently makes room.
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
