// Command extract writes what the second reader sees of labelled calls, for train.py: the words of each call
// as they are after the live reading, with the facts of each word and its label.
//
//	go run ./reread/extract -model half.bin -o calls.bin ../corpora/calls/train/*.txt
//
// The model must not have seen the calls in training. Each call is written with the masks of the live
// reading, with some of them left out, and with labels masked at random; with -only as it is. Rows are 25
// numbers of 32 bits: call, variant, turn, first and last byte, kind by the labels, facts.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"

	"sotto/anonymize"
	"sotto/corpus/calls"
	"sotto/detectors"
	"sotto/detectors/ner"
	"sotto/detectors/ner/reread"
	"sotto/eval"
	"sotto/internal/gold"
)

func main() {
	model := flag.String("model", "", "model of the live reading; the built-in one if it is not set")
	out := flag.String("o", "", "file to write")
	only := flag.Bool("only", false, "write the masks as they are and no variants")
	lower := flag.Bool("lower", false, "write the calls in lower case")
	flag.Parse()
	if err := run(*model, *out, *only, *lower, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "extract:", err)
		os.Exit(1)
	}
}

func run(model, outPath string, only, lower bool, files []string) error {
	options := anonymize.Options{RawOffsets: true}
	if model != "" {
		data, err := os.ReadFile(model)
		if err != nil {
			return err
		}
		if options.Model, err = ner.Decode(data); err != nil {
			return err
		}
	}
	engine, err := anonymize.New(options)
	if err != nil {
		return err
	}
	f, err := os.Create(outPath)
	if err != nil {
		return err
	}
	w := writer{Writer: bufio.NewWriterSize(f, 1<<20), live: eval.Engine(engine), random: rand.New(rand.NewPCG(1, 2))}
	for _, file := range files {
		conversations, err := calls.ReadFile(file)
		if err != nil {
			return err
		}
		if lower {
			conversations = gold.Lower(conversations)
		}
		for i := range conversations {
			if err := w.call(&conversations[i], only); err != nil {
				return err
			}
		}
	}
	return errors.Join(w.Flush(), f.Close())
}

type writer struct {
	*bufio.Writer
	live   eval.Anonymizer
	random *rand.Rand
	calls  uint32
}

func (w *writer) call(c *gold.Conversation, only bool) error {
	found, err := w.live.Anonymize(c)
	if err != nil {
		return err
	}
	labels := make([][]eval.Mask, len(c.Utterances))
	for i, u := range c.Utterances {
		for _, s := range u.Entities {
			if k := ner.KindOfType(detectors.InfoType(s.Type)); k != ner.KindOfType(detectors.Date) {
				labels[i] = append(labels[i], eval.Mask{Start: s.Start, End: s.End, Type: s.Type})
			}
		}
	}
	variants := [][][]eval.Mask{found}
	if !only {
		variants = append(variants, w.some(found, 0.88), w.some(labels, 0.9), w.some(labels, 0.6))
	}
	for v := range variants {
		if err := w.write(c, uint32(v), variants[v]); err != nil {
			return err
		}
	}
	w.calls++
	return nil
}

func (w *writer) some(spans [][]eval.Mask, share float64) [][]eval.Mask {
	out := make([][]eval.Mask, len(spans))
	for i := range spans {
		for _, s := range spans[i] {
			if w.random.Float64() < share {
				out[i] = append(out[i], s)
			}
		}
	}
	return out
}

func (w *writer) write(c *gold.Conversation, variant uint32, masks [][]eval.Mask) error {
	turns, speakers := make([]reread.Turn, len(c.Utterances)), map[string]int{}
	runes := make([][]int, len(c.Utterances))
	for i := range c.Utterances {
		u := &c.Utterances[i]
		if _, ok := speakers[u.Speaker]; !ok {
			speakers[u.Speaker] = len(speakers)
		}
		for b := range u.Text {
			runes[i] = append(runes[i], b)
		}
		runes[i] = append(runes[i], len(u.Text))
		t := &turns[i]
		t.Text, t.Speaker = u.Text, speakers[u.Speaker]
		switch u.Role() {
		case "AGENT":
			t.Role = detectors.RoleAgent
		case "CUSTOMER":
			t.Role = detectors.RoleCustomer
		}
		for _, m := range masks[i] {
			t.Masks = append(t.Masks, reread.Mask{Start: runes[i][m.Start], End: runes[i][m.End], Type: detectors.InfoType(m.Type)})
		}
	}
	var err error
	reread.Extract(turns, func(turn, start, end int, facts *reread.Facts) {
		row := []uint32{w.calls, variant, uint32(turn), uint32(start), uint32(end), 0}
		for _, s := range c.Utterances[turn].Entities {
			if start < runes[turn][s.End] && runes[turn][s.Start] < end {
				row[5] = uint32(ner.KindOfType(detectors.InfoType(s.Type)))
			}
		}
		if e := binary.Write(w, binary.LittleEndian, append(row, facts[:]...)); e != nil {
			err = e
		}
	})
	return err
}
