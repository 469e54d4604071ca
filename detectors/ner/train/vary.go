package train

import (
	"math/rand/v2"

	"sotto/corpus/gold"
	"sotto/detectors/ner/internal/crf"
	"sotto/detectors/ner/internal/feature"
)

// vary returns an utterance as it was written, in lower case, without
// punctuation, or both, and with the names of others.
func vary(u *gold.Utterance, p *pool, rng *rand.Rand) gold.Utterance {
	out := *u
	if len(u.Entities) > 0 && rng.IntN(10) < 7 {
		out = p.replace(out, rng)
	}
	switch n := rng.IntN(20); {
	case n < 9:
	case n < 14:
		out = rewrite(out, gold.Lower)
	case n < 18:
		out = rewrite(rewrite(out, gold.Lower), gold.Unpunct)
	default:
		out = rewrite(out, gold.Unpunct)
	}
	return out
}

func rewrite(u gold.Utterance, f func([]gold.Conversation) []gold.Conversation) gold.Utterance {
	return f([]gold.Conversation{{Utterances: []gold.Utterance{u}}})[0].Utterances[0]
}

// perturb hides what is known of some words, so that the model does not rely on
// having seen a name or on lists that hold it: the names of callers often are in
// neither.
func (t *trainer) perturb() {
	for i := range t.reader.Elements {
		e := &t.reader.Elements[i]
		set := t.allowed[i]
		name := set&(1<<crf.Outside) == 0
		n := t.rng.IntN(100)
		switch {
		case name && n < 25:
			e.Word = feature.Unknown
		case !name && n < 4:
			e.Word = feature.Unknown
		}
		if !name && n < 1 {
			// A word that was typed wrong, or of another language.
			e.Lexicon, e.Place = 0, 0
		}
		if name && t.rng.IntN(100) < 12 && t.doc.Tokens[e.Token].Bits == 0 && e.Lexicon>>6&7 < 3 {
			// Neither a word of English nor a name that the lists hold.
			e.Lexicon, e.Place = 0, 0
		}
	}
}
