package feature

// Count bounds the features of an element.
const Count = 64

const (
	mul1 = 0x9e3779b97f4a7c15
	mul2 = 0xd6e8feb86659fd93
	mul3 = 0xc2b2ae3d27d4eb4f
)

// hash of a template and up to three values.
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

// Features returns the features of element i as hashes of 32 bits. The slice is
// valid until the next call.
func (r *Reader) Features(i int) []uint32 {
	e := &r.Elements[i]
	p1, p2, p3 := r.at(i-1), r.at(i-2), r.at(i-3)
	n1, n2, n3 := r.at(i+1), r.at(i+2), r.at(i+3)
	w, l, s := e.Word, uint64(e.Lexicon), uint64(e.shape)
	pl, nl := uint64(p1.Lexicon), uint64(n1.Lexicon)
	ps, ns := uint64(p1.shape), uint64(n1.shape)
	place := uint64(e.Place)
	gap, ngap := uint64(e.gap), uint64(n1.gap)
	if i+1 == len(r.Elements) {
		ngap = gapStart
	}
	suffix2 := uint64(e.suffix & 0xffff)
	ls := l<<8 | s
	position := uint64(1)
	switch {
	case i == 0 && len(r.Elements) == 1:
		position = 3
	case i == 0:
		position = 0
	case i+1 == len(r.Elements):
		position = 2
	}
	if e.begins {
		position |= 4
	}
	x := uint64(r.expect)
	f := append(r.features[:0],
		hash1(1, w),
		hash1(2, p1.Word),
		hash1(3, n1.Word),
		hash1(4, p2.Word),
		hash1(5, n2.Word),
		hash2(6, p1.Word, w),
		hash2(7, w, n1.Word),
		hash2(8, p2.Word, p1.Word),
		hash2(9, n1.Word, n2.Word),
		hash2(10, p1.Word, n1.Word),
		hash(11, p3.Word, p2.Word, p1.Word),
		hash(12, p2.Word, p1.Word, l),
		hash(13, p1.Word, l, s),
		hash2(14, l, n1.Word),
		hash(15, p1.Word, n1.Word, l),
		hash1(16, ls),
		hash2(17, pl, ls),
		hash2(18, ls, nl),
		hash(19, pl, l, nl),
		hash(20, ps, s, ns),
		hash2(21, l, place),
		hash2(22, place, s),
		hash2(23, place, p1.Word),
		hash(24, uint64(p1.Place), place, uint64(n1.Place)),
		hash1(25, uint64(e.suffix)),
		hash2(26, suffix2, s),
		hash1(27, uint64(e.prefix)),
		hash2(28, uint64(e.prefix), uint64(e.suffix)),
		hash2(29, l, suffix2),
		hash2(30, gap<<8|ngap, ls),
		hash2(31, gap, p1.Word),
		hash2(32, ngap, n1.Word),
		hash(33, uint64(r.role), position<<4|uint64(r.length), ls),
		hash2(34, w, s),
		hash2(35, w, pl),
		hash2(36, w, nl),
		hash(37, uint64(p2.Lexicon), pl, l),
		hash(38, l, nl, uint64(n2.Lexicon)),
		hash1(39, uint64(p1.suffix)),
		hash1(40, uint64(n1.suffix)),
		hash2(41, uint64(r.length)<<3|position, w),
		hash1(42, n1.Word), hash1(42, n2.Word), hash1(42, n3.Word), hash1(42, r.at(i+4).Word),
		hash1(43, p1.Word), hash1(43, p2.Word), hash1(43, p3.Word), hash1(43, r.at(i-4).Word),
		hash(44, p2.Word, p1.Word, n1.Word),
		hash(45, p1.Word, n1.Word, n2.Word),
		hash2(46, s, position<<4|uint64(r.length)),
	)
	f = append(f, hash1(60, uint64(e.prefix4)), hash1(61, uint64(e.suffix4)))
	for _, g := range &e.inner {
		if g == 0 {
			break
		}
		f = append(f, hash1(62, uint64(g)))
	}
	if x != 0 {
		f = append(f,
			hash2(50, x, ls),
			hash(51, x, position<<4|uint64(r.length), l),
			hash2(52, x, w),
			hash2(53, x, p1.Word),
			hash2(54, x, n1.Word),
			hash2(55, x, uint64(r.length)),
		)
	}
	r.features = f
	return f
}
