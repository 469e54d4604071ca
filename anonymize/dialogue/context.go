package dialogue

import (
	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/state"
)

// ContextOf returns what the call so far says about a turn.
func ContextOf(c *state.Call, t Turn) ner.Context {
	earlier := make([]ner.Turn, 0, ner.MaxTurns)
	for _, x := range c.Turns() {
		earlier = append(earlier, ner.Turn{
			Speaker: int(x.Speaker), Seq: x.Seq, TimeMS: x.TimeMS,
			Asked: ner.Asked(x.Asked), Kinds: ner.Kinds(x.Kinds), End: ner.Kind(x.End),
		})
	}
	context := ner.NewContext(earlier, int(t.Speaker), t.Seq, t.StartMS)
	if index := c.Index(); !index.Empty() {
		context.Known = (*knownWords)(index)
	}
	return context
}

// knownWords are the words that a call knows, for the tagger.
type knownWords state.Index

// KindOf returns the kind of a word that the call knows, None for one that it does not.
func (k *knownWords) KindOf(word uint64) ner.Kind {
	x := (*state.Index)(k)
	for _, known := range x.Word(word) {
		if k := ner.KindOfType(detectors.InfoType(x.Type(known))); ner.Memorable(k) {
			return k
		}
	}
	return ner.None
}

// RememberTurn remembers what a turn asks for and what was found in it.
func RememberTurn(d *detectors.Document, c *state.Call, t Turn, asked ner.Asked, found []detectors.Finding) {
	kinds, end := ner.TurnOf(d, found)
	if x := (ner.Turn{Asked: asked, Kinds: kinds}); x.Matters() {
		c.AddTurn(state.Turn{
			Speaker: t.Speaker, Seq: t.Seq, TimeMS: t.EndMS, Asked: uint32(asked), Kinds: uint16(kinds), End: uint8(end),
		})
	}
}
