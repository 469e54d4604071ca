package jsondoc

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sotto/files/formats/jsontree"
	"sotto/files/formats/transcript"
)

// wordForm says where a list of words is and how it writes a word.
type wordForm struct {
	Path string `yaml:"path"`
	// Text are the members that hold the word. The first one that an entry has is compared with
	// the text. Without them, the entries are the words.
	Text []string `yaml:"text"`
	// Start and End are the members that say when the word begins and ends, in a unit that their names may say, else in Unit.
	Start []string `yaml:"start"`
	End   []string `yaml:"end"`
	Unit  string   `yaml:"unit"`
	// Length are pairs of members, when it begins and how long it takes.
	Length [][2]string `yaml:"length"`
	// Starts and Ends are positions in the list, from where the list begins: of the first word of
	// something, and of the word after its last. Counts are numbers of words, one after the other.
	Starts []string `yaml:"starts"`
	Ends   []string `yaml:"ends"`
	Counts []string `yaml:"counts"`
	// Follow are lists whose elements refer to words of the list.
	Follow []reference `yaml:"follow"`
}

// reference is a list whose elements refer to words by a member, or are its value. Paths begin at the
// root.
type reference struct {
	Path string `yaml:"path"`
	By   string `yaml:"by"`
	// End is the member that says when the word ends.
	End string `yaml:"end"`
}

func (f *wordForm) word(n *jsontree.Node) string {
	for _, path := range f.Text {
		if m := n.Pick(path); m.IsText() {
			return m.Str
		}
	}
	if n.Kind == jsontree.Text {
		return n.Str
	}
	return ""
}

// words returns the words of a list of entries and the repeat that it is.
func (d *document) words(entries []*jsontree.Node, f *wordForm) ([]string, transcript.Repeat) {
	words := make([]string, len(entries))
	for i, n := range entries {
		words[i] = f.word(n)
		n.Claimed = n.Claimed || n.Kind == jsontree.Text
		for _, path := range f.Text {
			// A member that says something else than the word is a text of its own.
			if m := n.Pick(path); m.IsText() && saysTheSame(words[i], m.Str) {
				m.Claimed = true
			}
		}
	}
	repeat := transcript.WordsRepeat(words, func(first, last int, s string) {
		d.merge(entries[first:last+1], f, s)
	})
	repeat.Times = func(i int) (start, end *int64) { return f.times(entries[i]) }
	return words, repeat
}

func (f *wordForm) times(n *jsontree.Node) (start, end *int64) {
	first := func(paths []string) *int64 {
		for _, path := range paths {
			if at := millis(n.Pick(path), unitOf(path, f.Unit)); at != nil {
				return at
			}
		}
		return nil
	}
	for _, l := range f.Length {
		from, length := first(l[:1]), first(l[1:])
		if from != nil && length != nil {
			*length += *from
			return from, length
		}
	}
	return first(f.Start), first(f.End)
}

// unitOf returns the unit of times of a name, in milliseconds.
func unitOf(path, unit string) float64 {
	switch name := strings.ToLower(path); {
	case strings.HasSuffix(name, "ms"), strings.HasSuffix(name, "millis"), strings.HasSuffix(name, "milliseconds"):
		return 1
	case strings.HasSuffix(name, "ticks"):
		return units["ticks"]
	}
	return units[unit]
}

func saysTheSame(a string, b ...string) bool {
	return transcript.SaysTheSame(a, b...)
}

// merge makes entries one that reads s, from the start of the first to the end of the last.
func (d *document) merge(entries []*jsontree.Node, f *wordForm, s string) {
	first, last := entries[0], entries[len(entries)-1]
	if first.Kind == jsontree.Text {
		d.set(first, punctuatedAs(s, first.Str, last.Str))
	}
	for _, path := range f.Text {
		if m := first.Pick(path); m != nil {
			d.set(m, punctuatedAs(s, m.Str, last.Pick(path).Scalar()))
		}
	}
	if len(entries) == 1 {
		return
	}
	for _, path := range f.End {
		d.copyEnd(entries, path)
	}
	for _, l := range f.Length {
		from, dur, to, lastDur := first.Pick(l[0]), first.Pick(l[1]), last.Pick(l[0]), last.Pick(l[1])
		if dur == nil || lastDur == nil {
			continue
		}
		if sum, ok := extended(from.Scalar(), to.Scalar(), lastDur.Scalar()); ok {
			if dur.Kind == jsontree.Text {
				sum = jsontree.Quote(sum)
			}
			d.source.Replace(dur.Start, dur.End, sum)
		}
	}
	for i := 1; i < len(entries); i++ {
		d.remove(entries[i-1], entries[i])
	}
	for i := range f.Follow {
		d.follow(entries, &f.Follow[i])
	}
}

func (d *document) remove(before, n *jsontree.Node) {
	d.removed[n] = true
	d.source.Replace(before.End, n.End, "")
}

