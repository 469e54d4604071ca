package mapping

import (
	"slices"
	"strings"

	"sotto/schemas"
)

// Message is what became of a message of a record: an event, a dead letter or nothing.
type Message struct {
	// Event is nil unless the message became one. That of an interim result is an interim hypothesis.
	Event *schemas.RawEvent
	Mark  Mark
	// Reason is why the message becomes a dead letter.
	Reason string
	// Dropped is why nothing comes of the message, one of Drops.
	Dropped string
	// MayBeOwn says that the record may be one of Sotto's own events, which are read beside those of a vendor: it is the only message
	// of the record, and no rule has any use for it. Mappings often ignore whatever has a type, and own events have one.
	MayBeOwn bool
}

// Reasons of dead letters.
var (
	ReasonUnknown = schemas.Reason("unknown_message", "no rule of the mapping (SOTTO_RAW_FORMAT) knows this kind of message")
	ReasonNoOrder = schemas.Reason("no_order", "the message has no number, or no time within a day, by which its mapping orders the events of a call")
	ReasonTooMany = schemas.Reason("too_many_messages", "the record has more than %d messages or documents", maxMessages)
	ReasonRevised = schemas.Reason("revised", "a final result was sent again with another text, after its event was published; what was published stays")
)

// Why nothing comes of a message: a closed set, for a metric label.
const (
	// Ignored: a rule of the mapping says so.
	Ignored = "ignored"
	// Silent: its text is empty.
	Silent = "silent"
	// Interim: it is an interim result, and does not say of which call.
	Interim = "interim"
	// Unknown: no rule knows it, and the mapping says that such messages are ignored.
	Unknown = "unknown"
	// Again: it was sent before.
	Again = "again"
	// Revision: it was sent before with another text, and the mapping says that revisions are ignored.
	Revision = "revision"
)

// Drops explains why nothing comes of a message.
var Drops = map[string]string{
	Ignored:  "a rule says that it is of no use",
	Silent:   "its text is empty",
	Interim:  "it is an interim result, which a final one replaces",
	Unknown:  "no rule knows it, and unknown is ignore",
	Again:    "it was sent before",
	Revision: "it was sent before with another text, and revised is ignore",
}

// Read returns what the messages of a record become, in their order, at least one. Nothing of the
// record is in a reason.
func (m *Mapping) Read(rec Record) (all []Message) {
	defer func() {
		if recover() != nil {
			all = []Message{{Reason: schemas.ReasonDecoderPanic}}
		}
	}()
	s := &source{record: rec, form: m.file.Form}
	if reason := s.decode(); reason != "" {
		return []Message{{Reason: reason, MayBeOwn: rec.Schema == nil && (reason == schemas.ReasonUnknownFormat || reason == schemas.ReasonInvalidUTF8)}} // Avro
	}
	return m.messagesOf(s)
}

// messagesOf is Read for a record that was decoded.
func (m *Mapping) messagesOf(s *source) (all []Message) {
	roots := s.roots(nil, s.tree, m.unwrap, 0)
	if len(roots) > maxMessages {
		return []Message{{Reason: ReasonTooMany}} // the others were not looked for
	}
	for _, root := range roots {
		for _, where := range m.messages {
			for _, message := range (scope{s, root, root}).all(where) {
				all = m.read(all, scope{s, root, message})
				if s.index++; len(all) > maxMessages {
					return []Message{{Reason: ReasonTooMany}}
				}
			}
		}
	}
	switch {
	case s.noText:
		return []Message{{Reason: schemas.ReasonInvalidUTF8, MayBeOwn: true}}
	case len(all) == 0:
		all = append(all, m.unknown())
	}
	if only := &all[0]; len(all) == 1 {
		// A live stream may have many messages that are ignored. Those without the ID of a call are not decoded once more.
		only.MayBeOwn = only.Dropped == Unknown || only.Reason == ReasonUnknown || only.Dropped == Ignored && s.own() != ""
	}
	return all
}

func (m *Mapping) unknown() Message {
	if m.file.Unknown == ignore {
		return Message{Dropped: Unknown}
	}
	return Message{Reason: ReasonUnknown}
}

// read appends what a message becomes.
func (m *Mapping) read(to []Message, s scope) []Message {
	i := slices.IndexFunc(m.rules, func(r rule) bool { return s.meetsAll(r.when) })
	if i < 0 {
		return append(to, m.unknown())
	}
	r := &m.rules[i]
	if r.is == isIgnored {
		return append(to, Message{Dropped: Ignored})
	}
	e := schemas.RawEvent{
		CallID: s.text(r.call), Type: schemas.Utterance, Tenant: s.text(r.tenant), Context: s.text(r.context),
		Language: s.text(r.language), TimestampMS: epoch(s.pick(r.time)),
	}
	switch {
	case r.is == isInterim && e.CallID == "":
		return append(to, Message{Dropped: Interim})
	case e.CallID == "":
		return append(to, Message{Reason: schemas.ReasonMissingCallID})
	case r.is == isInterim:
		e.Final = new(bool)
		return append(to, Message{Event: &e})
	case r.is == isStart, r.is == isEnd:
		e.Type = map[string]schemas.EventType{isStart: schemas.Start, isEnd: schemas.End}[r.is]
		return append(to, m.boundary(s, r, e))
	}
	return m.utterances(to, s, r, e)
}

