package dialogue

import (
	"slices"
	"strings"

	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/state"
)

const (
	// questionTurns is for how many events an open question counts. Where the numbers
	// of events jump, as they do when a producer numbers hypotheses too, questionMS is
	// the time for which it does.
	questionTurns = 6
	questionMS    = 20_000
	// topicTurns is for how many events a hotword counts after its own.
	topicTurns = 2
	// turnLength is how many characters a turn in between is assumed to have, since
	// its length is not remembered.
	turnLength = 30
	// maxTail is how many characters before the end of a turn a hotword of one word
	// may stand to count for the next turn. Longer ones ("account number") may stand
	// anywhere within the window.
	maxTail = 15
)

// Expect adds to the document the answers and topics of earlier turns that the call expects in it,
// and reports whether any of them is relevant to it. If so, the document must be searched with
// them.
func Expect(d *detectors.Document, c *state.Call, turn Turn) bool {
	d.Expect, d.Prior = d.Expect[:0], d.Prior[:0]
	for i := range c.Questions() {
		q := &c.Questions()[i]
		if s := strength(c, turn, q); s > 0 {
			d.Expect = append(d.Expect, detectors.Expectation{Type: detectors.InfoType(q.Type), Strength: s, Part: q.Partial})
		}
		if distance := turn.Seq - q.Seq; q.FromEnd > 0 && distance > 0 && distance <= topicTurns {
			if h := detectors.InfoType(q.Type).Hotword(); h != detectors.HotNone {
				at := -q.FromEnd - int(distance-1)*turnLength // before this text
				d.Prior = append(d.Prior, detectors.HotwordHit{Hotword: h, Start: at - 1, End: at})
			}
		}
	}
	return len(d.Expect) > 0 || len(d.Prior) > 0 && len(d.Runs) > 0
}

// strength returns how much an open question still bears on a turn: 1 right after it,
// less later, and 0 if it is closed or the speaker asked it.
func strength(c *state.Call, turn Turn, q *state.Question) float32 {
	if q.Answered || q.FromEnd > 0 || q.Asker == turn.Speaker && turn.Speaker != 0 && c.Speakers() > 1 {
		return 0
	}
	switch distance := turn.Seq - q.Seq; {
	case distance <= 0:
		return 0
	case distance == 1:
		return 1
	case distance == 2:
		return 0.8
	case distance <= 4:
		return 0.6
	case distance <= questionTurns:
		return 0.4
	}
	if since := turn.StartMS - q.TimeMS; q.TimeMS >= 0 && since >= 0 && since <= questionMS {
		return 0.6
	}
	return 0
}

// Asked is what a text asks for.
type Asked struct {
	// Questions lack who asked them, and when.
	Questions []state.Question
	// Again means that it asks for the same as before.
	Again bool

	// name is where a name that the text asks for would follow, in bytes.
	name int
	// next is the memory of the last QuestionUpdate.
	next []state.Question
}

// ReadQuestions returns what a text asks for. It reuses the memory of the Asked.
func (a *Asked) ReadQuestions(d *detectors.Document) {
	a.Questions, a.Again, a.name = questionsIn(d, a.Questions[:0])
}

// Any reports whether the text asks for anything.
func (a *Asked) Any() bool { return len(a.Questions) > 0 || a.Again }

// QuestionUpdate is what a turn does to the open questions of its call.
type QuestionUpdate struct {
	questions []state.Question
	// differ means that questions replace the open ones.
	differ bool
	// asks means that the turn asks for something, so that nothing is being dictated after it.
	asks bool
}

