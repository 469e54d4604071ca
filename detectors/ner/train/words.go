package train

import (
	"io"

	"sotto/detectors/ner"
	"sotto/detectors/ner/internal/sequence"
	"sotto/internal/gold"
)

// Word is a word of a labelled conversation as a tagger sees it that the rescorer is to correct.
type Word struct {
	Conversation, Turn, Bytes int
	// Kind is what it is labelled as, negative if that is not known.
	Kind  int
	Facts [ner.NumFacts]uint32
	// Probabilities are those of the kinds.
	Probabilities [ner.NumKinds]float32
}

// Words calls one for every word of the conversations, with the labels of earlier turns as their memory. The
// model must not have seen them in training.
func Words(model *ner.Model, conversations []gold.Conversation, one func(Word)) {
	t := newTrainer([]Set{{Conversations: conversations}}, Options{Progress: io.Discard})
	thresholds, _ := ner.ThresholdsOf(ner.Balanced)
	tagger := ner.NewTagger(model, thresholds)
	for n := range conversations {
		turns := 0
		t.eachTurn(&conversations[n], false, func(context *sequence.Context, turn *sequence.Turn) {
			tagger.Read(&t.doc)
			turn.Asked = tagger.Asked()
			tagger.Tag(&t.doc, context)
			for i, allowed := range t.allowed {
				token := &t.doc.Tokens[t.reader.Elements[i].Token]
				w := Word{Conversation: n, Turn: turns, Bytes: token.Len(), Kind: -1}
				if k, known := single(allowed); known {
					w.Kind = int(k)
				}
				w.Facts, w.Probabilities = tagger.Facts(i)
				one(w)
			}
			turns++
		})
	}
}
