package jsondoc

import (
	"strconv"

	"sotto/formats/transcript"
	"sotto/schemas"
)

// readVcon reads a vCon. Its parties are participants. What is encoded as JSON within a string is
// read as a document of its own; recordings within the file are removed, since they are speech.
func readVcon(d *document) {
	parties := d.root.member("parties").items()
	for i, p := range parties {
		x := schemas.Participant{SpeakerID: strconv.Itoa(i)}
		for _, c := range p.children {
			d.vconParty(&x, c)
		}
		d.call.Participants = append(d.call.Participants, x)
		d.label(p.member("name"), schemas.Speaker{ID: x.SpeakerID})
	}
	for _, g := range d.root.member("dialog").items() {
		if d.removeRecording(g) {
			continue
		}
		if body := g.member("body"); body.isText() && g.member("encoding").string() != "json" {
			d.call.Turns = append(d.call.Turns, d.turn(body, vconSpeaker(g, parties)))
		} else {
			d.vconBody(g)
		}
	}
	for _, list := range []string{"analysis", "attachments"} {
		for _, a := range d.root.member(list).items() {
			if !d.removeRecording(a) {
				d.vconBody(a)
			}
		}
	}
}

// vconParty adds a member of a party to a participant.
func (d *document) vconParty(x *schemas.Participant, n *node) {
	switch {
	case n.kind == object || n.kind == array:
		for _, c := range n.children {
			d.vconParty(x, c)
		}
	case !n.isText() || n.str == "" || d.limits.Value(n.key, n.str):
	case n.key == "name":
		x.Names = append(x.Names, n.str)
	case n.key == "tel":
		x.Phones = append(x.Phones, n.str)
	case n.key == "mailto":
		x.Emails = append(x.Emails, n.str)
	default:
		x.Other = append(x.Other, n.str)
	}
}

// vconSpeaker returns who says a dialog: its originator, or the only party or the first one.
func vconSpeaker(g *node, parties []*node) schemas.Speaker {
	n := g.pick("originator | parties")
	if n != nil && n.kind == array {
		n = n.member("0")
	}
	s := schemas.Speaker{ID: n.string()}
	if i, err := strconv.Atoi(s.ID); err == nil && 0 <= i && i < len(parties) {
		s.Role = role(parties[i].member("role").string())
		s.Label = parties[i].member("name").string()
	}
	return s
}

// removeRecording removes a body that is binary.
func (d *document) removeRecording(g *node) bool {
	body := g.member("body")
	if g.member("encoding").string() != "base64url" || !body.isText() || body.str == "" {
		return false
	}
	d.setter(body)("")
	d.notes = append(d.notes, "a recording within the file was removed")
	return true
}

// vconBody reads a body that is JSON in a string: as a format that is known, or string by string.
func (d *document) vconBody(g *node) {
	body := g.member("body")
	if !body.isText() || g.member("encoding").string() != "json" {
		return
	}
	root, err := parse(body.str)
	if err != nil {
		return
	}
	inner := newDocument(body.str, root)
	set := d.setter(body)
	for i := range formats {
		if f := &formats[i]; f.name != "vcon" && f.detect(root) {
			f.read(inner)
			break
		}
	}
	inner.addOthers(root, "")
	d.inner = append(d.inner, func() { set(inner.encode()) })
	for _, c := range inner.calls {
		d.adopt(c)
	}
}

// adopt adds the texts of an inner call to the call. They are turns if there are no others.
func (d *document) adopt(c *transcript.Call) {
	for i := range c.Repeats {
		if c.Repeats[i].Of == nil {
			c.Repeats[i].Of = c.Turns
		}
	}
	if len(d.call.Turns) == 0 {
		d.call.Turns = c.Turns
	} else {
		for _, t := range c.Turns { // its speakers are those of the parties, under other names
			t.Speaker = schemas.Speaker{}
		}
		d.call.Others = append(d.call.Others, c.Turns...)
	}
	d.call.Others = append(d.call.Others, c.Others...)
	d.call.Labels = append(d.call.Labels, c.Labels...)
	d.call.Repeats = append(d.call.Repeats, c.Repeats...)
}
