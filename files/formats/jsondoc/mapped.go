package jsondoc

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/files/formats/harmless"
	"sotto/files/formats/jsontree"
	"sotto/files/formats/transcript"
	"sotto/schemas"
)

// mapped reads one call of a document as its mapping says.
type mapped struct {
	*document
	*mapping
	root     jsontree.Match
	speakers map[string]schemas.Speaker // by their IDs
	starts   map[string]*jsontree.Node  // speakers by when they begin to talk
	channels map[string][]*transcript.Turn
}

func (m *mapping) read(d *document) {
	d.mapping = m
	for where, form := range m.kept {
		for _, n := range d.root.All(where) {
			n.Claimed = n.Claimed || (n.Kind == jsontree.Text || n.Kind == jsontree.Number) && form.MatchString(n.Str)
		}
	}
	for _, c := range d.root.All(cmp.Or(m.Calls, ".")) {
		d.newCall(c.Value(m.ID))
		if n := c.Pick(m.ID); m.ownID && n.IsText() {
			d.call.SetID = append(d.call.SetID, d.setter(n))
		}
		r := &mapped{document: d, mapping: m, root: c, speakers: map[string]schemas.Speaker{}, starts: map[string]*jsontree.Node{},
			channels: map[string][]*transcript.Turn{}}
		r.read()
	}
}

func (r *mapped) read() {
	for _, path := range r.First {
		for _, list := range r.root.All(path) {
			r.only(list.Node)
		}
	}
	for i := range r.Speakers {
		r.readSpeakers(&r.Speakers[i])
	}
	for i := range r.Turns {
		if s := &r.Turns[i]; s.Aside || s.Also || len(r.call.Turns) == 0 {
			for _, at := range r.root.All(s.Path) {
				r.source(s, at)
			}
		}
	}
	if r.Sorted {
		slices.SortStableFunc(r.call.Turns, func(a, b *transcript.Turn) int {
			if a.StartMS == nil || b.StartMS == nil {
				return 0
			}
			return cmp.Compare(*a.StartMS, *b.StartMS)
		})
	}
	for _, path := range r.Labels {
		for _, n := range r.root.All(path) {
			r.speaker(n.Node)
		}
	}
	r.call.Repeats = append(r.call.Repeats, r.repeats(r.Repeats, r.root)...)
	if len(r.Repeats) == 0 {
		var said []string
		for _, t := range r.call.Turns {
			said = append(said, t.Text)
		}
		r.call.Repeats = append(r.call.Repeats, r.wordLists(r.root.Node, strings.Join(said, "\n"))...)
	}
}

func (r *mapped) readSpeakers(s *speakerSource) {
	for _, at := range r.root.All(s.Path) {
		if s.Start != "" {
			r.starts[at.Value(s.Start)] = at.Pick(s.Speaker)
			continue
		}
		x := schemas.Speaker{ID: at.Value(s.ID), Role: r.role(at.Value(s.Role))}
		if n := at.Pick(s.Name); n.IsText() {
			x.Label = n.Str
			r.label(n, x)
		}
		r.speakers[x.ID] = x
	}
}

func (m *mapping) role(word string) schemas.Role {
	return cmp.Or(m.Roles[strings.ToLower(word)], role(word))
}

// speakerAt returns who says what is at a value, to which the paths of a source lead, in a channel.
func (r *mapped) speakerAt(s *turnSource, at jsontree.Match, channel string) schemas.Speaker {
	n := at.Pick(s.Speaker)
	if n == nil && s.Start != "" {
		n = r.starts[at.Value(s.Start)]
	}
	x := r.speaker(n)
	if known, ok := r.speakers[n.Scalar()]; ok {
		x = known
	}
	if name := at.Pick(s.Name); name.IsText() && !harmless.Speaker(name.Str) {
		x.ID, x.Label = cmp.Or(x.ID, name.Str), name.Str
		r.label(name, x)
	}
	x.Role = cmp.Or(r.role(at.Value(s.Role)), x.Role, r.role(n.Scalar()))
	if channel != "" {
		x.ID = strings.TrimSpace("channel " + channel + " " + x.ID)
	}
	return x
}

