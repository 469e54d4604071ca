package anonymize

import (
	"sotto/detectors/encoder"
	"sotto/detectors/ner"
	"sotto/internal/wordhash"
	"sotto/state"
	"sotto/state/linking"
)

// reading is what the encoder says of a text, and memory for further ones.
type reading struct {
	text readable
	turn encoder.Turn
	encoder.Reading
	// window is that of the call with the turn, if the encoder has read it.
	window []byte
	read   bool
}

// Word implements ner.Reading.
func (r *reading) Word(i int) (start, end int, p []float32, begins float32) {
	w := &r.turn.Words[i]
	start, end = r.text.raw(w.Start, w.End)
	return start, end, r.Reading.Word(i), r.Reading.Begins(i)
}

// chances returns which part in the talk the encoder gives the name between two byte offsets of the event's text.
func (r *reading) chances(start, end int) linking.Chances {
	for i := range r.turn.Words[:r.Len()] {
		w := &r.turn.Words[i]
		from, to := r.text.raw(w.Start, w.End)
		if from >= end {
			break
		}
		if to > start {
			p := r.Role(i)
			return linking.Chances{Speaks: p[encoder.Speaks], Listens: p[encoder.Listens], Third: p[encoder.Third]}
		}
	}
	return linking.Chances{}
}

// encode has the encoder read the text in the light of the call.
func (p *eventPass) encode(w *workspace) ner.Reading {
	r := &w.reading
	r.text.of(&w.doc)
	p.engine.encoder.Model().Split(&r.turn, r.text.text, voice(p.call, p.turn.Speaker))
	r.window = p.engine.encoder.Read(wordhash.String(p.event.CallID), p.call.Window(), &r.turn, &r.Reading)
	r.read = true
	return r
}

// voice is what the encoder is told of a speaker: 1 for the first who talks, 2 for the second, 1 for the third.
func voice(c *state.Call, s linking.SpeakerID) int {
	if s == 0 {
		return 1
	}
	return 2 - c.NumberSpeaker(s)%2
}
