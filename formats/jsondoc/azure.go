package jsondoc

import (
	"strconv"

	"sotto/formats/transcript"
)

func (d *document) movePosition(n *node, at func(int) int) {
	if i, err := strconv.Atoi(n.str); err == nil && i >= 0 {
		d.source.Replace(n.start, n.end, strconv.Itoa(at(i)))
	}
}

func isAzureBatch(n *node) bool {
	return n.get("recognizedPhrases") != nil || n.get("combinedPhrases") != nil && n.get("phrases") != nil
}

var azureWord = &wordForm{
	texts: []string{"word", "displayText", "text"},
	lengths: [][2]string{
		{"offset", "duration"}, {"offsetInTicks", "durationInTicks"}, {"offsetMilliseconds", "durationMilliseconds"},
	},
}

// readAzureBatch reads what Azure's batch transcription writes, and its fast transcription.
func readAzureBatch(d *document) {
	channels := map[string][]*transcript.Turn{}
	for _, p := range d.root.first("recognizedPhrases", "phrases").items() {
		channel := p.get("channel")
		s := channelSpeaker(channel)
		if speaker := p.get("speaker"); speaker != nil {
			s = d.speaker(speaker)
		}
		var t *transcript.Turn
		if best := p.get("nBest").items(); len(best) > 0 {
			text := best[0].first("display", "itn", "lexical")
			t = d.turn(text, s)
			t.Lexical = best[0].get("lexical").string()
			for _, n := range best { // the others say nearly the same
				d.azureForms(t, n)
			}
		} else {
			t = d.turn(p.get("text"), s)
			d.repeatWords(t, p.get("words").items(), azureWord)
		}
		times(t, p.first("offsetInTicks"), nil, 1e-4)
		if t.StartMS == nil {
			times(t, p.get("offsetMilliseconds"), nil, 1)
		}
		channels[channel.string()] = append(channels[channel.string()], t)
	}
	for _, c := range d.root.first("combinedRecognizedPhrases", "combinedPhrases").items() {
		of := channels[c.get("channel").string()]
		if of == nil {
			continue
		}
		for _, form := range []string{"lexical", "itn", "maskedITN", "display", "text"} {
			d.repeat(of, c.get(form))
		}
	}
}

// azureForms makes all forms of a hypothesis repeats of a turn.
func (d *document) azureForms(t *transcript.Turn, n *node) {
	for _, form := range []string{"lexical", "itn", "maskedITN", "display"} {
		if f := n.get(form); f != nil && !f.claimed {
			d.lexicalForm(t, f)
		}
	}
	d.repeatWords(t, n.get("words").items(), azureWord)
	d.repeatWords(t, n.get("displayWords").items(), azureWord)
}

// lexicalForm makes a string a repeat of a turn.
func (d *document) lexicalForm(t *transcript.Turn, n *node) {
	if n.isText() {
		t.Repeats = append(t.Repeats, d.texts(n))
	}
}

func isAzureConversation(n *node) bool {
	return n.first("conversations.0.conversationItems", "analysisInput.conversations.0.conversationItems", "conversationItems") != nil
}

// readAzureConversation reads the conversations that Azure's language service takes.
func readAzureConversation(d *document) {
	list := d.root.first("conversations", "analysisInput.conversations").items()
	if len(list) == 0 {
		list = []*node{d.root}
	}
	for _, c := range list {
		d.newCall(c.get("id").string())
		for _, i := range c.get("conversationItems").items() {
			s := d.speaker(i.first("participantId", "role"))
			s.Role = role(i.get("role").string())
			t := d.turn(i.first("text", "itn", "lexical"), s)
			for _, form := range []string{"lexical", "itn", "maskedItn", "maskedITN"} {
				if f := i.get(form); f != nil && !f.claimed {
					if form == "lexical" {
						t.Lexical = f.string()
					}
					d.lexicalForm(t, f)
				}
			}
			for _, list := range []string{"audioTimings", "wordLevelTimings"} {
				d.repeatWords(t, i.get(list).items(), azureWord)
			}
		}
	}
}
