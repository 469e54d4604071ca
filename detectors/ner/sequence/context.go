package sequence

import "sotto/detectors"

// Context is what the conversation so far says about a turn.
type Context struct {
	// Asked is what the other party's last turn asks for, if it is the turn before; Pending is
	// what earlier turns of others asked for.
	Asked, Pending Asked
	// Own is the kind at the end of the speaker's previous turn, None where the turn went on
	// after its last value. Near reports that only one turn stands between.
	Own  Kind
	Near bool
	// Other is the kinds that the other party's last turn contains, OtherLast the kind at its end.
	Other     Kinds
	OtherLast Kind
	// Known is what the call's memory knows; nil for nothing.
	Known Known
}

// Known is the memory of a call.
type Known interface {
	// KindOf returns the kind of a word by its hash, None for one that the call does not know.
	KindOf(word uint64) Kind
}

// contextCodes are the parts of a Context as values that features are made of.
type contextCodes struct {
	// asked has the kinds that are asked for with their levels.
	asked []uint64
	// own is 0 where the speaker's previous turn did not end with a value.
	own   uint64
	other []uint64
}

// SetContext sets the conversation in which the turn that was read stands.
func (r *Reader) SetContext(c *Context, d *detectors.Document) {
	r.context.asked, r.context.own, r.context.other = r.context.asked[:0], 0, r.context.other[:0]
	if c.Own != None {
		r.context.own = uint64(c.Own) << 1
		if c.Near {
			r.context.own |= 1
		}
	}
	for k := range (c.Asked | c.Pending).kinds() {
		r.context.asked = append(r.context.asked, uint64(k)<<4|uint64(c.Asked.Level(k))<<2|uint64(c.Pending.Level(k)))
	}
	for k := Kind(1); c.Other>>k != 0 && k < Kind(NumKinds); k++ {
		if c.Other.Has(k) {
			x := uint64(k) << 1
			if c.OtherLast == k {
				x |= 1
			}
			r.context.other = append(r.context.other, x)
		}
	}
	for i := range r.Elements {
		e := &r.Elements[i]
		e.known = None
		if h := d.Tokens[e.Token].Hash; h != 0 && c.Known != nil {
			e.known = c.Known.KindOf(h)
		}
	}
}

// ContextFeatures appends to f the features of element i that depend on the conversation.
func (r *Reader) ContextFeatures(i int, f []uint32) []uint32 {
	e, p1, n1 := &r.Elements[i], r.at(i-1), r.at(i+1)
	l, s := uint64(e.Lexicon), uint64(e.Shape)
	ls := l<<8 | s
	position := r.position(i)<<4 | uint64(r.length)
	run := uint64(e.Run)
	for _, x := range r.context.asked {
		f = append(f,
			hash2(110, x, ls),
			hash(111, x, position, l),
			hash2(112, x, e.Word),
			hash2(113, x, p1.Word),
			hash2(114, x, n1.Word),
			hash2(115, x, position),
			hash(116, x, run, position),
			hash2(117, x, uint64(e.Rule)),
			hash(118, x, uint64(p1.Run), run),
			hash2(130, x, uint64(e.Class.Middle())),
			hash(131, x, uint64(e.Class.Coarse()), position),
		)
	}
	if len(r.context.asked) == 0 {
		f = append(f, hash2(119, run, position), hash2(120, ls, position))
	}
	if x := r.context.own; x != 0 {
		f = append(f, hash2(121, x, ls), hash2(122, x, position), hash(123, x, run, position), hash2(124, x, e.Word), hash2(125, x, p1.Word))
	}
	for _, x := range r.context.other {
		f = append(f, hash2(126, x, ls), hash(127, x, run, position), hash2(128, x, e.Word))
	}
	if k := uint64(e.known); k != 0 {
		f = append(f, hash2(130, k, ls), hash2(131, k, p1.Word), hash2(132, k, n1.Word), hash2(133, k, position), hash1(134, k),
			hash(135, uint64(p1.known), k, uint64(n1.known)))
	}
	return f
}
