package sequence

import (
	"sort"

	"sotto/detectors"
	"sotto/detectors/lexicon"
)

// Reader turns a document into elements and elements into features. It keeps its memory between
// documents and is not safe for concurrent use.
type Reader struct {
	Elements []Element
	role     uint32
	length   uint32
	context  contextCodes
}

// Read takes the elements of a document whose rules have run.
func (r *Reader) Read(d *detectors.Document, v Vocabulary) {
	lexicon.Read(d)
	r.Elements = r.Elements[:0]
	gap, begins := uint8(gapStart), true
	cased := caseOf(d)
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct || t.Class == detectors.Other {
			gap = gapOf(t.Ch)
			begins = begins || gap == GapStop
			continue
		}
		if gap == gapSpace && t.Glued() {
			gap = gapNone
		}
		r.Elements = append(r.Elements, Element{Gap: gap, Begins: begins, Shape: cased})
		r.Elements[len(r.Elements)-1].read(d, i, v)
		gap, begins = gapSpace, false
	}
	r.places(d)
	r.names(d)
	r.rules(d)
	r.runs(d)
	n := len(r.Elements)
	r.role, r.length = uint32(d.Role), uint32(min(n, 3)+reached(n, 4, 6, 10))
}

// read reads token i.
func (e *Element) read(d *detectors.Document, i int, v Vocabulary) {
	t := &d.Tokens[i]
	e.Token, e.Word = int32(i), t.Hash
	e.Shape |= uint8(t.Class)<<4 | uint8(reached(t.Len(), 3, 5, 8))<<2
	if t.Class == detectors.Digits {
		e.Word = number + uint64(min(t.Len(), 12))
	} else if !v.Has(t.Hash) {
		e.Word = Unknown
	}
	e.Lexicon, e.Class = lexiconOf(t)
	w := d.Word(i)
	if n := len(w); n >= 3 {
		e.Prefix, e.Suffix = pack(w[0], w[1], w[2]), pack(w[n-3], w[n-2], w[n-1])
		return
	}
	for _, b := range w {
		e.Prefix = e.Prefix<<8 | uint32(b)
	}
	e.Suffix = e.Prefix
}

func pack(a, b, c byte) uint32 { return uint32(a)<<16 | uint32(b)<<8 | uint32(c) }

// rules projects the findings of the rules to the elements; of several the strongest counts.
func (r *Reader) rules(d *detectors.Document) {
	for i := range d.Findings {
		f := &d.Findings[i]
		strength := uint16(1)
		switch of := f.Evidence.Strength(); {
		case of >= detectors.StrengthStructure:
			strength = 3
		case of >= detectors.StrengthCue:
			strength = 2
		}
		value := uint16(KindOfType(f.Type))<<3 | strength<<1
		k := r.First(d, f.Start)
		for ; k < len(r.Elements); k++ {
			e := &r.Elements[k]
			if int(d.Tokens[e.Token].Start) >= f.End {
				break
			}
			if strength > e.Rule>>1&3 {
				e.Rule = value
			}
			value |= 1
		}
	}
}

// First returns the position of the First element that ends after byte offset b.
func (r *Reader) First(d *detectors.Document, b int) int {
	return sort.Search(len(r.Elements), func(i int) bool { return int(d.Tokens[r.Elements[i].Token].End) > b })
}

// runs sets for each element the form of the run of digits and letters that it is part of.
func (r *Reader) runs(d *detectors.Document) {
	k := 0
	for i := range d.Runs {
		run := &d.Runs[i]
		value := uint16(1) | bucket(run.Digits)<<1 | bucket(run.Letters)<<4
		if run.Quantity {
			value |= 1 << 7
		}
		if run.Scaled {
			value |= 1 << 8
		}
		if run.Claimed {
			value |= 1 << 9
		}
		for k < len(r.Elements) && int(r.Elements[k].Token) < run.First {
			k++
		}
		for ; k < len(r.Elements) && int(r.Elements[k].Token) <= run.Last; k++ {
			r.Elements[k].Run = value
		}
	}
}

func bucket(n int) uint16 { return uint16(min(n, 4) + reached(n, 5, 8, 12)) }
