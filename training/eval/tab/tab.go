// Package tab measures an anonymizer as the Text Anonymization Benchmark does (Pilán and others, 2022):
// by entities, of direct and of quasi-identifiers apart, and by how much information the masked words have.
//
// An entity is masked if all its mentions are. A document may have several annotators; each of them is a
// truth of its own, and what is counted is added up over them. Errors name places and never the text.
package tab

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/internal/gold"
	"sotto/internal/texttable"
	"sotto/risk"
	"sotto/training/eval"
)

// Document is a text with what each of its annotators wants masked.
type Document struct {
	// conversation has a line of the text as each utterance.
	conversation gold.Conversation
	annotations  []annotation
}

// annotation is what one annotator says. Spans are of the lines joined by line feeds.
type annotation struct {
	entities []entity
	// ignored are spans about which the labels say nothing: what is masked there is neither right nor wrong.
	ignored []span
}

type entity struct {
	direct   bool
	mentions []span
}

// span is from start to end in code points, end exclusive.
type span struct{ start, end int }

// FromCalls returns labelled conversations as documents of one annotator. Spans are those that options score.
// Equal values of an infoType are one entity, whatever their case and spelling. An entity is direct if its
// infoType has four points or more.
func FromCalls(conversations []gold.Conversation, o *eval.Options) []Document {
	documents := make([]Document, len(conversations))
	for i, c := range conversations {
		documents[i] = Document{c, []annotation{annotationOf(&c, o)}}
	}
	return documents
}

func annotationOf(c *gold.Conversation, o *eval.Options) (a annotation) {
	known, at := map[[2]string]int{}, 0
	for _, u := range c.Utterances {
		text := []rune(u.Text)
		for _, s := range u.Entities {
			value, where := string(text[s.Start:s.End]), span{at + s.Start, at + s.End}
			if !o.Scored(s.Type, value) {
				a.ignored = append(a.ignored, where)
				continue
			}
			key := [2]string{s.Type, cmp.Or(risk.Normalize(value).String(), value)}
			k, ok := known[key]
			if !ok {
				k = len(a.entities)
				known[key] = k
				row, listed := table.Lookup(s.Type)
				a.entities = append(a.entities, entity{direct: !listed || row.Direct()})
			}
			a.entities[k].mentions = append(a.entities[k].mentions, where)
		}
		at += len(text) + 1
	}
	return a
}

var table = risk.Table6()

// Report has what was measured. Shares of nothing have a Whole of 0.
type Report struct {
	// Documents and Annotations are how many there were.
	Documents   int `json:"documents"`
	Annotations int `json:"annotations"`
	// Direct and Quasi are the shares of the entities of which every mention is masked, All of both.
	Direct eval.Share `json:"entity_recall_direct"`
	Quasi  eval.Share `json:"entity_recall_quasi"`
	All    eval.Share `json:"entity_recall"`
	// Precision is the share of the masked words that an annotator wants masked; Weighted weighs each by its
	// information, in bits.
	Precision eval.Share `json:"token_precision"`
	Weighted  bits       `json:"weighted_token_precision"`
}

// bits are a share of information.
type bits struct{ part, whole float64 }

// MarshalJSON writes the share, null of nothing.
func (b bits) MarshalJSON() ([]byte, error) {
	if b.whole == 0 {
		return []byte("null"), nil
	}
	return fmt.Appendf(nil, "%.6f", b.part/b.whole), nil
}

func (b bits) String() string {
	if b.whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*b.part/b.whole)
}

