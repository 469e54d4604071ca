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
// one: from now on, both have the lower number.
func (c *Call) reveal(i int, m *Mention, before bearing) {
	if m.Speaker == 0 || m.Kind != detectors.KindName || c.entities[i].Kind != detectors.KindName {
		return
	}
	if own := linking.OfSpeaker(persons{c}, m.Speaker); own >= 0 && m.Talk.Also {
		c.join(i, own)
	}
	if c.bearing(i) == before { // as with most mentions, which need not be compared with everybody
		return
	}
	if k := linking.OneWith(persons{c}, i); k >= 0 {
		c.join(i, k)
	}
}

// Settle decides which persons that have two numbers are one at the end of a call, beside those that reveal has joined, and reports
// whether there are any: the model of couples knows all that was said of both. Numbers that were published stay; Unite and
// Renumbered tell those of the final version.
func (c *Call) Settle() (renumbered bool) {
	for _, x := range linking.Alike(persons{c}) {
		c.join(x[0], x[1])
	}
	return slices.ContainsFunc(c.entities, func(e entity) bool { return e.Final > 0 })
}

// join makes two persons one, unless they are certainly two.
func (c *Call) join(i, k int) {
	a, b := &c.entities[i], &c.entities[k]
	if a.Type != b.Type || a.Num == 0 || b.Num == 0 || a.final() == b.final() || a.Gender != b.Gender && a.Gender != linking.AnyGender && b.Gender != linking.AnyGender {
		return
	}
	from, to := max(a.final(), b.final()), min(a.final(), b.final())
	if one, other := c.labelled(a.Type, from), c.labelled(a.Type, to); one != 0 && other != 0 && one != other {
		return
	}
	own(c, entitiesField, &c.entities, 2)
	for n := range c.entities {
		if e := &c.entities[n]; e.Type == a.Type && e.Num > 0 && e.final() == from {
			e.Final = to
		}
	}
	c.others++
}

// labelled returns the speaker whose label names a person, by the final number; 0 for nobody.
func (c *Call) labelled(t uint8, final uint32) linking.SpeakerID {
	for i := range c.entities {
		if e := &c.entities[i]; e.Type == t && e.Num > 0 && e.final() == final && e.Source == linking.SourceLabel {
			return e.Owner
		}
	}
	return 0
}

// final is the number of the entity from now on.
func (e *entity) final() uint32 { return cmp.Or(e.Final, e.Num) }

// EachCouple describes each two persons of the call who have numbers of one infoType and may be one, as Settle compares them.
func (c *Call) EachCouple(do func(a, b Ref, f *linking.Couple)) {
	linking.EachCouple(persons{c}, func(i, k int, f *linking.Couple) { do(c.ref(i), c.ref(k), f) })
}

// Unite lets the call speak of its entities by the numbers of the final version from now on. That is not encoded.
func (c *Call) Unite() { c.united = true }

// FinalOf returns the reference to an entity in the final version.
func (c *Call) FinalOf(r Ref) Ref {
	if e := c.numbered(r); e != nil {
		r.N = int(e.final())
	}
	return r
}

// Renumbered returns, by infoType, which numbers have become which in the final version, in decimal as keys of JSON are; nil
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
		if e := &c.entities[i]; e.Type == t && e.Final > 0 {
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
