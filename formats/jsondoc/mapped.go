package jsondoc

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/formats/harmless"
	"sotto/formats/transcript"
	"sotto/schemas"
)

// mapped reads one call of a document as its mapping says.
type mapped struct {
	*document
	*mapping
	root     match
	speakers map[string]schemas.Speaker // by their IDs
	starts   map[string]*node           // speakers by when they begin to talk
	channels map[string][]*transcript.Turn
}

func (m *mapping) read(d *document) {
	d.mapping = m
	for where, form := range m.kept {
		for _, n := range d.root.all(where) {
			n.claimed = n.claimed || (n.kind == text || n.kind == number) && form.MatchString(n.str)
		}
	}
	for _, c := range d.root.all(cmp.Or(m.Calls, ".")) {
		d.newCall(c.value(m.ID))
		r := &mapped{document: d, mapping: m, root: c, speakers: map[string]schemas.Speaker{}, starts: map[string]*node{},
			channels: map[string][]*transcript.Turn{}}
		r.read()
	}
}

func (r *mapped) read() {
	for _, path := range r.First {
		for _, list := range r.root.all(path) {
			r.only(list.node)
		}
	}
	for i := range r.Speakers {
		r.readSpeakers(&r.Speakers[i])
	}
	for i := range r.Turns {
		if s := &r.Turns[i]; s.Aside || s.Also || len(r.call.Turns) == 0 {
			for _, at := range r.root.all(s.Path) {
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
		for _, n := range r.root.all(path) {
			r.speaker(n.node)
		}
	}
	r.call.Repeats = append(r.call.Repeats, r.repeats(r.Repeats, r.root)...)
	if len(r.Repeats) == 0 {
		var said []string
		for _, t := range r.call.Turns {
			said = append(said, t.Text)
		}
		r.call.Repeats = append(r.call.Repeats, r.wordLists(r.root.node, strings.Join(said, "\n"))...)
	}
}

func (r *mapped) readSpeakers(s *speakerSource) {
	for _, at := range r.root.all(s.Path) {
		if s.Start != "" {
			r.starts[at.value(s.Start)] = at.pick(s.Speaker)
			continue
		}
		x := schemas.Speaker{ID: at.value(s.ID), Role: r.role(at.value(s.Role))}
		if n := at.pick(s.Name); n.isText() {
			x.Label = n.str
			r.label(n, x)
		}
		r.speakers[x.ID] = x
	}
}

func (m *mapping) role(word string) schemas.Role {
	return cmp.Or(m.Roles[strings.ToLower(word)], role(word))
}

// speakerAt returns who says what is at a value, to which the paths of a source lead, in a channel.
func (r *mapped) speakerAt(s *turnSource, at match, channel string) schemas.Speaker {
	n := at.pick(s.Speaker)
	if n == nil && s.Start != "" {
		n = r.starts[at.value(s.Start)]
	}
	x := r.speaker(n)
	if known, ok := r.speakers[n.string()]; ok {
		x = known
	}
	if name := at.pick(s.Name); name.isText() && !harmless.Speaker(name.str) {
		x.ID, x.Label = cmp.Or(x.ID, name.str), name.str
		r.label(name, x)
	}
	x.Role = cmp.Or(r.role(at.value(s.Role)), x.Role, r.role(n.string()))
	if channel != "" {
		x.ID = strings.TrimSpace("channel " + channel + " " + x.ID)
	}
	return x
}

func (r *mapped) source(s *turnSource, at match) {
	if s.Split {
		r.split(s, at)
		return
	}
	t := &transcript.Turn{Lexical: at.value(s.Lexical)}
	texts := slices.DeleteFunc(at.all(s.Text), func(m match) bool { return !m.isText() || m.str == "" || m.claimed })
	switch {
	case s.Text == "":
		if !r.textOfWords(t, at.node, s, nil) {
			return
		}
	case len(texts) == 0:
		return
	case len(texts) == 1:
		t.Text, t.Set = texts[0].str, r.setter(texts[0].node)
	default:
		parts := make([]string, len(texts))
		for i, m := range texts {
			parts[i] = strings.TrimSpace(m.str)
		}
		t.Text, t.Repeats = strings.Join(parts, " "), []transcript.Repeat{r.texts(texts)}
	}
	t.Speaker = r.speakerAt(s, at, at.value(s.Channel))
	times(t, at.pick(s.Start), at.pick(s.End), unitOf(s.Start, s.Unit))
	for i := range s.Words {
		t.Repeats = append(t.Repeats, r.wordRepeats(&s.Words[i], at.node)...)
	}
	t.Repeats = append(t.Repeats, r.repeats(s.Repeats, at)...)
	t.Repeats = append(t.Repeats, r.wordLists(at.node, t.Text)...)
	// Offsets are positions in the raw text, which become those in the clean one.
	if offsets := at.positions(s.Offsets, utf8.RuneCountInString(t.Text)); len(offsets) > 0 {
		t.Moved = func(at func(int) int) {
			for _, n := range offsets {
				r.movePosition(n, at)
			}
		}
	}
	r.add(s, at, t)
}

func (r *mapped) add(s *turnSource, at match, t *transcript.Turn) {
	if s.Aside {
		r.call.Others = append(r.call.Others, t)
		return
	}
	r.call.Turns = append(r.call.Turns, t)
	channel := at.value(s.Channel)
	r.channels[channel] = append(r.channels[channel], t)
}

// textOfWords makes words the text of a turn: those of the list at a value, or entries of it.
func (r *mapped) textOfWords(t *transcript.Turn, at *node, s *turnSource, entries []*node) bool {
	w := &s.Words[0]
	list := at.pick(w.Path)
	if entries == nil {
		entries = list.items()
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
func (r *mapped) split(s *turnSource, at match) {
	list := at.pick(s.Words[0].Path)
	entries := list.items()
	if r.lists[list] || len(entries) == 0 {
		return
	}
	r.wordPositions(&s.Words[0], at.node, entries)
	var turn *transcript.Turn
	begin := 0
	flush := func(end int) {
		if turn != nil && end > begin && r.textOfWords(turn, at.node, s, entries[begin:end]) {
			r.add(s, at, turn)
		}
	}
	for i, e := range entries {
		x := r.speakerAt(s, match{node: e}, at.value(s.Channel))
		if turn != nil && (x.ID == turn.Speaker.ID || s.Start != "" && e.pick(s.Start) == nil) {
			continue
		}
		flush(i)
		turn, begin = &transcript.Turn{Speaker: x}, i
		times(turn, e.pick(s.Start), e.pick(s.End), unitOf(s.Start, s.Unit))
	}
	flush(len(entries))
}

// repeats returns what repeats turns below a value.
func (r *mapped) repeats(sources []repeatSource, at match) (all []transcript.Repeat) {
	for i := range sources {
		s := &sources[i]
		for _, each := range at.all(cmp.Or(s.Each, ".")) {
			var of []*transcript.Turn // all of them
			if s.Channel != "" {
				of = r.channels[each.value(s.Channel)]
			}
			n := len(all)
			for _, path := range s.Texts {
				all = append(all, r.texts(each.all(path)))
			}
			for j := range s.Words {
				all = append(all, r.wordRepeats(&s.Words[j], each.node)...)
			}
			for k := range all[n:] {
				all[n+k].Of = of
			}
		}
	}
	return slices.DeleteFunc(all, func(r transcript.Repeat) bool { return len(r.Pieces) == 0 })
}

// wordRepeats returns the lists of words of a form below a value.
func (r *mapped) wordRepeats(w *wordForm, at *node) (all []transcript.Repeat) {
	for _, list := range at.all(w.Path) {
		if entries := list.items(); len(entries) > 0 && !r.lists[list.node] {
			r.lists[list.node] = true
			r.wordPositions(w, at, entries)
			_, repeat := r.words(entries, w)
			all = append(all, repeat)
		}
	}
	return all
}
