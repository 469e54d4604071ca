// Package dialogue follows a conversation from one utterance to the next: what is
// asked and answered, and what is dictated in parts.
//
//	questions.go  what an utterance asks for
//	dictation.go  a value that is given over several utterances
package dialogue

import (
	"sotto/detectors/ner"
	"sotto/schemas"
	"sotto/state/linking"
)

// Turn is one utterance: who says it, and when.
type Turn struct {
	Speaker linking.SpeakerID
	// Seq is the sequence number of its event.
	Seq int64
	// StartMS and EndMS are when it begins and ends, -1 where that is not known.
	StartMS, EndMS int64
}

// ago returns how many turns before t an event was that ended at a time, -1 if that is not known; false if that is long ago.
func (t Turn) ago(seq, timeMS int64) (int64, bool) {
	earlier := ner.Turn{Seq: seq, TimeMS: timeMS}
	return earlier.Ago(t.Seq, t.StartMS)
}

// TurnOf returns the turn of an event, of nobody in particular.
func TurnOf(ev *schemas.RawEvent) Turn {
	t := Turn{Seq: ev.Seq, StartMS: -1, EndMS: -1}
	if ev.StartMS != nil {
		t.StartMS = max(*ev.StartMS, -1)
		t.EndMS = t.StartMS
	}
	if ev.EndMS != nil {
		t.EndMS = max(*ev.EndMS, -1)
	}
	return t
}
