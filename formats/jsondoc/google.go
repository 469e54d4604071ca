package jsondoc

import "sotto/formats/transcript"

// googleResults returns the results of a response, of a long-running operation or of a file of batch
// recognition.
func googleResults(n *node) []*node {
	list := n.first("results", "response.results")
	if list == nil {
		return nil
	}
	if list.kind == array {
		return list.children
	}
	var all []*node
	for _, file := range list.children {
		all = append(all, file.first("transcript.results", "inlineResult.transcript.results").items()...)
	}
	return all
}

func isGoogle(n *node) bool {
	for _, r := range googleResults(n) {
		if r.get("alternatives") != nil {
			return true
		}
	}
	return false
}

var googleWord = &wordForm{texts: []string{"word"}, ends: []string{"endTime", "endOffset"}}

func readGoogle(d *document) {
	var tagged [][]*node
	for _, r := range googleResults(d.root) {
		var best *transcript.Turn // the other hypotheses say nearly the same
		for _, a := range r.get("alternatives").items() {
			words := a.get("words").items()
			text := a.get("transcript")
			if text.string() == "" {
				// With speakers, the last result has all words once more.
				tagged = append(tagged, words)
				continue
			}
			if best == nil {
				best = d.turn(text, channelSpeaker(r.get("channelTag")))
				if len(words) > 0 {
					if s := words[0].first("speakerTag", "speakerLabel"); s != nil {
						best.Speaker = d.speaker(s)
					}
				}
			} else {
				d.lexicalForm(best, text)
			}
			d.repeatWords(best, words, googleWord)
			for _, w := range words {
				d.speaker(w.get("speakerLabel"))
			}
		}
	}
	for _, words := range tagged {
		if len(d.call.Turns) == 0 {
			d.googleTurns(words)
			continue
		}
		d.repeatList(nil, words, googleWord)
	}
}

// googleTurns adds the turns of words that have speakers and no text.
func (d *document) googleTurns(words []*node) {
	for begin := 0; begin < len(words); {
		speaker := words[begin].first("speakerTag", "speakerLabel")
		end := begin + 1
		for end < len(words) && words[end].first("speakerTag", "speakerLabel").string() == speaker.string() {
			end++
		}
		d.turnOfWords(&transcript.Turn{Speaker: d.speaker(speaker)}, words[begin:end], googleWord)
		begin = end
	}
}
