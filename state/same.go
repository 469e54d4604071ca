package state

import (
	"cmp"
	"slices"
	"strconv"

	"sotto/detectors"
	"sotto/state/linking"
)

// doubted returns the position, plus 1, of the person that a mention may be, too, beside the one at position but, and the model's
// score of that in steps; 0 if there is none. likely is what the model has said already, if it was asked.
func (c *Call) doubted(m *linking.Mention, likely *linking.Likely, but int) (at uint16, doubt int8) {
	if m.Speaker == 0 {
		return 0, 0
	}
	if !likely.IsKnown() {
		_, *likely = linking.Choose(m, persons{c})
	}
	return likely.But(but)
}

// bearing is what says who a person is, beside the names themselves.
type bearing struct {
	owner, called linking.SpeakerID
	part          linking.Part
	gender        linking.Gender
	maybe         uint16
	names         int
}

// bearing returns that of the entity at a position, which is zero if it is not a person.
func (c *Call) bearing(i int) bearing {
	if i < 0 || c.entities[i].Kind != detectors.KindName {
		return bearing{}
	}
	e := &c.entities[i]
	return bearing{e.Owner, e.Called, e.Part, e.Gender, e.Maybe, e.Aliases.Len()}
}

// reveal joins the person at a position with another one, if what a mention says beside what was known before shows that they are
// one: from now on, both have the lower number. isNew means that the person got a number just now. It is given back, unless that
// changes whom the lower number names.
func (c *Call) reveal(i int, m *Mention, before bearing, isNew bool) {
	if c.settled || m.Speaker == 0 || m.Kind != detectors.KindName || c.entities[i].Kind != detectors.KindName || c.bearing(i) == before {
		return // most mentions say nothing new, and need not be compared with everybody
	}
	k := linking.OneWith(persons{c}, i, func(k int) bool { return c.mayJoin(i, k, true) })
	if k < 0 {
		return
	}
	c.join(i, k)
	e := &c.entities[i]
	hasNumber := func(o entity) bool { return o.Type == e.Type && o.Num == e.Final }
	if isNew && e.Final > 0 && slices.IndexFunc(c.entities, hasNumber) < i { // see numbered
		e.Num, e.Final = e.Final, 0
		c.counts[e.Type]--
	}
}

// Settle decides which persons that have two numbers are one at the end of a call, beside those that reveal has joined, and reports
// whether there are any: the model of couples knows all that was said of both. Numbers that were published stay; Unite and
// Renumbered tell those of the final version. A call is settled once.
func (c *Call) Settle() (renumbered bool) {
	if c.settled {
		return false
	}
	for _, x := range linking.Alike(persons{c}) {
		if c.mayJoin(x[0], x[1], false) {
			c.join(x[0], x[1])
		}
	}
	c.settled = true
	c.others++
	return slices.ContainsFunc(c.entities, func(e entity) bool { return e.Final > 0 })
}

// join makes two persons one.
func (c *Call) join(i, k int) {
	t, one, other := c.entities[i].Type, c.entities[i].final(), c.entities[k].final()
	own(c, entitiesField, &c.entities, 2)
	for n := range c.entities {
		if e := &c.entities[n]; e.Type == t && e.final() == max(one, other) && e.Num > 0 {
			e.Final = min(one, other)
		}
	}
	c.others++
}

// mayJoin reports whether two persons may become one: they have different numbers, and nothing says that they, or anybody joined with
// them, are two people. live means that the call goes on: namesakes are then two, since the model of pairs had its reasons, and a label
// that was published keeps its number.
func (c *Call) mayJoin(i, k int, live bool) bool {
	a, b := &c.entities[i], &c.entities[k]
	if a.Type != b.Type || a.Num == 0 || b.Num == 0 || a.final() == b.final() {
		return false
	}
	for n := range c.entities {
		x := &c.entities[n]
		if x.Type != a.Type || x.Num == 0 || x.final() != max(a.final(), b.final()) {
			continue
		}
		if live && x.Source == linking.SourceLabel {
			return false
		}
		for n := range c.entities {
			y := &c.entities[n]
			if y.Type == a.Type && y.Num > 0 && y.final() == min(a.final(), b.final()) && x.differs(y, live) {
				return false
			}
		}
	}
	return true
}

// differs reports whether two persons are certainly two: by their genders, as two speakers whose names were given as labels or in
// advance, or, live, as namesakes.
func (e *entity) differs(o *entity, live bool) bool {
	return e.Gender != o.Gender && e.Gender != linking.AnyGender && o.Gender != linking.AnyGender ||
		e.Source != linking.SourceSaid && o.Source != linking.SourceSaid && e.Owner != 0 && o.Owner != 0 && e.Owner != o.Owner ||
		live && slices.ContainsFunc(e.Aliases.List(), o.Aliases.Has)
}

// final is the number of the entity from now on.
func (e *entity) final() uint32 { return cmp.Or(e.Final, e.Num) }

// EachCouple describes each two persons of the call who have numbers of one infoType and may be one, as Settle compares them.
func (c *Call) EachCouple(do func(a, b Ref, f *linking.Couple)) {
	linking.EachCouple(persons{c}, func(i, k int, f *linking.Couple) { do(c.ref(i), c.ref(k), f) })
}

// Unite lets the call count its entities as the final version has them from now on. That is not encoded.
func (c *Call) Unite() { c.united = true }

// IsSettled reports whether Settle was called.
func (c *Call) IsSettled() bool { return c.settled }

// IsUnited reports whether Unite was called.
func (c *Call) IsUnited() bool { return c.united }

// FinalOf returns the reference to an entity in the final version.
func (c *Call) FinalOf(r Ref) Ref {
	if e := c.numbered(r); e != nil {
		r.N = int(e.final())
	}
	return r
}

// Renumbered returns, by infoType, which numbers have become which since they were published, in decimal as keys of JSON are; nil
// if all stay.
func (c *Call) Renumbered() map[string]map[string]int64 {
	var all map[string]map[string]int64
	for i := range c.entities {
		e := &c.entities[i]
		if e.Final == 0 {
			continue
		}
		t := c.types[e.Type]
		if all == nil {
			all = map[string]map[string]int64{}
		}
		if all[t] == nil {
			all[t] = map[string]int64{}
		}
		all[t][strconv.Itoa(int(e.Num))] = int64(e.Final)
	}
	return all
}

// renumbered counts the numbers of a type that have become others.
func (c *Call) renumbered(t uint8) (n int64) {
	for i := range c.entities {
		e := &c.entities[i]
		hasNumber := func(o entity) bool { return o.Type == t && o.Num == e.Num }
		if e.Type == t && e.Final > 0 && !slices.ContainsFunc(c.entities[:i], hasNumber) { // of two with one number, the first counts
			n++
		}
	}
	return n
}

// joined returns copies of the entities, those that are one as one.
func (c *Call) joined() []entity {
	all := make([]entity, 0, len(c.entities))
	at := map[[2]uint32]int{} // by type and number
	for _, e := range c.entities {
		key := [2]uint32{uint32(e.Type), e.final()}
		k, known := at[key]
		if !known || e.Num == 0 {
			at[key] = len(all)
			all = append(all, e)
			continue
		}
		into := &all[k]
		for _, a := range e.Aliases.List() {
			if into.Aliases.Len() < maxAliases && !into.Aliases.Has(a) {
				into.Aliases.Add(a)
			}
		}
		into.Owner, into.Source, into.Own = cmp.Or(into.Owner, e.Owner), max(into.Source, e.Source), into.Own || e.Own
		into.Weak = into.Weak && e.Weak
	}
	return all
}
