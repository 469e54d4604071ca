package sequence

const (
	mul1 = 0x9e3779b97f4a7c15
	mul2 = 0xd6e8feb86659fd93
	mul3 = 0xc2b2ae3d27d4eb4f
)

// hash mixes a template and up to three values into 32 bits.
func hash(template, a, b, c uint64) uint32 {
	h := (template*mul3 ^ a) * mul1
	h = (h ^ h>>29 ^ b) * mul2
	h = (h ^ h>>31 ^ c) * mul1
	return uint32(h >> 32)
}

func hash1(template, a uint64) uint32 {
	h := (template*mul3 ^ a) * mul1
	return uint32((h ^ h>>29) * mul2 >> 32)
}

func hash2(template, a, b uint64) uint32 {
	h := (template*mul3 ^ a) * mul1
	h = (h ^ h>>29 ^ b) * mul2
	return uint32((h ^ h>>31) * mul1 >> 32)
}

var before, after = Element{Word: start}, Element{Word: end}

func (r *Reader) at(i int) *Element {
	switch {
	case i < 0:
		return &before
	case i >= len(r.Elements):
		return &after
	}
	return &r.Elements[i]
}

// position says where an element stands: alone, first, last or between; plus 4 where a sentence
// begins.
func (r *Reader) position(i int) uint64 {
	position := uint64(1)
	switch {
	case len(r.Elements) == 1:
		position = 3
	case i == 0:
		position = 0
	case i+1 == len(r.Elements):
		position = 2
	}
	if r.Elements[i].Begins {
		position |= 4
	}
	return position
}

// TextFeatures appends to f the features of element i that depend on the text alone, as hashes of 32
// bits.
func (r *Reader) TextFeatures(i int, f []uint32) []uint32 {
	e := &r.Elements[i]
	p1, p2 := r.at(i-1), r.at(i-2)
	n1, n2 := r.at(i+1), r.at(i+2)
	w, l, s := e.Word, uint64(e.Lexicon), uint64(e.Shape)
	ps, ns := uint64(p1.Shape), uint64(n1.Shape)
	place := uint64(e.Place)
	gap, ngap := uint64(e.Gap), uint64(n1.Gap)
	if i+1 == len(r.Elements) {
		ngap = gapStart
	}
	suffix2 := uint64(e.Suffix & 0xffff)
	ls := l<<8 | s
	position := r.position(i)
	f = append(f,
		hash1(1, w),
		hash1(2, p1.Word),
		hash1(3, n1.Word),
		hash1(4, p2.Word),
		hash1(5, n2.Word),
		hash2(6, p1.Word, w),
		hash2(7, w, n1.Word),
		hash(15, p1.Word, n1.Word, l),
		hash1(16, ls),
		hash(20, ps, s, ns),
		hash2(21, l, place),
		hash1(25, uint64(e.Suffix)),
		hash2(26, suffix2, s),
		hash1(27, uint64(e.Prefix)),
		hash2(28, uint64(e.Prefix), uint64(e.Suffix)),
		hash2(29, l, suffix2),
		hash2(30, gap<<8|ngap, ls),
		hash2(31, gap, p1.Word),
		hash2(32, ngap, n1.Word),
		hash(33, uint64(r.role), position<<4|uint64(r.length), ls),
		hash2(34, w, s),
		hash1(39, uint64(p1.Suffix)),
		hash1(40, uint64(n1.Suffix)),
		hash2(46, s, position<<4|uint64(r.length)),
	)
	f = r.classFeatures(i, f)
	return r.findingFeatures(i, f)
}

// classFeatures appends the distributional classes of an element and of those around it.
func (r *Reader) classFeatures(i int, f []uint32) []uint32 {
	e, p1, p2, n1, n2 := &r.Elements[i], r.at(i-1), r.at(i-2), r.at(i+1), r.at(i+2)
	m, pm, nm := uint64(e.Class.Middle()), uint64(p1.Class.Middle()), uint64(n1.Class.Middle())
	c, pc, nc := uint64(e.Class.Coarse()), uint64(p1.Class.Coarse()), uint64(n1.Class.Coarse())
	return append(f,
		hash1(140, uint64(e.Class)),
		hash1(141, m),
		hash1(142, pm),
		hash1(143, nm),
		hash1(144, uint64(p2.Class.Middle())),
		hash1(145, uint64(n2.Class.Middle())),
		hash2(146, pm, m),
		hash2(147, m, nm),
		hash(148, pc, c, nc),
		hash2(149, m, uint64(e.Shape)),
		hash2(150, p1.Word, m),
		hash2(151, m, n1.Word),
	)
}

// findingFeatures appends what the rules, the runs and the lists say of an element and of those
// beside it.
func (r *Reader) findingFeatures(i int, f []uint32) []uint32 {
	e, p1, n1 := &r.Elements[i], r.at(i-1), r.at(i+1)
	ls := uint64(e.Lexicon)<<8 | uint64(e.Shape)
	rule, prule, nrule := uint64(e.Rule), uint64(p1.Rule), uint64(n1.Rule)
	run, prun, nrun := uint64(e.Run), uint64(p1.Run), uint64(n1.Run)
	if rule|prule|nrule != 0 {
		f = append(f,
			hash1(70, rule),
			hash2(71, rule, ls),
			hash2(72, rule, p1.Word),
			hash(73, prule, rule, nrule),
			hash2(74, rule, e.Word),
			hash2(75, rule, n1.Word),
			hash2(76, prule, ls),
			hash2(77, nrule, ls),
		)
	}
	if run|prun|nrun != 0 {
		f = append(f,
			hash2(80, run, rule),
			hash(81, run, p1.Word, r.at(i-2).Word),
			hash2(82, run, p1.Word),
			hash2(83, run, n1.Word),
			hash(84, prun, run, nrun),
			hash(85, run, uint64(r.role), r.position(i)<<4|uint64(r.length)),
			hash2(86, run, uint64(e.Shape)),
		)
	}
	g, pg, ng := uint64(e.Gazetteer), uint64(p1.Gazetteer), uint64(n1.Gazetteer)
	if g|pg|ng != 0 {
		f = append(f,
			hash1(90, g),
			hash2(91, g, ls),
			hash2(92, g, p1.Word),
			hash2(93, g, n1.Word),
			hash(94, pg, g, ng),
			hash(95, g, p1.Word, n1.Word),
			hash(96, g, uint64(p1.Lexicon), uint64(n1.Lexicon)),
			hash2(97, g, e.Word),
		)
	}
	return f
}
