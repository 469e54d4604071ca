package state

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"sotto/state/linking"
)

// speaker is somebody who talks in the call, or is announced by its START.
type speaker struct {
	ID string `cbor:"1,keyasint,omitempty"`
	// Alias is n of "sn", 0 until the speaker appears.
	Alias int `cbor:"2,keyasint,omitempty"`
	// Label is the speaker's last label and Clean what it became, "" if it stayed as it was.
	Label string `cbor:"3,keyasint,omitempty"`
	Clean string `cbor:"4,keyasint,omitempty"`
}

const (
	// maxSpeakers bounds the speakers that are remembered. Further ones share the number 0.
	maxSpeakers = 250
	// maxSpeakerID bounds the bytes of a remembered speaker ID. Of a longer one, the hash is
	// remembered.
	maxSpeakerID = 64
	// maxLabel bounds the bytes of a label whose anonymized form is remembered.
	maxLabel = 64
)

// Speaker returns the speaker with an upstream ID, and adds a new one. An empty ID is nobody
// in particular.
func (c *Call) Speaker(id string) linking.SpeakerID {
	if id == "" {
		return 0
	}
	if s := c.findSpeaker(id); s != 0 {
		return s
	}
	if len(id) > maxSpeakerID || !utf8.ValidString(id) {
		sum := sha256.Sum256([]byte(id))
		id = hex.EncodeToString(sum[:16])
		if s := c.findSpeaker(id); s != 0 {
			return s
		}
	}
	if len(c.speakers) >= maxSpeakers {
		return 0
	}
	own(c, speakersField, &c.speakers, 2)
	c.speakers = append(c.speakers, speaker{ID: id})
	c.others++
	return linking.SpeakerID(len(c.speakers))
}

func (c *Call) findSpeaker(id string) linking.SpeakerID {
	for i := range c.speakers {
		if c.speakers[i].ID == id {
			return linking.SpeakerID(i + 1)
		}
	}
	return 0
}

// NumberSpeaker returns the speaker's number n, of the ID "sn" in clean events: 1 for the
// first speaker who talks, and so on; 0 for nobody in particular.
func (c *Call) NumberSpeaker(s linking.SpeakerID) int {
	if s == 0 || int(s) > len(c.speakers) {
		return 0
	}
	if c.speakers[s-1].Alias == 0 {
		own(c, speakersField, &c.speakers, 2)
		c.appeared++
		c.speakers[s-1].Alias = c.appeared
		c.others++
	}
	return c.speakers[s-1].Alias
}

// talker is the number of a speaker who has talked, else 0.
func (c *Call) talker(s linking.SpeakerID) int {
	if s == 0 || int(s) > len(c.speakers) {
		return 0
	}
	return c.speakers[s-1].Alias
}

// Label returns the anonymized form of a speaker's label; false if it is not known.
func (c *Call) Label(s linking.SpeakerID, label string) (clean string, known bool) {
	if s == 0 || int(s) > len(c.speakers) || label == "" || c.speakers[s-1].Label != label {
		return "", false
	}
	return cmp.Or(c.speakers[s-1].Clean, label), true
}

// RawLabel returns the label that has become another one in the clean events of a speaker "sn"; false if it is not known.
func (c *Call) RawLabel(id, clean string) (label string, known bool) {
	for i := range c.speakers {
		if s := &c.speakers[i]; s.Alias > 0 && id == "s"+strconv.Itoa(s.Alias) && s.Clean == clean && clean != "" {
			return s.Label, true
		}
	}
	return "", false
}

// SetLabel remembers the anonymized form of a speaker's label.
func (c *Call) SetLabel(s linking.SpeakerID, label, clean string) {
	if s == 0 || int(s) > len(c.speakers) || len(label) > maxLabel || !utf8.ValidString(label) ||
		clean == "" || len(clean) > 4*maxLabel {
		return
	}
	if clean == label {
		clean = ""
	}
	if x := &c.speakers[s-1]; x.Label != label || x.Clean != clean {
		own(c, speakersField, &c.speakers, 2)
		c.speakers[s-1].Label, c.speakers[s-1].Clean = label, clean
		c.others++
	}
}

// Speakers counts the speakers who have talked.
func (c *Call) Speakers() int { return c.appeared }
