package files

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/anonymize"
	"sotto/detectors/lookalike"
	"sotto/schemas"
)

// maxText is how many bytes of a text the engine reads at a time: as many as the stream takes by
// default. The engine takes some hundred bytes of memory for each of them. A longer text becomes several events.
const maxText = 64 << 10

// cutWindow is how many bytes are read to find where a long text can be cut: somewhere in their middle half, since what
// is near their ends may go on outside of them.
const cutWindow = 4 << 10

// cut divides an event whose text is long into several with the same text together. The error is that of ctx.
func (j *Job) cut(ctx context.Context, ev *schemas.RawEvent) ([]*schemas.RawEvent, error) {
	var all []*schemas.RawEvent
	for rest := ev.Text; ; {
		piece := *ev
		piece.Text = rest
		all = append(all, &piece)
		if len(rest) <= maxText {
			return all, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := j.cutAt(ev, rest)
		piece.Text, rest = rest[:n], rest[n:]
	}
}

// cutAt returns where a long text is cut: where nothing personal is near, if there is such a place among the last bytes
// that the engine would read. So no value is divided that is shorter than the window, nor parted from what it is known by.
func (j *Job) cutAt(ev *schemas.RawEvent, text string) int {
	from, to := runeBefore(text, maxText-cutWindow), runeBefore(text, maxText)
	window := *ev
	window.Text = text[from:to]
	n := len(window.Text)
	return from + breakIn(window.Text, widestGap(between{n / 4, n - n/4}, j.taken(&window)))
}

// runeBefore returns the last place up to at where a rune begins.
func runeBefore(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// between is a part of a text, in bytes.
type between struct{ start, end int }

// taken returns the parts of a text that must not be divided, in order: what is masked, and what looks like a tag.
func (j *Job) taken(ev *schemas.RawEvent) (all []between) {
	out := anonymize.NewConversation(j.Engine).Add(ev)
	at := byteOffsets(ev.Text)
	for i := range out.Clean.Entities {
		e := &out.Clean.Entities[i]
		all = append(all, between{at(*e.RawStart), at(*e.RawEnd)})
	}
	for _, m := range lookalike.Find(ev.Text) {
		inside := ev.Text[m.Inside:]
		n := strings.IndexAny(inside, "]］ -") // one of which ends what makes it look like one
		all = append(all, between{runeBefore(ev.Text, m.Inside-1), m.Inside + max(n, 0) + 1})
	}
	slices.SortFunc(all, func(a, b between) int { return cmp.Compare(a.start, b.start) })
	return all
}

// widestGap returns the longest stretch within a part of a text that nothing takes, its middle if there is none.
func widestGap(within between, taken []between) between {
	at, length := within.start, -1
	middle := (within.start + within.end) / 2
	widest := between{middle, middle}
	for _, t := range append(taken, between{within.end, within.end}) {
		if end := min(t.start, within.end); end-at > length {
			widest, length = between{at, end}, end-at
		}
		at = max(at, t.end)
	}
	return widest
}

// breakIn returns the place nearest the middle of a part of a text that is the best to cut it: after a sentence, after a
// word, or at least between two letters.
func breakIn(text string, in between) int {
	middle := (in.start + in.end) / 2
	sentence, word := -1, -1
	nearer := func(to *int, at int) {
		if *to < 0 || max(at-middle, middle-at) < max(*to-middle, middle-*to) {
			*to = at
		}
	}
	before := rune(0)
	for i, r := range text[in.start:in.end] {
		if unicode.IsSpace(r) {
			after := in.start + i + utf8.RuneLen(r)
			nearer(&word, after)
			if strings.ContainsRune(".?!\n", before) {
				nearer(&sentence, after)
			}
		}
		before = r
	}
	switch {
	case sentence >= 0:
		return sentence
	case word >= 0:
		return word
	}
	at := runeBefore(text, middle)
	for r, _ := utf8.DecodeRuneInString(text[at:]); at > 0 && unicode.IsMark(r); r, _ = utf8.DecodeRuneInString(text[at:]) {
		at = runeBefore(text, at-1)
	}
	return at
}

// wholeOutput returns what became of the pieces of a text as what became of the text.
func wholeOutput(pieces []*schemas.RawEvent, outs []anonymize.Output) anonymize.Output {
	if len(outs) == 1 {
		return outs[0]
	}
	all := outs[0]
	var text strings.Builder
	all.Clean.Entities, all.Subthreshold = nil, nil
	raw, rawBytes, clean := 0, 0, 0
	for i := range outs {
		out := &outs[i]
		text.WriteString(out.Clean.Text)
		for _, e := range out.Clean.Entities {
			rawStart, rawEnd := *e.RawStart+raw, *e.RawEnd+raw
			e.Start, e.End, e.RawStart, e.RawEnd = e.Start+clean, e.End+clean, &rawStart, &rawEnd
			all.Clean.Entities = append(all.Clean.Entities, e)
		}
		for _, f := range out.Subthreshold {
			f.Start += rawBytes
			all.Subthreshold = append(all.Subthreshold, f)
		}
		all.Language = cmp.Or(all.Language, out.Language)
		raw += utf8.RuneCountInString(pieces[i].Text)
		rawBytes += len(pieces[i].Text)
		clean += utf8.RuneCountInString(out.Clean.Text)
	}
	all.Clean.Text = text.String()
	return all
}
