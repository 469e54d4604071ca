package anonymize

import (
	"bytes"

	"sotto/anonymize/mention"
	"sotto/detectors"
)

// lexical names the findings that come from the recognizer's unformatted form.
const lexical = "lexical"

// addLexical reads the unformatted form of the text, in which numbers are words and
// nothing was guessed to be a sentence, a date or an amount, and adds findings for what
// is found there and is not covered by found in the text. What is found in either form is
// thus masked. It reports whether it added any.
func (p *eventPass) addLexical(w *workspace, found []detectors.Finding) bool {
	if p.event.Lexical == nil || *p.event.Lexical == "" || *p.event.Lexical == p.event.Text {
		return false
	}
	lw := p.engine.workspace()
	defer p.engine.release(lw)
	lw.text = *p.event.Lexical
	form := *p // what is known of the text stays as it is
	form.run(lw, onForm, splitWords, addUnformatted)
	inForm := lw.found
	if len(inForm) == 0 {
		return false
	}
	added := false
	d, places := &w.doc, align(&lw.doc, &w.doc)
	for i := range inForm {
		f := inForm[i]
		first, last := places.of(lw.doc.TokenAt(f.Start), lw.doc.TokenAt(f.End-1))
		if first > last {
			continue
		}
		isCode := mention.Kind(f.Type) == detectors.KindCode
		// A number that formatting split is one number all the same.
		if n := covering(d, first, last, found); n == 1 || n > 1 && !isCode {
			continue
		}
		if f.Value == "" && isCode {
			f.Value = lw.mentions.Code(&lw.doc, &f)
		}
		f.Start, f.End = int(d.Tokens[first].Start), int(d.Tokens[last].End)
		f.Detector, f.Origin = lexical, detectors.FromElsewhere // withoutWords has judged it in that form
		d.Add(f)
		added = true
	}
	return added
}

// covering counts the findings that cover the words from token first to last, inclusive; 0 if they
// do not cover all of them. found is disjoint and in order.
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

// alignment gives for each token of one document the tokens of another, from first to
// last, that say the same; last is less than first where none does.
type alignment []struct{ first, last int }

// of returns where tokens i to j, inclusive, are in the other document.
func (a alignment) of(i, j int) (first, last int) {
	first, last = 1<<30, -1
	for ; i <= j && i < len(a); i++ {
		if a[i].first <= a[i].last {
			first, last = min(first, a[i].first), max(last, a[i].last)
		}
	}
	return first, last
}

// alignWindow is how many words two forms of a text may differ in before they agree again: a card
// number, spoken digit by digit, has sixteen, and an e-mail address that is spelled has more.
const alignWindow = 48

// align finds the words of a in b. Where the two differ, all of a's words up to the next one in
// common correspond to all of b's. It takes time linear in their lengths: if they have nothing in
// common within the window, the rest of one corresponds to the rest of the other.
func align(a, b *detectors.Document) alignment {
	places := make(alignment, len(a.Tokens))
	for i := range places {
		places[i].last = -1
	}
	wa, wb := a.Said(), b.Said()
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

// common returns after how few words on both sides, of la and lb that are left, the two agree; all
// of them if that is not within the window.
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
