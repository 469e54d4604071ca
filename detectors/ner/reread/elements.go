package reread

import (
	"sort"
	"strings"

	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/detectors/ner/internal/network"
	"sotto/detectors/ner/internal/sequence"
	"sotto/detectors/spoken"
)

// The facts of an element, each a small number for which the network has a table of vectors.
const (
	factWord = iota
	factClass
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
	factSuffix
	factPrefix
	factSpeaker
	factFirst
	factMask
	// NumFacts counts the facts.
	NumFacts
)

// tableSizes are the numbers of values of the facts. That of words is the network's.
var tableSizes = [NumFacts]int{
	factClass: lexicon.NumClasses + 1, factMiddle: lexicon.NumClasses/4 + 1, factCoarse: 64 + 1,
	factRole: 32, factCommon: 8, factGiven: 8, factSurname: 8, factShape: 256, factGap: 16, factBegins: 2,
	factPlace: 16, factRun: 1024, factListed: 1 << (lexicon.NamesBits + 2), factSuffix: 2048, factPrefix: 2048,
	factSpeaker: 12, factFirst: 2, factMask: sequence.NumKinds,
}

// Facts are those of one element. The word is its hash, of which the network knows some.
type Facts [NumFacts]uint32

// element is a word of the call, or a masked value.
type element struct {
	// rows has the row of each fact; of a masked value only the last counts.
	rows             [NumFacts]network.Row
	turn, start, end int32
	// masked says that it is a masked value, breaks that no value goes on here, grammar that it is a word of
	// grammar.
	masked, breaks, grammar bool
}

// facts are the rows that count.
func (e *element) facts() []network.Row {
	if e.masked {
		return e.rows[factMask:]
	}
	return e.rows[:]
}

// elements are those of one call.
type elements struct {
	all     []element
	doc     detectors.Document
	reader  sequence.Reader
	offsets []offset
	text    strings.Builder
}

// offset says by how much positions from at on in the text that is read differ from those of the turn.
type offset struct{ at, by int }

// placeholder stands for a masked value in the text that is read: no word, and not part of one.
const placeholder = "\uFFFC"

// every has all words, since the network has a vocabulary of its own.
var every = func() sequence.Vocabulary {
	v := sequence.NewVocabulary()
	for i := range v {
		v[i] = ^uint64(0)
	}
	return v
}()

// read takes the elements of a call.
func (x *elements) read(turns []Turn, n *network.Network) {
	x.all = x.all[:0]
	x.each(turns, func(turn int32, start, end int, f *Facts, token *detectors.Token, breaks bool) {
		e := element{turn: turn, start: int32(start), end: int32(end), masked: token == nil, breaks: breaks}
		e.grammar = token != nil && token.Is(detectors.Function|detectors.Filler|detectors.Backchannel)
		for k := range f {
			e.rows[k] = n.Row(k, f[k])
		}
		x.all = append(x.all, e)
	})
}

// each calls one for every element of a call; the token of a masked value is nil.
func (x *elements) each(turns []Turn, one func(turn int32, start, end int, f *Facts, token *detectors.Token, breaks bool)) {
	for i := range turns {
		t := &turns[i]
		x.readText(t)
		x.doc.Reset(x.text.String())
		x.doc.Role = t.Role
		spoken.Scan(&x.doc)
		x.reader.Read(&x.doc, every)
		speaker := uint32(min(max(t.Speaker, 0), 3)) + 4*roleOf(t.Role)
		mask, first := 0, uint32(1)
		masked := func(before int) {
			for ; mask < len(t.Masks) && t.Masks[mask].Start < before; mask++ {
				f := Facts{factMask: uint32(kindOf(t.Masks[mask].Type))}
				one(int32(i), t.Masks[mask].Start, t.Masks[mask].End, &f, nil, true)
				first = 0
			}
		}
		for k := range x.reader.Elements {
			e := &x.reader.Elements[k]
			token := &x.doc.Tokens[e.Token]
			start, end := x.position(int(token.Start)), x.position(int(token.End))
			masked(start)
			f := factsOf(e)
			f[factSpeaker], f[factFirst] = speaker, first
			one(int32(i), start, end, &f, token, e.Gap == sequence.GapComma || e.Gap == sequence.GapStop)
			first = 0
		}
		masked(len(t.Text) + 1)
	}
}

func roleOf(r detectors.Role) uint32 {
	switch r {
	case detectors.RoleAgent:
		return 1
	case detectors.RoleCustomer:
		return 2
	}
	return 0
}

// readText makes the text that is read: that of the turn with a placeholder for each mask.
func (x *elements) readText(t *Turn) {
	x.text.Reset()
	x.offsets = append(x.offsets[:0], offset{})
	at := 0
	for _, m := range t.Masks {
		x.text.WriteString(t.Text[at:m.Start])
		x.text.WriteString(placeholder)
		at = m.End
		x.offsets = append(x.offsets, offset{x.text.Len(), at - x.text.Len()})
	}
	x.text.WriteString(t.Text[at:])
}

// position returns the position in the turn's text of one in the text that is read, which lies in no
// placeholder.
func (x *elements) position(at int) int {
	k := sort.Search(len(x.offsets), func(k int) bool { return x.offsets[k].at > at })
	return at + x.offsets[k-1].by
}

func factsOf(e *sequence.Element) (f Facts) {
	f[factWord] = uint32(e.Word >> 32)
	f[factClass], f[factMiddle], f[factCoarse] = uint32(e.Class), uint32(e.Class.Middle()), uint32(e.Class.Coarse())
	f[factRole], f[factCommon], f[factGiven], f[factSurname] = e.Lexicon>>9&31, e.Lexicon>>6&7, e.Lexicon>>3&7, e.Lexicon&7
	f[factShape], f[factGap], f[factPlace] = uint32(e.Shape), uint32(e.Gap), uint32(e.Place)
	if e.Begins {
		f[factBegins] = 1
	}
	f[factRun], f[factListed] = uint32(e.Run), uint32(e.Gazetteer)
	f[factSuffix], f[factPrefix] = mixed(e.Suffix, factSuffix), mixed(e.Prefix, factPrefix)
	return f
}

// mixed spreads letters over the rows of a table.
func mixed(letters uint32, fact int) uint32 {
	return letters * 0x9e3779b1 >> 16 % uint32(tableSizes[fact])
}

// Extract calls one for every element of a call, for training: its byte offsets in the text of its turn, and
// its facts. Masked values have the fact of their kind only.
func Extract(turns []Turn, one func(turn, start, end int, facts *Facts)) {
	var x elements
	x.each(turns, func(turn int32, start, end int, f *Facts, _ *detectors.Token, _ bool) { one(int(turn), start, end, f) })
}
