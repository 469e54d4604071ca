package jsondoc

import (
	"strconv"

	"sotto/files/formats/jsontree"
	"sotto/files/formats/transcript"
	"sotto/schemas"
)

// readVcon reads a vCon. Its parties are participants. What is encoded as JSON within a string is
// read as a document of its own; recordings within the file are removed, since they are speech.
func readVcon(d *document) {
	parties := d.root.Member("parties").Items()
	for i, p := range parties {
		x := schemas.Participant{SpeakerID: strconv.Itoa(i)}
		for _, c := range p.Children {
			d.vconParty(&x, c)
		}
		d.call.Participants = append(d.call.Participants, x)
		d.label(p.Member("name"), schemas.Speaker{ID: x.SpeakerID})
	}
	for _, g := range d.root.Member("dialog").Items() {
		if d.removeRecording(g) {
			continue
		}
		if body := g.Member("body"); body.IsText() && jsonIn(body) == nil {
			d.call.Turns = append(d.call.Turns, d.turn(body, vconSpeaker(g, parties)))
		} else {
			d.vconBody(g)
		}
	}
	for _, list := range []string{"analysis", "attachments"} {
		for _, a := range d.root.Member(list).Items() {
			if !d.removeRecording(a) {
				d.vconBody(a)
			}
		}
	}
}

// vconParty adds a member of a party to a participant.
func (d *document) vconParty(x *schemas.Participant, n *jsontree.Node) {
	switch {
	case n.Kind == jsontree.Object || n.Kind == jsontree.Array:
		for _, c := range n.Children {
			d.vconParty(x, c)
		}
	case !n.IsText() || n.Str == "" || d.limits.Value(n.Key, n.Str):
	case n.Key == "name":
		x.Names = append(x.Names, n.Str)
	case n.Key == "tel":
		x.Phones = append(x.Phones, n.Str)
	case n.Key == "mailto":
		x.Emails = append(x.Emails, n.Str)
	default:
		x.Other = append(x.Other, n.Str)
	}
}

// vconSpeaker returns who says a dialog: its originator, or the only party or the first one.
func vconSpeaker(g *jsontree.Node, parties []*jsontree.Node) schemas.Speaker {
	n := g.Pick("originator | parties")
	if n != nil && n.Kind == jsontree.Array {
		n = n.Member("0")
	}
	s := schemas.Speaker{ID: n.Scalar()}
	if i, err := strconv.Atoi(s.ID); err == nil && 0 <= i && i < len(parties) {
		s.Role = role(parties[i].Member("role").Scalar())
		s.Label = parties[i].Member("name").Scalar()
	}
	return s
}

// removeRecording removes a body that is binary.
func (d *document) removeRecording(g *jsontree.Node) bool {
	body := g.Member("body")
	if g.Member("encoding").Scalar() != "base64url" || !body.IsText() || body.Str == "" {
		return false
	}
	d.setter(body)("")
	d.notes = append(d.notes, "a recording within the file was removed")
	return true
}

// vconBody reads a body that is JSON, as a value or in a string: as a format that is known, or string by string.
func (d *document) vconBody(g *jsontree.Node) {
	body := g.Member("body")
	if body != nil && len(body.Children) > 0 {
		d.vconValue(body)
		return
	}
	root := jsonIn(body)
	if root == nil {
		return
	}
	inner := newDocument(body.Str, root)
	set := d.setter(body)
	readKnown(inner)
	inner.addOthers(root, "")
	d.inner = append(d.inner, func() { set(inner.encode()) })
	for _, c := range inner.calls {
		d.adopt(c)
	}
}

// vconValue reads a body that is no string: a part of the document as a document of its own.
func (d *document) vconValue(body *jsontree.Node) {
	root, call, calls := d.root, d.call, d.calls
	d.root, d.call, d.calls = body, nil, nil
	d.newCall("")
	readKnown(d)
	inner := d.calls
	d.root, d.call, d.calls, d.mapping = root, call, calls, nil
	for _, c := range inner {
		d.adopt(c)
	}
}

// readKnown reads a document within a vCon if its format is known.
func readKnown(d *document) {
	for i := range formats {
		if f := &formats[i]; f.name != "vcon" && f.detect(d.root) {
			f.read(d)
			return
		}
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
