package anonymize

import (
	"bytes"

	"sotto/anonymize/mention"
	"sotto/detectors"
	"sotto/state"
)

// lexical names the findings that come from the recogniser's unformatted form.
const lexical = "lexical"

// lexical reads the unformatted form of the text, in which numbers are words and
// nothing was guessed to be a sentence, a date or an amount, and adds findings
// to d for what is found there and not covered in the text. What is found in
// either form is thus masked. It tells whether it added any.
func (t *turn) lexical(d *detectors.Document, found []detectors.Finding) bool {
	form := *t.event.Lexical
	if form == "" || form == t.event.Text {
		return false
	}
	event := *t.event
	event.Text = form
	sub := *t
	sub.event, sub.work = &event, t.scratch.Get().(*workspace)
	defer t.release(sub.work)
	l := &sub.work.doc
	t.read(sub.work, form, d.Role, event.Tenant)
	sub.expect(l)
	sub.work.matcher.Match(l, sub.call)
	t.rules.Adjust(l)
	t.filter(l)
	sub.work.resolver.Explain = false
	inForm := sub.work.resolver.Resolve(l)
	if len(inForm) == 0 {
		return false
	}
	added := false
	places := align(l, d)
	for i := range inForm {
		f := inForm[i]
		first, last := places.of(l.TokenAt(f.Start), l.TokenAt(f.End-1))
		if first > last {
			continue
		}
		isCode := mention.Kind(f.Type) == state.KindCode
		// A number that formatting cut to pieces is one all the same.
		if n := covering(d, first, last, found); n == 1 || n > 1 && !isCode {
			continue
		}
		if f.Value == "" && isCode {
			f.Value = sub.work.mentions.Code(l, &f)
		}
		f.Start, f.End = int(d.Tokens[first].Start), int(d.Tokens[last].End)
		f.Detector = lexical
		d.Add(f)
		added = true
	}
	return added
}

// covering counts the findings that cover the words from token first to last,
// inclusive; 0 when they do not cover all. found is disjoint and in order.
func covering(d *detectors.Document, first, last int, found []detectors.Finding) (count int) {
	n, counted := 0, -1
	for i := first; i <= last; i++ {
		t := &d.Tokens[i]
		if t.Class == detectors.Punct {
			continue
		}
		for n < len(found) && found[n].End < int(t.End) {
			n++
		}
		if n == len(found) || found[n].Start > int(t.Start) {
			return 0
		}
		if n != counted {
			count, counted = count+1, n
		}
	}
	return count
}

// alignment tells for each token of one document which tokens of another, from
// first to last, say the same; last is less than first where none does.
type alignment []struct{ first, last int }

// of is where tokens i to j, inclusive, stand in the other document.
func (a alignment) of(i, j int) (first, last int) {
	first, last = 1<<30, -1
	for ; i <= j && i < len(a); i++ {
		if a[i].first <= a[i].last {
			first, last = min(first, a[i].first), max(last, a[i].last)
		}
	}
	return first, last
}

// alignWindow is how many words two forms of a text may differ in before both
// say the same again: a card number, spoken digit by digit, has sixteen, an
// e-mail address that is spelled some more.
const alignWindow = 48

// align finds the words of a in b. Where the two differ, all of a's words up to
// the next one that they have in common stand for all of b's. It takes time
// linear in their lengths: where they have nothing in common within the window,
// the rest of one stands for the rest of the other.
func align(a, b *detectors.Document) alignment {
	places := make(alignment, len(a.Tokens))
	for i := range places {
		places[i].last = -1
	}
	wa, wb := saidTokens(a), saidTokens(b)
	same := func(i, j int) bool { return bytes.Equal(a.Word(wa[i]), b.Word(wb[j])) }
	for i, j := 0, 0; i < len(wa); {
		n, m := common(len(wa)-i, len(wb)-j, func(n, m int) bool {
			return same(i+n, j+m) && (n+m < 2 || i+n+1 == len(wa) || j+m+1 == len(wb) || same(i+n+1, j+m+1))
		})
		for k := range n {
			if m > 0 {
				places[wa[i+k]].first, places[wa[i+k]].last = wb[j], wb[j+m-1]
			}
		}
		i, j = i+n, j+m
		if i < len(wa) && j < len(wb) {
			places[wa[i]].first, places[wa[i]].last = wb[j], wb[j]
			i, j = i+1, j+1
		}
	}
	return places
}

// common returns after how few words on both sides, of la and lb that are left,
// the two say the same; all of them where that is not within the window.
func common(la, lb int, same func(n, m int) bool) (n, m int) {
	for sum := 0; sum < 2*alignWindow; sum++ {
		for n := max(0, sum-min(lb-1, alignWindow)); n <= min(sum, la-1, alignWindow); n++ {
			if same(n, sum-n) {
				return n, sum - n
			}
		}
	}
	return la, lb
}

// saidTokens are the tokens that are no punctuation.
func saidTokens(d *detectors.Document) []int {
	said := make([]int, 0, len(d.Tokens))
	for i := range d.Tokens {
		if d.Tokens[i].Class != detectors.Punct {
			said = append(said, i)
		}
	}
	return said
}