// follow removes, where entries become one, the references to the others, and gives the reference to
// the first the end of the last.
func (d *document) follow(entries []*jsontree.Node, r *reference) {
	gone := map[string]bool{}
	for _, e := range entries[1:] {
		if s := e.Pick(r.By).Scalar(); s != "" {
			gone[s] = true
		}
	}
	first, last := entries[0], entries[len(entries)-1]
	for _, list := range d.root.All(r.Path) {
		items := list.Items()
		for i, n := range items {
			by := n
			if n.Kind == jsontree.Object {
				by = n.Pick(r.By)
			}
			from, to := last.Pick(r.End), n.Pick(r.End)
			switch by := by.Scalar(); {
			case by != "" && by == first.Pick(r.By).Scalar():
				if from != nil && to != nil {
					d.source.Replace(to.Start, to.End, d.source.Text()[from.Start:from.End])
				}
			case i > 0 && gone[by]:
				d.remove(items[i-1], n)
			}
		}
	}
}

type positions struct {
	entries              []*jsontree.Node
	starts, ends, counts []*jsontree.Node
}

// wordPositions notes the positions that a form names, from where its list begins.
func (d *document) wordPositions(f *wordForm, at *jsontree.Node, entries []*jsontree.Node) {
	n := len(entries)
	if p := (positions{entries, positionsAt(at, f.Starts, n), positionsAt(at, f.Ends, n), positionsAt(at, f.Counts, n)}); len(p.starts)+len(p.ends)+len(p.counts) > 0 {
		d.positions = append(d.positions, p)
	}
}

// positionsAt claims and returns the positions from 0 to a number to which paths lead.
func positionsAt(n *jsontree.Node, paths []string, most int) (all []*jsontree.Node) {
	for _, path := range paths {
		for _, m := range n.All(path) {
			if i, err := strconv.Atoi(m.Str); err == nil && m.Kind == jsontree.Number && 0 <= i && i <= most {
				m.Claimed = true
				all = append(all, m.Node)
			}
		}
	}
	return all
}

// movePositions writes where the words are after some were removed.
func (d *document) movePositions() {
	for _, p := range d.positions {
		kept := make([]int, len(p.entries)+1) // of the words before a position
		for i, e := range p.entries {
			kept[i+1] = kept[i]
			if !d.removed[e] {
				kept[i+1]++
			}
		}
		if kept[len(p.entries)] == len(p.entries) {
			continue
		}
		before := func(i int) int { return kept[min(i, len(p.entries))] }
		for _, n := range p.starts { // within what became one word, it is that word
			d.movePosition(n, func(i int) int { return max(before(i+1)-1, 0) })
		}
		for _, n := range p.ends {
			d.movePosition(n, before)
		}
		sum := 0
		for _, n := range p.counts {
			from := sum
			d.movePosition(n, func(count int) int { sum += count; return before(sum) - before(from) })
		}
	}
}

func (d *document) movePosition(n *jsontree.Node, at func(int) int) {
	i, _ := strconv.Atoi(n.Str) // which positions has checked
	d.source.Replace(n.Start, n.End, strconv.Itoa(at(i)))
}

// punctuatedAs returns a text without the punctuation at its end if neither of the words that it
// replaces has any: one member of an entry has it, and another has not.
func punctuatedAs(s, first, last string) string {
	const marks = ".,?!;:"
	if strings.ContainsAny(first+last, marks) {
		return s
	}
	return strings.TrimRight(s, marks)
}

// copyEnd gives the first entry the end of the last one that has one. Only times are copied.
func (d *document) copyEnd(entries []*jsontree.Node, path string) {
	to := entries[0].Pick(path)
	for _, e := range slices.Backward(entries) {
		if from := e.Pick(path); from != nil && to != nil && d.limits.Value(cmp.Or(from.Key, "end"), from.Scalar()) {
			d.source.Replace(to.Start, to.End, d.source.Text()[from.Start:from.End])
			return
		}
	}
}

// extended returns the duration from a time to the end of something that begins at another time
// and has a duration.
func extended(from, to, duration string) (string, bool) {
	if strings.HasPrefix(duration, "PT") {
		a, okA := isoDuration(from)
		b, okB := isoDuration(to)
		l, okL := isoDuration(duration)
		return "PT" + strconv.FormatFloat((b+l-a).Seconds(), 'f', -1, 64) + "S", okA && okB && okL
	}
	a, errA := strconv.ParseFloat(from, 64)
	b, errB := strconv.ParseFloat(to, 64)
	l, errL := strconv.ParseFloat(duration, 64)
	decimals := 0
	if _, d, ok := strings.Cut(duration, "."); ok {
		decimals = len(d)
	}
	return strconv.FormatFloat(b+l-a, 'f', decimals, 64), errA == nil && errB == nil && errL == nil
}

func isoDuration(s string) (time.Duration, bool) {
	d, err := time.ParseDuration(strings.ToLower(strings.TrimPrefix(s, "PT")))
	return d, err == nil
}

// only removes all elements of a list except for the first: further hypotheses for one word.
func (d *document) only(list *jsontree.Node) {
	if c := list.Items(); len(c) > 1 {
		d.source.Replace(c[0].End, c[len(c)-1].End, "")
		for _, n := range c[1:] {
			n.ClaimAll()
		}
	}
}