// TrackQuestions returns how a turn changes the open questions of its call: by what it asks for
// and by what it answers. It leaves the call as it is. The update is in the memory of asked, and
// valid until the next one.
func TrackQuestions(d *detectors.Document, c *state.Call, turn Turn, asked *Asked, found []detectors.Finding) QuestionUpdate {
	open := c.Questions()
	u := QuestionUpdate{questions: asked.next[:0]}
	for _, q := range asked.Questions {
		isGiven := func(f detectors.Finding) bool {
			return string(f.Type) == q.Type && (!isForName(q) || f.End > asked.name) // "Thanks, Ida. And your last name?"
		}
		if slices.ContainsFunc(found, isGiven) {
			continue // the speaker gives it: a read-back
		}
		q.Asker, q.Seq, q.TimeMS = turn.Speaker, turn.Seq, turn.EndMS
		u.questions = append(u.questions, q)
	}
	switch {
	case len(u.questions) > 0:
		u.differ, u.asks = true, true
	case asked.Again && len(open) > 0 && (open[0].Asker == turn.Speaker || open[0].Answered):
		u.questions, u.differ, u.asks = askAgain(d, turn, u.questions, open), true, true
	default:
		u.questions, u.differ = closeAnswered(d, c, turn, u.questions, found)
	}
	n := len(u.questions)
	u.questions = addTopics(d, turn, u.questions, found)
	u.differ = u.differ || len(u.questions) > n
	asked.next = u.questions
	return u
}

// Apply makes the update. It comes after what the turn says has been linked: a turn may continue a
// dictation and then ask for something else.
func (u QuestionUpdate) Apply(c *state.Call) {
	if u.asks {
		c.SetDictation(state.Dictation{})
	}
	if u.differ {
		c.SetQuestions(u.questions)
	}
}

// askAgain appends to next, which is empty, the open questions as the turn asks them once more: "Can
// you repeat that?"
func askAgain(d *detectors.Document, turn Turn, next, open []state.Question) []state.Question {
	next = append(next, open...)
	for i := range next {
		next[i].Answered, next[i].Asker = false, turn.Speaker
		next[i].Seq, next[i].TimeMS = turn.Seq, turn.EndMS
		next[i].Spell = next[i].Spell || d.HasHotword(detectors.HotSpell)
	}
	return next
}

// closeAnswered appends the open questions to next, with those marked that the turn answers,
// and without topics that do not count any more. A question whose answer has only begun
// counts as just asked. closed reports whether any was answered: only then is it worth a
// write.
func closeAnswered(d *detectors.Document, c *state.Call, turn Turn, next []state.Question, found []detectors.Finding) (_ []state.Question, closed bool) {
	for _, q := range c.Questions() {
		if q.FromEnd > 0 && turn.Seq-q.Seq > topicTurns {
			continue
		}
		if strength(c, turn, &q) > 0 && (hasType(found, detectors.InfoType(q.Type)) || isFirstLetter(d, &q)) {
			closed = true
			if begins(d, &q) {
				q.Seq, q.TimeMS = turn.Seq, turn.EndMS
			} else {
				q.Answered = true
			}
		}
		next = append(next, q)
	}
	return next, closed
}

// isFirstLetter reports whether a turn that answers the question for a name says nothing but a letter or two, whatever
// they were taken for.
func isFirstLetter(d *detectors.Document, q *state.Question) bool {
	_, lone := loneSymbols(d)
	return lone && (len(d.Runs) == 0 || d.Runs[0].Digits == 0) && mention.Kind(detectors.InfoType(q.Type)) == detectors.KindName
}

// addTopics appends to the questions what the end of the turn speaks of without
// giving it: "my account number is", whose value may come in the next turn.
func addTopics(d *detectors.Document, turn Turn, next []state.Question, found []detectors.Finding) []state.Question {
	for i := range d.Hotwords {
		h := &d.Hotwords[i]
		infoType := h.Hotword.InfoType()
		fromEnd := len(d.Text) - h.End
		if infoType == "" || fromEnd > d.HotwordWindow || fromEnd > maxTail && !strings.ContainsRune(d.Text[h.Start:h.End], ' ') ||
			slices.ContainsFunc(next, func(q state.Question) bool { return q.Type == string(infoType) }) ||
			slices.ContainsFunc(found, func(f detectors.Finding) bool { return f.Start >= h.End }) {
			continue
		}
		next = append(next, state.Question{
			Type: string(infoType), FromEnd: fromEnd + 1, Asker: turn.Speaker, Seq: turn.Seq, TimeMS: turn.EndMS,
		})
	}
	return next
}
