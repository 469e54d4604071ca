package sequence

// Most words are no value, and a few features show it. A coarse model reads them first, and only the
// words that it leaves open get all features and all labels (Weiss, Taskar, "Structured Prediction
// Cascades", 2010).

// CoarseBits is the logarithm of the rows of the coarse model, which stay in the cache.
const CoarseBits = 19

// IsOpen reports whether element i is read with all features whatever the coarse model says, because
// a rule, a curated list or the call's memory knows it.
func (r *Reader) IsOpen(i int) bool {
	e := &r.Elements[i]
	return e.Rule|e.Gazetteer != 0 || e.known != None
}

// CoarseFeatures appends to f the coarse features of element i that depend on the text alone.
func (r *Reader) CoarseFeatures(i int, f []uint32) []uint32 {
	e, p1, n1 := &r.Elements[i], r.at(i-1), r.at(i+1)
	ls := uint64(e.Lexicon)<<8 | uint64(e.Shape)
	return append(f,
		hash2(1, e.Word, uint64(e.Shape)&3),
		hash2(2, ls, uint64(e.Place)),
		hash2(3, p1.Word, e.Word),
		hash2(4, e.Word, n1.Word),
		hash2(5, p1.Word, ls),
		hash2(6, ls, n1.Word),
		hash(7, r.at(i-2).Word, p1.Word, uint64(e.Lexicon)),
		hash(8, uint64(p1.Lexicon), ls, uint64(n1.Lexicon)),
		hash(9, uint64(e.Run), uint64(p1.Run), uint64(n1.Run)),
		hash(10, uint64(p1.Rule|p1.Gazetteer<<8), uint64(n1.Rule|n1.Gazetteer<<8), uint64(e.Lexicon)),
		hash1(11, uint64(e.Class.Middle())),
		hash2(12, p1.Word, uint64(e.Class.Middle())),
		hash2(13, uint64(e.Class.Middle()), n1.Word),
	)
}

// CoarseContext appends to f the coarse features of element i that depend on the conversation.
func (r *Reader) CoarseContext(i int, f []uint32) []uint32 {
	e, p1, n1 := &r.Elements[i], r.at(i-1), r.at(i+1)
	if len(r.context.asked) == 0 && r.context.own == 0 && p1.known|n1.known == 0 {
		return f
	}
	ls := uint64(e.Lexicon)<<8 | uint64(e.Shape)
	position := r.position(i)<<4 | uint64(r.length)
	for _, x := range r.context.asked {
		f = append(f, hash2(20, x, ls), hash2(21, x, e.Word), hash(22, x, position, uint64(e.Run)))
	}
	if x := r.context.own; x != 0 {
		f = append(f, hash2(23, x, ls), hash(24, x, position, uint64(e.Run)))
	}
	if p1.known|n1.known != 0 {
		f = append(f, hash(25, uint64(p1.known), uint64(n1.known), uint64(e.Lexicon)))
	}
	return f
}
