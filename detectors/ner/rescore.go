package ner

import (
	_ "embed"
	"slices"
	"sync"

	"sotto/detectors/lexicon"
	"sotto/detectors/ner/internal/network"
	"sotto/detectors/ner/internal/sequence"
	"sotto/internal/ruledata"
)

// The facts that the rescorer knows of a word, each a small number.
const (
	factWord = iota
	factMiddle
	factCoarse
	factRole
	factCommon
	factGiven
	factSurname
	factShape
	factGap
	factBegins
	factPlace
	factRun
	factListed
	factKnown
	factRule
	factFirst
	// NumFacts counts them. The probabilities by the random field come on top of them.
	NumFacts
)

// levels are the lower bounds of the levels of a probability: e to the -0.5, -1, -1.5 and so on. A probability
// below all of them has no level.
var levels = [11]float32{0.60653, 0.36788, 0.22313, 0.13534, 0.082085, 0.049787, 0.030197, 0.018316, 0.011109, 0.0067379, 0.0040868}

// tableSizes are the numbers of rows of the rescorer's tables: those of the facts, and one of the levels of
// the kinds. That of words is in the file.
var tableSizes = [NumFacts + 1]int{
	factMiddle: lexicon.NumClasses/4 + 1, factCoarse: 64 + 1, factRole: 32, factCommon: 8, factGiven: 8, factSurname: 8,
	factShape: 256, factGap: 16, factBegins: 2, factPlace: 16, factRun: 1024, factListed: 1 << (lexicon.NamesBits + 2),
	factKnown: sequence.NumKinds, factRule: 128, factFirst: 2, NumFacts: 1 + sequence.NumKinds*len(levels),
}

//go:embed rescore.bin
var rescoreFile []byte

var packedRescorer = ruledata.Bytes("detectors/ner/rescore.bin", rescoreFile)

// builtinRescorer is the network of the rescorer. If it does not load, the build is broken, and nothing may start.
var builtinRescorer = sync.OnceValue(func() *network.Network {
	n, err := network.Decode(packedRescorer, tableSizes[:])
	if err != nil {
		panic("embedded rescorer: " + err.Error())
	}
	return n
})

// rescorer reads the words around those that the random field is unsure of once more.
type rescorer struct {
	reader *network.Reader
	rows   []network.Row
	// unsure says which words are rescored.
	unsure []bool
	// changed are the words that were rescored, with their probabilities.
	changed []rescored
}

type rescored struct {
	element int
	p       [sequence.NumKinds]float32
}

const (
	// least and most are the probabilities of being masked between which a word is rescored. research/rescore/train.py
	// repeats them.
	least, most = 0.1, 0.85
	// maxWindow bounds the words that are read together.
	maxWindow = 4096
)

// Rescore corrects the probabilities of the words that Tag is unsure of. The random field adds up what speaks for
// and against a value; the network also sees what goes together, in a word and in those around it.
func (t *Tagger) Rescore() {
	r := &t.rescorer
	r.changed, r.unsure = r.changed[:0], r.unsure[:0]
	for i := range t.Len() {
		r.unsure = append(r.unsure, t.isUnsure(i))
	}
	for first := t.nextUnsure(0); first >= 0; {
		if r.reader == nil {
			r.reader = network.NewReader(builtinRescorer())
		}
		first = t.rescore(first)
	}
	for k := range r.changed {
		t.setProbabilities(r.changed[k].element, &r.changed[k].p)
	}
}

// isUnsure reports whether element i is rescored.
func (t *Tagger) isUnsure(i int) bool {
	if t.allowed[i] == outsideOnly {
		return false
	}
	v := &t.chain.Marginals[i]
	p := 1 - v[sequence.Outside] - v[sequence.Quantity]
	return p >= least && p <= most
}

