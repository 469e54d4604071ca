package jsondoc

import (
	"slices"

	"sotto/formats/transcript"
	"sotto/schemas"
)

var deepgramWord = &wordForm{texts: []string{"punctuated_word", "word"}, ends: []string{"end"}}

// readDeepgram reads what Deepgram writes. Its utterances are the turns if it has any; otherwise a
// turn is what one speaker says without a break.
func readDeepgram(d *document) {
	results := d.root.get("results")
	channels := results.get("channels").items()
	byChannel := make([][]*transcript.Turn, len(channels))
	utterances := results.get("utterances").items()
	for _, u := range utterances {
		channel := u.get("channel")
		s := channelSpeaker(channel)
		if speaker := u.get("speaker"); speaker != nil {
			s.ID += " speaker " + speaker.string()
		}
		t := d.turn(u.get("transcript"), s)
		times(t, u.get("start"), u.get("end"), 1000)
		d.repeatWords(t, u.get("words").items(), deepgramWord)
		if i := millis(channel, 1); i != nil && int(*i) < len(channels) {
			byChannel[*i] = append(byChannel[*i], t)
		}
	}
	for i, c := range channels {
		alternatives := c.get("alternatives").items()
		if len(alternatives) == 0 {
			continue
		}
		best := alternatives[0]
		if len(utterances) == 0 {
			byChannel[i] = d.deepgramTurns(best, i)
		} else {
			d.repeatList(byChannel[i], best.get("words").items(), deepgramWord)
		}
		d.repeat(byChannel[i], best.get("transcript"))
		d.deepgramParagraphs(best, byChannel[i])
		for _, a := range alternatives[1:] {
			d.repeat(byChannel[i], a.get("transcript"))
			d.repeatList(byChannel[i], a.get("words").items(), deepgramWord)
			d.deepgramParagraphs(a, byChannel[i])
		}
	}
	slices.SortStableFunc(d.call.Turns, compareStarts)
}

// deepgramTurns adds the turns of a channel without utterances.
func (d *document) deepgramTurns(best *node, channel int) []*transcript.Turn {
	words := best.get("words").items()
	if len(words) == 0 {
		return []*transcript.Turn{d.turn(best.get("transcript"), schemas.Speaker{})}
	}
	var turns []*transcript.Turn
	for begin := 0; begin < len(words); {
		speaker := words[begin].get("speaker").string()
		end := begin + 1
		for end < len(words) && words[end].get("speaker").string() == speaker {
			end++
		}
		t := &transcript.Turn{Speaker: schemas.Speaker{ID: "channel " + string(rune('0'+channel%10)) + " speaker " + speaker}}
		times(t, words[begin].get("start"), words[end-1].get("end"), 1000)
		d.turnOfWords(t, words[begin:end], deepgramWord)
		turns = append(turns, t)
		begin = end
	}
	return turns
}

func (d *document) deepgramParagraphs(alternative *node, of []*transcript.Turn) {
	p := alternative.get("paragraphs")
	if p == nil {
		return
	}
	d.repeat(of, p.get("transcript"))
	var sentences []*node
	for _, q := range p.get("paragraphs").items() {
		sentences = append(sentences, all(q.get("sentences"), "text")...)
	}
	d.repeat(of, sentences...)
}

// repeatList makes a list of words repeat what turns said.
func (d *document) repeatList(of []*transcript.Turn, entries []*node, f *wordForm) {
	if _, r := d.words(entries, f); len(r.Pieces) > 0 {
		r.Of = of
		d.call.Repeats = append(d.call.Repeats, r)
	}
}
