// Command encoder writes what the tagger sees of labelled turns as a table of
// numbers, from which train.py beside it trains the encoders that docs/tagger.md
// compares the tagger with.
//
//	go run ./hack/encoder -lists DIR -o DIR TRAIN_DIR DEV_DIR
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/corpus/calls"
	"sotto/corpus/gold"
	"sotto/detectors"
	"sotto/detectors/lexicon"
	"sotto/detectors/ner"
	"sotto/detectors/ner/train"
	"sotto/detectors/spoken"
)

var kinds = []string{"PERSON_NAME", "ORGANIZATION_NAME", "LOCATION", "PRODUCT"}

// composed is the number of turns that 'make model' composes.
const composed = 20_000

func main() {
	log.SetFlags(0)
	lists := flag.String("lists", "", "folder of lists of names, for composed turns")
	out := flag.String("o", "", "folder to write to")
	flag.Parse()
	if flag.NArg() != 2 || *out == "" {
		log.Fatal("usage: encoder -lists DIR -o DIR TRAIN_DIR DEV_DIR")
	}
	names, err := train.ReadLists(*lists)
	if err != nil {
		log.Fatal(err)
	}
	sets := readSets(flag.Arg(0))
	write(filepath.Join(*out, "train"), append(sets, train.Compose(names, composed, 0)), false)
	write(filepath.Join(*out, "dev"), readSets(flag.Arg(1)), true)
}

func readSets(dir string) (sets []train.Set) {
	var files []string
	for _, pattern := range []string{"*.jsonl", "*" + calls.Extension} {
		more, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			log.Fatal(err)
		}
		files = append(files, more...)
	}
	if len(files) == 0 {
		log.Fatal("no labelled conversations in ", dir)
	}
	slices.Sort(files)
	for _, file := range files {
		conversations, err := calls.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		sets = append(sets, train.Set{Name: strings.TrimSuffix(filepath.Base(file), ".jsonl"), Conversations: conversations})
	}
	return sets
}

// write writes the turns of all sets, as written, in lower case, and in lower
// case without punctuation; tag adds what the tagger says to each word.
func write(path string, sets []train.Set, tag bool) {
	f, err := os.Create(path + ".bin")
	if err != nil {
		log.Fatal(err)
	}
	w := bufio.NewWriter(f)
	tagger := ner.NewTagger(ner.Builtin())
	var doc detectors.Document
	var row []int32
	list := ""
	for n := range sets {
		list += sets[n].Name + "\n"
		for variant := range 3 {
			conversations := sets[n].Conversations
			if variant > 0 {
				conversations = gold.Lower(conversations)
			}
			if variant > 1 {
				conversations = gold.Unpunct(conversations)
			}
			for i := range conversations {
				for k := range conversations[i].Utterances {
					row = append(row[:0], int32(n), int32(variant), 0)
					row = words(row, &doc, tagger, &conversations[i].Utterances[k], tag)
					if err := binary.Write(w, binary.LittleEndian, row); err != nil {
						log.Fatal(err)
					}
				}
			}
		}
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(path+".txt", []byte(list), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Println(path)
}

// words appends thirteen numbers for each word: eleven that are known of it,
// its label (-1 where it does not count), and the tagger's.
func words(row []int32, d *detectors.Document, tagger *ner.Tagger, u *gold.Utterance, tag bool) []int32 {
	d.Reset(u.Text)
	spoken.Scan(d)
	labels, predicted := make([]int32, len(d.Tokens)), make([]int32, len(d.Tokens))
	label(d, u, labels)
	if tag {
		for _, name := range tagger.Tag(d) {
			for i := name.First; i <= name.Last && name.Score >= 0.5; i++ {
				predicted[i] = int32(2*name.Kind + 2)
			}
		}
	}
	gap, place, until := int32(0), int32(0), 0
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if n, p := lexicon.PlaceAt(d, i); n > 0 {
			place, until = 1+int32(p&7), i+n
		} else if i >= until {
			place = 0
		}
		if t.Class == detectors.Punct || t.Class == detectors.Other {
			gap = int32(t.Ch % 16)
			continue
		}
		w := string(d.Word(i))
		e := lexicon.LookupHash(t.Hash)
		row[2]++
		row = append(row, bucket(w, 1<<15), bucket("p"+w[:min(3, len(w))], 1<<13), bucket("s"+w[max(0, len(w)-3):], 1<<13),
			bucket("t"+w[max(0, len(w)-2):], 1<<11), int32(t.Class)<<2|int32(min(t.Len()/3, 3)),
			int32(e.Common()), int32(e.Given()), int32(e.Surname()), role(t), place, gap, labels[i], predicted[i])
		gap = 0
	}
	return row
}

func bucket(s string, n uint32) int32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return int32((h ^ h>>15) % n)
}

func role(t *detectors.Token) int32 {
	for i, b := range []detectors.Bits{detectors.Title, detectors.Month, detectors.Weekday, detectors.State, detectors.Country, detectors.NumWord,
		detectors.StreetType, detectors.Copula, detectors.Prepos, detectors.Function} {
		if t.Is(b) {
			return int32(i + 1)
		}
	}
	return 0
}

// label gives the words of names 1 and 2 and so on: the first and a further
// word of each kind.
func label(d *detectors.Document, u *gold.Utterance, labels []int32) {
	var offsets []int
	for b := range u.Text {
		offsets = append(offsets, b)
	}
	offsets = append(offsets, len(u.Text))
	for _, e := range u.Entities {
		kind := int32(slices.Index(kinds, e.Type))
		next := int32(-1)
		if kind >= 0 {
			next = 2*kind + 1
		}
		for i := range d.Tokens {
			if t := &d.Tokens[i]; int(t.Start) >= offsets[e.Start] && int(t.End) <= offsets[e.End] {
				labels[i] = next
				if kind >= 0 {
					next = 2*kind + 2
				}
			}
		}
	}
}
