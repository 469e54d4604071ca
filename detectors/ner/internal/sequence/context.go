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
	// Known returns the kind of a word that the call's memory knows, by its hash; None for one
	// that it does not know. It may be nil.
	Known func(word uint64) Kind
}

// Awaits reports whether a value may be expected from the turn.
func (c *Context) Awaits() bool { return c.Asked|c.Pending != 0 || c.Own != None }

// ContextFeatures appends to f the features of element i that depend on the conversation.
func (r *Reader) ContextFeatures(i int, c *Context, d *detectors.Document, f []uint32) []uint32 {
	e, p1, n1 := &r.Elements[i], r.at(i-1), r.at(i+1)
	l, s := uint64(e.Lexicon), uint64(e.shape)
	ls := l<<8 | s
	position := r.position(i)<<4 | uint64(r.length)
	run := uint64(e.run)
	any := false
	for k := 1; k < NumKinds; k++ {
		a, p := uint64(c.Asked.Level(Kind(k))), uint64(c.Pending.Level(Kind(k)))
		if a|p == 0 {
			continue
		}
		any = true
		x := uint64(k)<<4 | a<<2 | p
		f = append(f,
			hash2(110, x, ls),
			hash(111, x, position, l),
			hash2(112, x, e.Word),
			hash2(113, x, p1.Word),
			hash2(114, x, n1.Word),
			hash2(115, x, position),
			hash(116, x, run, position),
			hash2(117, x, uint64(e.Rule)),
			hash(118, x, uint64(p1.run), run),
		)
	}
	if !any {
		f = append(f, hash2(119, run, position), hash2(120, ls, position))
	}
	if c.Own != None {
		x := uint64(c.Own) << 1
		if c.Near {
			x |= 1
		}
		f = append(f, hash2(121, x, ls), hash2(122, x, position), hash(123, x, run, position), hash2(124, x, e.Word), hash2(125, x, p1.Word))
	}
	for k := 1; k < NumKinds; k++ {
		if !c.Other.Has(Kind(k)) {
			continue
		}
		x := uint64(k) << 1
		if c.OtherLast == Kind(k) {
			x |= 1
		}
		f = append(f, hash2(126, x, ls), hash(127, x, run, position), hash2(128, x, e.Word))
	}
	if c.Known != nil {
		known := func(e *Element) uint64 {
			if e == &before || e == &after || d.Tokens[e.Token].Hash == 0 {
				return 0
			}
			return uint64(c.Known(d.Tokens[e.Token].Hash))
		}
		if k := known(e); k != 0 {
			f = append(f, hash2(130, k, ls), hash2(131, k, p1.Word), hash2(132, k, n1.Word), hash2(133, k, position), hash1(134, k), hash(135, known(p1), k, known(n1)))
		}
	}
	return f
}
