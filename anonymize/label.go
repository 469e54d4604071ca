package anonymize

import (
	_ "embed"
	"slices"
	"strings"

	"sotto/detectors"
	"sotto/detectors/wordlist"
	"sotto/internal/ruledata"
	"sotto/internal/wordhash"
	"sotto/state/linking"
)

//go:embed labels.txt
var labelsText string

var (
	labelLists = wordlist.MustParse(ruledata.Text("anonymize/labels.txt", labelsText))

	// roleWords are the words of labels that say a role in the call and not who it is.
	roleWords = labelLists.Set("roles")
)

// label anonymizes the label of the turn's speaker. Role words, single letters and numbers
// up to 99 stay; the rest is the speaker's name, unless a detector knows it as something
// else.
func (p *eventPass) label(label string) string {
	if label == "" {
		return ""
	}
	clean, known := p.call.Label(p.turn.Speaker, label)
	if known && p.call.IsSettled() {
		return p.readLabel(label) // its number may have become another; the state keeps the label as it was published
	}
	if !known {
		clean = p.readLabel(label)
		p.call.SetLabel(p.turn.Speaker, label, clean)
	}
	return clean
}

func (p *eventPass) readLabel(label string) string {
	w := p.engine.workspace()
	defer p.engine.release(w)
	d := &w.doc
	w.text = label
	p.run(w, onLabel, splitWords, adjust)
	d.Findings = slices.DeleteFunc(d.Findings, func(f detectors.Finding) bool {
		return f.Type == detectors.PersonName || f.Type == detectors.SpelledWord
	})
	addSpeakerNames(d)
	p.run(w, onLabel, findTimes, addUnformatted)
	found := w.found
	if len(found) == 0 {
		return escapeLookAlikes(label, nil)
	}
	refs := w.refs[:0]
	for i := range found {
		m := p.mention(w, &found[i])
		m.Source, m.Talk = linking.SourceLabel, linking.Talk{} // nobody says it
		refs = append(refs, p.call.LinkOrCreate(m, p.engine.opts.MaxEntities))
	}
	w.refs = refs
	clean, _ := p.render(w, found, refs, labelPosition)
	return clean
}

// addSpeakerNames adds a name for each sequence of words of a label that may name the
// speaker.
func addSpeakerNames(d *detectors.Document) {
	for i := 0; i < len(d.Tokens); i++ {
		if !namesSpeaker(d, i) {
			continue
		}
		j := i + 1
		for k := j; k < len(d.Tokens); k++ {
			if namesSpeaker(d, k) {
				j = k + 1
			} else if d.Tokens[k].Class != detectors.Punct && d.Tokens[k].Class != detectors.Clitic {
				break
			}
		}
		if j < len(d.Tokens) && d.Tokens[j].Class == detectors.Letter { // an initial
			j++
		}
		d.Add(detectors.Finding{
			Start: int(d.Tokens[i].Start), End: int(d.Tokens[j-1].End), Type: detectors.PersonName,
			Likelihood: detectors.VeryLikely, Score: 1, Detector: "speaker", Evidence: detectors.ByModel, Hint: detectors.HintSelf,
		})
		i = j - 1
	}
}

func namesSpeaker(d *detectors.Document, i int) bool {
	switch tok := &d.Tokens[i]; tok.Class {
	case detectors.Punct, detectors.Clitic, detectors.Letter:
		return false
	case detectors.Digits:
		return tok.Len() > 2
	case detectors.Alnum:
		word := string(d.Word(i))
		role := strings.TrimRight(word, "0123456789")
		return len(word)-len(role) > 2 || !roleWords.Has(wordhash.String(role)) && len(role) != 1 // "speaker1"
	default:
		return !roleWords.Has(tok.Hash) && !tok.Is(detectors.NumWord|detectors.Title)
	}
}