// Measure measures the anonymizer on documents. The error names the document by its place, from 1.
func Measure(documents []Document, a eval.Anonymizer) (*Report, error) {
	masks := make([][]span, len(documents))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range documents {
		group.Go(func() (err error) {
			if masks[i], err = documents[i].masks(a); err != nil {
				return fmt.Errorf("document %d: %w", i+1, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	r := &Report{}
	for i := range documents {
		r.add(&documents[i], masks[i])
	}
	return r, nil
}

// masks returns what the anonymizer masks of the lines, joined by line feeds.
func (d *Document) masks(a eval.Anonymizer) (all []span, _ error) {
	lines, err := a.Anonymize(&d.conversation)
	if err != nil {
		return nil, err
	}
	if len(lines) != len(d.conversation.Utterances) {
		return nil, fmt.Errorf("the anonymizer returned %d lines of %d", len(lines), len(d.conversation.Utterances))
	}
	at := 0
	for i, masks := range lines {
		for _, m := range masks {
			all = append(all, span{at + m.Start, at + m.End})
		}
		at += utf8.RuneCountInString(d.conversation.Utterances[i].Text) + 1
	}
	return all, nil
}

func (d *Document) text() []rune {
	lines := make([]string, len(d.conversation.Utterances))
	for i, u := range d.conversation.Utterances {
		lines[i] = u.Text
	}
	return []rune(strings.Join(lines, "\n"))
}

// marked returns which code points of a text of n are in spans.
func marked(n int, spans []span) []bool {
	in := make([]bool, n)
	for _, s := range spans {
		for i := max(0, s.start); i < min(n, s.end); i++ {
			in[i] = true
		}
	}
	return in
}

func (r *Report) add(d *Document, masks []span) {
	text := d.text()
	masked := marked(len(text), masks)
	r.Documents++
	for _, a := range d.annotations {
		r.Annotations++
		wanted := []span{}
		for _, e := range a.entities {
			kind := &r.Quasi
			if e.direct {
				kind = &r.Direct
			}
			hidden := !slices.ContainsFunc(e.mentions, func(s span) bool { return legible(text, masked, s) })
			count(kind, hidden)
			count(&r.All, hidden)
			wanted = append(wanted, e.mentions...)
		}
		r.words(text, masked, marked(len(text), wanted), marked(len(text), a.ignored))
	}
}

func count(s *eval.Share, part bool) {
	s.Whole++
	if part {
		s.Part++
	}
}

// legible reports whether a letter or a sign of a mention can be read that is neither space nor punctuation.
func legible(text []rune, masked []bool, s span) bool {
	for i := s.start; i < s.end; i++ {
		if !masked[i] && !unicode.IsSpace(text[i]) && !unicode.IsPunct(text[i]) {
			return true
		}
	}
	return false
}

// words counts the words of which a letter or digit is masked.
func (r *Report) words(text []rune, masked, wanted, ignored []bool) {
	for _, w := range wordsOf(text) {
		touched := func(by []bool) bool { return slices.Contains(by[w.start:w.end], true) }
		right := touched(wanted)
		if !touched(masked) || !right && touched(ignored) {
			continue
		}
		info := information(string(text[w.start:w.end]))
		r.Weighted.whole += info
		if right {
			r.Weighted.part += info
		}
		count(&r.Precision, right)
	}
}

// wordsOf returns the runs of letters and digits, with what joins them within a word.
func wordsOf(text []rune) (words []span) {
	said := func(i int) bool { return i < len(text) && (unicode.IsLetter(text[i]) || unicode.IsDigit(text[i])) }
	for i := 0; i < len(text); i++ {
		if !said(i) {
			continue
		}
		start := i
		for said(i+1) || i+1 < len(text) && strings.ContainsRune("'’", text[i+1]) && said(i+2) {
			i++
		}
		words = append(words, span{start, i + 1})
	}
	return words
}

// The information of a word by its place among the levels of the lexicon. The five levels of frequent words are
// 30 to 1,000 in a million words, which is 15 to 10 bits in equal steps. The steps go on for the levels below.
const (
	frequentBits, stepBits = 10.0, 1.25
	levels                 = 15
)

// information returns how surprising a word is, in bits: from how common it is in English, and of digits, from how
// many there are. It knows nothing of the words around it.
func information(word string) float64 {
	var d detectors.Document
	d.Reset(word)
	if len(d.Tokens) == 1 && d.Tokens[0].Class == detectors.Digits {
		return float64(utf8.RuneCountInString(word)) * math.Log2(10)
	}
	most := 0.0
	for i := range d.Tokens {
		if h := d.Tokens[i].Hash; h != 0 {
			below := levels - lexicon.LookupHash(h).Common()
			most = max(most, frequentBits+float64(stepBits*float64(below)))
		}
	}
	return most
}

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer) error {
	t := texttable.New("documents", "annotations", "direct", "ER direct %", "quasi", "ER quasi %", "ER %", "prec %", "weighted prec %")
	t.Row(r.Documents, r.Annotations, r.Direct.Whole, r.Direct, r.Quasi.Whole, r.Quasi, r.All, r.Precision, r.Weighted)
	return t.Write(w)
}
