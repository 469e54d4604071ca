package state

// EndDialogue forgets what is asked, dictated and talked about, so that a text that nobody said is
// not taken for an answer.
func (c *Call) EndDialogue() {
	c.questions, c.dictation, c.turns, c.language = nil, Dictation{}, nil, ""
}

// Restart returns the state of the same call before its first event, with what the call is known to
// say: every entity is known and has no number yet, and every speaker is known and has not talked.
// Nothing is asked, dictated or staged. Draws continue with the same seed.
func (c *Call) Restart() *Call {
	d := &Call{types: c.types, counts: make([]uint32, len(c.counts)), seed: c.seed}
	d.entities = append([]entity(nil), c.entities...)
	for i := range d.entities {
		d.entities[i].Num = 0
	}
	for _, s := range c.speakers {
		d.speakers = append(d.speakers, speaker{ID: s.ID})
	}
	return d
}