// rescore reads the elements around the first unsure one and those near it, rescores them, and returns the next
// unsure one, -1 if there is none.
func (t *Tagger) rescore(first int) (next int) {
	r, reach := &t.rescorer, builtinRescorer().Reach()
	end := first + 1 // behind the last one that is read together with the first
	for next = first; next >= 0 && next < end+2*reach && next < first+maxWindow; {
		end = next + 1
		next = t.nextUnsure(end)
	}
	from, to := max(0, first-reach), min(t.Len(), end+reach)
	r.reader.Read(to-from, func(i int) []network.Row { return t.rowsOf(from + i) },
		func(i int) bool { return from+i >= first && from+i < end && r.unsure[from+i] })
	for i := first; i >= 0 && i < end; i = t.nextUnsure(i + 1) {
		p := t.probabilities(i)
		for k := range p {
			p[k] = max(p[k], leastWeight)
		}
		r.changed = append(r.changed, rescored{i, r.reader.Probabilities(i-from, &p)})
	}
	return next
}

// nextUnsure returns the first unsure element from i on, -1 if there is none.
func (t *Tagger) nextUnsure(i int) int {
	if k := slices.Index(t.rescorer.unsure[i:], true); k >= 0 {
		return i + k
	}
	return -1
}

// leastWeight is the smallest probability of a kind that the network may correct.
const leastWeight = 1e-5

// rowsOf returns the rows of the facts of element i in the network, valid until the next call. A fact that is
// absent adds no row, except that an unknown word has one.
func (t *Tagger) rowsOf(i int) []network.Row {
	n, rows := builtinRescorer(), t.rescorer.rows[:0]
	facts, p := t.Facts(i)
	for k, x := range facts {
		if x != 0 || k == factWord {
			rows = append(rows, n.Row(k, x))
		}
	}
	for k, x := range p {
		if x <= levels[len(levels)-1] { // as most are
			continue
		}
		for level, bound := range levels {
			if x > bound {
				rows = append(rows, n.Row(NumFacts, uint32(1+k*len(levels)+level)))
				break
			}
		}
	}
	t.rescorer.rows = rows
	return rows
}

// Facts returns what the rescorer knows of element i after Tag: its facts, and the probabilities of its kinds.
// The word is the hash of one, of which the network knows some.
func (t *Tagger) Facts(i int) (f [NumFacts]uint32, p [sequence.NumKinds]float32) {
	e := &t.reader.Elements[i]
	f[factWord], f[factMiddle], f[factCoarse] = uint32(e.Word>>32), uint32(e.Class.Middle()), uint32(e.Class.Coarse())
	f[factRole], f[factCommon], f[factGiven], f[factSurname] = e.Lexicon>>9&31, e.Lexicon>>6&7, e.Lexicon>>3&7, e.Lexicon&7
	f[factShape], f[factGap], f[factPlace] = uint32(e.Shape), uint32(e.Gap), uint32(e.Place)
	f[factRun], f[factListed], f[factKnown], f[factRule] = uint32(e.Run), uint32(e.Gazetteer), uint32(e.Known()), uint32(e.Rule)
	if e.Begins {
		f[factBegins] = 1
	}
	if i == 0 {
		f[factFirst] = 1
	}
	return f, t.probabilities(i)
}

// probabilities returns those of the kinds of element i.
func (t *Tagger) probabilities(i int) (p [sequence.NumKinds]float32) {
	if t.allowed[i] == outsideOnly {
		p[sequence.None] = 1
		return p
	}
	v := &t.chain.Marginals[i]
	copy(p[:], v[:sequence.NumKinds])
	p[sequence.Person] += v[sequence.InsidePerson]
	return p
}

// setProbabilities sets those of element i. Whether a person's name begins there stays as likely as it was.
func (t *Tagger) setProbabilities(i int, p *[sequence.NumKinds]float32) {
	v := &t.chain.Marginals[i]
	inside := v[sequence.InsidePerson] / max(v[sequence.InsidePerson]+v[sequence.BeginPerson], leastWeight)
	copy(v[:], p[:])
	v[sequence.InsidePerson] = float32(inside * p[sequence.Person])
	v[sequence.BeginPerson] = p[sequence.Person] - v[sequence.InsidePerson]
}
