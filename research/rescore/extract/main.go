// Command extract writes what the rescorer sees of labelled calls, for train.py: the facts of each word, the
// probabilities by a tagger, and the label.
//
//	go run ./rescore/extract -model half.model -o calls.bin ../corpora/calls/train/*.txt
//
// The model must not have seen the calls in training. Rows are 35 numbers of 32 bits: call, turn, bytes, kind by
// the labels (255 if it is not known), facts, and the probabilities of the kinds in millionths.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"

	"sotto/corpus/calls"
	"sotto/detectors/ner"
	"sotto/detectors/ner/train"
	"sotto/internal/gold"
)

func main() {
	model := flag.String("model", "", "model of the tagger; the built-in one if it is not set")
	out := flag.String("o", "", "file to write")
	lower := flag.Bool("lower", false, "write the calls in lower case")
	most := flag.Int("most", 1<<30, "take so many calls of each file, evenly spread")
	flag.Parse()
	if err := run(*model, *out, *lower, *most, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "extract:", err)
		os.Exit(1)
	}
}

func run(modelPath, outPath string, lower bool, most int, files []string) error {
	model := ner.Builtin()
	if modelPath != "" {
		data, err := os.ReadFile(modelPath)
		if err != nil {
			return err
		}
		if model, err = ner.Decode(data); err != nil {
			return err
		}
	}
	var all []gold.Conversation
	for _, file := range files {
		conversations, err := calls.ReadFile(file)
		if err != nil {
			return err
		}
		n := len(conversations)
		for i := range min(n, most) {
			all = append(all, conversations[i*n/min(n, most)])
		}
	}
	if lower {
		all = gold.Lower(all)
	}
	f, err := os.Create(outPath)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	train.Words(model, all, func(x train.Word) {
		row := append(make([]uint32, 0, 4+len(x.Facts)+len(x.Probabilities)), uint32(x.Conversation), uint32(x.Turn), uint32(x.Bytes), uint32(uint8(x.Kind)))
		row = append(row, x.Facts[:]...)
		for _, p := range x.Probabilities {
			row = append(row, uint32(p*1e6))
		}
		if e := binary.Write(w, binary.LittleEndian, row); e != nil {
			err = e
		}
	})
	return errors.Join(err, w.Flush(), f.Close())
}
