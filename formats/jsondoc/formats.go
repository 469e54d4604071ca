package jsondoc

import (
	"strings"

	"sotto/formats/harmless"
	"sotto/formats/transcript"
	"sotto/schemas"
)

// format is one JSON format.
type format struct {
	name   string
	detect func(root *node) bool
	read   func(d *document)
}

// formats are in the order in which they are tried. They are set in init, because a vCon may contain
// any of them.
var formats []format

func init() {
	formats = []format{
		{"vcon", has("vcon", "parties"), readVcon},
		{"amazon", has("results.items", "results.transcripts"), readAmazon},
		{"amazon-call-analytics", has("Transcript", "Participants"), readAmazonAnalytics},
		{"azure-batch", isAzureBatch, readAzureBatch},
		{"azure-conversation", isAzureConversation, readAzureConversation},
		{"deepgram", has("results.channels"), readDeepgram},
		{"rev", has("monologues"), readRev},
		{"twilio", isTwilio, readTwilio},
		{"assemblyai", isAssemblyAI, readAssemblyAI},
		{"whisper", isWhisper, readWhisper},
		{"google", isGoogle, readGoogle},
		{"utterances", isUtterances, readUtterances},
		// json is any JSON: all strings are anonymized, one after the other.
		{"json", func(*node) bool { return false }, func(*document) {}},
	}
}

// has returns a function that reports whether an object has values at all paths.
func has(paths ...string) func(*node) bool {
	return func(n *node) bool {
		for _, p := range paths {
			if n.get(p) == nil {
				return false
			}
		}
		return true
	}
}

// speaker returns the speaker with a label, which is an identifier that need not be anonymized if it
// has the form of one.
func (d *document) speaker(label *node) schemas.Speaker {
	s := schemas.Speaker{ID: label.string(), Role: role(label.string())}
	if label.isText() && !harmless.Value("speaker", label.str) {
		s.Label = label.str
		d.label(label, s)
	}
	return s
}

// speakerOf returns the speaker with an ID, of whom no place of the file is a label yet.
func speakerOf(id *node) schemas.Speaker {
	return schemas.Speaker{ID: id.string(), Role: role(id.string())}
}

// channelSpeaker returns the speaker of a channel.
func channelSpeaker(channel *node) schemas.Speaker {
	if channel == nil {
		return schemas.Speaker{}
	}
	return schemas.Speaker{ID: "channel " + channel.string()}
}

// role returns the role that a word names.
func role(word string) schemas.Role {
	switch strings.ToLower(word) {
	case "agent":
		return schemas.RoleAgent
	case "customer":
		return schemas.RoleCustomer
	}
	return ""
}

// times sets when a turn begins and ends; unit is that of the numbers, in milliseconds.
func times(t *transcript.Turn, start, end *node, unit float64) {
	t.StartMS, t.EndMS = millis(start, unit), millis(end, unit)
}

func isAssemblyAI(n *node) bool {
	return n.get("words") != nil && n.get("text") != nil && (n.get("audio_url") != nil || n.get("utterances") != nil || n.get("status") != nil)
}

var assemblyWord = &wordForm{texts: []string{"text"}, ends: []string{"end"}}

func readAssemblyAI(d *document) {
	if utterances := d.root.get("utterances").items(); len(utterances) > 0 {
		for _, u := range utterances {
			t := d.turn(u.get("text"), d.speaker(u.get("speaker")))
			times(t, u.get("start"), u.get("end"), 1)
			d.repeatWords(t, u.get("words").items(), assemblyWord)
		}
		d.repeat(nil, d.root.get("text"))
		if _, r := d.words(d.root.get("words").items(), assemblyWord); len(r.Pieces) > 0 {
			d.call.Repeats = append(d.call.Repeats, r)
		}
	} else {
		t := d.turn(d.root.get("text"), schemas.Speaker{})
		d.repeatWords(t, d.root.get("words").items(), assemblyWord)
	}
	d.repeat(nil, all(d.root.get("sentiment_analysis_results"), "text")...)
}

// all returns the members of that name of the elements of a list.
func all(list *node, path string) []*node {
	var nodes []*node
	for _, n := range list.items() {
		if m := n.get(path); m != nil {
			nodes = append(nodes, m)
		}
	}
	return nodes
}

func isWhisper(n *node) bool {
	for _, s := range n.get("segments").items() {
		return s.get("text") != nil && s.get("start") != nil
	}
	return false
}

var (
	whisperWord = &wordForm{texts: []string{"word"}, ends: []string{"end"}}
	whisperChar = &wordForm{texts: []string{"char"}, ends: []string{"end"}}
)

// readWhisper reads what Whisper and WhisperX write.
func readWhisper(d *document) {
	for _, s := range d.root.get("segments").items() {
		t := d.turn(s.get("text"), d.speaker(s.get("speaker")))
		times(t, s.get("start"), s.get("end"), 1000)
		d.repeatWords(t, s.get("words").items(), whisperWord)
		d.repeatWords(t, s.get("chars").items(), whisperChar)
		for _, w := range s.get("words").items() {
			d.speaker(w.get("speaker"))
		}
	}
	d.repeat(nil, d.root.get("text"))
	for _, list := range []string{"word_segments", "words"} {
		if _, r := d.words(d.root.get(list).items(), whisperWord); len(r.Pieces) > 0 {
			d.call.Repeats = append(d.call.Repeats, r)
		}
		for _, w := range d.root.get(list).items() {
			d.speaker(w.get("speaker"))
		}
	}
}

var revElement = &wordForm{texts: []string{"value"}, ends: []string{"end_ts"}}

func readRev(d *document) {
	names := map[string]*node{}
	for _, s := range d.root.get("speakers").items() {
		names[s.get("id").string()] = s.get("name")
	}
	for _, m := range d.root.get("monologues").items() {
		id := m.get("speaker").string()
		if info := m.get("speaker_info"); info != nil {
			names[id] = info.first("display_name", "name")
		}
		s := schemas.Speaker{ID: id}
		if n := names[id]; n.isText() {
			s.Label = n.str
			d.label(n, s)
		}
		elements := m.get("elements").items()
		t := &transcript.Turn{Speaker: s}
		if len(elements) > 0 {
			times(t, elements[0].get("ts"), nil, 1000)
		}
		// Spaces are elements of their own.
		words, r := d.words(elements, revElement)
		t.Text, t.Repeats = strings.Join(words, ""), []transcript.Repeat{r}
		d.call.Turns = append(d.call.Turns, t)
	}
}

func isTwilio(n *node) bool {
	if n.get("transcription_text") != nil {
		return true
	}
	s := n.get("sentences")
	return s != nil && (len(s.items()) == 0 || s.get("0.transcript") != nil)
}

var twilioWord = &wordForm{texts: []string{"word"}, ends: []string{"end_time"}}

func readTwilio(d *document) {
	for _, s := range d.root.get("sentences").items() {
		t := d.turn(s.get("transcript"), channelSpeaker(s.get("media_channel")))
		times(t, s.get("start_time"), s.get("end_time"), 1000)
		d.repeatWords(t, s.get("words").items(), twilioWord)
	}
	if n := d.root.get("transcription_text"); n.isText() {
		d.turn(n, schemas.Speaker{})
	}
}
