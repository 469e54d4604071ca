package detectors

// Hint is what the words around a name say about whom it names: a set.
type Hint uint8

// The hints.
const (
	// HintSelf: the speaker gives his own name.
	HintSelf Hint = 1 << iota
	// HintOther: the name is of somebody other than the speaker.
	HintOther
	// HintGiven: it is a first name.
	HintGiven
	// HintSurname: it is a last name.
	HintSurname
	// HintOfSpeaker: the organization is the one the speaker belongs to.
	HintOfSpeaker
)