func (r *mapped) source(s *turnSource, at jsontree.Match) {
	if s.Split {
		r.split(s, at)
		return
	}
	t := &transcript.Turn{Lexical: at.Value(s.Lexical)}
	texts := slices.DeleteFunc(at.All(s.Text), func(m jsontree.Match) bool { return !m.IsText() || m.Str == "" || m.Claimed })
	switch {
	case s.Text == "":
		if !r.textOfWords(t, at.Node, s, nil) {
			return
		}
	case len(texts) == 0:
		return
	case len(texts) == 1:
		t.Text, t.Set = texts[0].Str, r.setter(texts[0].Node)
	default:
		parts := make([]string, len(texts))
		for i, m := range texts {
			parts[i] = strings.TrimSpace(m.Str)
		}
		t.Text, t.Repeats = strings.Join(parts, " "), []transcript.Repeat{r.texts(texts)}
	}
	t.Speaker = r.speakerAt(s, at, at.Value(s.Channel))
	times(t, at.Pick(s.Start), at.Pick(s.End), unitOf(s.Start, s.Unit))
	for i := range s.Words {
		t.Repeats = append(t.Repeats, r.wordRepeats(&s.Words[i], at.Node)...)
	}
	t.Repeats = append(t.Repeats, r.repeats(s.Repeats, at)...)
	t.Repeats = append(t.Repeats, r.wordLists(at.Node, t.Text)...)
	// Offsets are positions in the raw text, which become those in the clean one.
	if offsets := positionsAt(at.Node, s.Offsets, utf8.RuneCountInString(t.Text)); len(offsets) > 0 {
		t.Moved = func(at func(int) int) {
			for _, n := range offsets {
				r.movePosition(n, at)
			}
		}
	}
	r.add(s, at, t)
}

func (r *mapped) add(s *turnSource, at jsontree.Match, t *transcript.Turn) {
	if s.Aside {
		r.call.Others = append(r.call.Others, t)
		return
	}
	r.call.Turns = append(r.call.Turns, t)
	channel := at.Value(s.Channel)
	r.channels[channel] = append(r.channels[channel], t)
}

// textOfWords makes words the text of a turn: those of the list at a value, or entries of it.
func (r *mapped) textOfWords(t *transcript.Turn, at *jsontree.Node, s *turnSource, entries []*jsontree.Node) bool {
	w := &s.Words[0]
	list := at.Pick(w.Path)
	if entries == nil {
		entries = list.Items()
		r.wordPositions(w, at, entries)
	}
	words, repeat := r.words(entries, w)
	r.lists[list] = true
	t.Text = transcript.JoinWords(words)
	if s.Spaces {
		t.Text = strings.Join(words, "")
	}
	t.Repeats = append(t.Repeats, repeat)
	return t.Text != ""
}

// split adds the turns of a list of words: a turn ends where the speaker changes. What has no time is
// punctuation, and belongs to the word before it.
func (r *mapped) split(s *turnSource, at jsontree.Match) {
	list := at.Pick(s.Words[0].Path)
	entries := list.Items()
	if r.lists[list] || len(entries) == 0 {
		return
	}
	r.wordPositions(&s.Words[0], at.Node, entries)
	var turn *transcript.Turn
	begin := 0
	flush := func(end int) {
		if turn != nil && end > begin && r.textOfWords(turn, at.Node, s, entries[begin:end]) {
			r.add(s, at, turn)
		}
	}
	for i, e := range entries {
		x := r.speakerAt(s, jsontree.Match{Node: e}, at.Value(s.Channel))
		if turn != nil && (x.ID == turn.Speaker.ID || s.Start != "" && e.Pick(s.Start) == nil) {
			continue
		}
		flush(i)
		turn, begin = &transcript.Turn{Speaker: x}, i
		times(turn, e.Pick(s.Start), e.Pick(s.End), unitOf(s.Start, s.Unit))
	}
	flush(len(entries))
}

// repeats returns what repeats turns below a value.
func (r *mapped) repeats(sources []repeatSource, at jsontree.Match) (all []transcript.Repeat) {
	for i := range sources {
		s := &sources[i]
		for _, each := range at.All(cmp.Or(s.Each, ".")) {
			var of []*transcript.Turn // all of them
			if s.Channel != "" {
				of = r.channels[each.Value(s.Channel)]
			}
			n := len(all)
			for _, path := range s.Texts {
				all = append(all, r.texts(each.All(path)))
			}
			for j := range s.Words {
				all = append(all, r.wordRepeats(&s.Words[j], each.Node)...)
			}
			for k := range all[n:] {
				all[n+k].Of = of
			}
		}
	}
	return slices.DeleteFunc(all, func(r transcript.Repeat) bool { return len(r.Pieces) == 0 })
}

// wordRepeats returns the lists of words of a form below a value.
func (r *mapped) wordRepeats(w *wordForm, at *jsontree.Node) (all []transcript.Repeat) {
	for _, list := range at.All(w.Path) {
		if entries := list.Items(); len(entries) > 0 && !r.lists[list.Node] {
			r.lists[list.Node] = true
			r.wordPositions(w, at, entries)
			_, repeat := r.words(entries, w)
			all = append(all, repeat)
		}
	}
	return all
}
