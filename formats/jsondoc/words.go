package jsondoc

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"sotto/formats/harmless"
	"sotto/formats/transcript"
)

// wordForm says how a format writes a word in a list.
type wordForm struct {
	// texts are the members that hold the word. The first one that an entry has is compared with
	// the text.
	texts []string
	// ends are the members that say when the word ends.
	ends []string
	// lengths are pairs of members, when it begins and how long it takes.
	lengths [][2]string
	// merged, unless nil, is called with entries that become one.
	merged func(entries []*node)
}

// word returns the text of an entry.
func (f *wordForm) word(n *node) string {
	for _, path := range f.texts {
		if m := n.get(path); m.isText() {
			return m.str
		}
	}
	if n.kind == text {
		return n.str
	}
	return ""
}

// words returns the words of a list of entries and the repeat that it is.
func (d *document) words(entries []*node, f *wordForm) ([]string, transcript.Repeat) {
	words := make([]string, len(entries))
	for i, n := range entries {
		words[i] = f.word(n)
		n.claimed = n.claimed || n.kind == text
		for _, path := range f.texts {
			// A member that says something else than the word is a text of its own.
			if m := n.get(path); m.isText() && saysTheSame(words[i], m.str) {
				m.claimed = true
			}
		}
	}
	return words, transcript.WordsRepeat(words, func(first, last int, s string) {
		d.merge(entries[first:last+1], f, s)
	})
}

// saysTheSame reports whether two texts have the same letters and digits.
func saysTheSame(a string, b ...string) bool {
	_, same := transcript.Exact(a, nil, b)
	return same
}

// repeatWords makes a list repeat the words of a turn.
func (d *document) repeatWords(t *transcript.Turn, entries []*node, f *wordForm) {
	if len(entries) > 0 {
		_, r := d.words(entries, f)
		t.Repeats = append(t.Repeats, r)
	}
}

// merge makes entries one that reads s, from the start of the first to the end of the last.
func (d *document) merge(entries []*node, f *wordForm, s string) {
	first, last := entries[0], entries[len(entries)-1]
	if first.kind == text {
		d.set(first, punctuatedAs(s, first.str, last.str))
	}
	for _, path := range f.texts {
		if m := first.get(path); m != nil {
			d.set(m, punctuatedAs(s, m.str, last.get(path).string()))
		}
	}
	if len(entries) == 1 {
		return
	}
	for _, path := range f.ends {
		d.copyEnd(entries, path)
	}
	for _, l := range f.lengths {
		from, dur, to, lastDur := first.get(l[0]), first.get(l[1]), last.get(l[0]), last.get(l[1])
		if dur == nil || lastDur == nil {
			continue
		}
		if sum, ok := extended(from.string(), to.string(), lastDur.string()); ok {
			if dur.kind == text {
				sum = quote(sum)
			}
			d.source.Replace(dur.start, dur.end, sum)
		}
	}
	for i := 1; i < len(entries); i++ {
		d.source.Replace(entries[i-1].end, entries[i].end, "")
	}
	if f.merged != nil {
		f.merged(entries)
	}
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
func (d *document) copyEnd(entries []*node, path string) {
	to := entries[0].get(path)
	for _, e := range slices.Backward(entries) {
		if from := e.get(path); from != nil && to != nil && harmless.Value(from.key, from.string()) {
			d.source.Replace(to.start, to.end, d.source.Text()[from.start:from.end])
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

// isoDuration reads PT1H2M3.4S.
func isoDuration(s string) (time.Duration, bool) {
	d, err := time.ParseDuration(strings.ToLower(strings.TrimPrefix(s, "PT")))
	return d, err == nil
}

// turnOfWords adds a turn whose text is only in the words of a list.
func (d *document) turnOfWords(t *transcript.Turn, entries []*node, f *wordForm) {
	words, r := d.words(entries, f)
	t.Text = transcript.JoinWords(words)
	t.Repeats = append(t.Repeats, r)
	d.call.Turns = append(d.call.Turns, t)
}

// only removes all elements of a list except for the first: further hypotheses for one word.
func (d *document) only(list *node) {
	if c := list.items(); len(c) > 1 {
		d.source.Replace(c[0].end, c[len(c)-1].end, "")
		for _, n := range c[1:] {
			claimAll(n)
		}
	}
}

// claimAll claims a value with all that it contains, which the caller removes.
func claimAll(n *node) {
	n.claimed = true
	for _, c := range n.children {
		claimAll(c)
	}
}
