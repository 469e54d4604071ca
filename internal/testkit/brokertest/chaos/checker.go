package chaos

import (
	"fmt"
	"maps"
	"slices"
)

// call is one call's part of a history, each list in the order of the log.
type call struct {
	// raw are the events that must have a clean event.
	raw   []Raw
	clean []Clean
}

type checker struct {
	History
	calls map[string]*call
	found []Violation
}

func (c *checker) add(k Kind, callID string, seq int64, format string, args ...any) {
	c.found = append(c.found, Violation{k, callID, seq, fmt.Sprintf(format, args...)})
}

func (c *checker) order() []string { return slices.Sorted(maps.Keys(c.calls)) }

func (c *checker) of(id string) *call {
	if c.calls[id] == nil {
		c.calls[id] = &call{}
	}
	return c.calls[id]
}

// outcomes groups the events by call and handles the dead letters: a record with a dead letter must
// not have a clean event, too.
func (c *checker) outcomes() {
	dead := make(map[Dead]int)
	for _, d := range c.Dead {
		dead[d]++
	}
	for _, r := range sorted(c.Raw, func(r Raw) (int32, int64) { return r.Partition, r.Offset }) {
		at := Dead{r.Partition, r.Offset}
		n := dead[at]
		delete(dead, at)
		switch {
		case n > 1:
			c.add(Doubled, r.CallID, r.Seq, "raw partition %d, offset %d has %d dead letters", at.Partition, at.Offset, n)
		case n == 1 && r.Dropped:
			c.add(Unexpected, r.CallID, r.Seq, "raw partition %d, offset %d is dropped and has a dead letter", at.Partition, at.Offset)
		case n == 0 && r.Bad:
			c.add(Lost, r.CallID, r.Seq, "raw partition %d, offset %d has no dead letter", at.Partition, at.Offset)
		case n == 0 && !r.Dropped:
			cl := c.of(r.CallID)
			cl.raw = append(cl.raw, r)
		}
	}
	rest := slices.Collect(maps.Keys(dead))
	for _, d := range sorted(rest, func(d Dead) (int32, int64) { return d.Partition, d.Offset }) {
		c.add(Unexpected, "", 0, "a dead letter for raw partition %d, offset %d, where nothing is", d.Partition, d.Offset)
	}
	for _, e := range sorted(c.Clean, func(e Clean) (int32, int64) { return e.Partition, e.Offset }) {
		cl := c.of(e.CallID)
		cl.clean = append(cl.clean, e)
	}
	for id := range c.Reference {
		c.of(id)
	}
}

func (c *checker) call(id string, cl *call) {
	for i, e := range cl.clean {
		if i > 0 && e.Partition != cl.clean[i-1].Partition {
			c.add(Scattered, id, e.Seq, "clean events in partitions %d and %d", cl.clean[i-1].Partition, e.Partition)
			break
		}
	}
	if c.Reference != nil {
		c.compare(id, cl)
	}
	var extra int
	answers := slices.DeleteFunc(slices.Clone(cl.clean), func(e Clean) bool {
		if e.Extra {
			extra++
		}
		return e.Extra
	})
	if extra > 1 {
		c.add(Doubled, id, 0, "%d events that answer no raw event", extra)
	}
	if !c.counts(id, cl.raw, answers) {
		// Unless every event has a partner, there is nothing more to compare.
		return
	}
	for i, e := range answers {
		if e.Seq != cl.raw[i].Seq {
			c.add(Reordered, id, e.Seq, "event %d of the call should be seq %d", i+1, cl.raw[i].Seq)
			break
		}
	}
	c.numbers(id, cl.raw, answers)
}

// counts compares how often each seq is in the two lists and reports whether they agree.
func (c *checker) counts(id string, raw []Raw, clean []Clean) bool {
	want, got := make(map[int64]int), make(map[int64]int)
	seqs := make(map[int64]bool)
	for _, r := range raw {
		want[r.Seq]++
		seqs[r.Seq] = true
	}
	for _, e := range clean {
		got[e.Seq]++
		seqs[e.Seq] = true
	}
	ok := true
	for _, seq := range slices.Sorted(maps.Keys(seqs)) {
		w, g := want[seq], got[seq]
		if w == g {
			continue
		}
		ok = false
		kind := Doubled
		switch {
		case g < w:
			kind = Lost
		case w == 0:
			kind = Unexpected
		}
		c.add(kind, id, seq, "%d clean events for %d raw ones", g, w)
	}
	return ok
}

// numbers matches each clean event with its raw event, and compares the numbers of the raw values
// that the tags stand for.
func (c *checker) numbers(id string, raw []Raw, clean []Clean) {
	type key struct {
		infoType string
		entity   string
	}
	type number struct {
		infoType string
		id       int
	}
	partners := make(map[int64][]Raw)
	for _, r := range raw {
		partners[r.Seq] = append(partners[r.Seq], r)
	}
	numberOf, entityOf := make(map[key]int), make(map[number]string)
	for _, e := range clean {
		r := partners[e.Seq][0]
		partners[e.Seq] = partners[e.Seq][1:]
		for _, tag := range e.Tags {
			if tag.ID == 0 || !tag.Label && tag.RawEnd == 0 {
				continue
			}
			value, ok := tag.value(r)
			if !ok {
				c.add(Misplaced, id, e.Seq, "the raw span of a tag %s_%d", tag.Type, tag.ID)
				continue
			}
			if c.Entity != nil {
				value = c.Entity(tag.Type, value)
			}
			k := key{tag.Type, value}
			if n, seen := numberOf[k]; seen && n != tag.ID {
				c.add(Renumbered, id, e.Seq, "%s was %d and is %d", tag.Type, n, tag.ID)
			}
			numberOf[k] = tag.ID
			n := number{tag.Type, tag.ID}
			if v, seen := entityOf[n]; seen && v != value && c.Entity != nil {
				c.add(Merged, id, e.Seq, "%s_%d stands for two entities", tag.Type, tag.ID)
			}
			entityOf[n] = value
		}
	}
}

// value returns the raw value that the tag stands for.
func (t Tag) value(r Raw) (string, bool) {
	if t.Label {
		return r.Label, true
	}
	runes := []rune(r.Text)
	if t.RawStart < 0 || t.RawStart >= t.RawEnd || t.RawEnd > len(runes) {
		return "", false
	}
	return string(runes[t.RawStart:t.RawEnd]), true
}

// compare compares a call with the reference, event by event.
func (c *checker) compare(id string, cl *call) {
	want := c.Reference[id]
	for i, e := range cl.clean {
		if i >= len(want) {
			break
		}
		if e.Body != want[i] {
			c.add(Different, id, e.Seq, "event %d of the call is not that of the reference", i+1)
			return
		}
	}
	if len(cl.clean) != len(want) {
		c.add(Different, id, 0, "%d clean events, the reference has %d", len(cl.clean), len(want))
	}
}