// utterances appends the utterances of a message: one, or one for each speaker of its words.
func (m *Mapping) utterances(to []Message, s scope, r *rule, e schemas.RawEvent) []Message {
	turns := m.turns(s, r)
	if len(turns) == 0 {
		return append(to, Message{Reason: schemas.ReasonMissingText})
	}
	channel := s.text(r.channel)
	for i, t := range turns {
		if strings.TrimSpace(t.text) == "" {
			to = append(to, Message{Dropped: Silent})
			continue
		}
		e := e
		e.Text, e.StartMS, e.EndMS = t.text, t.start, t.end
		e.Speaker = m.speaker(s, r, t.speaker, channel)
		if lexical := s.text(r.lexical); lexical != "" && len(turns) == 1 {
			e.Lexical = &lexical
		}
		mark, reason := m.mark(s, r, &e, channel, i)
		if reason != "" {
			to = append(to, Message{Reason: reason})
			continue
		}
		to = append(to, Message{Event: &e, Mark: mark})
	}
	return to
}

func (m *Mapping) boundary(s scope, r *rule, e schemas.RawEvent) Message {
	mark, reason := m.mark(s, r, &e, "", 0)
	if reason != "" {
		return Message{Reason: reason}
	}
	return Message{Event: &e, Mark: mark}
}

// turn is what one speaker says in a message.
type turn struct {
	text, speaker string
	start, end    *int64
}

// turns returns the turns of a message, none if it has neither a text nor words, or words that are no texts. Words are joined
// where there is no text, or where they have several speakers.
func (m *Mapping) turns(s scope, r *rule) []turn {
	whole := turn{speaker: s.text(r.speaker), start: millis(s.pick(r.start), r.unit), end: millis(s.pick(r.end), r.unit)}
	if length := millis(s.pick(r.duration), r.unit); whole.end == nil && whole.start != nil && length != nil {
		whole.end = new(*whole.start + *length)
	}
	texts := s.all(r.text)
	if slices.ContainsFunc(texts, isTree) {
		texts = nil // what was said is in there somewhere, so that the message is not silent
	}
	var parts []string
	for _, t := range texts {
		parts = append(parts, strings.TrimSpace(plain(t)))
	}
	whole.text = strings.Join(parts, " ")
	said, complete := wordTurns(s, r)
	joined := len(texts) == 0 || len(said) > 1
	switch {
	case joined && (len(said) == 0 || !complete):
		return nil
	case joined:
		for i := range said {
			if said[i].speaker == "" {
				said[i].speaker = whole.speaker
			}
			if said[i].start == nil {
				said[i].start, said[i].end = whole.start, whole.end
			}
		}
		return said
	case len(said) == 1:
		if whole.speaker == "" {
			whole.speaker = said[0].speaker
		}
		if whole.start == nil {
			whole.start, whole.end = said[0].start, said[0].end
		}
	}
	return []turn{whole}
}

// wordTurns returns the words of a message, as a turn wherever their speaker changes. A word without a
// speaker is said by the speaker of the word before it. They are incomplete if some have no text of their own, but parts.
func wordTurns(s scope, r *rule) (turns []turn, complete bool) {
	complete = true
	w := r.words
	if w == nil {
		return nil, complete
	}
	for _, list := range s.all(w.list) {
		items, isList := list.([]any)
		complete = complete && isList
		for _, item := range items {
			word := scope{s.source, s.root, item}
			said := word.pick(w.text)
			complete = complete && !isTree(said)
			text, speaker := strings.TrimSpace(plain(said)), word.text(w.speaker)
			if text == "" {
				continue
			}
			start, end := millis(word.pick(w.start), r.unit), millis(word.pick(w.end), r.unit)
			n := len(turns)
			if n == 0 || speaker != "" && speaker != turns[n-1].speaker {
				turns = append(turns, turn{text: text, speaker: speaker, start: start, end: end})
				continue
			}
			t := &turns[n-1]
			if strings.Trim(text, ".,?!;:") != "" {
				t.text += " "
			}
			t.text += text
			if end != nil {
				t.end = end
			}
		}
	}
	return turns, complete
}

// speaker returns who says a turn, nil if the message does not tell.
func (m *Mapping) speaker(s scope, r *rule, id, channel string) *schemas.Speaker {
	word := s.text(r.role)
	x := schemas.Speaker{ID: id, Label: s.text(r.name)}
	for _, w := range []string{word, id, channel} {
		if x.Role = m.role(w); x.Role != "" {
			break
		}
	}
	if x.Role == "" && word != "" {
		x.Role = schemas.RoleUnknown
	}
	if channel != "" {
		x.ID = strings.TrimSpace("channel " + channel + " " + id)
	}
	if x.ID == "" {
		x.ID = word
	}
	if x.ID == "" {
		x.ID = x.Label
	}
	if x.ID == "" {
		return nil
	}
	return &x
}

// role returns the role that a word of the vendor means, "" if it means none.
func (m *Mapping) role(word string) schemas.Role {
	word = strings.ToLower(word)
	if role, ok := m.file.Roles[word]; ok {
		return role
	}
	switch word {
	case "agent":
		return schemas.RoleAgent
	case "customer":
		return schemas.RoleCustomer
	}
	return ""
}
